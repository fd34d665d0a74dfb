"""Dead letters on a real database: found, returned to their place, ended for good."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError

from db import dead_letters, inbox, leases
from db.dead_letters import DeadLetter
from db.keys import LaneRef
from db.namespaces import path_of
from mosshead.store.connection import Sql, tenant_transaction
from tests.given import LONG, Publishing, Worker, claim, claimed, contents_of


def found(engine: Engine, lane: LaneRef, **given: object) -> list[DeadLetter]:
    with engine.begin() as connection:
        return dead_letters.dead_letters(connection, tenant_id=lane.tenant_id, **given)  # type: ignore[arg-type]


def bury(worker: Worker, reason: str = "extract: ValueError") -> None:
    """The lane's next batch is given up."""
    batch = claimed(worker.engine, worker.lane, messages=1)
    with worker.transaction() as connection:
        lease = leases.take(connection, batch, "extract", owner="a task", lasting=LONG)
        assert lease is not None
        inbox.mark_dead(connection, batch, reason)
        leases.end(connection, lease, "dead", error=reason)


def lane_of(engine: Engine, lane: LaneRef) -> tuple[int, bool]:
    """How many events of a lane are pending, and whether it is due."""
    statement = text("select pending, ready_at <= now() from mosshead.lanes where tenant_id = :tenant_id")
    with engine.connect() as connection:
        pending, due = connection.execute(statement, lane.scope).one()
        return pending, due


@pytest.fixture
def letter(publishing: Publishing, worker: Worker) -> DeadLetter:
    """The first of three messages, given up."""
    publishing.say("one", "two", "three")
    bury(worker)
    (only,) = found(worker.engine, worker.lane)
    return only


def test_a_letter_says_which_event_why_and_since_when(letter: DeadLetter, lane: LaneRef) -> None:
    assert (letter.lane, letter.origin, letter.reason) == (lane, "stage", "extract: ValueError")
    assert (letter.times, letter.bytes) == (1, None)
    assert 0 <= letter.age < 60


def test_letters_are_found_by_id_by_reason_and_the_newest_first(publishing: Publishing, worker: Worker) -> None:
    first, second = publishing.say("one", "two")
    bury(worker, "extract: ValueError")
    bury(worker, "extract: 100%_other")

    def ids(**given: object) -> list[UUID]:
        return [one.letter_id for one in found(worker.engine, worker.lane, **given)]

    assert ids() == [second, first]
    assert ids(limit=1) == [second]
    assert ids(letter_ids=[first, uuid4()]) == [first]
    assert ids(letter_ids=[]) == []
    assert ids(reason="VALUEERROR") == [first]
    assert ids(reason="%_") == [second]
    assert found(worker.engine, LaneRef(uuid4(), uuid4())) == []


def test_its_content_and_its_path_are_the_tenants(
    letter: DeadLetter, worker: Worker, publishing: Publishing, lane: LaneRef
) -> None:
    with worker.transaction() as connection:
        event = dead_letters.content_of(connection, letter)
        assert isinstance(event, dict)
        assert event["content"] == "one"
        assert not Sql("select from mosshead.refused where letter_id = %(letter_id)s").exists(connection, letter.scope)
        assert path_of(connection, lane) == publishing.path.parts
    with tenant_transaction(worker.engine, uuid4()) as connection:
        assert dead_letters.content_of(connection, letter) is None
        assert path_of(connection, lane) is None


def test_revived_it_is_taken_alone_and_before_what_came_after_it(letter: DeadLetter, worker: Worker) -> None:
    assert lane_of(worker.engine, worker.lane) == (2, True)
    with worker.transaction() as connection:
        assert dead_letters.lock(connection, letter)
        dead_letters.revive(connection, letter)

    assert lane_of(worker.engine, worker.lane) == (3, True)
    assert found(worker.engine, worker.lane) == []
    batch = claimed(worker.engine, worker.lane)
    assert contents_of(worker.engine, batch) == ["one"]
    worker.finish(batch)
    assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["two", "three"]


def test_a_lane_that_was_done_is_due_again(publishing: Publishing, worker: Worker) -> None:
    publishing.say("one")
    bury(worker)
    assert claim(worker.engine, worker.lane) is None
    (letter,) = found(worker.engine, worker.lane)
    with worker.transaction() as connection:
        assert dead_letters.lock(connection, letter)
        dead_letters.revive(connection, letter)

    assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["one"]


def test_a_letter_is_revived_once(letter: DeadLetter, worker: Worker) -> None:
    with worker.transaction() as connection:
        assert dead_letters.lock(connection, letter)
        dead_letters.revive(connection, letter)
    with worker.transaction() as connection:
        assert not dead_letters.lock(connection, letter)
        dead_letters.revive(connection, letter)

    assert lane_of(worker.engine, worker.lane) == (3, True)


def test_whoever_works_on_the_lane_is_waited_for(letter: DeadLetter, worker: Worker) -> None:
    """A stage locks the lane, then the letter. In another order the two would wait for each other."""
    with worker.transaction() as stage, worker.transaction() as operator:
        stage.execute(text("select 1 from mosshead.lanes where tenant_id = :tenant_id for update"), letter.lane.scope)
        operator.execute(text("set local lock_timeout = '100ms'"))
        with pytest.raises(OperationalError, match="lock timeout"):
            dead_letters.lock(operator, letter)


def test_discarded_its_event_stays_in_the_log_and_is_not_tried(
    letter: DeadLetter, worker: Worker, admin_engine: Engine
) -> None:
    with worker.transaction() as connection:
        assert dead_letters.lock(connection, letter)
        dead_letters.discard(connection, letter)

    assert found(worker.engine, worker.lane) == []
    statement = text("select state from mosshead.events where event_id = :id")
    with admin_engine.connect() as connection:
        assert connection.execute(statement, {"id": letter.letter_id}).scalar_one() == "discarded"
    assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["two", "three"]


def test_what_took_effect_is_out_of_reach(letter: DeadLetter, worker: Worker, admin_engine: Engine) -> None:
    """Whatever a letter says: an event that is done is not applied twice, nor forgotten."""
    with admin_engine.begin() as connection:
        statement = text("update mosshead.events set state = 'done' where event_id = :id")
        connection.execute(statement, {"id": letter.letter_id})
    with worker.transaction() as connection:
        dead_letters.revive(connection, letter)
        dead_letters.forget(connection, letter)
        dead_letters.discard(connection, letter)
        assert dead_letters.content_of(connection, letter) is not None

    assert lane_of(worker.engine, worker.lane) == (2, True)
    statement = text("select state from mosshead.events where event_id = :id")
    with admin_engine.connect() as connection:
        assert connection.execute(statement, {"id": letter.letter_id}).scalar_one() == "done"


def test_a_new_reason_stands_with_the_letter_and_with_its_event(
    letter: DeadLetter, worker: Worker, admin_engine: Engine
) -> None:
    with worker.transaction() as connection:
        dead_letters.set_reason(connection, letter, "another")

    assert [one.reason for one in found(worker.engine, worker.lane)] == ["another"]
    statement = text("select reason from mosshead.events where event_id = :id")
    with admin_engine.connect() as connection:
        assert connection.execute(statement, {"id": letter.letter_id}).scalar_one() == "another"
