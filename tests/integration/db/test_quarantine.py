"""Lanes as an operator sees them, and what resuming a lane does."""

from typing import Any

import pytest
from sqlalchemy import Engine, text

from db import dead_letters
from db.dead_letters import LaneState
from db.keys import LaneRef
from tests.given import Publishing, Worker, claim, claimed


def state_of(worker: Worker) -> LaneState | None:
    with worker.engine.begin() as connection:
        states = dead_letters.lane_states(connection, limit=100_000)
    return next((state for state in states if state.lane == worker.lane), None)


def known_state_of(worker: Worker) -> LaneState:
    state = state_of(worker)
    assert state is not None
    return state


def set_lane(engine: Engine, lane: LaneRef, columns: str) -> None:
    with engine.begin() as connection:
        connection.execute(text(f"update mosshead.lanes set {columns} where tenant_id = :tenant_id"), lane.scope)


@pytest.fixture
def stopped(publishing: Publishing, admin_engine: Engine, lane: LaneRef) -> LaneRef:
    """Return a lane with two messages, quarantined a minute ago."""
    publishing.say("one", "two")
    set_lane(
        admin_engine,
        lane,
        "quarantined_at = now() - interval '1 minute', quarantined_for = 'why', ready_at = now() + interval '1 hour'",
    )
    return lane


def test_lane_shows_its_waiting_and_running_events(publishing: Publishing, worker: Worker) -> None:
    assert state_of(worker) is None
    publishing.say("one", "two")
    waiting = known_state_of(worker)
    batch = claimed(worker.engine, worker.lane, messages=1)
    worker.leased(batch, owner="a task")
    working = known_state_of(worker)

    assert (waiting.pending, waiting.stage, waiting.leased, waiting.quarantined) == (2, None, None, None)
    assert (working.pending, working.stage, working.lease_owner) == (2, "extract", "a task")
    assert waiting.waiting is not None
    assert waiting.waiting >= 0
    assert working.leased is not None
    assert working.leased > 3_000


def test_stopped_lanes_come_first_then_those_that_wait_longest(
    *, publishing: Publishing, worker: Worker, stopped: LaneRef, admin_engine: Engine, ingest_engine: Engine
) -> None:
    paths = [type(publishing.path).of((publishing.path.parts[0], name)) for name in ("newer", "older")]
    newer, older = (Publishing(ingest_engine, path) for path in paths)
    for other, age in ((newer, 1), (older, 2)):
        other.say("one")
        with admin_engine.begin() as connection:
            columns = "first_pending_at = now() - make_interval(years => :years)"
            statement = text(f"update mosshead.lanes set {columns} where namespace_id = :namespace_id")
            connection.execute(statement, {**other.lane.scope, "years": 10 * age})
    with worker.engine.begin() as connection:
        states = [state.lane for state in dead_letters.lane_states(connection, limit=100_000)]

    order = [states.index(lane) for lane in (stopped, older.lane, newer.lane)]
    assert order == sorted(order)


def test_quarantined_lane_shows_the_reason_and_is_not_claimed(worker: Worker, stopped: LaneRef) -> None:
    state = known_state_of(worker)
    assert state.quarantined_for == "why"
    assert state.quarantined is not None
    assert state.quarantined >= 60
    assert claim(worker.engine, stopped) is None


def test_resumed_lane_is_due_at_once(worker: Worker, stopped: LaneRef) -> None:
    with worker.engine.begin() as connection:
        assert dead_letters.resume(connection, stopped)
        assert not dead_letters.resume(connection, stopped)

    state: Any = known_state_of(worker)
    assert (state.quarantined, state.quarantined_for) == (None, None)
    assert claim(worker.engine, stopped) is not None


def test_resumed_empty_lane_is_not_due(worker: Worker, stopped: LaneRef, admin_engine: Engine) -> None:
    set_lane(admin_engine, stopped, "pending = 0, ready_at = null")
    with worker.engine.begin() as connection:
        assert dead_letters.resume(connection, stopped)

    assert state_of(worker) is None
    with admin_engine.connect() as connection:
        statement = text("select ready_at from mosshead.lanes where tenant_id = :tenant_id")
        assert connection.execute(statement, stopped.scope).scalar_one() is None
