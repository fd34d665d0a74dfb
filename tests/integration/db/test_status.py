"""The backlog over all tenants, as an operator sees it."""

from datetime import timedelta

from sqlalchemy import Engine

from db import inbox, lanes
from db.status import Backlog, backlog
from tests.given import Publishing, Remembering, claimed


def read(engine: Engine) -> Backlog:
    with engine.begin() as connection:
        return backlog(connection)


def test_counts_what_waits_what_is_at_work_and_what_is_dead(
    worker_engine: Engine, publishing: Publishing, remembering: Remembering
) -> None:
    before = read(worker_engine)
    publishing.say("one")
    waiting = read(worker_engine)
    batch = claimed(worker_engine, publishing.lane)
    working = read(worker_engine)
    with remembering.transaction() as connection:
        lease = lanes.take_lease(connection, batch, "extract", timedelta(hours=1))
        assert lease is not None
        inbox.mark_dead(connection, batch, "why")
        lanes.give_up(connection, lease, "why")
    ended = read(worker_engine)

    def at_work(found: Backlog) -> int:
        return found.at_work.get("extract", 0) - before.at_work.get("extract", 0)

    assert [found.waiting_lanes - before.waiting_lanes for found in (waiting, working, ended)] == [1, 0, 0]
    assert [at_work(found) for found in (waiting, working, ended)] == [0, 1, 0]
    assert [found.dead - before.dead for found in (waiting, working, ended)] == [0, 0, 1]
    assert waiting.oldest_waiting > 0
