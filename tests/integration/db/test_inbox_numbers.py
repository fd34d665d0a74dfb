"""Numbers of events in the inbox: assigned where an app sends none, and assigned anew where two events claim the same."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, text

from db import inbox
from db.keys import LaneRef
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from tests.given import NONE, Publishing, as_text, claim, claimed, contents_of, event, until_blocked


class App:
    """An app that publishes into the inbox in its own transactions."""

    def __init__(self, engine: Engine, path: NamespacePath) -> None:
        self.engine = engine
        self.path = path

    def message(self, content: str, **given: Any) -> dict[str, Any]:
        """Return an event without a number."""
        bare = event(self.path.parts, content=content, **given)
        return {name: value for name, value in bare.items() if name not in {"publisher", "publisher_sequence"}}

    def send(self, connection: Connection, *events: dict[str, Any]) -> int:
        return inbox.publish(connection, [as_text(one) for one in events], quiet=NONE, most=NONE)

    def say(self, *contents: str) -> int:
        with self.engine.begin() as connection:
            return self.send(connection, *(self.message(content) for content in contents))


@pytest.fixture
def app(ingest_engine: Engine, fresh_namespace: NamespacePath) -> App:
    return App(ingest_engine, fresh_namespace)


def numbered(engine: Engine, lane: LaneRef) -> list[tuple[int, str]]:
    """Return the numbers of a lane's events with their texts, in order of arrival."""
    statement = text("""
        select publisher_sequence, payload ->> 'content' from mosshead.events where tenant_id = :id order by position
    """)
    with engine.connect() as connection:
        return [(number, said) for number, said in connection.execute(statement, {"id": lane.tenant_id})]


class TestAnAppThatBringsNoNumbers:
    def test_events_are_numbered_in_the_order_of_their_commits(
        self, app: App, admin_engine: Engine, worker_engine: Engine, lane: LaneRef
    ) -> None:
        app.say("one")
        app.say("two", "three")
        assert numbered(admin_engine, lane) == [(1, "one"), (2, "two"), (3, "three")]
        assert contents_of(worker_engine, claimed(worker_engine, lane)) == ["one", "two", "three"]

    def test_two_transactions_of_a_namespace_take_turns(self, app: App, admin_engine: Engine, lane: LaneRef) -> None:
        app.say("one")
        with ThreadPoolExecutor(1) as threads:
            with app.engine.begin() as connection:
                app.send(connection, app.message("two"))
                later = threads.submit(app.say, "four")
                until_blocked(admin_engine, "mosshead_write_v1.publish")
                app.send(connection, app.message("three"))
            assert later.result(timeout=30) == 1

        assert numbered(admin_engine, lane) == [(1, "one"), (2, "two"), (3, "three"), (4, "four")]

    def test_concurrent_publishers_get_a_distinct_number_for_every_event(
        self, app: App, admin_engine: Engine, lane: LaneRef
    ) -> None:
        app.say("0")
        with ThreadPoolExecutor(4) as threads:
            assert sum(threads.map(app.say, [f"{turn}" for turn in range(1, 60)])) == 59
        assert [number for number, _ in numbered(admin_engine, lane)] == list(range(1, 61)), "as they arrived"

    def test_two_namespaces_of_a_tenant_do_not_wait_for_each_other(self, app: App) -> None:
        neighbour = App(app.engine, NamespacePath.of((app.path.parts[0], "bo")))
        app.say("the tenant is known")
        with app.engine.begin() as one, app.engine.begin() as other:
            app.send(one, app.message("one"))
            other.execute(text("set local lock_timeout = '10s'"))
            assert neighbour.send(other, neighbour.message("two")) == 1

    def test_rolled_back_transaction_leaves_no_events_and_no_gap(
        self, app: App, admin_engine: Engine, worker_engine: Engine, lane: LaneRef
    ) -> None:
        with app.engine.begin() as connection:
            app.send(connection, app.message("never"))
            connection.rollback()
        assert numbered(admin_engine, lane) == []
        assert claim(worker_engine, lane) is None

        app.say("one")
        assert contents_of(worker_engine, claimed(worker_engine, lane)) == ["one"]

    def test_event_that_is_sent_again_takes_no_second_number(
        self, app: App, admin_engine: Engine, worker_engine: Engine, lane: LaneRef
    ) -> None:
        """Also within one call, and next to other events."""
        first, second, third = (app.message(content) for content in ("one", "two", "three"))
        with app.engine.begin() as connection:
            assert app.send(connection, first, first) == 1
        with app.engine.begin() as connection:
            assert app.send(connection, first, second, first, second) == 1
        with app.engine.begin() as connection:
            assert app.send(connection, third, first) == 1

        assert numbered(admin_engine, lane) == [(1, "one"), (2, "two"), (3, "three")]
        assert contents_of(worker_engine, claimed(worker_engine, lane)) == ["one", "two", "three"]

    def test_events_with_numbers_keep_them_next_to_those_without(
        self, app: App, publishing: Publishing, admin_engine: Engine, lane: LaneRef
    ) -> None:
        with app.engine.begin() as connection:
            app.send(connection, publishing.message("p1"), app.message("own"), publishing.message("p2"))
        assert numbered(admin_engine, lane) == [(1, "p1"), (1, "own"), (2, "p2")]


class TestASpoolThatWasCopied:
    def test_event_whose_number_is_taken_gets_a_new_one_and_nothing_is_lost(
        self, publishing: Publishing, worker_engine: Engine, lane: LaneRef
    ) -> None:
        publishing.send(*(publishing.message(f"x{number}", number=number) for number in (1, 2, 3)))
        assert publishing.send(*(publishing.message(f"y{number}", number=number) for number in (3, 4))) == 2
        assert publishing.send(*(publishing.message(f"x{number}", number=number) for number in (4, 5))) == 2

        said = contents_of(worker_engine, claimed(worker_engine, lane))
        assert sorted(said) == ["x1", "x2", "x3", "x4", "x5", "y3", "y4"]

    def test_two_events_of_one_call_with_the_same_number_are_both_stored(
        self, publishing: Publishing, worker_engine: Engine, lane: LaneRef
    ) -> None:
        assert publishing.send(publishing.message("x", number=1), publishing.message("y", number=1)) == 2
        assert sorted(contents_of(worker_engine, claimed(worker_engine, lane))) == ["x", "y"]

    def test_event_sent_under_two_numbers_leaves_no_gap(
        self, publishing: Publishing, worker_engine: Engine, lane: LaneRef
    ) -> None:
        once = publishing.message("x", number=1)
        assert publishing.send(once, {**once, "publisher_sequence": 2}) == 1
        publishing.send(publishing.message("y", number=3))
        assert contents_of(worker_engine, claimed(worker_engine, lane)) == ["x", "y"]

    def test_renumbered_event_that_comes_again_is_not_stored_twice(
        self, publishing: Publishing, worker_engine: Engine, lane: LaneRef
    ) -> None:
        twin = publishing.message("y", number=1)
        publishing.send(publishing.message("x", number=1))
        assert [publishing.send(twin) for _ in range(3)] == [1, 0, 0]
        assert publishing.send(publishing.message("z", number=2)) == 1
        assert sorted(contents_of(worker_engine, claimed(worker_engine, lane))) == ["x", "y", "z"]

    @given(
        calls=st.lists(
            st.lists(st.tuples(st.integers(0, 11), st.integers(1, 6) | st.none()), min_size=1, max_size=5),
            min_size=1,
            max_size=6,
        )
    )
    def test_each_event_is_stored_once_under_its_own_number_whatever_numbers_are_claimed(
        self, calls: Sequence[Sequence[tuple[int, int | None]]], ingest_engine: Engine, worker_engine: Engine
    ) -> None:
        """calls: events by id, each with the number that it has in that call, if any."""
        path = NamespacePath.of((f"tenant-{uuid4().hex}", "sarah"))
        app, publishing = App(ingest_engine, path), Publishing(ingest_engine, path)
        lane = LaneRef(path.tenant_id, path.namespace_id)
        for call in calls:
            events = []
            for name, number in call:
                given = {"content": str(name), "event_id": str(UUID(int=name + 1))}
                events.append(app.message(**given) if number is None else publishing.message(number=number, **given))
            with ingest_engine.begin() as connection:
                app.send(connection, *events)

        sent = {str(name) for call in calls for name, _ in call}
        with tenant_transaction(worker_engine, lane.tenant_id) as connection:
            stored = connection.execute(
                text("select payload, publisher_id, publisher_sequence as number from mosshead.events")
            ).all()
            watermarks = text(
                "select publisher_id, received_up_to from mosshead.publishers where tenant_id = :tenant_id"
            )
            run = {row.publisher_id: row.received_up_to for row in connection.execute(watermarks, lane.scope)}
        assert sorted(row.payload["content"] for row in stored) == sorted(sent)
        for row in stored:
            assert row.payload["publisher"] == str(row.publisher_id)
            assert row.payload["publisher_sequence"] == row.number
        own = sorted(row.number for row in stored if row.publisher_id != publishing.id)
        assert own == list(range(1, len(own) + 1)), "without a gap"
        assert sum(up_to for publisher, up_to in run.items() if publisher != publishing.id) == len(own)
