"""Events published before an erasure that arrive later or wait beside it, and an interrupted erasure."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, Engine, create_engine

from config.settings import Settings
from db import inbox, leases
from db.erasure import erasures
from db.erasure.scopes import NAMES, run_counted
from mosshead import Memory, Namespace
from mosshead.events import parse_event
from mosshead.ids import uuid7
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from tests.forming import Forming, carry_out_erasure
from tests.given import LONG, NONE, Hint, Publishing, claim, claimed, until_blocked, workers_with
from tests.integration.workers.conftest import Find
from workers.cli.dead_letters import letters, requeue
from workers.dependencies import parts
from workers.erasure.run import erase
from workers.local import wait_until
from workers.scheduler import run_scheduler

HOUR = timedelta(hours=1)


def made(at: datetime) -> str:
    """Return an event id that contains its time."""
    tail = uuid7().int & ((1 << 80) - 1)
    return str(UUID(int=int(at.timestamp() * 1000) << 80 | tail))


def erasing(publishing: Publishing, at: datetime | None = None, **what: Any) -> dict[str, Any]:
    """Return the publisher's next event, an erasure, not yet sent."""
    message = publishing.message()
    envelope = ("version", "namespace", "publisher", "publisher_sequence", "occurred_at")
    named = {name: message[name] for name in envelope}
    return {**named, "event_id": made(at or datetime.now(UTC)), "type": "erase", **what}


def run(publishing: Publishing) -> None:
    carry_out_erasure(publishing.lane)


def late(sarah: Namespace) -> int:
    return sarah.erasures.list()[0].late


@pytest.mark.parametrize("what", [{"everything": True}, {"conversation": "c"}], ids=["everything", "a conversation"])
def test_event_published_before_and_received_later_is_kept_out(
    forming: Forming, sarah: Namespace, find: Find, what: dict[str, Any]
) -> None:
    """Numbers show the order within the same spool; for another spool, the times in the ids do."""
    mine, other = forming.publishing, forming.publishing.another()
    now = datetime.now(UTC)
    overtaken = mine.message("I live in Quuxville.", event_id=made(now), conversation="c")
    offline = other.message("I work at Quuxcorp.", event_id=made(now - HOUR), conversation="c")
    erasure = erasing(mine, at=now, **what)

    forming.send(erasure)
    forming.send(overtaken, offline)

    assert find("quux") == {}
    assert late(sarah) == 2
    progress = sarah.progress()
    assert not progress.partial
    assert progress.received[mine.id] == 2
    assert progress.received[other.id] == progress.consolidated[other.id] == 1


def test_event_published_since_is_processed(forming: Forming, sarah: Namespace) -> None:
    mine, other = forming.publishing, forming.publishing.another()
    now = datetime.now(UTC)
    erasure = erasing(mine, at=now, everything=True)
    mine.send(erasure)
    mine.send(mine.message("I live in Leeds.", event_id=made(now), conversation="c"))
    other.send(other.message("I work at Brightleaf.", event_id=made(now + HOUR), conversation="c"))
    forming.send()

    assert {one.content for one in sarah.memories()} == {"User lives in Leeds", "User works at Brightleaf"}
    assert late(sarah) == 0
    assert len(sarah.messages.search("Where do I live and work?").messages) == 2


def test_event_that_waited_before_the_erasure_is_never_processed(
    forming: Forming, sarah: Namespace, find: Find
) -> None:
    mine = forming.publishing
    mine.send(mine.message("I live in Quuxville.", conversation="c"), mine.message("I like figs."))
    forming.send(erasing(mine, conversation="c"))

    assert find("quux") == {}
    assert [one.content for one in sarah.memories()] == ["User likes figs"]
    assert not sarah.progress().partial


@pytest.mark.parametrize("what", [{"everything": True}, {"conversation": "c"}], ids=["everything", "a conversation"])
@pytest.mark.parametrize("event_id", [str(uuid4()), made(datetime.now(UTC) - HOUR)], ids=["no time", "a time"])
def test_erased_event_is_not_accepted_again(
    forming: Forming, sarah: Namespace, find: Find, what: dict[str, Any], event_id: str
) -> None:
    mine, other = forming.publishing, forming.publishing.another()
    said = mine.message("I live in Quuxville.", event_id=event_id, conversation="c")
    forming.send(said)
    forming.send(erasing(mine, **what))

    forming.send(said)
    forming.send({**other.message(), **{name: said[name] for name in ("event_id", "content", "conversation")}})

    assert find("quux") == {}
    assert not sarah.progress().partial


def test_event_of_another_conversation_is_accepted_however_late(forming: Forming, sarah: Namespace) -> None:
    other = forming.publishing.another()
    offline = other.message("I work at Brightleaf.", event_id=made(datetime.now(UTC) - HOUR), conversation="d")
    forming.send(erasing(forming.publishing, conversation="c"))
    forming.send(offline)

    assert [one.content for one in sarah.memories()] == ["User works at Brightleaf"]


def test_event_the_intake_would_refuse_is_not_stored_either(
    forming: Forming, ingest_engine: Engine, find: Find
) -> None:
    mine = forming.publishing
    event = {**mine.message("quux", event_id=made(datetime.now(UTC) - HOUR)), "colour": "quux"}
    forming.send(erasing(mine, everything=True))
    letter = {"reason": "not an event", "digest": "0" * 64, "bytes": 9, "body": "", "event": event}
    with ingest_engine.begin() as connection:
        inbox.refuse(connection, [json.dumps(letter)])

    assert find("quux") == {}
    assert find(event["event_id"]) == {}


def test_erasure_does_not_wait_for_a_blocked_lane(
    forming: Forming, sarah: Namespace, admin_engine: Engine, find: Find
) -> None:
    """The lane was stopped by an operator's rule, and its batch waits for a provider that does not answer."""
    mine = forming.publishing
    mine.send(mine.message("I live in Quuxville."))
    batch = claim(forming.engine, mine.lane)
    with admin_engine.begin() as connection:
        for statement in (
            "update mosshead.lanes set quarantined_at = now() where namespace_id = %(namespace_id)s",
            "update mosshead.batches set due_at = now() + interval '1 day' where namespace_id = %(namespace_id)s",
        ):
            connection.exec_driver_sql(statement, {"namespace_id": mine.lane.namespace_id})
    assert batch is not None

    mine.send(erasing(mine, everything=True))
    run(mine)

    assert find("quux") == {}
    assert sarah.erasures.list()
    progress = sarah.progress()
    assert progress.consolidated[mine.id] == progress.received[mine.id] == 2


def test_interrupted_erasure_is_finished(forming: Forming, sarah: Namespace, find: Find) -> None:
    """Nothing is claimed before that, and events received in between that were published earlier stay out."""
    mine, other = forming.publishing, forming.publishing.another()
    mine.send(mine.message("I live in Quuxville."))
    erasure = erasing(mine, everything=True)
    mine.send(erasure)
    with tenant_transaction(forming.engine, mine.lane.tenant_id) as connection:
        erasures.put_up(connection, mine.lane, UUID(erasure["event_id"]), "everything")
    other.send(other.message("I work at Quuxcorp.", event_id=made(datetime.now(UTC) - HOUR)))
    assert claim(forming.engine, mine.lane) is None
    assert sarah.erasures.list() == []

    forming.send()

    assert find("quux") == {}
    assert late(sarah) == 1


def test_erasures_run_one_after_the_other(forming: Forming, sarah: Namespace) -> None:
    mine = forming.publishing
    mine.send(mine.message("I live in Leeds.", conversation="c"), mine.message("I like figs.", conversation="d"))
    mine.send(erasing(mine, conversation="c"), erasing(mine, conversation="d"))
    run(mine)
    assert claim(forming.engine, mine.lane) is None
    run(mine)

    assert [one.scope for one in sarah.erasures.list()] == ["conversation", "conversation"]
    forming.say("I work at Brightleaf.")
    assert [one.content for one in sarah.memories()] == ["User works at Brightleaf"]


def test_erasure_being_published_is_not_missed(
    forming: Forming, sarah: Namespace, ingest_engine: Engine, admin_engine: Engine
) -> None:
    """In the app's own transaction, while a worker with a duplicate hint finds nothing to erase."""
    mine = forming.publishing
    mine.send(mine.message("I live in Leeds.", conversation="c"))
    event = parse_event(erasing(mine, conversation="c")).model_dump_json(exclude_none=True)
    with ThreadPoolExecutor(1) as pool:
        with ingest_engine.begin() as connection:
            inbox.publish(connection, [event], quiet=NONE, most=NONE)
            told = pool.submit(run, mine)
            until_blocked(admin_engine, "lanes")
        told.result(timeout=30)

    assert [one.scope for one in sarah.erasures.list()] == ["conversation"]


def test_publisher_that_waits_for_the_erasure_publishes_to_a_namespace_with_a_name(
    forming: Forming, sarah: Namespace, admin_engine: Engine
) -> None:
    mine = forming.publishing
    mine.send(mine.message("I live in Leeds."))
    with ThreadPoolExecutor(1) as pool:
        with tenant_transaction(forming.engine, mine.lane.tenant_id) as connection:
            erasures.lock_lane(connection, mine.lane)
            sent = pool.submit(mine.send, mine.message("I like figs."))
            until_blocked(admin_engine, "publish")
            run_counted(connection, NAMES, {**mine.lane.scope, "erasure_id": uuid4()})
            connection.exec_driver_sql(
                "delete from mosshead.namespaces where namespace_id = %(namespace_id)s", mine.lane.scope
            )
        sent.result(timeout=30)

    with tenant_transaction(forming.engine, mine.lane.tenant_id) as connection:
        named = "select path from mosshead.namespaces where namespace_id = %(namespace_id)s"
        assert connection.exec_driver_sql(named, mine.lane.scope).scalar_one() == list(mine.path.parts)


def test_unreadable_erasure_is_a_dead_letter_and_delays_nobody(
    forming: Forming, sarah: Namespace, ingest_engine: Engine, service: Settings, worker_engine: Engine
) -> None:
    """Published without the library, which would have refused it; given up again when an operator requeues it."""
    mine = forming.publishing
    event = {**erasing(mine, conversation="c"), "everything": "quux"}
    with ingest_engine.begin() as connection:
        inbox.publish(connection, [json.dumps(event)], quiet=NONE, most=NONE)

    forming.say("I live in Leeds.", conversation="c")

    assert [one.content for one in sarah.memories()] == ["User lives in Leeds"]
    assert not sarah.progress().partial
    for _ in range(2):
        (letter,) = letters(worker_engine, [UUID(event["event_id"])])
        assert (letter.origin, letter.reason) == ("stage", "erase: ValidationError")
        assert requeue(worker_engine, letter, service, {}) is None
        assert claim(forming.engine, mine.lane) is None
        run(mine)
    assert sarah.erasures.list() == []


@pytest.fixture
def slow(admin_engine: Engine) -> Iterator[None]:
    """Make the database take as long as any time limit to delete a message, or longer."""
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("""
            create function public.take_time() returns trigger language plpgsql as $$
            begin
                if current_setting('statement_timeout') <> '0' then perform pg_sleep(120); end if;
                return old;
            end $$;
            create trigger slow before delete on mosshead.messages for each row execute function public.take_time()
        """)
    yield
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("drop trigger slow on mosshead.messages; drop function public.take_time()")


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("what", [{"everything": True}, {"conversation": "c"}], ids=["everything", "a conversation"])
def test_large_erasure_is_finished_however_long_it_takes(
    forming: Forming, sarah: Namespace, worker_engine: Engine, what: dict[str, Any]
) -> None:
    """Longer than any other statement of a worker may last."""
    mine = forming.publishing
    mine.send(mine.message("I live in Leeds.", conversation="c"), erasing(mine, **what))
    hasty = create_engine(worker_engine.url, connect_args={"options": "-c statement_timeout=20000"})
    try:
        erase(mine.lane, replace(parts(), engine=hasty))
    finally:
        hasty.dispose()

    assert sarah.erasures.list()[0].rows["messages"] == 1


@contextmanager
def scheduler(service: Settings) -> Iterator[None]:
    """Run a scheduler in a thread."""
    stopped = threading.Event()
    thread = threading.Thread(target=run_scheduler, args=(service, stopped.is_set))
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join(timeout=60)
        assert not thread.is_alive()


def test_erasure_runs_while_a_stuck_batch_holds_every_slot(
    *,
    forming: Forming,
    service: Settings,
    sarah: Namespace,
    fresh_namespace: NamespacePath,
    ingest_engine: Engine,
    hints: Callable[[], list[Hint]],
) -> None:
    workers_with(forming.engine, slots=1)
    stuck = Publishing(ingest_engine, NamespacePath.of((fresh_namespace.parts[0], "stuck")))
    stuck.say("I like figs.")
    batch = claimed(forming.engine, stuck.lane)
    with tenant_transaction(forming.engine, stuck.lane.tenant_id) as connection:
        assert leases.take(connection, batch, "extract", owner="a task that hangs", lasting=LONG) is not None
    forming.say("I live in Leeds.", conversation="c")
    forming.publishing.send(erasing(forming.publishing, conversation="c"))
    with scheduler(service):
        wait_until(lambda: bool(sarah.erasures.list()), timeout=60, what="the receipt")

    assert sarah.erasures.list()[0].rows["messages"] == 1
    assert not [hint for hint in hints() if "erase" in hint.task], "no worker was asked"


@pytest.fixture
def undeletable(admin_engine: Engine) -> Iterator[Callable[[], None]]:
    """Make messages undeletable until this is called."""
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("""
            create function public.refuse_deletes() returns trigger language plpgsql as $$
            begin raise exception 'not now' using errcode = '22003'; end $$;
            create trigger undeletable before delete on mosshead.messages
            for each row execute function public.refuse_deletes()
        """)

    def end() -> None:
        with admin_engine.begin() as connection:
            connection.exec_driver_sql(
                "drop trigger if exists undeletable on mosshead.messages; drop function if exists public.refuse_deletes()"
            )

    yield end
    end()


def test_failed_erasure_is_retried_and_others_run_meanwhile(
    *,
    forming: Forming,
    service: Settings,
    sarah: Namespace,
    memory: Memory,
    fresh_namespace: NamespacePath,
    ingest_engine: Engine,
    undeletable: Callable[[], None],
    capfd: pytest.CaptureFixture[str],
) -> None:
    path = NamespacePath.of((fresh_namespace.parts[0], "another"))
    other = Publishing(ingest_engine, path)
    other.send(erasing(other, everything=True))
    forming.say("I live in Leeds.", conversation="c")
    forming.publishing.send(erasing(forming.publishing, conversation="c"))
    said: list[str] = []

    def failed_twice() -> bool:
        said.append("".join(capfd.readouterr()))
        return "".join(said).count("erasure_failed") >= 2

    with scheduler(service):
        wait_until(failed_twice, timeout=60, what="two tries")
        wait_until(lambda: bool(memory.namespace(*path.parts).erasures.list()), timeout=60, what="the other's receipt")
        assert sarah.erasures.list() == []
        undeletable()
        wait_until(lambda: bool(sarah.erasures.list()), timeout=60, what="the receipt")

    assert "Leeds" not in "".join(said)


def test_concurrent_publisher_neither_waits_for_ever_nor_loses_anything(
    forming: Forming, sarah: Namespace, find: Find
) -> None:
    """Apps keep publishing in the very conversation that is being erased, again and again."""
    publishers = [forming.publishing.another() for _ in range(3)]

    def talk(publishing: Publishing) -> int:
        sent = 0
        for number in range(30):
            said = publishing.message(f"I like fig {number}.", event_id=str(uuid7()), conversation="c")
            sent += publishing.send(said)
        return sent

    def erase_often() -> None:
        for _ in range(10):
            forming.publishing.send(erasing(forming.publishing, conversation="c"))
            run(forming.publishing)

    with ThreadPoolExecutor(4) as pool:
        erased = pool.submit(erase_often)
        talks = [pool.submit(talk, one) for one in publishers]
        sent = sum(one.result(timeout=60) for one in talks)
        erased.result(timeout=60)
    gone = sum(one.rows.get("messages", 0) for one in sarah.erasures.list())
    with tenant_transaction(forming.engine, forming.publishing.lane.tenant_id) as connection:
        left = _messages(connection, forming.publishing)
    assert sent == gone + left
    assert sent == 90 - sum(one.late for one in sarah.erasures.list())


def _messages(connection: Connection, publishing: Publishing) -> int:
    statement = "select count(*) from mosshead.messages where namespace_id = %(namespace_id)s"
    count: int = connection.exec_driver_sql(statement, {"namespace_id": publishing.lane.namespace_id}).scalar_one()
    return count
