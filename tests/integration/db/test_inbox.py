"""The inbox: events are stored once, numbered and debounced; and what a batch reads from it."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from db import candidates, inbox, lanes, status
from db.inbox import AlreadyInEffect
from db.keys import BatchRef, LaneRef
from db.lanes import STAGES, Claim
from mosshead.events import MessageEvent, parse_event
from mosshead.events.envelope import MAX_NUMBER
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from tests.given import Publishing, Worker, as_text, claim, claimed, contents_of, event

MINUTE = timedelta(minutes=1)


def rows(engine: Engine, statement: str, lane: LaneRef) -> list[Any]:
    with engine.connect() as connection:
        return list(
            connection.execute(text(f"{statement} where tenant_id = :tenant_id"), {"tenant_id": lane.tenant_id})
        )


def watermarks(engine: Engine, publisher: UUID) -> tuple[int, int]:
    statement = text("select received_up_to, consolidated_up_to from mosshead.publishers where publisher_id = :id")
    with engine.connect() as connection:
        row = connection.execute(statement, {"id": publisher}).one()
        return row.received_up_to, row.consolidated_up_to


def wait_of(engine: Engine, lane: LaneRef) -> float:
    """Return the seconds from the first pending event until the lane is ready."""
    statement = "select extract(epoch from ready_at - first_pending_at) as seconds from mosshead.lanes"
    return float(rows(engine, statement, lane)[0].seconds)


def states(engine: Engine, lane: LaneRef) -> list[tuple[str, str | None]]:
    """Return the states of a lane's events by number, with the reason of the dead ones."""
    found = rows(engine, "select publisher_sequence as number, state, reason from mosshead.events", lane)
    return [(row.state, row.reason) for row in sorted(found)]


def pending(engine: Engine, lane: LaneRef) -> int:
    """Return how many of its events a lane counts as not yet in effect."""
    return int(rows(engine, "select pending from mosshead.lanes", lane)[0].pending)


class TestPublishing:
    def test_event_is_stored_once_however_often_it_arrives(
        self, publishing: Publishing, admin_engine: Engine, lane: LaneRef
    ) -> None:
        first, second = publishing.message("one"), publishing.message("two")

        assert publishing.send(first) == 1
        assert publishing.send(first, second, first) == 1
        assert publishing.send(second) == 0
        for table in ("events", "messages"):
            assert len(rows(admin_engine, f"select 1 from mosshead.{table}", lane)) == 2
        assert pending(admin_engine, lane) == 2

    @given(arrivals=st.lists(st.lists(st.integers(1, 7), min_size=1, max_size=4), min_size=1, max_size=6))
    def test_watermark_ends_the_longest_run_of_numbers_in_any_order_of_arrival(
        self, arrivals: list[list[int]], ingest_engine: Engine, admin_engine: Engine
    ) -> None:
        publishing = Publishing(ingest_engine, NamespacePath.of((f"tenant-{uuid4().hex}", "sarah")))
        arrived: set[int] = set()
        for numbers in arrivals:
            publishing.send(*(publishing.message(number=number, event_id=str(UUID(int=number))) for number in numbers))
            arrived |= set(numbers)
            run = next(number for number in range(9) if number + 1 not in arrived)
            assert watermarks(admin_engine, publishing.id) == (run, 0)

    def test_events_of_several_namespaces_go_to_their_own_lanes(
        self, ingest_engine: Engine, worker_engine: Engine, fresh_namespace: NamespacePath
    ) -> None:
        other = NamespacePath.of((f"tenant-{uuid4().hex}", "bo"))
        events = [event(path.parts, content=path.parts[1]) for path in (fresh_namespace, other, fresh_namespace)]
        with ingest_engine.begin() as connection:
            checked = [as_text(one) for one in events]
            assert inbox.publish(connection, checked, quiet=timedelta(0), most=timedelta(0)) == 3
            assert connection.execute(text("select current_setting('mosshead.tenant_id')")).scalar_one() == ""

        for path, said in ((fresh_namespace, ["sarah", "sarah"]), (other, ["bo"])):
            lane = LaneRef(path.tenant_id, path.namespace_id)
            assert contents_of(worker_engine, claimed(worker_engine, lane)) == said

    def test_path_without_a_namespace_is_refused_and_nothing_is_stored(
        self, ingest_engine: Engine, admin_engine: Engine, fresh_namespace: NamespacePath, lane: LaneRef
    ) -> None:
        events = [as_text(event(fresh_namespace.parts)), as_text(event(fresh_namespace.parts[:1]))]
        with pytest.raises(DBAPIError, match="namespace: needs a tenant"), ingest_engine.begin() as connection:
            inbox.publish(connection, events, quiet=timedelta(0), most=timedelta(0))
        assert rows(admin_engine, "select 1 from mosshead.events", lane) == []

    def test_conversation_spans_its_messages(self, publishing: Publishing, admin_engine: Engine, lane: LaneRef) -> None:
        hours = ["2026-03-02T12:00:00Z", "2026-03-02T09:00:00Z", "2026-03-02T15:00:00Z"]
        publishing.send(*(publishing.message(conversation="c1", occurred_at=hour) for hour in hours[:2]))
        publishing.send(publishing.message(conversation="c1", occurred_at=hours[2]), publishing.message())

        statement = "select conversation_id, started_at, last_message_at, ended_at from mosshead.conversations"
        ((conversation, started, last, ended),) = rows(admin_engine, statement, lane)
        assert (conversation, started.hour, last.hour, ended) == ("c1", 9, 15, None)


class TestDebounce:
    def test_pause_makes_the_lane_ready(
        self, publishing: Publishing, admin_engine: Engine, worker_engine: Engine, lane: LaneRef
    ) -> None:
        publishing.send(publishing.message(), quiet=MINUTE, most=10 * MINUTE)

        assert wait_of(admin_engine, lane) == pytest.approx(60, abs=0.01)
        assert claim(worker_engine, lane) is None

    def test_every_message_restarts_the_pause(
        self, publishing: Publishing, admin_engine: Engine, lane: LaneRef
    ) -> None:
        publishing.send(publishing.message(), quiet=MINUTE, most=60 * MINUTE)
        publishing.send(publishing.message(), quiet=5 * MINUTE, most=60 * MINUTE)

        assert wait_of(admin_engine, lane) == pytest.approx(300, abs=5)

    def test_no_lane_waits_longer_than_the_maximum(
        self, publishing: Publishing, admin_engine: Engine, lane: LaneRef
    ) -> None:
        publishing.send(publishing.message(), quiet=MINUTE, most=2 * MINUTE)
        publishing.send(publishing.message(), quiet=10 * MINUTE, most=2 * MINUTE)

        assert wait_of(admin_engine, lane) == pytest.approx(120, abs=0.01)

    def test_imported_events_neither_wait_nor_restart_the_pause(
        self, publishing: Publishing, admin_engine: Engine, worker_engine: Engine, lane: LaneRef
    ) -> None:
        publishing.send(publishing.message(), quiet=MINUTE, most=10 * MINUTE)
        publishing.send(publishing.message(imported=True), quiet=5 * MINUTE, most=60 * MINUTE)
        assert wait_of(admin_engine, lane) == pytest.approx(60, abs=5)
        publishing.send(publishing.message(), publishing.message(imported=True), quiet=2 * MINUTE, most=10 * MINUTE)
        assert wait_of(admin_engine, lane) == pytest.approx(120, abs=5)
        publishing.send(publishing.message(imported=True), quiet=timedelta(0), most=MINUTE)
        assert claim(worker_engine, lane) is not None

        publishing.send(publishing.message(imported=True), quiet=MINUTE, most=10 * MINUTE)
        assert wait_of(admin_engine, lane) <= 0

    def test_end_of_a_conversation_makes_the_lane_ready_at_once(
        self, publishing: Publishing, worker_engine: Engine, lane: LaneRef
    ) -> None:
        ended = publishing.message()
        ended = {name: value for name, value in ended.items() if name not in {"role", "content"}}
        publishing.send(publishing.message(number=2), quiet=MINUTE, most=10 * MINUTE)
        publishing.send({**ended, "type": "conversation_ended", "conversation": "c1"}, quiet=MINUTE, most=10 * MINUTE)

        assert claim(worker_engine, lane) is not None


parts = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image_url", "input_text"])},
    optional={
        "text": st.text(st.characters(codec="ascii", exclude_characters="\0"), max_size=5) | st.integers() | st.none(),
        "image_url": st.just({"url": "u"}),
    },
)


@example(content=[{"type": "text", "text": 5}, {"type": "text"}, {"type": "image_url", "text": "no"}])
@given(content=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])) | st.lists(parts, max_size=4))
def test_sql_and_python_extract_the_same_text_from_a_content(content: Any, admin_engine: Engine) -> None:
    parsed = parse_event(event(content=content))
    assert isinstance(parsed, MessageEvent)
    statement = text("select mosshead.text_of(cast(:event as jsonb) -> 'content')")
    with admin_engine.connect() as connection:
        said = connection.execute(statement, {"event": parsed.model_dump_json(exclude_none=True)}).scalar_one()
    assert said == parsed.text


class TestABatch:
    def test_events_have_the_order_in_which_the_claim_put_them(
        self, publishing: Publishing, worker_engine: Engine, lane: LaneRef
    ) -> None:
        ids = publishing.say("one", "two", "three")
        batch = BatchRef(lane, uuid4())
        with worker_engine.begin() as connection:
            lanes.claim(connection, [Claim(batch, STAGES[0], [ids[2], ids[0], ids[1]])], gap=MINUTE)

        assert contents_of(worker_engine, batch) == ["three", "one", "two"]

    def test_earlier_messages_are_those_in_effect_before_the_batch(
        self, publishing: Publishing, worker: Worker, lane: LaneRef
    ) -> None:
        publishing.say("one", "two", "three", "four")
        first = claimed(worker.engine, lane, messages=3)
        with worker.transaction() as connection:
            assert inbox.earlier_messages(connection, first, 2) == []
        worker.finish(first)
        second = claimed(worker.engine, lane)
        with worker.transaction() as connection:
            earlier = [payload["content"] for payload in inbox.earlier_messages(connection, second, 2)]

        assert earlier == ["two", "three"]

    def test_earlier_speakers_are_the_users_who_spoke_before_the_batch(
        self, publishing: Publishing, worker: Worker, lane: LaneRef
    ) -> None:
        told = [
            ("Tom", "user"),
            ("Anna", "user"),
            ("Anna", "user"),
            (None, "user"),
            ("Bo", "assistant"),
            ("Zoe", "user"),
        ]
        publishing.send(*(publishing.message("hello", speaker=speaker, role=role) for speaker, role in told))
        worker.finish(claimed(worker.engine, lane, messages=5))
        batch = claimed(worker.engine, lane)
        with worker.transaction() as connection:
            assert sorted(inbox.earlier_speakers(connection, batch, 10)) == ["Anna", "Tom"]
            assert inbox.earlier_speakers(connection, batch, 3) == ["Anna"]

    @pytest.mark.parametrize("end", ["done", "dead"])
    def test_done_and_dead_events_are_no_longer_pending_and_count_as_passed(
        self, publishing: Publishing, worker: Worker, admin_engine: Engine, end: str
    ) -> None:
        publishing.say("one", "two", "three")
        batch = claimed(worker.engine, worker.lane, messages=2)
        with worker.transaction() as connection:
            if end == "done":
                inbox.mark_done(connection, batch)
            else:
                inbox.mark_dead(connection, batch, "why")

        assert states(admin_engine, worker.lane) == [(end, None if end == "done" else "why")] * 2 + [("received", None)]
        assert pending(admin_engine, worker.lane) == 1
        assert watermarks(admin_engine, publishing.id) == (3, 2)

    def test_event_in_effect_is_not_applied_again(
        self, publishing: Publishing, worker: Worker, admin_engine: Engine
    ) -> None:
        publishing.say("one", "two")
        batch = claimed(worker.engine, worker.lane)
        with worker.transaction() as connection:
            inbox.mark_done(connection, batch)
        with pytest.raises(AlreadyInEffect), worker.transaction() as connection:
            inbox.mark_done(connection, batch)

        assert pending(admin_engine, worker.lane) == 0

    def test_each_dead_event_becomes_one_dead_letter(
        self, publishing: Publishing, worker: Worker, admin_engine: Engine
    ) -> None:
        ids = publishing.say("one", "two")
        batch = claimed(worker.engine, worker.lane)
        for reason in ("extract: KeyError", "extract: ValueError"):
            with worker.transaction() as connection:
                inbox.mark_dead(connection, batch, reason)

        statement = "select letter_id, origin, reason, times from mosshead.dead_letters"
        letters = {tuple(row) for row in rows(admin_engine, statement, worker.lane)}
        assert letters == {(event_id, "stage", "extract: KeyError", 1) for event_id in ids}
        assert pending(admin_engine, worker.lane) == 0

    def test_returned_events_are_suspect_due_at_once_and_without_facts(
        self, publishing: Publishing, worker: Worker, admin_engine: Engine
    ) -> None:
        publishing.say("one", "two")
        batch = claimed(worker.engine, worker.lane)
        with worker.transaction() as connection:
            candidates.store_facts(connection, batch, [{"content": "coffee"}])
        worker.split(batch)

        statement = "select suspect, batch_id, place, state from mosshead.events"
        assert [tuple(row) for row in rows(admin_engine, statement, worker.lane)] == [
            (True, None, None, "received")
        ] * 2
        assert pending(admin_engine, worker.lane) == 2
        with worker.transaction() as connection:
            assert candidates.facts_of_batch(connection, batch) == []
            assert lanes.lock_due(connection, [worker.lane])

    def test_event_in_effect_is_not_returned(
        self, publishing: Publishing, worker: Worker, admin_engine: Engine
    ) -> None:
        """As when only the profiles cannot be refreshed."""
        publishing.say("one", "two")
        batch = claimed(worker.engine, worker.lane)
        with worker.transaction() as connection:
            inbox.mark_done(connection, batch)
            inbox.give_back(connection, batch)
            inbox.mark_dead(connection, batch, "refresh_profiles: ValueError")

        assert states(admin_engine, worker.lane) == [("done", None)] * 2
        assert rows(admin_engine, "select 1 from mosshead.dead_letters", worker.lane) == []
        kept = rows(admin_engine, "select batch_id, suspect from mosshead.events", worker.lane)
        assert [tuple(row) for row in kept] == [(batch.batch_id, False)] * 2


@pytest.mark.parametrize(
    ("given", "offset"),
    [
        ("2026-03-02T20:00:00-08:00", -480),
        ("2026-03-02T20:00:00.123456+05:45", 345),
        ("2026-07-02T20:00:00Z", 0),
        ("9998-12-31T23:59:59+14:00", 840),
        ("1890-03-02 20:00:00+00:53:28", 53),
        ("2026-07-02 20:00:00 Europe/Berlin", 120),
        ("infinity", 0),
    ],
)
def test_message_keeps_the_utc_offset_it_was_said_with(
    publishing: Publishing, admin_engine: Engine, ingest_engine: Engine, given: str, offset: int
) -> None:
    with ingest_engine.begin() as connection:
        inbox.publish(connection, [as_text(publishing.message(occurred_at=given))], quiet=MINUTE, most=MINUTE)
    (stored,) = rows(admin_engine, "select occurred_at_offset from mosshead.messages", publishing.lane)
    assert stored.occurred_at_offset == offset


@pytest.mark.parametrize("number", [MAX_NUMBER + 1, 2**63 - 1])
def test_event_with_a_number_above_the_limit_is_refused_without_its_text(
    publishing: Publishing, admin_engine: Engine, ingest_engine: Engine, lane: LaneRef, number: int
) -> None:
    sent = as_text(publishing.message("I like coffee", number=number))
    with (
        pytest.raises(IntegrityError, match="events_number_within_bounds") as refused,
        ingest_engine.begin() as connection,
    ):
        inbox.publish(connection, [sent], quiet=MINUTE, most=MINUTE)
    assert "coffee" not in str(refused.value)
    assert rows(admin_engine, "select event_id from mosshead.events", lane) == []


class TestTimesThatLieAhead:
    """Checked in SQL, for events that no library checked."""

    _SENT = "select publisher_sequence, occurred_at > now() as ahead, occurred_at_sent, payload from mosshead.events"

    def test_event_more_than_a_day_ahead_gets_its_arrival_time_and_keeps_the_original(
        self, publishing: Publishing, admin_engine: Engine, reader_engine: Engine, lane: LaneRef
    ) -> None:
        publishing.send(publishing.message("I live in Oslo.", occurred_at="2098-03-01T23:30:00-08:00"))

        (stored,) = rows(admin_engine, self._SENT, lane)
        assert (stored.ahead, stored.occurred_at_sent) == (False, datetime(2098, 3, 2, 7, 30, tzinfo=UTC))
        arrived = parse_event(stored.payload).occurred_at
        assert abs(datetime.now(UTC) - arrived) < timedelta(hours=1)
        assert arrived.utcoffset() == timedelta(hours=-8), "in the zone in which it came"
        with tenant_transaction(reader_engine, lane.tenant_id) as connection:
            seen = connection.execute(
                text("select occurred_at, occurred_at_offset, occurred_at_sent from mosshead_read_v1.messages")
            ).one()
        assert (seen.occurred_at, seen.occurred_at_offset) == (arrived, -480)
        assert seen.occurred_at_sent == stored.occurred_at_sent

    def test_time_less_than_a_day_ahead_is_kept(
        self, publishing: Publishing, admin_engine: Engine, lane: LaneRef
    ) -> None:
        at = datetime.now(UTC) + timedelta(hours=23)
        publishing.send(publishing.message(occurred_at=at.isoformat()))
        (stored,) = rows(admin_engine, self._SENT, lane)
        assert (stored.ahead, stored.occurred_at_sent) == (True, None)
        assert parse_event(stored.payload).occurred_at == at

    def test_event_cannot_mark_its_own_time_and_infinity_counts_as_ahead(
        self, publishing: Publishing, admin_engine: Engine, ingest_engine: Engine, lane: LaneRef
    ) -> None:
        events = [
            publishing.message(occurred_at_sent="2098-01-01T00:00:00Z"),
            publishing.message(occurred_at="infinity"),
        ]
        with ingest_engine.begin() as connection:
            inbox.publish(connection, [json.dumps(one) for one in events], quiet=MINUTE, most=MINUTE)
        first, second = sorted(rows(admin_engine, self._SENT, lane), key=lambda row: row.publisher_sequence)
        assert (first.ahead, first.occurred_at_sent) == (False, None)
        assert "occurred_at_sent" not in first.payload
        assert (second.ahead, second.occurred_at_sent) == (False, datetime(9998, 12, 31, tzinfo=UTC))

    def test_operator_sees_the_publisher_of_an_event_ahead_of_time(
        self, publishing: Publishing, admin_engine: Engine, lane: LaneRef
    ) -> None:
        with admin_engine.begin() as connection:
            before = status.figures(connection, within=MINUTE, reasons=1, alive=MINUTE).clocks_ahead
        other = publishing.another()
        other.say("one")
        for number in range(2):
            publishing.send(publishing.message(str(number), occurred_at="2098-01-01T00:00:00Z"))
        found = rows(admin_engine, "select publisher_id from mosshead.publishers as p", lane)
        assert {row.publisher_id for row in found} == {publishing.id, other.id}
        with admin_engine.begin() as connection:
            assert status.figures(connection, within=MINUTE, reasons=1, alive=MINUTE).clocks_ahead == before + 1


def test_highest_possible_number_is_claimed_once_its_gap_is_over(
    publishing: Publishing, worker_engine: Engine, lane: LaneRef, admin_engine: Engine
) -> None:
    publishing.send(publishing.message("first"), publishing.message("highest", number=MAX_NUMBER))
    batch = claimed(worker_engine, lane, gap=-MINUTE)
    assert contents_of(worker_engine, batch) == ["first", "highest"]
    Worker(worker_engine, lane).finish(batch)
    assert watermarks(admin_engine, publishing.id) == (1, MAX_NUMBER)
