"""Dead letters on a real database: how they are listed, revived and discarded."""

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
    """Give up the lane's next batch."""
    batch = claimed(worker.engine, worker.lane, messages=1)
    with worker.transaction() as connection:
        lease = leases.take(connection, batch, "extract", owner="a task", lasting=LONG)
        assert lease is not None
        inbox.mark_dead(connection, batch, reason)
        leases.end(connection, lease, "dead", error=reason)


def lane_of(engine: Engine, lane: LaneRef) -> tuple[int, bool]:
    """Return how many events of a lane are pending, and whether it is due."""
    statement = text("select pending, ready_at <= now() from mosshead.lanes where tenant_id = :tenant_id")
    with engine.connect() as connection:
        pending, due = connection.execute(statement, lane.scope).one()
        return pending, due


@pytest.fixture
def letter(publishing: Publishing, worker: Worker) -> DeadLetter:
    """Return the dead letter of the first of three messages."""
    publishing.say("one", "two", "three")
    bury(worker)
    (only,) = found(worker.engine, worker.lane)
    return only


def test_letter_names_its_event_reason_and_time(letter: DeadLetter, lane: LaneRef) -> None:
    assert (letter.lane, letter.origin, letter.reason) == (lane, "stage", "extract: ValueError")
    assert (letter.times, letter.bytes) == (1, None)
    assert 0 <= letter.age < 60


def test_letters_are_listed_by_id_and_reason_newest_first(publishing: Publishing, worker: Worker) -> None:
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


def test_letter_shows_content_and_path_to_its_tenant_only(
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


def test_revived_event_is_claimed_alone_and_before_later_events(letter: DeadLetter, worker: Worker) -> None:
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


def test_finished_lane_is_due_again_after_a_revival(publishing: Publishing, worker: Worker) -> None:
    publishing.say("one")
    bury(worker)
    assert claim(worker.engine, worker.lane) is None
    (letter,) = found(worker.engine, worker.lane)
    with worker.transaction() as connection:
        assert dead_letters.lock(connection, letter)
        dead_letters.revive(connection, letter)

    assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["one"]


def test_letter_is_revived_only_once(letter: DeadLetter, worker: Worker) -> None:
    with worker.transaction() as connection:
        assert dead_letters.lock(connection, letter)
        dead_letters.revive(connection, letter)
    with worker.transaction() as connection:
        assert not dead_letters.lock(connection, letter)
        dead_letters.revive(connection, letter)

    assert lane_of(worker.engine, worker.lane) == (3, True)


def test_revival_waits_for_the_worker_on_the_lane(letter: DeadLetter, worker: Worker) -> None:
    """A stage locks the lane, then the letter. In the opposite order the two would deadlock."""
    with worker.transaction() as stage, worker.transaction() as operator:
        stage.execute(text("select 1 from mosshead.lanes where tenant_id = :tenant_id for update"), letter.lane.scope)
        operator.execute(text("set local lock_timeout = '100ms'"))
        with pytest.raises(OperationalError, match="lock timeout"):
            dead_letters.lock(operator, letter)


def test_discarded_event_stays_in_the_log_and_is_not_retried(
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


def test_letter_of_an_event_in_effect_is_neither_revived_nor_discarded(
    letter: DeadLetter, worker: Worker, admin_engine: Engine
) -> None:
    """Whatever the letter says, an event that took effect is not applied twice or dropped."""
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


def test_new_reason_is_stored_on_the_letter_and_on_its_event(
    letter: DeadLetter, worker: Worker, admin_engine: Engine
) -> None:
    with worker.transaction() as connection:
        dead_letters.set_reason(connection, letter, "another")

    assert [one.reason for one in found(worker.engine, worker.lane)] == ["another"]
    statement = text("select reason from mosshead.events where event_id = :id")
    with admin_engine.connect() as connection:
        assert connection.execute(statement, {"id": letter.letter_id}).scalar_one() == "another"
