"""Bad input and wrong settings: each error names the field or setting and the fix, and nothing is stored partially."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from config.settings import settings
from mosshead import ConfigurationError, InvalidEvent, InvalidNamespace, Memory, StoreUnavailable
from mosshead.publishing.spool import Spool
from tests.acceptance.running import Running
from workers.cli.main import main

CANARY = "quetzalcoatlus"
GOOD: dict[str, Any] = {
    "type": "message",
    "namespace": ["acme", "raw"],
    "role": "user",
    "content": CANARY,
    "occurred_at": "2026-03-02T09:00:00+00:00",
}
NOWHERE = "127.0.0.1:1"


def without(field: str) -> dict[str, Any]:
    return {name: value for name, value in GOOD.items() if name != field}


@pytest.mark.parametrize(
    ("event", "field", "fix"),
    [
        (without("namespace"), "namespace: missing", "give the tenant first"),
        ({**GOOD, "namespace": ["acme"]}, "namespace: needs a tenant", "such as ('acme', 'sarah_123')"),
        ({**GOOD, "occurred_at": "2026-03-02T09:00:00"}, "occurred_at: has no time zone", "give an aware time"),
        ({**GOOD, "content": "x" * 10_000_000}, "content: 10,000,000 bytes, at most 262,144", "split it"),
        (
            {**GOOD, "type": "telepathy"},
            "type: not an event type",
            "one of message, conversation_ended, undo, configure",
        ),
        ({**GOOD, "role": "narrator"}, "role: one of user, assistant, system, tool", ""),
    ],
    ids=["no namespace", "half a namespace", "naive time", "10 MB", "unknown type", "unknown role"],
)
def test_invalid_event_error_names_the_field_and_the_fix(
    running: Running, event: dict[str, Any], field: str, fix: str
) -> None:
    before = running.rows("select count(*) from mosshead.events")

    with pytest.raises(InvalidEvent) as refused:
        running.memory.publish(event)

    assert field in str(refused.value)
    assert fix in str(refused.value)
    assert CANARY not in str(refused.value)
    assert len(str(refused.value)) < 500
    assert running.rows("select count(*) from mosshead.events") == before


def test_valid_event_is_accepted(running: Running) -> None:
    event_id = running.memory.publish(GOOD)
    running.eventually(
        lambda: running.rows(f"select 1 from mosshead.events where event_id = '{event_id}'") != [], "it arrives"
    )


def test_conversation_with_one_bad_message_is_not_published(running: Running) -> None:
    half = running.memory.namespace("acme", "half")
    messages = [{"role": "user", "content": "I like tea"}, {"role": "user", "content": "x" * 10_000_000}]

    with pytest.raises(InvalidEvent, match="content: 10,000,000 bytes"):
        half.publish_conversation(messages)
    with pytest.raises(InvalidEvent, match=r"messages\[1\].role: missing"):
        half.publish_conversation([messages[0], {"content": "and figs"}])
    with pytest.raises(InvalidEvent, match="occurred_at: has no time zone"):
        half.publish("I like tea", occurred_at=datetime(2026, 3, 2))  # noqa: DTZ001 - the point
    half.publish("I like plums", occurred_at=datetime(2026, 3, 2, tzinfo=UTC))
    half.wait(timeout=90)

    assert [memory.content for memory in half.memories()] == ["User likes plums"]
    assert half.progress().received.popitem()[1] == 1


def test_unresolved_template_is_rejected(running: Running) -> None:
    with pytest.raises(InvalidNamespace, match=r"the template \{user_id\} is not resolved"):
        running.memory.namespace("acme", "{user_id}")
    assert str(running.memory.namespace("acme", "{user_id}", user_id="sarah").path) == "acme/sarah"


@pytest.mark.parametrize(
    ("url", "error", "says"),
    [
        (
            f"postgresql://reader:s3cret@{NOWHERE}/mosshead",
            StoreUnavailable,
            "MOSSHEAD_DATABASE_URL: cannot connect to",
        ),
        ("postgresql:///nothing?host=/nowhere", StoreUnavailable, "MOSSHEAD_DATABASE_URL: cannot connect to"),
        ("mysql://localhost/mosshead", ConfigurationError, "MOSSHEAD_DATABASE_URL: not a Postgres URL"),
        ("rubbish", ConfigurationError, "MOSSHEAD_DATABASE_URL: not a Postgres URL"),
    ],
)
def test_wrong_database_url_is_rejected(url: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as refused:
        Memory.connect(database_url=url, broker_url="redis://localhost/0")
    assert says in str(refused.value)
    assert "s3cret" not in str(refused.value)


def test_database_without_migrations_is_rejected(running: Running) -> None:
    url = running.addresses.database_url.replace("/mosshead?", "/template1?")
    with pytest.raises(ConfigurationError, match="mosshead service migrate"):
        Memory.connect(database_url=url)


def test_invalid_broker_url_is_rejected_at_once(running: Running) -> None:
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_BROKER_URL: not a broker's URL") as refused:
        Memory.connect(database_url=running.addresses.database_url, broker_url="http://:s3cret@localhost/0")
    assert "s3cret" not in str(refused.value)


def test_unreachable_broker_is_logged_and_events_wait(
    running: Running, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Memory.connect(
        database_url=running.addresses.database_url, broker_url=f"redis://:s3cret@{NOWHERE}/0", spool_dir=tmp_path
    ) as memory:
        memory.namespace("acme", "sarah").publish("hello")
    assert "MOSSHEAD_BROKER_URL" in caplog.text
    assert "s3cret" not in caplog.text
    (file,) = tmp_path.glob("*.spool")
    assert Spool(file, most_bytes=1).held().events == 1


def test_database_url_of_the_app_is_not_read(monkeypatch: pytest.MonkeyPatch, running: Running) -> None:
    monkeypatch.setenv("DATABASE_URL", running.addresses.database_url)
    monkeypatch.delenv("MOSSHEAD_DATABASE_URL", raising=False)
    with pytest.raises(ConfigurationError, match="MOSSHEAD_DATABASE_URL is not set"):
        Memory.connect()


@pytest.mark.parametrize(
    ("command", "variables", "says"),
    [
        (("intake",), {}, "MOSSHEAD_BROKER_URL is not set"),
        (("sweep",), {"MOSSHEAD_BROKER_URL": "redis://localhost/0"}, "MOSSHEAD_DATABASE_URL is not set"),
        (("migrate",), {}, "MOSSHEAD_ADMIN_URL is not set"),
        (
            ("migrate",),
            {"MOSSHEAD_ADMIN_URL": f"postgresql://a:s3cret@{NOWHERE}/b"},
            "MOSSHEAD_ADMIN_URL: cannot connect",
        ),
        (
            ("status",),
            {"MOSSHEAD_DATABASE_URL": f"postgresql://a:s3cret@{NOWHERE}/b"},
            "MOSSHEAD_WORKER_URL: cannot connect",
        ),
        (("status",), {"MOSSHEAD_LEASE_SECONDS": "soon"}, "MOSSHEAD_LEASE_SECONDS: "),
    ],
)
def test_service_command_reports_wrong_settings(
    command: tuple[str, ...],
    variables: dict[str, str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Runs in this process, because a new one takes seconds to start; the next test starts one."""
    for name in [name for name in os.environ if name.startswith("MOSSHEAD_")]:
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    monkeypatch.setattr(sys, "argv", ["workers", *command])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert says in said
    assert "s3cret" not in said


def test_superuser_login_is_rejected(running: Running) -> None:
    assert running.addresses.admin_url is not None
    environment = {**os.environ, **running.addresses.environment(), "MOSSHEAD_WORKER_URL": running.addresses.admin_url}
    command = [sys.executable, "-m", "workers", "sweep"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=90)
    assert result.returncode == 1
    assert "MOSSHEAD_WORKER_URL: the login 'postgres' is a superuser" in result.stderr
