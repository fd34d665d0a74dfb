"""The intake, between a real Redis and a real Postgres: bad events are refused, good ones stored, none lost."""

import gc
import json
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from redis import Redis
from sqlalchemy import Engine, text

from config.settings import Settings
from db.refs import LaneRef
from recollect import Memory
from recollect.errors import InvalidEvent
from recollect.events import MAX_EVENT_BYTES
from recollect.namespaces import NamespacePath
from recollect.queue import EventQueue
from tests.given import as_text, event
from workers.intake import check_event, run_intake
from workers.machine import wait_until

CANARY = "zanzibar"
LIST = "recollect:events:recollect.events"


@contextmanager
def intake(settings: Settings) -> Iterator[None]:
    """An intake at work in a thread.

    Kombu leaves the sockets of a broken connection to the garbage collector, which warns of them: it comes here, where warning of
    it is no error.
    """
    gc.collect()
    gc.disable()
    stopped = threading.Event()
    thread = threading.Thread(target=run_intake, args=(settings, stopped.is_set))
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join(timeout=15)
        gc.enable()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()
        assert not thread.is_alive()


@pytest.fixture
def stored(admin_engine: Engine, lane: LaneRef) -> Callable[[], list[str]]:
    """What the messages in the fresh namespace's inbox say, in order of arrival."""

    def read() -> list[str]:
        statement = "select payload ->> 'content' from recollect.events where tenant_id = :id order by position"
        with admin_engine.connect() as connection:
            return list(connection.execute(text(statement), {"id": lane.tenant_id}).scalars())

    return read


@pytest.fixture
def queue(service: Settings) -> Iterator[EventQueue]:
    opened = EventQueue(service.broker())
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (f"{{{CANARY}", "event: not a JSON object"),
        (f'["{CANARY}"]', "event: not a JSON object"),
        ("[" * 100_000, "event: not a JSON object"),
        (b"\xff\xfe", "event: not a JSON object"),
        ("", "event: not a JSON object"),
        (json.dumps(event(content=CANARY, version=2)), "version: must be 1"),
        (json.dumps(event(content=f"{CANARY}\x00")), "content: holds a NUL"),
        (json.dumps({**event(), CANARY: 1}), "event: has a field that no event of its type has"),
        (json.dumps(event(content=CANARY * MAX_EVENT_BYTES)), r"event: [\d,]+ bytes, at most 524,288"),
    ],
    ids=["no JSON", "a list", "deep", "not UTF-8", "empty", "version 2", "NUL", "unknown field", "oversized"],
)
def test_what_is_no_event_is_refused_without_its_text(body: str | bytes, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        check_event(body)
    assert CANARY not in str(caught.value)


def test_what_an_app_publishes_arrives(
    service: Settings, memory: Memory, fresh_namespace: NamespacePath, stored: Callable[[], list[str]]
) -> None:
    sarah = memory.namespace(*fresh_namespace.parts)
    with intake(service):
        sarah.publish_conversation([{"role": "user", "content": str(number)} for number in range(50)])
        wait_until(lambda: len(stored()) == 50, timeout=15, what="the events")

    assert stored() == [str(number) for number in range(50)]
    assert sarah.progress().pending == 50


def test_bad_events_are_refused_and_the_good_ones_beside_them_are_stored(
    service: Settings,
    queue: EventQueue,
    fresh_namespace: NamespacePath,
    stored: Callable[[], list[str]],
    capfd: pytest.CaptureFixture[str],
) -> None:
    good = [event(fresh_namespace.parts, content=f"good {number}") for number in range(2)]
    bad = [CANARY, f'["{CANARY}"]', as_text(event(content=CANARY * MAX_EVENT_BYTES)), as_text(event(role=CANARY))]
    queue.publish([as_text(good[0]), *bad, as_text(good[1])])
    with intake(service), Redis.from_url(service.broker()) as broker:
        wait_until(lambda: len(stored()) == 2, timeout=15, what="the good events")
        wait_until(lambda: not broker.keys("recollect:events:*unacked*"), timeout=15, what="acknowledging the bad")
        assert broker.llen(LIST) == 0

    assert stored() == ["good 0", "good 1"]
    assert CANARY not in "".join(capfd.readouterr())


def test_what_somebody_else_pushed_stops_nothing(
    service: Settings, queue: EventQueue, fresh_namespace: NamespacePath, stored: Callable[[], list[str]]
) -> None:
    with Redis.from_url(service.broker()) as broker:
        queue.publish([as_text(event(fresh_namespace.parts, content="before"))])
        broker.lpush(LIST, CANARY)
        broker.lpush(LIST, json.dumps({"body": CANARY}))
        queue.publish([as_text(event(fresh_namespace.parts, content="after"))])
    with intake(service):
        wait_until(lambda: len(stored()) == 2, timeout=30, what="the events on both sides of it")

    assert sorted(stored()) == ["after", "before"]


def test_nothing_is_acknowledged_while_the_database_refuses(
    *,
    service: Settings,
    queue: EventQueue,
    fresh_namespace: NamespacePath,
    admin_engine: Engine,
    stored: Callable[[], list[str]],
    capfd: pytest.CaptureFixture[str],
) -> None:
    def tell(statement: str) -> None:
        with admin_engine.begin() as connection:
            connection.exec_driver_sql(statement)

    said: list[str] = []

    def interrupted() -> bool:
        said.append("".join(capfd.readouterr()))
        return "intake_interrupted" in "".join(said)

    queue.publish([as_text(event(fresh_namespace.parts, content=CANARY))])
    tell("revoke execute on function recollect_write_v1.publish from recollect_ingest")
    try:
        with intake(service):
            wait_until(interrupted, timeout=15, what="the refusal")
            assert stored() == []
            tell("grant execute on function recollect_write_v1.publish to recollect_ingest")
            wait_until(lambda: stored() == [CANARY], timeout=15, what="the event")
    finally:
        tell("grant execute on function recollect_write_v1.publish to recollect_ingest")
    assert CANARY not in "".join([*said, *capfd.readouterr()])
