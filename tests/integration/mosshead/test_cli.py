"""The command `mosshead spool`: what waits, also while Redis and Postgres are down."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mosshead.paths import NamespacePath
from mosshead.publishing.spool import Spool, spool_path
from tests.integration.mosshead.conftest import Said, Shell

BROKER, DATABASE = "redis://127.0.0.1:9/0", "postgresql://me:s3cret@127.0.0.1:9/mosshead"
SARAH, BO = NamespacePath.of(("acme", "sarah")), NamespacePath.of(("acme", "bo"))


Run = Callable[..., Said]


def environment(folder: Path) -> dict[str, str]:
    return {"MOSSHEAD_DATABASE_URL": DATABASE, "MOSSHEAD_BROKER_URL": BROKER, "MOSSHEAD_SPOOL_DIR": str(folder)}


@pytest.fixture
def run(shell: Shell, tmp_path: Path) -> Run:
    """Return a function that runs a command on the spools of a folder."""
    return lambda *arguments, **more: shell(*arguments, **{**environment(tmp_path), **more})


def told(run: Run, **more: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run("spool", "--json", **more).out)
    return answer


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    opened = Spool(spool_path(tmp_path, broker_url=BROKER, database_url=DATABASE), most_bytes=10**6)
    yield opened
    opened.close()


def test_spool_command_creates_no_file_if_nothing_was_published(run: Run, tmp_path: Path) -> None:
    answer = told(run, MOSSHEAD_SPOOL_DIR=str(tmp_path / "none"))
    assert (answer["events"], answer["oldest"], answer["namespaces"], answer["others"]) == (0, None, {}, [])
    assert Path(answer["path"]).parent == tmp_path / "none"
    assert not (tmp_path / "none").exists()


def test_publish_command_spools_the_event_and_query_names_the_unreachable_server(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    published = run("publish", "I like quetzals", "--namespace", "acme/sarah")
    assert (published.status, published.out) == (0, "1 event published\n")
    assert "quetzals" not in published.err + caplog.text
    assert told(run)["namespaces"] == {"acme/sarah": 1}
    asked = run("query", "What does she like?", "--namespace", "acme/sarah")
    assert (asked.status, asked.out) == (1, "")
    assert "error: MOSSHEAD_DATABASE_URL: cannot connect to " in asked.err


def test_spool_command_lists_waiting_events_by_namespace(run: Run, spool: Spool) -> None:
    spool.append(SARAH, ["quetzal", "coatlus"])
    spool.append(BO, ["a"])
    answer = told(run)
    assert (answer["path"], answer["events"], answer["bytes"]) == (str(spool.path), 3, 15)
    assert answer["namespaces"] == {"acme/sarah": 2, "acme/bo": 1}
    assert answer["oldest"].endswith("+00:00")

    shown = run("spool").out
    assert str(spool.path) in shown
    assert "3 events, 15 bytes, the oldest from " in shown
    assert "acme/sarah" in shown
    assert "quetzal" not in shown


@pytest.mark.parametrize(("encoding", "more"), [("ascii", ()), ("cp1252", ("--json",))])
def test_names_are_written_in_utf_8_in_any_locale(
    tmp_path: Path, spool: Spool, encoding: str, more: tuple[str, ...]
) -> None:
    """In its own process: a stream's encoding is fixed when Python starts."""
    spool.append(NamespacePath.of(("acme", "zoë 👋")), ["a"])
    own = {**os.environ, **environment(tmp_path), "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "mosshead", "spool", *more]
    shown = subprocess.run(command, env=own, capture_output=True, encoding="utf-8", check=True, timeout=60).stdout
    assert "acme/zoë 👋" in shown


def test_spool_command_lists_spools_of_other_servers(run: Run, tmp_path: Path, spool: Spool) -> None:
    other = Spool(spool_path(tmp_path, broker_url="redis://elsewhere/0", database_url=DATABASE), most_bytes=10**6)
    other.append(SARAH, ["a"])
    other.close()
    empty = Spool(spool_path(tmp_path, broker_url="redis://nowhere/0", database_url=DATABASE), most_bytes=10**6)
    empty.changes(0)
    empty.close()
    answer = told(run)
    assert [(one["path"], one["events"]) for one in answer["others"]] == [(str(other.path), 1)]
    assert f"{other.path}, of another broker or database: 1 event, 1 bytes" in run("spool").out


def test_spool_command_without_a_broker_names_the_missing_setting(run: Run) -> None:
    refused = run("spool", MOSSHEAD_BROKER_URL="")
    assert refused.status == 1
    assert "MOSSHEAD_BROKER_URL is not set" in refused.err
    assert "Traceback" not in refused.err
