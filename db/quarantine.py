"""Lanes as an operator sees them: which are stopped or wait longest, and how one goes on."""

from dataclasses import dataclass

from sqlalchemy import Connection, text

from db.refs import LaneRef


@dataclass(frozen=True, slots=True)
class LaneState:
    """A lane that is quarantined, or that something waits in. Times in seconds.

    waiting: since the first of what waits, or is at work, was received. quarantined: since it was stopped, and what for.
    stage, error: of the batch at work, and its latest failure. leased: for how long its lease still lasts, by which task's run.
    """

    lane: LaneRef
    pending: int
    waiting: float | None
    quarantined: float | None
    quarantined_for: str | None
    stage: str | None
    error: str | None
    leased: float | None
    lease_owner: str | None


def lane_states(connection: Connection, *, limit: int) -> list[LaneState]:
    """The quarantined lanes, then those that wait longest. Sees all tenants: the table has no policy."""
    return [
        LaneState(
            LaneRef(row.tenant_id, row.namespace_id),
            row.pending,
            _seconds(row.waiting),
            _seconds(row.quarantined),
            row.quarantined_for,
            row.stage,
            row.error,
            _seconds(row.leased),
            row.lease_owner,
        )
        for row in connection.execute(_STATES, {"limit": limit})
    ]


def quarantined_lanes(connection: Connection) -> list[LaneRef]:
    """All lanes that are stopped."""
    return [LaneRef(row.tenant_id, row.namespace_id) for row in connection.execute(_QUARANTINED)]


def resume(connection: Connection, lane: LaneRef) -> bool:
    """Let a quarantined lane go on at once; False where it is not quarantined."""
    return connection.execute(_RESUME, lane.scope).rowcount > 0


def _seconds(value: object) -> float | None:
    return float(str(value)) if value is not None else None


_STATES = text("""
    select lane.tenant_id, lane.namespace_id, lane.pending, lane.quarantined_for, lane.lease_owner, batch.stage, batch.error,
           extract(epoch from now() - coalesce(batch.waiting_since, lane.first_pending_at)) as waiting,
           extract(epoch from now() - lane.quarantined_at) as quarantined,
           extract(epoch from lane.lease_until - now()) as leased
    from mosshead.lanes as lane left join mosshead.batches as batch using (tenant_id, namespace_id, batch_id)
    where lane.pending > 0 or lane.batch_id is not null or lane.quarantined_at is not null
    order by lane.quarantined_at, waiting desc nulls last limit :limit
""")

_QUARANTINED = text("select tenant_id, namespace_id from mosshead.lanes where quarantined_at is not null")

_RESUME = text("""
    update mosshead.lanes
    set quarantined_at = null, quarantined_for = null, ready_at = case when pending > 0 then now() else ready_at end
    where tenant_id = :tenant_id and namespace_id = :namespace_id and quarantined_at is not null
""")
