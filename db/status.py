"""How the service is doing, over all tenants: from the tables that hold ids and times only."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, text


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits. waiting_lanes: namespaces that are ready and at rest; oldest_waiting: seconds since the first became ready.

    at_work: batches by stage. failing: batches by what went wrong the last time. dead: batches whose events were given up.
    """

    waiting_lanes: int
    oldest_waiting: float
    at_work: Mapping[str, int]
    failing: Mapping[str, int]
    dead: int


def backlog(connection: Connection) -> Backlog:
    """Read the backlog."""
    lanes = connection.execute(_LANES).one()
    batches = {row.stage: row.batches for row in connection.execute(_BATCHES)}
    return Backlog(
        waiting_lanes=lanes.waiting,
        oldest_waiting=float(lanes.oldest),
        at_work={stage: count for stage, count in batches.items() if stage != "dead"},
        failing={row.error: row.batches for row in connection.execute(_FAILING)},
        dead=batches.get("dead", 0),
    )


_LANES = text("""
    select count(*) as waiting, coalesce(extract(epoch from now() - min(ready_at)), 0) as oldest
    from recollect.lanes where batch_id is null and ready_at <= now()
""")

_BATCHES = text("select stage, count(*) as batches from recollect.batches where stage <> 'done' group by stage")

_FAILING = text("""
    select error, count(*) as batches from recollect.batches
    where stage not in ('done', 'dead') and error is not null group by error
""")
