"""A lane's pending count equals its waiting events, whatever happens to the lane."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from db import inbox, leases
from db.keys import BatchRef, LaneRef
from mosshead.paths import NamespacePath
from tests.given import LONG, NONE, Publishing, Worker, claim

Step = Callable[["Life"], None]


class Life:
    """A lane to which random things happen."""

    def __init__(self, ingest_engine: Engine, worker_engine: Engine) -> None:
        path = NamespacePath.of((f"tenant-{uuid4().hex}", "sarah"))
        self.publishers = [Publishing(ingest_engine, path)]
        self.publishers.append(self.publishers[0].another())
        self.worker = Worker(worker_engine, LaneRef(path.tenant_id, path.namespace_id))
        self.said = 0
        self.ingest_engine = ingest_engine

    def say(self, publisher: int = 0) -> None:
        self.said += 1
        self.publishers[publisher].say(f"{self.said}")

    def skip_a_number(self) -> None:
        self.publishers[0].message()
        self.say()

    def say_it_again(self) -> None:
        again = self.publishers[0].message("again")
        for _ in range(2):
            self.publishers[0].send(again, again)

    def refused(self) -> None:
        letter = {"reason": "why", "digest": "0" * 64, "bytes": 1, "body": "", "event": self.publishers[0].message()}
        with self.ingest_engine.begin() as connection:
            inbox.refuse(connection, [json.dumps(letter)])

    def take(self, end: Callable[[Any, BatchRef], None]) -> None:
        batch = claim(self.worker.engine, self.worker.lane, messages=3, gap=NONE)
        if batch is not None:
            end(self.worker, batch)

    @contextmanager
    def rows(self) -> Iterator[Any]:
        with self.worker.transaction() as connection:
            statement = text("""
                select pending, (select count(*) from mosshead.events where state = 'received') as received,
                       ready_at is not null or batch_id is not null as looked_at
                from mosshead.lanes where tenant_id = :tenant_id
            """)
            yield connection.execute(statement, {"tenant_id": self.worker.lane.tenant_id}).one_or_none()


def _die(worker: Worker, batch: BatchRef) -> None:
    with worker.transaction() as connection:
        lease = leases.take(connection, batch, "extract", owner="a task", lasting=LONG)
        assert lease is not None
        inbox.mark_dead(connection, batch, "why")
        leases.end(connection, lease, "dead")


STEPS: dict[str, Step] = {
    "say": Life.say,
    "another says": lambda life: life.say(1),
    "skip a number": Life.skip_a_number,
    "say it again": Life.say_it_again,
    "refused": Life.refused,
    "take effect": lambda life: life.take(Worker.finish),
    "split": lambda life: life.take(Worker.split),
    "die": lambda life: life.take(_die),
}


@given(steps=st.lists(st.sampled_from(sorted(STEPS)), max_size=12))
def test_pending_count_of_a_lane_is_right_whatever_happens_to_it(
    steps: list[str], ingest_engine: Engine, worker_engine: Engine
) -> None:
    life = Life(ingest_engine, worker_engine)
    for step in steps:
        STEPS[step](life)
        with life.rows() as row:
            assert row is None or row.pending == row.received
            assert row is None or row.looked_at or not row.received, "nothing waits that nobody looks at"
