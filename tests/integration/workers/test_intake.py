"""The intake between a real Redis and a real Postgres: bad events are refused, good ones stored, none lost."""

import gc
import json
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest
from pydantic import SecretStr
from redis import Redis
from sqlalchemy import Engine, text

from config.settings import Settings
from db.keys import LaneRef
from mosshead import ConfigurationError, Memory
from mosshead.events import MAX_EVENT_BYTES
from mosshead.paths import NamespacePath
from mosshead.publishing.queue import EventQueue
from mosshead.publishing.signing import SigningKey, sign
from tests.given import Publishing, as_text, event
from workers.intake import run_intake, signing_keys
from workers.local import Addresses, wait_until

CANARY = "zanzibar"
LIST = "mosshead:events:mosshead.events"


@contextmanager
def intake(settings: Settings) -> Iterator[None]:
    """Run an intake in a thread.

    Kombu leaves the sockets of a broken connection to the garbage collector, which warns of them: they are collected here, where
    the warning is no error.
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
        thread.join(timeout=60)
        gc.enable()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()
        assert not thread.is_alive()


@pytest.fixture
def stored(admin_engine: Engine, lane: LaneRef) -> Callable[[], list[str]]:
    """Return the texts of the fresh namespace's inbox, in order of arrival."""

    def read() -> list[str]:
        statement = text("""
            select payload ->> 'content' from mosshead.events where tenant_id = :id and state <> 'dead' order by position
        """)
        with admin_engine.connect() as connection:
            return list(connection.execute(statement, {"id": lane.tenant_id}).scalars())

    return read


@pytest.fixture
def queue(service: Settings) -> Iterator[EventQueue]:
    opened = EventQueue(service.broker())
    yield opened
    opened.close()


def test_small_message_waits_for_no_large_ones_and_each_of_those_has_its_own_transaction(
    service: Settings,
    queue: EventQueue,
    fresh_namespace: NamespacePath,
    stored: Callable[[], list[str]],
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A transaction can store one large message within its time."""
    sent = ["tea " * 20_000] * 3 + ["small"]
    queue.publish([as_text(event(fresh_namespace.parts, content=content)) for content in sent])
    with intake(service):
        wait_until(lambda: len(stored()) == len(sent), timeout=60, what="the events")

    assert [len(content) for content in stored()] == [len("small"), *[80_000] * 3]
    assert "".join(capfd.readouterr()).count("events_received") == len(sent)


def test_large_junk_does_not_wait_for_a_large_event_sent_before_it(
    service: Settings, queue: EventQueue, fresh_namespace: NamespacePath, admin_engine: Engine, lane: LaneRef
) -> None:
    queue.publish([as_text(event(fresh_namespace.parts, content="tea " * 20_000)) for _ in range(3)])
    mark = uuid4().hex.encode()
    with Redis.from_url(service.broker()) as broker:
        for junk in (b"x", b"{", b"["):
            broker.lpush(LIST, junk * 250_000 + mark)
    statement = text("""
        select count(*) filter (where died_at <= first) from mosshead.dead_letters,
            (select min(received_at) as first from mosshead.events where tenant_id = :id having count(*) = 3) as events
        where bytes = 250032
    """)

    def junk_before_the_first_event() -> bool:
        with admin_engine.connect() as connection:
            return bool(connection.execute(statement, {"id": lane.tenant_id}).scalar_one() == 3)

    with intake(service):
        wait_until(junk_before_the_first_event, timeout=60, what="the events")

    assert junk_before_the_first_event()


def test_two_concurrent_intakes_lose_nothing_double_nothing_and_keep_each_publishers_order(
    service: Settings, queue: EventQueue, fresh_namespace: NamespacePath, admin_engine: Engine, lane: LaneRef
) -> None:
    publishers, count = [str(uuid4()) for _ in range(3)], 100
    events = [
        as_text(
            event(
                fresh_namespace.parts,
                content=f"{number}",
                event_id=str(uuid4()),
                publisher=publisher,
                publisher_sequence=number,
            )
        )
        for number in range(1, count + 1)
        for publisher in publishers
    ]
    with intake(service), intake(service):
        for start in range(0, len(events), 50):
            queue.publish(events[start : start + 50])
            queue.publish(events[start : start + 5])  # as a publisher without an acknowledgement does
        with Redis.from_url(service.broker()) as broker:
            wait_until(
                lambda: not broker.llen(LIST) and not broker.keys("mosshead:events:*unacked*"),
                timeout=60,
                what="both to be done",
            )

    statement = text("""
        select publisher_id::text, array_agg(publisher_sequence order by publisher_sequence), max(received_up_to)
        from mosshead.events join mosshead.publishers using (tenant_id, namespace_id, publisher_id)
        where tenant_id = :id group by 1
    """)
    with admin_engine.connect() as connection:
        found = {row[0]: (row[1], row[2]) for row in connection.execute(statement, {"id": lane.tenant_id})}
    assert found == {publisher: (list(range(1, count + 1)), count) for publisher in publishers}


@pytest.fixture
def letters(admin_engine: Engine) -> Callable[[], list[Any]]:
    """Return this test's dead letters ordered by reason, with the stored bodies."""
    with admin_engine.connect() as connection:
        since = connection.execute(text("select now()")).scalar_one()
    statement = text("""
        select letter.*, body, state, publisher_sequence, received_up_to
        from mosshead.dead_letters as letter left join mosshead.refused using (tenant_id, namespace_id, letter_id)
        left join mosshead.events as event
            on (event.tenant_id, event.namespace_id, event.event_id) = (letter.tenant_id, letter.namespace_id, letter.letter_id)
        left join mosshead.publishers as publisher
            on (publisher.tenant_id, publisher.namespace_id, publisher.publisher_id)
             = (event.tenant_id, event.namespace_id, event.publisher_id)
        where died_at > :since
    """)

    def read() -> list[Any]:
        with admin_engine.connect() as connection:
            found = connection.execute(statement, {"since": since})
            return sorted(found, key=lambda letter: (letter.reason, letter.bytes))

    return read


@pytest.fixture(scope="class")
def at_work(addresses: Addresses) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {**addresses.environment(), "MOSSHEAD_DEBOUNCE_SECONDS": "0"}.items():
            environment.setenv(name, value)
        chosen = Settings()
    with intake(chosen):
        yield


@pytest.mark.usefixtures("at_work")
class TestAnIntakeAtWork:
    """Shared by these tests: an intake takes a second to start and another to stop."""

    def test_event_published_by_an_app_arrives(
        self, memory: Memory, fresh_namespace: NamespacePath, stored: Callable[[], list[str]]
    ) -> None:
        sarah = memory.namespace(*fresh_namespace.parts)
        sarah.publish_conversation([{"role": "user", "content": str(number)} for number in range(50)])
        wait_until(lambda: len(stored()) == 50, timeout=60, what="the events")

        assert stored() == [str(number) for number in range(50)]
        assert sarah.progress().pending == 50

    def test_message_that_is_no_event_becomes_a_dead_letter_and_good_ones_beside_it_are_stored(
        self,
        *,
        service: Settings,
        queue: EventQueue,
        fresh_namespace: NamespacePath,
        stored: Callable[[], list[str]],
        letters: Callable[[], list[Any]],
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        good = [event(fresh_namespace.parts, content=f"good {number}") for number in range(2)]
        oversized = as_text(event(content=CANARY * MAX_EVENT_BYTES, event_id=str(uuid4())))
        bad = [CANARY, f'["{CANARY}"]', oversized, as_text(event(role=CANARY))]
        queue.publish([as_text(good[0]), *bad, as_text(good[1])])
        said: list[str] = []

        def refused() -> int:
            said.append("".join(capfd.readouterr()))
            return "".join(said).count("event_refused")

        wait_until(lambda: refused() == len(bad), timeout=60, what="the bad events in the log")
        wait_until(lambda: len(stored()) == 2, timeout=60, what="the good events")
        assert stored() == ["good 0", "good 1"]
        found = [(letter.reason, letter.bytes, letter.body, letter.received_up_to) for letter in letters()]
        assert found == [
            ("event not accepted: role: one of user, assistant, system, tool", len(bad[3]), None, 1),
            ("event: 4,194,574 bytes, at most 524,288", len(oversized), None, 1),
            ("event: not a JSON object", len(bad[0]), bad[0].encode(), None),
            ("event: not a JSON object", len(bad[1]), bad[1].encode(), None),
        ]
        assert CANARY not in "".join([*said, *capfd.readouterr()])
        with Redis.from_url(service.broker()) as broker:
            assert (broker.llen(LIST), broker.keys("mosshead:events:*unacked*")) == (0, [])

    def test_foreign_message_is_kept_and_delays_nothing(
        self,
        *,
        service: Settings,
        queue: EventQueue,
        fresh_namespace: NamespacePath,
        stored: Callable[[], list[str]],
        letters: Callable[[], list[Any]],
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        pushed = [CANARY.encode(), json.dumps({"body": CANARY}).encode(), b"\xff\x00", b"[" * 5_000]
        with Redis.from_url(service.broker()) as broker:
            queue.publish([as_text(event(fresh_namespace.parts, content="before"))])
            for element in pushed:
                broker.lpush(LIST, element)
            queue.publish([as_text(event(fresh_namespace.parts, content="after"))])
        wait_until(lambda: len(stored()) == 2, timeout=60, what="the events on both sides of it")
        wait_until(lambda: len(letters()) == len(pushed), timeout=60, what="the dead letters")

        assert stored() == ["before", "after"]
        assert sorted(letter.body for letter in letters()) == sorted(pushed)
        assert {letter.reason[:35] for letter in letters()} == {"event: not a message of Mosshead's;"}
        said = "".join(capfd.readouterr())
        assert CANARY not in said
        assert "intake_interrupted" not in said

    def test_refused_event_takes_its_number_so_that_nothing_waits_for_it(
        self, queue: EventQueue, publishing: Publishing, letters: Callable[[], list[Any]]
    ) -> None:
        one, three = publishing.message("one", number=1), publishing.message("three", number=3)
        queue.publish([as_text(one), as_text(publishing.message("two", number=2, version=2)), as_text(three)])
        wait_until(lambda: [letter.received_up_to for letter in letters()] == [3], timeout=60, what="all three")

        (letter,) = letters()
        assert (letter.origin, letter.state, letter.publisher_sequence) == ("intake", "dead", 2)

    @pytest.mark.usefixtures("picky")
    def test_event_the_database_cannot_store_holds_nothing_up(
        self,
        queue: EventQueue,
        fresh_namespace: NamespacePath,
        stored: Callable[[], list[str]],
        letters: Callable[[], list[Any]],
    ) -> None:
        events = [event(fresh_namespace.parts, content=str(number)) for number in range(20)]
        nul = event(fresh_namespace.parts, content="a\x00b")
        queue.publish([*map(as_text, events), as_text(nul)])
        wait_until(lambda: len(letters()) == 2, timeout=60, what="the two dead letters")
        wait_until(lambda: len(stored()) == 19, timeout=60, what="all others")

        assert stored() == [str(number) for number in range(20) if number != 7]
        assert [(letter.reason[:56], letter.state, letter.body) for letter in letters()] == [
            ("event not accepted: content: contains a NUL character or", None, as_text(nul).encode()),
            ("event: the database cannot store it (DataError 22003)", "dead", None),
        ]


def test_only_events_signed_for_their_tenant_are_accepted_if_there_are_keys(
    *,
    service: Settings,
    queue: EventQueue,
    fresh_namespace: NamespacePath,
    stored: Callable[[], list[str]],
    letters: Callable[[], list[Any]],
) -> None:
    key = SigningKey("app-1", "0123456789abcdef" * 2)
    keys = SecretStr(f"{key.kid}:{fresh_namespace.parts[0]}:{key.secret}")
    ours = sign(as_text(event(fresh_namespace.parts, content="ours")), key)
    foreign = [
        as_text(event(fresh_namespace.parts, content="unsigned")),
        sign(as_text(event(("rival", "sarah"), content="re-aimed")), key),
        ours.replace("ours", "changed"),
    ]
    queue.publish([ours, *foreign, ours])
    with intake(service.model_copy(update={"signing_keys": keys})):
        wait_until(lambda: len(letters()) == 3, timeout=60, what="the three that are refused")
        wait_until(lambda: stored() == ["ours"], timeout=60, what="the one that is not")

    assert sorted(letter.body for letter in letters()) == sorted(body.encode() for body in foreign)
    assert {letter.state for letter in letters()} == {None}, "no number was taken"
    assert len({letter.reason for letter in letters()}) == 3


@pytest.mark.parametrize("given", [",", " ", ", ,", "\n"])
def test_invalid_keys_do_not_let_everybody_in(service: Settings, given: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_SIGNING_KEYS: holds no key; unset it"):
        signing_keys(service.model_copy(update={"signing_keys": SecretStr(given)}))


def test_lost_connection_to_the_broker_is_reopened(
    service: Settings, queue: EventQueue, fresh_namespace: NamespacePath, stored: Callable[[], list[str]]
) -> None:
    with intake(service), Redis.from_url(service.broker()) as broker:
        queue.publish([as_text(event(fresh_namespace.parts, content="before"))])
        wait_until(lambda: stored() == ["before"], timeout=60, what="the first event")
        broker.client_kill_filter(_type="normal", skipme=True)
        queue.close()
        queue.publish([as_text(event(fresh_namespace.parts, content="after"))])
        wait_until(lambda: stored() == ["before", "after"], timeout=60, what="the second")


def test_events_the_database_refuses_for_a_while_are_stored_later(
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
    tell("revoke execute on function mosshead_write_v1.publish from mosshead_ingest")
    try:
        with intake(service):
            wait_until(interrupted, timeout=60, what="the refusal")
            assert stored() == []
            tell("grant execute on function mosshead_write_v1.publish to mosshead_ingest")
            wait_until(lambda: stored() == [CANARY], timeout=60, what="the event")
    finally:
        tell("grant execute on function mosshead_write_v1.publish to mosshead_ingest")
    assert CANARY not in "".join([*said, *capfd.readouterr()])


def test_stopping_intake_returns_its_events_while_the_database_refuses_them(
    *,
    service: Settings,
    queue: EventQueue,
    fresh_namespace: NamespacePath,
    admin_engine: Engine,
    stored: Callable[[], list[str]],
) -> None:
    function = "function mosshead_write_v1.publish"
    contents = ["one", "two", "three"]
    queue.publish([as_text(event(fresh_namespace.parts, content=content)) for content in contents])
    with admin_engine.begin() as connection:
        connection.exec_driver_sql(f"revoke execute on {function} from mosshead_ingest")
    with Redis.from_url(service.broker()) as broker:
        try:
            with intake(service):
                wait_until(lambda: broker.llen(LIST) == 0, timeout=60, what="the intake to take them")
            assert broker.llen(LIST) == 3
        finally:
            with admin_engine.begin() as connection:
                connection.exec_driver_sql(f"grant execute on {function} to mosshead_ingest")
    with intake(service):
        wait_until(lambda: len(stored()) == 3, timeout=60, what="the three events")
    assert sorted(stored()) == sorted(contents)
