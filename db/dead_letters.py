"""Dead letters: what was given up, and what an operator may do about it. Ids, reasons and times; the content is a tenant's."""

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

    lane: the tenant and the namespace; both are the zero id where the message does not say whose it is.
    letter_id: the event's id, or one made from the message. bytes: of a message that was refused. times: how often it came or
    died. age: seconds since it last did.
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
        """The parameters that every statement about a letter takes."""
        return {**self.lane.scope, "letter_id": self.letter_id}


def dead_letters(
    connection: Connection,
    *,
    tenant_id: UUID | None = None,
    letter_ids: Sequence[UUID] | None = None,
    reason: str | None = None,
    limit: int | None = None,
) -> list[DeadLetter]:
    """Letters, the newest first. reason: what theirs holds somewhere, in any case of letters. Sees all tenants."""
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
"""Of a letter: the event, or the message's body where it is none, or nothing where it was erased."""


def content_of(connection: Connection, letter: DeadLetter) -> Content:
    """What a letter says: its event where that has a place in the inbox, else what was kept of its message.

    Its tenant must be set, here and below.
    """
    event: Content = Sql(f"""
        select payload from mosshead.events where {OF_NAMESPACE} and event_id = %(letter_id)s
    """).scalar(connection, letter.scope)
    body: Content = Sql(f"select body from mosshead.refused where {_LETTER}").scalar(connection, letter.scope)
    return body if event is None else event


def lock(connection: Connection, letter: DeadLetter) -> bool:
    """Keep a letter for the rest of the transaction, so that nobody else deals with it; False where it is gone already."""
    # The lane first, as the stages and the intake do: two that wait for each other would both fail.
    return Sql(f"""
        select 1 from mosshead.lanes where {OF_NAMESPACE} for update;
        select 1 from mosshead.dead_letters where {_LETTER} for update
    """).exists(connection, letter.scope)


def revive(connection: Connection, letter: DeadLetter) -> None:
    """Return a letter's event to its lane, where it is taken alone and before what came after it; the lane is ready now."""
    Sql(f"""
        with revived as (
            update mosshead.events set state = 'received', reason = null, batch_id = null, place = null, suspect = true
            where {_DEAD_EVENT} returning event_id
        )
        update mosshead.lanes
        set pending = pending + 1, ready_at = now(), first_pending_at = coalesce(first_pending_at, now())
        where {OF_NAMESPACE} and exists (select from revived);
        {_DELETE}
    """).run(connection, letter.scope)


def forget(connection: Connection, letter: DeadLetter) -> None:
    """Delete a letter of the intake's with all that was kept of its message, so that it can be taken in afresh."""
    Sql(f"""
        delete from mosshead.events where {_DEAD_EVENT};
        {_DELETE_BODY};
        {_DELETE}
    """).run(connection, letter.scope)


def discard(connection: Connection, letter: DeadLetter) -> None:
    """End a letter for good: its event stays in the log as discarded, a body that has no place there is deleted."""
    Sql(f"""
        update mosshead.events set state = 'discarded' where {_DEAD_EVENT};
        {_DELETE_BODY};
        {_DELETE}
    """).run(connection, letter.scope)


def set_reason(connection: Connection, letter: DeadLetter, reason: str) -> None:
    """Say why a letter is dead by now."""
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
    """Let a lane go on at once, or all, where they are quarantined; returns how many were."""
    return Sql(f"""
        update mosshead.lanes
        set quarantined_at = null, quarantined_for = null, ready_at = case when pending > 0 then now() else ready_at end
        where quarantined_at is not null {f"and {OF_NAMESPACE}" if lane else ""}
    """).changed(connection, lane.scope if lane else None)
