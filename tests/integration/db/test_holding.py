"""The lanes of a namespace and of its replay, held while the two are swapped: what is held, and what releases it."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, text

from db import inbox
from db.replay import generations
from db.replay import generations as holding
from db.replay.generations import Generation
from tests.given import NONE, SOON, Publishing, Worker, as_text

_LANES = text("""
    select case namespace_id when :namespace_id then 'namespace' else 'replay' end as lane, quarantined_for from mosshead.lanes
    where tenant_id = :tenant_id and quarantined_at is not null
""")
_QUARANTINED = text("""
    update mosshead.lanes set quarantined_at = now() - interval '1 hour', quarantined_for = 'many dead letters'
    where tenant_id = :tenant_id and namespace_id = :namespace_id
""")
_HELD_AT = text("select quarantined_at from mosshead.lanes where tenant_id = :tenant_id")
HELD = "changes places with its replay"


@pytest.fixture
def generation(worker: Worker, publishing: Publishing) -> Iterator[Generation]:
    """Return a namespace with a message, and its replay, which no worker is processing."""
    publishing.say("I live in Berlin.")
    with worker.transaction() as connection:
        started = generations.start(connection, publishing.path)
    assert started is not None
    yield started
    with worker.transaction() as connection:
        generations.drop(connection, started)


def stopped(worker: Worker) -> dict[str, str]:
    """Return which of the two lanes are stopped, and why."""
    with worker.transaction() as connection:
        return {row.lane: row.quarantined_for for row in connection.execute(_LANES, worker.lane.scope)}


def hold(worker: Worker, generation: Generation) -> bool:
    """Hold both lanes and return whether they are held."""
    with worker.transaction() as connection:
        holding.hold(connection, generation)
        return bool(holding.standing(connection, generation, but_not=()).held)


def test_lane_quarantined_meanwhile_stays_quarantined(worker: Worker, generation: Generation) -> None:
    """Its last batch may die just as the two lanes are held."""
    with worker.transaction() as connection:
        connection.execute(_QUARANTINED, worker.lane.scope)

    assert not hold(worker, generation)

    assert stopped(worker) == {"namespace": "many dead letters", "replay": HELD}
    with worker.transaction() as connection:
        assert holding.standing(connection, generation, but_not=()).quarantined
        holding.release(connection, worker.lane)
        holding.release_abandoned(connection, age=NONE)
    assert stopped(worker) == {"namespace": "many dead letters"}


def test_hold_counts_from_when_the_lanes_were_locked(worker: Worker, generation: Generation) -> None:
    """The transaction may have waited long for the lanes; otherwise the hold would count as abandoned at once."""
    with worker.transaction() as connection:
        began = connection.exec_driver_sql("select now()").scalar_one()
        holding.hold(connection, generation)
        held_at = list(connection.execute(_HELD_AT, worker.lane.scope).scalars())
    assert len(held_at) == 2
    assert min(held_at) > began


def test_abandoned_hold_is_released_without_waiting_for_a_publishing_app(
    worker: Worker, worker_engine: Engine, admin_engine: Engine, publishing: Publishing, generation: Generation
) -> None:
    """The app's transaction may be long, and the scheduler must look after all other lanes."""

    def release_abandoned() -> None:
        with worker_engine.begin() as connection:
            connection.exec_driver_sql("set local lock_timeout = '2s'")
            holding.release_abandoned(connection, age=-SOON)

    assert hold(worker, generation)
    with admin_engine.begin() as connection:
        inbox.publish(connection, [as_text(publishing.message())], quiet=NONE, most=NONE)
        release_abandoned()
        assert stopped(worker) == {"namespace": HELD}
    release_abandoned()
    assert stopped(worker) == {}
