"""The command `mosshead spool`: what waits, also while Redis and Postgres are away."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mosshead.paths import NamespacePath
from mosshead.publishing.spool import Spool, spool_path

BROKER, DATABASE = "redis://127.0.0.1:9/0", "postgresql://me:s3cret@127.0.0.1:9/mosshead"
SARAH, BO = NamespacePath.of(("acme", "sarah")), NamespacePath.of(("acme", "bo"))


def mosshead(folder: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    own = {
        "MOSSHEAD_DATABASE_URL": DATABASE,
        "MOSSHEAD_BROKER_URL": BROKER,
        "MOSSHEAD_SPOOL_DIR": str(folder),
        **variables,
    }
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MOSSHEAD_")} | own
    command = [sys.executable, "-m", "mosshead", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False, timeout=60)


def run(folder: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return mosshead(folder, "spool", *arguments, **variables)


def told(folder: Path) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run(folder, "--json").stdout)
    return answer


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    opened = Spool(spool_path(tmp_path, broker_url=BROKER, database_url=DATABASE), most_bytes=10**6)
    yield opened
    opened.close()


def test_where_nothing_was_published_nothing_is_made(tmp_path: Path) -> None:
    answer = told(tmp_path / "none")
    assert (answer["events"], answer["oldest"], answer["namespaces"], answer["others"]) == (0, None, {}, [])
    assert Path(answer["path"]).parent == tmp_path / "none"
    assert not (tmp_path / "none").exists()


def test_what_the_command_publishes_waits_too_and_what_it_reads_says_what_is_away(tmp_path: Path) -> None:
    published = mosshead(tmp_path, "publish", "I like quetzals", "--namespace", "acme/sarah")
    assert (published.returncode, published.stdout) == (0, "1 event published\n")
    assert "quetzals" not in published.stderr
    assert told(tmp_path)["namespaces"] == {"acme/sarah": 1}
    asked = mosshead(tmp_path, "query", "What does she like?", "--namespace", "acme/sarah")
    assert (asked.returncode, asked.stdout) == (1, "")
    assert "error: MOSSHEAD_DATABASE_URL: cannot connect to " in asked.stderr


def test_what_waits_is_told_by_namespace(tmp_path: Path, spool: Spool) -> None:
    spool.append(SARAH, ["quetzal", "coatlus"])
    spool.append(BO, ["a"])
    answer = told(tmp_path)
    assert (answer["path"], answer["events"], answer["bytes"]) == (str(spool.path), 3, 15)
    assert answer["namespaces"] == {"acme/sarah": 2, "acme/bo": 1}
    assert answer["oldest"].endswith("+00:00")

    shown = run(tmp_path).stdout
    assert str(spool.path) in shown
    assert "3 events, 15 bytes, the oldest from " in shown
    assert "acme/sarah" in shown
    assert "quetzal" not in shown


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_names_are_written_in_utf_8_whatever_the_locale_has(tmp_path: Path, spool: Spool, encoding: str) -> None:
    spool.append(NamespacePath.of(("acme", "zoë 👋")), ["a"])
    assert json.loads(run(tmp_path, "--json", PYTHONIOENCODING=encoding).stdout)["namespaces"] == {"acme/zoë 👋": 1}
    assert "acme/zoë 👋" in run(tmp_path, PYTHONIOENCODING=encoding).stdout


def test_what_waits_for_another_place_is_told_too(tmp_path: Path, spool: Spool) -> None:
    other = Spool(spool_path(tmp_path, broker_url="redis://elsewhere/0", database_url=DATABASE), most_bytes=10**6)
    other.append(SARAH, ["a"])
    other.close()
    empty = Spool(spool_path(tmp_path, broker_url="redis://nowhere/0", database_url=DATABASE), most_bytes=10**6)
    empty.changes(0)
    empty.close()
    answer = told(tmp_path)
    assert [(one["path"], one["events"]) for one in answer["others"]] == [(str(other.path), 1)]
    assert f"{other.path}, of another broker or database: 1 event, 1 bytes" in run(tmp_path).stdout


def test_without_a_broker_it_says_what_is_missing(tmp_path: Path) -> None:
    refused = run(tmp_path, MOSSHEAD_BROKER_URL="")
    assert refused.returncode == 1
    assert "MOSSHEAD_BROKER_URL is not set" in refused.stderr
    assert "Traceback" not in refused.stderr
