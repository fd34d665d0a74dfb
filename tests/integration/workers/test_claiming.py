"""The claim on a real database: what is next, in which order, what waits behind a gap, and what is late."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import Engine, text

from db import inbox
from db.keys import BatchRef, LaneRef
from tests.given import LONG, NONE, NOON, Publishing, Worker, claim, claimed, contents_of


def at(minute: float) -> str:
    """Return the time that many minutes after noon, as an event has it."""
    return (NOON + timedelta(minutes=minute)).isoformat()


def of_events(engine: Engine, lane: LaneRef, column: str) -> dict[str, Any]:
    """Return a column of a lane's events by their texts."""
    statement = text(f"select payload ->> 'content', {column} from mosshead.events where tenant_id = :id")
    with engine.connect() as connection:
        return {row[0]: row[1] for row in connection.execute(statement, {"id": lane.tenant_id})}


def make_old(engine: Engine, lane: LaneRef, *contents: str) -> None:
    """Make some events two hours old, and the lane due."""
    with engine.begin() as connection:
        older = text("""
            update mosshead.events set received_at = now() - interval '2 hours'
            where tenant_id = :id and payload ->> 'content' = any(:contents)
        """)
        connection.execute(older, {"id": lane.tenant_id, "contents": list(contents)})
        connection.execute(
            text("update mosshead.lanes set ready_at = now() where tenant_id = :id"), {"id": lane.tenant_id}
        )


class TestItsSize:
    @pytest.mark.parametrize(
        ("limits", "taken"),
        [
            ({}, ["aaaa", "bb", "cccc", "d"]),
            ({"messages": 2}, ["aaaa", "bb"]),
            ({"tokens": 2}, ["aaaa", "bb"]),
            ({"tokens": 3}, ["aaaa", "bb", "cccc"]),
            ({"tokens": 0}, ["aaaa"]),
        ],
    )
    def test_batch_takes_the_backlog_up_to_a_size_and_always_one_event(
        self, publishing: Publishing, worker_engine: Engine, lane: LaneRef, limits: dict[str, int], taken: list[str]
    ) -> None:
        publishing.say("aaaa", "bb", "cccc", "d")

        assert contents_of(worker_engine, claimed(worker_engine, lane, **limits)) == taken

    def test_remaining_events_are_due_when_the_batch_ends(self, publishing: Publishing, worker: Worker) -> None:
        publishing.say("one", "two", "three")
        worker.finish(claimed(worker.engine, worker.lane, messages=2))
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["three"]

    def test_large_backlog_is_read_by_its_index_and_no_further_than_a_batch(
        self, publishing: Publishing, worker: Worker, admin_engine: Engine
    ) -> None:
        for part in range(10):
            publishing.send(*(publishing.message(str(part)) for _ in range(500)))
        with admin_engine.begin() as connection:
            connection.exec_driver_sql("analyze mosshead.events")
        with worker.transaction() as connection:
            # Rows of other tests make estimates vary; the point is that an index gives the order.
            connection.execute(text("set local enable_sort = off"))
            # The counts go on from what this connection did in the last second.
            read = text("select seq_tup_read, idx_tup_fetch from pg_stat_xact_user_tables where relname = 'events'")
            scanned, fetched = connection.execute(read).one()
            inbox.waiting_events(connection, [worker.lane], gap=LONG, limit=40)
            by_scan, by_index = connection.execute(read).one()

        assert by_scan == scanned
        assert 40 <= by_index - fetched <= 41
        assert len(contents_of(worker.engine, claimed(worker.engine, worker.lane, messages=40))) == 40


class TestOneAtATime:
    def test_nothing_is_claimed_while_a_batch_is_running(self, publishing: Publishing, worker: Worker) -> None:
        publishing.say("I like coffee")
        claimed(worker.engine, worker.lane)
        publishing.say("and tea")
        assert claim(worker.engine, worker.lane) is None

    def test_events_that_arrived_meanwhile_are_due_when_the_batch_ends(
        self, publishing: Publishing, worker: Worker
    ) -> None:
        publishing.say("I like coffee")
        batch = claimed(worker.engine, worker.lane)
        publishing.say("and tea")
        worker.finish(batch)

        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["and tea"]

    def test_two_concurrent_claims_get_one_batch(self, publishing: Publishing, worker: Worker) -> None:
        for _ in range(5):
            publishing.say("I like coffee")
            start = Barrier(2)

            def try_it(start: Barrier = start) -> BatchRef | None:
                start.wait()
                return claim(worker.engine, worker.lane)

            with ThreadPoolExecutor(2) as threads:
                found = [done.result() for done in [threads.submit(try_it) for _ in range(2)]]
            (batch,) = [one for one in found if one is not None]
            worker.finish(batch)

    def test_missing_lane_gives_nothing(self, worker: Worker) -> None:
        assert claim(worker.engine, worker.lane) is None


class TestItsOrder:
    """Two processes of an app take turns in one conversation, each with its own publisher."""

    @pytest.fixture
    def other(self, publishing: Publishing) -> Publishing:
        return publishing.another()

    def test_turns_have_the_order_of_the_apps_sequence_however_they_arrived(
        self, publishing: Publishing, other: Publishing, worker_engine: Engine, lane: LaneRef
    ) -> None:
        other.send(
            *(other.message(f"{turn}", conversation="c", sequence=turn, occurred_at=at(9 - turn)) for turn in (2, 4))
        )
        publishing.send(
            *(
                publishing.message(f"{turn}", conversation="c", sequence=turn, occurred_at=at(9 - turn))
                for turn in (1, 3)
            )
        )
        assert contents_of(worker_engine, claimed(worker_engine, lane)) == ["1", "2", "3", "4"]

    def test_turns_without_a_sequence_have_the_order_of_time(
        self, publishing: Publishing, other: Publishing, worker_engine: Engine, lane: LaneRef
    ) -> None:
        other.send(*(other.message(f"{turn}", conversation="c", occurred_at=at(turn)) for turn in (2, 4)))
        publishing.send(*(publishing.message(f"{turn}", conversation="c", occurred_at=at(turn)) for turn in (1, 3)))
        assert contents_of(worker_engine, claimed(worker_engine, lane)) == ["1", "2", "3", "4"]

    def test_full_batch_leaves_the_later_events(
        self, publishing: Publishing, other: Publishing, worker: Worker
    ) -> None:
        other.send(*(other.message(f"{turn}", conversation="c", sequence=turn) for turn in (2, 4, 6)))
        publishing.send(*(publishing.message(f"{turn}", conversation="c", sequence=turn) for turn in (1, 3, 5)))
        first = claimed(worker.engine, worker.lane, messages=3)
        assert contents_of(worker.engine, first) == ["1", "2", "3"]
        worker.finish(first)
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["4", "5", "6"]


class TestLate:
    """Events that arrive after their successors took effect are claimed late, and marked so."""

    @pytest.fixture
    def other(self, publishing: Publishing) -> Publishing:
        return publishing.another()

    def late(self, worker: Worker, admin_engine: Engine) -> dict[str, bool]:
        """Claim all events and return by text whether each was marked late."""
        worker.finish(claimed(worker.engine, worker.lane))
        return of_events(admin_engine, worker.lane, "late")

    @pytest.mark.parametrize(
        ("before", "after", "late"),
        [
            ({"sequence": 2}, {"sequence": 1}, True),
            ({"sequence": 2, "occurred_at": at(1)}, {"sequence": 1, "occurred_at": at(2)}, True),
            ({"sequence": 1, "occurred_at": at(2)}, {"sequence": 2, "occurred_at": at(1)}, False),
            ({"occurred_at": at(2)}, {"occurred_at": at(1)}, True),
            ({"occurred_at": at(1)}, {"occurred_at": at(2)}, False),
            ({"sequence": 2, "occurred_at": at(2)}, {"occurred_at": at(1)}, True),
            ({"occurred_at": at(2)}, {"sequence": 1, "occurred_at": at(1)}, True),
            ({"sequence": 2}, {"sequence": 1, "conversation": "another"}, False),
            ({"occurred_at": at(2)}, {"occurred_at": at(1), "conversation": "another"}, False),
            ({"occurred_at": at(2), "conversation": None}, {"occurred_at": at(1), "conversation": None}, False),
        ],
    )
    def test_turn_of_another_process_after_its_successor_took_effect_is_late(
        self,
        *,
        publishing: Publishing,
        other: Publishing,
        worker: Worker,
        admin_engine: Engine,
        before: dict[str, Any],
        after: dict[str, Any],
        late: bool,
    ) -> None:
        publishing.send(publishing.message("successor", **{"conversation": "c", **before}))
        worker.finish(claimed(worker.engine, worker.lane))
        other.send(other.message("turn", **{"conversation": "c", **after}))

        assert self.late(worker, admin_engine) == {"successor": False, "turn": late}

    def test_turn_whose_successor_only_waits_is_not_late(
        self, publishing: Publishing, other: Publishing, worker: Worker, admin_engine: Engine
    ) -> None:
        publishing.send(publishing.message("successor", conversation="c", sequence=2))
        other.send(other.message("turn", conversation="c", sequence=1))
        assert self.late(worker, admin_engine) == {"successor": False, "turn": False}

    @pytest.mark.parametrize("sequences", [({"sequence": 7}, {"sequence": 1}), ({}, {})])
    def test_publishers_own_sequence_and_clock_do_not_count(
        self, publishing: Publishing, worker: Worker, admin_engine: Engine, sequences: tuple[dict[str, Any], ...]
    ) -> None:
        """Its numbers are its order: an app that restarts its turn count sends nothing late."""
        publishing.send(publishing.message("first", conversation="c", occurred_at=at(9), **sequences[0]))
        worker.finish(claimed(worker.engine, worker.lane))
        publishing.send(publishing.message("second", conversation="c", occurred_at=at(1), **sequences[1]))
        assert self.late(worker, admin_engine) == {"first": False, "second": False}

    def test_event_that_arrives_after_its_gap_was_skipped_is_late(
        self, publishing: Publishing, worker: Worker, admin_engine: Engine
    ) -> None:
        publishing.send(publishing.message("2", number=2))
        worker.finish(claimed(worker.engine, worker.lane, gap=NONE))
        publishing.send(publishing.message("1", number=1))
        assert self.late(worker, admin_engine) == {"2": False, "1": True}

    def test_no_event_is_late_after_a_split(
        self, publishing: Publishing, other: Publishing, worker: Worker, admin_engine: Engine
    ) -> None:
        publishing.send(*(publishing.message(f"{turn}", conversation="c", sequence=turn) for turn in (1, 3)))
        other.send(*(other.message(f"{turn}", conversation="c", sequence=turn) for turn in (2, 4)))
        worker.split(claimed(worker.engine, worker.lane))
        for _ in range(4):
            worker.finish(claimed(worker.engine, worker.lane))

        assert of_events(admin_engine, worker.lane, "late") == dict.fromkeys("1234", False)


class TestAGap:
    def test_gap_is_not_passed_until_its_time_is_over(
        self, publishing: Publishing, worker: Worker, admin_engine: Engine
    ) -> None:
        publishing.send(*(publishing.message(f"{number}", number=number) for number in (1, 2, 4)))
        first = claimed(worker.engine, worker.lane)
        assert contents_of(worker.engine, first) == ["1", "2"]
        worker.finish(first)

        assert claim(worker.engine, worker.lane) is None, "the third may still come"
        with admin_engine.connect() as connection:
            ready = text("select ready_at > now() + interval '50 minutes' from mosshead.lanes where tenant_id = :id")
            looked_at_again = connection.execute(ready, {"id": worker.lane.tenant_id}).scalar_one()
        assert looked_at_again, "when the gap has lasted long enough"
        make_old(admin_engine, worker.lane, "4")
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["4"]

    def test_missing_event_closes_the_gap(self, publishing: Publishing, worker: Worker) -> None:
        publishing.send(*(publishing.message(f"{number}", number=number) for number in (2, 3)))
        assert claim(worker.engine, worker.lane) is None
        publishing.send(publishing.message("1", number=1))
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["1", "2", "3"]

    def test_gap_is_waited_for_once(self, publishing: Publishing, worker: Worker, admin_engine: Engine) -> None:
        publishing.send(*(publishing.message(f"{number}", number=number) for number in (2, 3, 4)))
        make_old(admin_engine, worker.lane, "2")
        for batch in (["2"], ["3", "4"]):
            taken = claimed(worker.engine, worker.lane, messages=len(batch))
            assert contents_of(worker.engine, taken) == batch
            worker.finish(taken)
        publishing.send(publishing.message("5", number=5))
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["5"]

    def test_second_gap_is_waited_for_in_its_turn(
        self, publishing: Publishing, worker: Worker, admin_engine: Engine
    ) -> None:
        publishing.send(*(publishing.message(f"{number}", number=number) for number in (2, 4)))
        make_old(admin_engine, worker.lane, "2")
        worker.finish(claimed(worker.engine, worker.lane))
        assert claim(worker.engine, worker.lane) is None
        publishing.send(publishing.message("3", number=3))
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["3", "4"]

    def test_event_that_fills_a_gap_later_precedes_those_that_waited_behind_it(
        self, publishing: Publishing, worker: Worker, admin_engine: Engine
    ) -> None:
        """The first is missing; the third came long ago, the second just now."""
        publishing.send(*(publishing.message(f"{number}", number=number) for number in (3, 2)))
        make_old(admin_engine, worker.lane, "3")
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["2", "3"]

    def test_gap_does_not_block_another_publisher(self, publishing: Publishing, worker: Worker) -> None:
        other = publishing.another()
        publishing.send(publishing.message("late", number=2))
        other.say("here")
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["here"]


class TestStrangeTimes:
    @pytest.mark.parametrize("occurred_at", ["0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-12:00", "infinity"])
    def test_event_with_a_time_python_cannot_represent_is_still_claimed(
        self, publishing: Publishing, worker: Worker, ingest_engine: Engine, occurred_at: str
    ) -> None:
        """Only SQL can publish such an event; a failing claim would stop the claims of all lanes, again and again."""
        by_sql = json.dumps({**publishing.message("when?"), "occurred_at": occurred_at})
        with ingest_engine.begin() as connection:
            inbox.publish(connection, [by_sql], quiet=NONE, most=NONE)
        publishing.say("now")
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["when?", "now"]


class TestSuspects:
    def test_each_suspect_is_claimed_alone_and_in_order_and_newer_events_follow_together(
        self, publishing: Publishing, worker: Worker
    ) -> None:
        publishing.say("one", "two", "three")
        worker.split(claimed(worker.engine, worker.lane))
        publishing.say("four", "five")
        taken = []
        while (batch := claim(worker.engine, worker.lane)) is not None:
            taken.append(contents_of(worker.engine, batch))
            worker.finish(batch)

        assert taken == [["one"], ["two"], ["three"], ["four", "five"]]

    def test_single_suspect_that_is_returned_lets_no_others_pass(self, publishing: Publishing, worker: Worker) -> None:
        publishing.say("one", "two")
        worker.split(claimed(worker.engine, worker.lane))
        worker.split(claimed(worker.engine, worker.lane))
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["one"]
