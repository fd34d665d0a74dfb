"""Dead letters, and what an operator may do with them. They hold ids, reasons and times; the content belongs to a tenant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from db.keys import LaneRef, seconds
from mosshead.store.connection import OF_NAMESPACE, Sql


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One event that a stage gave up (origin ``stage``), or one message that the intake refused (``intake``).

    lane: the tenant and the namespace; both are the zero id if the message does not name them.
    letter_id: the event's id, or one made from the message. bytes: the size of a refused message. times: how often it arrived or
    died. age: seconds since the last time.
    """

    lane: LaneRef
    letter_id: UUID
    origin: str
    reason: str
    bytes: int | None
    times: int
    age: float

    @property
    def scope(self) -> dict[str, UUID]:
        """Return the parameters of every statement about a letter."""
        return {**self.lane.scope, "letter_id": self.letter_id}


def dead_letters(
    connection: Connection,
    *,
    tenant_id: UUID | None = None,
    letter_ids: Sequence[UUID] | None = None,
    reason: str | None = None,
    limit: int | None = None,
) -> list[DeadLetter]:
    """Return letters, newest first. reason: a text that their reason contains, ignoring case. Sees all tenants."""
    wanted = {"tenant_id": tenant_id, "ids": list(letter_ids) if letter_ids is not None else None}
    rows = Sql(f"""
        select tenant_id, namespace_id, letter_id, origin, reason, bytes, times, {seconds("now() - died_at")} as age
        from mosshead.dead_letters
        where tenant_id = coalesce(%(tenant_id)s, tenant_id)
          and (%(ids)s::uuid[] is null or letter_id = any(%(ids)s))
          and (%(reason)s::text is null or position(lower(%(reason)s) in lower(reason)) > 0)
        order by died_at desc, letter_id limit %(limit)s
    """).run(connection, reason=reason, limit=limit, **wanted)
    return [DeadLetter(LaneRef(*row[:2]), *row[2:]) for row in rows]


Content = Mapping[str, Any] | bytes | None
"""A letter's event, or the body of a message that is not an event, or None if it was erased."""


def content_of(connection: Connection, letter: DeadLetter) -> Content:
    """Return a letter's content: its event if that is in the inbox, else what was kept of its message.

    Its tenant must be set, here and below.
    """
    event: Content = Sql(f"""
        select payload from mosshead.events where {OF_NAMESPACE} and event_id = %(letter_id)s
    """).scalar(connection, letter.scope)
    body: Content = Sql(f"select body from mosshead.refused where {_LETTER}").scalar(connection, letter.scope)
    return body if event is None else event


def lock(connection: Connection, letter: DeadLetter) -> bool:
    """Lock a letter for the rest of the transaction; return False if it is already gone."""
    # The lane first, as in the stages and the intake, to avoid a deadlock.
    return Sql(f"""
        select 1 from mosshead.lanes where {OF_NAMESPACE} for update;
        select 1 from mosshead.dead_letters where {_LETTER} for update
    """).exists(connection, letter.scope)


def revive(connection: Connection, letter: DeadLetter) -> None:
    """Return a letter's event to its lane, to be processed alone and before later events; the lane is ready at once."""
    Sql(f"""
        with revived as (
            update mosshead.events set state = 'received', reason = null, batch_id = null, place = null, suspect = true
            where {_DEAD_EVENT} returning event_id
        )
        update mosshead.lanes
        set pending = pending + 1, ready_at = now(), first_pending_at = coalesce(first_pending_at, (select now()))
        where {OF_NAMESPACE} and exists (select from revived);
        {_DELETE}
    """).run(connection, letter.scope)


def forget(connection: Connection, letter: DeadLetter) -> None:
    """Delete a letter of the intake with everything kept of its message, so that the message can be received again."""
    Sql(f"""
        delete from mosshead.events where {_DEAD_EVENT};
        {_DELETE_BODY};
        {_DELETE}
    """).run(connection, letter.scope)


def discard(connection: Connection, letter: DeadLetter) -> None:
    """Discard a letter for good: its event stays in the log as discarded; the body of any other message is deleted."""
    Sql(f"""
        update mosshead.events set state = 'discarded' where {_DEAD_EVENT};
        {_DELETE_BODY};
        {_DELETE}
    """).run(connection, letter.scope)


def set_reason(connection: Connection, letter: DeadLetter, reason: str) -> None:
    """Replace the reason why a letter is dead."""
    Sql(f"""
        update mosshead.dead_letters set reason = %(reason)s where {_LETTER};
        update mosshead.events set reason = %(reason)s where {_DEAD_EVENT}
    """).run(connection, letter.scope, reason=reason)


_LETTER = f"{OF_NAMESPACE} and letter_id = %(letter_id)s"
_DEAD_EVENT = f"{OF_NAMESPACE} and event_id = %(letter_id)s and state = 'dead'"

_DELETE_BODY = f"delete from mosshead.refused where {_LETTER}"
_DELETE = f"delete from mosshead.dead_letters where {_LETTER}"


@dataclass(frozen=True, slots=True)
class LaneState:
    """A lane that is quarantined or has waiting events. Times in seconds.

    waiting: since the first waiting or running event was received. quarantined: since it was stopped, and why.
    stage, error: of the running batch, and its latest failure. leased: how long its lease still lasts, and whose it is.
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
    """Return the quarantined lanes, then those that have waited longest. Sees all tenants: the table has no policy."""
    rows = Sql(f"""
        select lane.tenant_id, lane.namespace_id, lane.pending,
               {seconds("now() - coalesce(batch.waiting_since, lane.first_pending_at)")} as waiting,
               {seconds("now() - lane.quarantined_at")} as quarantined, lane.quarantined_for, batch.stage, batch.error,
               {seconds("lane.lease_until - now()")} as leased, lane.lease_owner
        from mosshead.lanes as lane left join mosshead.batches as batch using (tenant_id, namespace_id, batch_id)
        where lane.pending > 0 or lane.batch_id is not null or lane.quarantined_at is not null
        order by lane.quarantined_at, waiting desc nulls last limit %(limit)s
    """).run(connection, limit=limit)
    return [LaneState(LaneRef(*row[:2]), *row[2:]) for row in rows]


def resume(connection: Connection, lane: LaneRef | None) -> int:
    """Release a quarantined lane, or all of them, at once; return how many there were."""
    return Sql(f"""
        update mosshead.lanes
        set quarantined_at = null, quarantined_for = null, ready_at = case when pending > 0 then (select now()) else ready_at end
        where quarantined_at is not null {f"and {OF_NAMESPACE}" if lane else ""}
    """).changed(connection, lane.scope if lane else None)
