"""`mosshead service rewrite`, as an operator runs it: erased data is in no file either."""

from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from redis import Redis
from sqlalchemy import Engine

from config.settings import Settings, settings
from mosshead import Namespace
from mosshead.errors import ConfigurationError, QueueUnavailable, StoreUnavailable
from mosshead.publishing.queue import EventQueue
from tests.forming import Forming
from tests.given import as_text, event
from tests.integration.workers.conftest import Said
from workers.erasure import rewrite
from workers.local import wait_until


@pytest.fixture
def in_files(admin_engine: Engine) -> Callable[[str], list[str]]:
    """Return the table files that contain a word, after a checkpoint."""
    with admin_engine.connect() as connection:
        of_database = (
            "select current_setting('data_directory'), oid::text from pg_database where datname = current_database()"
        )
        data, oid = connection.exec_driver_sql(of_database).one()
    folder = Path(data) / "base" / oid

    def found(word: str) -> list[str]:
        with admin_engine.connect() as connection:
            connection.exec_driver_sql("checkpoint")
        return [file.name for file in folder.rglob("*") if file.is_file() and word.encode() in file.read_bytes()]

    return found


@pytest.fixture
def administrator(settled: None, admin_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give commands the administrator's login."""
    monkeypatch.setenv("MOSSHEAD_ADMIN_URL", admin_url)
    settings.cache_clear()


@pytest.mark.usefixtures("administrator")
@pytest.mark.parametrize("scope", ["conversation", "message"])
def test_erased_data_is_in_no_file_any_more(
    forming: Forming, sarah: Namespace, in_files: Callable[[str], list[str]], run: Callable[..., str], scope: str
) -> None:
    word = f"quux{uuid4().hex}"
    said = forming.say(f"I live in {word}.", f"Peter {word.title()} is a dentist.", conversation="gone")
    forming.say("I like figs.", conversation="kept")
    wanted = [{"conversation": "gone"}] if scope == "conversation" else [{"message": str(one)} for one in said]
    erased = [forming.erase(**one) for one in wanted][-1]
    assert in_files(word), "a row that is deleted stays in its page"

    first, second = run("rewrite"), run("rewrite")

    assert in_files(word) == []
    assert "messages …" in first
    assert "in no file of the tables and of Redis any more" in first
    assert second.strip() == "Nothing was erased since the tables were last rewritten."
    receipt = sarah.erasures.get(erased)
    assert receipt is not None
    assert receipt.rewritten_at is not None
    assert receipt.rewritten_at > receipt.erased_at
    assert [one.content for one in sarah.query("figs")] == ["User likes figs"]


@pytest.mark.usefixtures("administrator")
def test_data_that_an_older_transaction_still_sees_is_not_reported_as_gone(
    forming: Forming,
    admin_engine: Engine,
    in_files: Callable[[str], list[str]],
    run: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such as a dump that began earlier; Postgres keeps the rows for it, even in rewritten files."""
    monkeypatch.setattr(rewrite, "_PATIENCE_SECONDS", 0.2)
    word = f"quux{uuid4().hex}"
    forming.say(f"I live in {word}.", conversation="gone")
    with admin_engine.execution_options(isolation_level="REPEATABLE READ").connect() as dump:
        dump.exec_driver_sql("select from mosshead.models")
        forming.erase(conversation="gone")
        with pytest.raises(StoreUnavailable, match="MOSSHEAD_ADMIN_URL: a transaction that began before this command"):
            run("rewrite")
        assert in_files(word)

    assert "in no file of the tables and of Redis any more" in run("rewrite")
    assert in_files(word) == []


def of_redis(broker: Redis, word: str) -> list[str]:
    """Return the Redis files that contain a word."""
    folder = Path(str(broker.config_get("dir")["dir"]))
    return [file.name for file in folder.rglob("*") if file.is_file() and word.encode() in file.read_bytes()]


@pytest.fixture
def broker(service: Settings) -> Iterator[Redis]:
    with Redis.from_url(service.broker()) as opened:
        yield opened


@pytest.fixture
def queue(service: Settings) -> Iterator[EventQueue]:
    opened = EventQueue(service.broker())
    yield opened
    opened.close()


@pytest.mark.usefixtures("administrator")
@pytest.mark.parametrize("scope", ["conversation", "message"])
def test_erased_data_is_in_no_file_of_redis_any_more(
    forming: Forming, broker: Redis, queue: EventQueue, run: Callable[..., Said], scope: str
) -> None:
    message = as_text(event(content=f"I live in quux{uuid4().hex}."))
    in_base64 = b64encode(message.encode()).decode()
    queue.publish([message])
    broker.config_set("rdbcompression", "no")
    broker.save()
    broker.rpop("mosshead:events:mosshead.events")
    (figs,) = forming.say("I like figs.", conversation="gone")
    forming.erase(**({"conversation": "gone"} if scope == "conversation" else {"message": str(figs)}))
    wait_until(lambda: len(of_redis(broker, in_base64)) == 2, 30, "both in the append-only file and in the snapshot")

    said = run("rewrite")

    wait_until(lambda: of_redis(broker, in_base64) == [], 30, "the end of the files that were replaced")
    assert "Redis's append-only file …" in said
    assert "Redis's snapshot …" in said
    assert "Not reached, and yours: replicas, backups, and the write-ahead log" in said


@pytest.mark.usefixtures("administrator")
def test_nothing_is_reported_as_gone_while_events_wait_in_the_queue(
    *,
    forming: Forming,
    sarah: Namespace,
    broker: Redis,
    queue: EventQueue,
    run: Callable[..., Said],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rewrite, "_PATIENCE_SECONDS", 0.2)
    forming.say("I like figs.", conversation="gone")
    erased = forming.erase(conversation="gone")
    queue.publish([as_text(event(content="I like figs.", conversation="gone"))])

    with pytest.raises(QueueUnavailable, match="MOSSHEAD_BROKER_URL: 1 events wait in the queue"):
        run("rewrite")
    receipt = sarah.erasures.get(erased)
    assert receipt is not None
    assert receipt.rewritten_at is None

    broker.rpop("mosshead:events:mosshead.events")
    assert "in no file of the tables and of Redis any more" in run("rewrite")


@pytest.mark.usefixtures("administrator")
def test_login_that_may_not_rewrite_redis_is_named_and_the_tables_may_be_rewritten_alone(
    forming: Forming, broker: Redis, run: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, service: Settings
) -> None:
    forming.say("I like figs.", conversation="gone")
    forming.erase(conversation="gone")
    allowed = ["+@all", "-bgrewriteaof"]
    broker.acl_setuser("weak", enabled=True, passwords="+secret", keys=["*"], commands=allowed, reset=True)
    monkeypatch.setenv("MOSSHEAD_BROKER_URL", f"redis://weak:secret@{service.broker().rpartition('@')[2]}")
    settings.cache_clear()
    try:
        with pytest.raises(ConfigurationError, match="were not rewritten: the login lacks the right") as caught:
            run("rewrite")
    finally:
        broker.acl_deluser("weak")
    assert "secret" not in str(caught.value)

    said = run("rewrite", "--tables-only")
    assert "in no file of the tables any more" in said
    assert "Not reached, and yours: the broker's files, replicas" in said


@pytest.mark.usefixtures("settled")
def test_rewrite_needs_the_administrators_login(run: Callable[..., str]) -> None:
    with pytest.raises(ConfigurationError, match="MOSSHEAD_ADMIN_URL is not set"):
        run("rewrite")
