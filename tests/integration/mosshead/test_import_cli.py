"""The commands `mosshead import`, `mosshead export` and `mosshead neighbours`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from mosshead import InvalidEvent, ReadTimeout
from mosshead.cli.main import cli
from mosshead.cli.output import PlainConsole
from mosshead.paths import NamespacePath
from tests.given import Remembering, direction
from workers.local import Addresses

LINES = """
{"type": "memory", "id": "m1", "content": "Ada restores harps\u2028by hand.", "about": ["ada"]}
{"type": "entity", "key": "ada", "name": "Ada", "entity_type": "person"}
{"type": "relation", "subject": "ada", "predicate": "knows", "object": "ada", "memory": "m1"}
"""

Run = Callable[..., str]
Taken = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def run(
    addresses: Addresses,
    fresh_namespace: NamespacePath,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Return a function that runs a command on the fresh namespace in this process and returns its output."""
    monkeypatch.setenv("MOSSHEAD_DATABASE_URL", addresses.database_url)
    monkeypatch.setenv("MOSSHEAD_BROKER_URL", addresses.broker_url)
    monkeypatch.setenv("MOSSHEAD_SPOOL_DIR", str(tmp_path / "spool"))

    def run(*arguments: object) -> str:
        cli([*map(str, arguments), "--namespace", str(fresh_namespace)], standalone_mode=False)
        return capsys.readouterr().out

    return run


def test_file_is_published_and_skipped_lines_are_reported(run: Run, tmp_path: Path, taken: Taken) -> None:
    file = tmp_path / "world.jsonl"
    file.write_text(LINES, encoding="utf-8")
    assert run("import", file) == "1 entities and 1 memories published; 1 of type relation skipped\n"
    (event,) = taken(1)
    assert (event["type"], event["entities"][0]["key"], event["memories"][0]["about"]) == ("import", "ada", ["ada"])

    answer: dict[str, Any] = json.loads(run("import", file, "--json"))["imported"]
    assert (answer["entities"], answer["memories"], answer["skipped"]) == (1, 1, {"relation": 1})
    assert answer["event_ids"][0] in {one["event_id"] for one in taken(1)}


def test_file_with_a_byte_order_mark_is_read(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "world.jsonl"
    file.write_text(LINES.lstrip(), encoding="utf-8-sig")
    assert run("import", file).startswith("1 entities and 1 memories published")
    file.write_text("User: I live in Leeds.\nAssistant: Nice.", encoding="utf-8-sig")
    assert run("publish", "--transcript", file) == "2 events published\n"


@pytest.mark.parametrize(
    "command", [("import",), ("publish", "--transcript"), ("publish", "--messages"), ("track", "--messages")]
)
def test_file_of_another_encoding_is_named(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    file = tmp_path / "said.txt"
    file.write_text("User: I live in Leeds.", encoding="utf-16")
    with pytest.raises(InvalidEvent, match=r"^said\.txt: not a UTF-8 text file$"):
        run(*command, file)


def test_conversation_is_tracked_line_by_line(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    said = {"role": "user", "content": "Ada\u2028restores harps.\x85"}
    file.write_text(json.dumps(said, ensure_ascii=False), encoding="utf-8-sig")
    assert len(json.loads(run("track", "--messages", file, "--json"))["turns"]) == 1
    file.write_text("{", encoding="utf-8")
    with pytest.raises(InvalidEvent, match=r"said\.jsonl, line 1: not a JSON object"):
        run("track", "--messages", file)


def test_deeply_nested_line_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    file.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InvalidEvent, match=r"said\.jsonl, line 1: not a JSON object"):
        run("publish", "--messages", file)


def test_terminal_control_characters_are_escaped(run: Run, remembering: Remembering) -> None:
    long = "and so on " * 30
    remembering.memory(f"The key is :key: \x1b[2J\x1b]0;mine\x07\x9b {long}end", direction(1))
    shown = run("query", "What is the key?")
    assert rf"The key is :key: \x1b[2J\x1b]0;mine\x07\x9b {long}end" in shown


def test_error_messages_send_no_control_characters_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    PlainConsole(soft_wrap=True).print("[red]error:[/] \x1b[2J :key:")
    assert capsys.readouterr().out == "error: \\x1b[2J :key:\n"


def test_file_with_a_fault_publishes_nothing(run: Run, tmp_path: Path, taken: Taken) -> None:
    file = tmp_path / "world.jsonl"
    file.write_text(f"{LINES}{{\n", encoding="utf-8")
    with pytest.raises(InvalidEvent, match="line 5: not a JSON object"):
        run("import", file)
    assert taken() == []


def test_neighbours_command_shows_related_entities(run: Run, remembering: Remembering) -> None:
    barn = remembering.entity("Harp Barn")
    ada = remembering.entity("Ada", parent_id=barn)
    (row,) = [line.split() for line in run("neighbours", "Ada").splitlines()[1:]]
    assert row == ["1", "Harp", "Barn", "person", "part_of", "->"]
    (found,) = json.loads(run("neighbours", str(barn), "--json"))["neighbours"]
    assert (found["id"], found["direction"], found["distance"]) == (str(ada), "in", 1)


def test_export_may_take_longer_than_other_reads(run: Run, remembering: Remembering, admin_engine: Engine) -> None:
    """A large namespace takes longer to read than a chat can wait."""
    remembering.memory("Ada restores harps.")
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("lock table mosshead.memories")
        with pytest.raises(ReadTimeout):
            run("export", "--timeout", 1)
    assert json.loads(run("export", "--timeout", 30))["content"] == "Ada restores harps."
