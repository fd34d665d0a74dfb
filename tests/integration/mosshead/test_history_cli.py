"""`mosshead import` of a chat export into real servers."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import Engine, text

from mosshead import InvalidEvent
from mosshead.cli.main import cli
from mosshead.paths import NamespacePath
from tests.given import Remembering
from tests.integration.mosshead.conftest import Taken
from workers.local import Addresses

SAMPLES = Path(__file__).parents[2] / "data" / "history"
CHATS = {
    "chatgpt.json": 4,
    "claude.json": 4,
    "messages.jsonl": 3,
    "telegram.json": 4,
    "telegram-all.json": 3,
    "slack": 6,
    "whatsapp-android-de.txt": 3,
    "whatsapp-android-es.txt": 3,
    "whatsapp-ios-us.txt": 4,
}

Import = Callable[..., None]


@pytest.fixture
def import_chat(
    addresses: Addresses, fresh_namespace: NamespacePath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Import:
    """Return a function that imports a sample into the fresh namespace."""
    monkeypatch.setenv("MOSSHEAD_DATABASE_URL", addresses.database_url)
    monkeypatch.setenv("MOSSHEAD_BROKER_URL", addresses.broker_url)
    monkeypatch.setenv("MOSSHEAD_SPOOL_DIR", str(tmp_path / "spool"))

    def run(sample: str, *options: str) -> None:
        cli(["import", str(SAMPLES / sample), "--namespace", str(fresh_namespace), *options], standalone_mode=False)

    return run


@pytest.mark.parametrize("sample", CHATS)
def test_same_export_twice_changes_nothing(
    import_chat: Import, admin_engine: Engine, fresh_namespace: NamespacePath, take_in: Taken, sample: str
) -> None:
    import_chat(sample, "--dry-run")
    assert stored(admin_engine, fresh_namespace) == []

    import_chat(sample)
    take_in(CHATS[sample])
    first = stored(admin_engine, fresh_namespace)
    import_chat(sample)
    take_in(CHATS[sample])

    assert len(first) == CHATS[sample]
    assert stored(admin_engine, fresh_namespace) == first


def test_export_with_its_latest_conversation_first_arrives_in_time_order(
    import_chat: Import, admin_engine: Engine, fresh_namespace: NamespacePath, take_in: Taken
) -> None:
    import_chat("chatgpt.json")
    take_in(CHATS["chatgpt.json"])

    told = [content for *_, content, _ in stored(admin_engine, fresh_namespace)]
    assert told == ["I restore harps.", "Harps are lovely.", "I live in Leeds.", "Nice."]


def test_speakers_option_names_the_user_and_others_speak_by_name(
    import_chat: Import, admin_engine: Engine, fresh_namespace: NamespacePath, take_in: Taken
) -> None:
    import_chat("whatsapp-android-de.txt", "--speakers", "Max=user", "--zone", "Europe/Berlin")
    take_in(CHATS["whatsapp-android-de.txt"])

    rows = stored(admin_engine, fresh_namespace)
    assert [(role, speaker) for *_, role, speaker, _, _ in rows] == [("user", None), ("user", "Bo"), ("user", "Bo")]
    assert rows[0][1] == datetime(2023, 12, 31, 21, 11, tzinfo=UTC)
    with pytest.raises(InvalidEvent, match="--speakers: no speaker is called Ada; the speakers in this export are"):
        import_chat("whatsapp-android-de.txt", "--speakers", "Ada=user")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ({"role": "user", "content": "canary"}, "occurred_at: missing"),
        ({"role": "user", "occurred_at": "2024-05-01T10:00:00Z"}, "content: missing"),
        ({"role": "user", "content": "canary", "occurred_at": "May"}, "occurred_at: not a time"),
        ({"role": "bard", "content": "canary", "occurred_at": "2024-05-01T10:00:00Z"}, "role: one of user"),
        (
            {"role": "user", "content": "canary", "occurred_at": f"{datetime.now(UTC) + timedelta(days=9)}"},
            "occurred_at: .*",
        ),
        ({"role": "user", "content": "canary", "colour": "red"}, "colour: not a field"),
    ],
)
def test_unsuitable_line_is_named_and_nothing_is_published(
    import_chat: Import, taken: Taken, tmp_path: Path, line: dict[str, str], fault: str
) -> None:
    good = {"role": "user", "content": "Hello.", "occurred_at": "2024-05-01T10:00:00Z"}
    file = tmp_path / "chat.jsonl"
    file.write_text(f"{json.dumps(good)}\n{json.dumps(line)}\n", encoding="utf-8")

    with pytest.raises(InvalidEvent, match=rf"^chat\.jsonl, line 2: .*{fault}") as refused:
        import_chat(str(file))

    assert "canary" not in str(refused.value)
    assert taken() == []


def test_import_goes_on_when_its_events_took_effect(
    import_chat: Import, admin_engine: Engine, fresh_namespace: NamespacePath, take_in: Taken, tmp_path: Path
) -> None:
    message = {"role": "user", "content": "Hello.", "conversation": "c1"}
    said = [{**message, "occurred_at": f"2024-05-01T10:{number // 60:02}:{number % 60:02}Z"} for number in range(80)]
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    importing = Thread(target=import_chat, args=(str(file),))
    importing.start()
    try:
        assert len({one["event_id"] for one in take_in(56)}) == 56  # two portions; the third waits for the first
        assert importing.is_alive()
    finally:
        with admin_engine.begin() as connection:
            done = text("update mosshead.lanes set pending = 28 where namespace_id = :namespace_id")
            connection.execute(done, {"namespace_id": fresh_namespace.namespace_id})
        importing.join()
    take_in(24)
    assert len(stored(admin_engine, fresh_namespace)) == 80


def test_exported_messages_change_nothing_where_they_came_from(  # noqa: PLR0917 - fixtures
    import_chat: Import,
    admin_engine: Engine,
    fresh_namespace: NamespacePath,
    take_in: Taken,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import_chat("messages.jsonl")
    take_in(CHATS["messages.jsonl"])
    first = stored(admin_engine, fresh_namespace)
    capsys.readouterr()

    cli(["export", "--format", "jsonl", "--namespace", str(fresh_namespace)], standalone_mode=False)
    file = tmp_path / "said.jsonl"
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [one["content"] for one in lines] == ["I moved to York.", "I live in Leeds.", "Nice."]
    assert (lines[1]["occurred_at"], lines[1]["metadata"]) == ("2024-05-01T12:00:00+02:00", {"app": "web"})

    import_chat(str(file))
    take_in(CHATS["messages.jsonl"])
    assert stored(admin_engine, fresh_namespace) == first


def test_progress_tells_how_much_is_to_take_effect(
    import_chat: Import, fresh_namespace: NamespacePath, take_in: Taken, capsys: pytest.CaptureFixture[str]
) -> None:
    import_chat("slack")
    take_in(CHATS["slack"])
    capsys.readouterr()

    cli(["progress", "--namespace", str(fresh_namespace)], standalone_mode=False)
    assert capsys.readouterr().out == "0 events to be received, 6 received and to take effect\n"


def test_memories_are_exported_like_mem0_dumps_and_recognised_again(  # noqa: PLR0917 - fixtures
    import_chat: Import,
    remembering: Remembering,
    fresh_namespace: NamespacePath,
    taken: Taken,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    memory_id = remembering.memory("Ada restores harps.")
    cli(["export", "--format", "mem0", "--namespace", str(fresh_namespace)], standalone_mode=False)
    file = tmp_path / "dump.json"
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    (found,) = json.loads(file.read_text(encoding="utf-8"))["results"]
    assert (found["id"], found["memory"], found["user_id"]) == (str(memory_id), "Ada restores harps.", "sarah")

    capsys.readouterr()
    import_chat(str(file), "--dry-run")
    assert capsys.readouterr().out == "0 entities and 1 memories would be published\n"
    assert taken() == []
    import_chat(str(file))
    (event,) = taken(1)
    assert (event["type"], event["memories"][0]["content"]) == ("import", "Ada restores harps.")


def stored(engine: Engine, path: NamespacePath) -> list[tuple[object, ...]]:
    """Return all events of a namespace with their messages, in order of arrival."""
    statement = text("""
        select event_id, event.occurred_at, event.conversation_id, role, speaker, content, metadata
        from mosshead.events as event left join mosshead.messages as message
            on (message.tenant_id, message.namespace_id, message.message_id)
             = (event.tenant_id, event.namespace_id, event.event_id)
        where event.namespace_id = :namespace_id order by position
    """)
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(statement, {"namespace_id": path.namespace_id})]
