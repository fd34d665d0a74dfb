"""Reflections: which are dirty, with the batches that they have not seen, and when the first of a lane is due.

A lane works on one batch at a time, so that what is touched is in the order in which it took effect. Whatever changes a row here
sets the lane's timer in the same transaction; the lane's batch hands that on to ``ready_at`` as it ends.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, text

from db.keys import OF_LANE, BatchRef, LaneRef, of_lane

_MOST_MESSAGES = 100
"""A reflection takes up the batches that hold so many messages together, or one batch that has more."""

Subject = tuple[str, str]
"""A kind of reflection, and of what: ("document", "UserProfile")."""


@dataclass(frozen=True, slots=True)
class DueReflection:
    """A reflection that is due. batches: those that it takes up now, in order."""

    kind: str
    subject: str
    batches: tuple[UUID, ...]


def said_in(connection: Connection, batch: BatchRef) -> tuple[list[str | None], list[str]]:
    """The conversations of a batch's messages, and those that it ends."""
    rows = connection.execute(_SAID, batch.scope).all()
    said = [row.conversation_id for row in rows if row.type == "message"]
    return said, [row.conversation_id for row in rows if row.type == "conversation_ended"]


def touch(
    connection: Connection, batch: BatchRef, subjects: Iterable[Subject], *, least: timedelta, most: timedelta
) -> None:
    """Mark reflections as having a batch to see. Call it in the transaction in which the batch takes effect.

    Each is due when nothing touched it for ``least``, or when its first touch is ``most`` ago.
    """
    rows = sorted(set(subjects))
    if rows:
        parameters = {"kinds": [kind for kind, _ in rows], "subjects": [subject for _, subject in rows]}
        connection.execute(_TOUCH, {**batch.lane.scope, **parameters, "least": least, "most": most})
        connection.execute(_ADD_BATCH, {**batch.scope, **parameters})
        set_timer(connection, batch.lane)


def hasten(
    connection: Connection,
    lane: LaneRef,
    *,
    kind: str | None = None,
    subject: str | None = None,
    conversations: Sequence[str] | None = None,
    again: bool = False,
) -> None:
    """Make what is dirty due at once: all of it, or that of a kind, of a subject, or of what was said in some conversations.

    again: what was skipped, too.
    """
    narrowed = {
        "kind": kind,
        "subject": subject,
        "conversations": None if conversations is None else list(conversations),
    }
    if again:
        connection.execute(_UNSKIP, {**lane.scope, **narrowed})
    if connection.execute(_HASTEN, {**lane.scope, **narrowed}).rowcount:
        set_timer(connection, lane)


def first_due(connection: Connection, lane: LaneRef) -> DueReflection | None:
    """The reflection that is due for longest, with the first of its batches; None where none is due.

    As long as its batch has the lane, it stays the first.
    """
    row = connection.execute(_FIRST_DUE, lane.scope).one_or_none()
    if row is None:
        return None
    wanted = {"kind": row.kind, "subject": row.subject, "messages": -1 if row.one_by_one else _MOST_MESSAGES}
    batches = connection.execute(_BATCHES, {**lane.scope, **wanted}).scalars()
    return DueReflection(row.kind, row.subject, tuple(batches))


def settle(connection: Connection, lane: LaneRef, due: DueReflection) -> None:
    """A reflection has seen its batches. Call it in the transaction that stores what came of it.

    It stays due where it has not seen all, those that came in between among them.
    """
    connection.execute(_SEEN, {**lane.scope, **_of(due)})
    _rest(connection, lane, due)


def put_off(connection: Connection, lane: LaneRef, due: DueReflection, *, pause: timedelta, why: str) -> None:
    """A reflection cannot be done now, and is due again after a while. why: in fixed words."""
    connection.execute(_PUT_OFF, {**lane.scope, **_of(due), "pause": pause, "why": why})
    set_timer(connection, lane)


def give_up(connection: Connection, lane: LaneRef, due: DueReflection, *, why: str) -> str:
    """A reflection failed for good on what it took up; returns what follows: "one by one" or "skipped".

    Of several batches each is tried alone; one that is alone is skipped, and stays with the reason. why: in fixed words.
    """
    parameters = {**lane.scope, **_of(due), "why": why}
    if len(due.batches) > 1:
        connection.execute(_ONE_BY_ONE, parameters)
        return "one by one"
    connection.execute(_SKIP, parameters)
    _rest(connection, lane, due)
    return "skipped"


def lighten(connection: Connection, lane: LaneRef, due: DueReflection, *, pause: timedelta, why: str) -> str:
    """A reflection asks for too much; returns what follows: "one by one", or, where it sees one batch as it is, "put off"."""
    if len(due.batches) > 1:
        connection.execute(_ONE_BY_ONE, {**lane.scope, **_of(due), "why": why})
        return "one by one"
    put_off(connection, lane, due, pause=pause, why=why)
    return "put off"


def set_timer(connection: Connection, lane: LaneRef) -> None:
    """Note on the lane when the first of its reflections is due."""
    connection.execute(_SET_TIMER, lane.scope)


def _rest(connection: Connection, lane: LaneRef, due: DueReflection) -> None:
    """Nothing more is to be done of a reflection whose batches were all seen, or skipped."""
    for statement in (_DONE, _ALL_SKIPPED):
        connection.execute(statement, {**lane.scope, **_of(due)})
    set_timer(connection, lane)


def _of(due: DueReflection) -> dict[str, Any]:
    return {"kind": due.kind, "subject": due.subject, "batches": list(due.batches)}


_REFLECTION = f"{OF_LANE} and kind = :kind and subject = :subject"
_SAME = f"{of_lane('seen')} and seen.kind = reflection.kind and seen.subject = reflection.subject"

_SAID = text("""
    select distinct type, conversation_id from mosshead.events
    where tenant_id = :tenant_id and namespace_id = :namespace_id and batch_id = :batch_id
      and type in ('message', 'conversation_ended')
""")

_GIVEN = "unnest(cast(:kinds as text[]), cast(:subjects as text[])) as given (kind, subject)"

# What was put off stays so: each new message would have it asked again at once what it was put off for.
_TOUCH = text(f"""
    insert into mosshead.reflections as reflection (tenant_id, namespace_id, kind, subject, dirty_since, due_at)
    select :tenant_id, :namespace_id, kind, subject, now(), now() + least(cast(:least as interval), cast(:most as interval))
    from {_GIVEN}
    on conflict (tenant_id, namespace_id, kind, subject) do update set
        dirty_since = case when reflection.due_at is null then now() else reflection.dirty_since end,
        put_off_for = case when reflection.due_at is null then null else reflection.put_off_for end,
        due_at = case
            when reflection.due_at is null then excluded.due_at
            when reflection.due_at <= now() or reflection.put_off_for is not null then reflection.due_at
            else least(excluded.due_at, reflection.dirty_since + cast(:most as interval))
        end
""")

_ADD_BATCH = text(f"""
    insert into mosshead.reflection_batches (tenant_id, namespace_id, kind, subject, batch_id)
    select :tenant_id, :namespace_id, kind, subject, :batch_id from {_GIVEN}
    on conflict do nothing
""")

_NARROWED = f"""
    {of_lane("reflection")} and reflection.kind = coalesce(:kind, reflection.kind)
    and reflection.subject = coalesce(:subject, reflection.subject)
    and (cast(:conversations as text[]) is null or exists (
        select from mosshead.reflection_batches as seen join mosshead.events as event
          on event.tenant_id = seen.tenant_id and event.namespace_id = seen.namespace_id and event.batch_id = seen.batch_id
        where {_SAME} and event.conversation_id = any(cast(:conversations as text[]))))
"""

_HASTEN = text(f"""
    update mosshead.reflections as reflection set due_at = now()
    where {_NARROWED} and exists (
        select from mosshead.reflection_batches as seen where {_SAME} and seen.skipped_for is null)
""")

_UNSKIP = text(f"""
    update mosshead.reflection_batches as seen set skipped_for = null from mosshead.reflections as reflection
    where {_SAME} and {_NARROWED} and seen.skipped_for is not null
""")

_FIRST_DUE = text(f"""
    select kind, subject, one_by_one from mosshead.reflections where {OF_LANE} and due_at <= now()
    order by due_at, kind, subject limit 1
""")

_BATCHES = text(f"""
    select batch_id from (
        select batch_id, position, sum(messages) over (order by position) as up_to, min(position) over () as first
        from (
            select batch_id, position, (
                select count(*) from mosshead.events as event
                where {of_lane("event")} and event.batch_id = waiting.batch_id and event.type = 'message') as messages
            from mosshead.reflection_batches as waiting where {_REFLECTION} and skipped_for is null
            order by position limit greatest(:messages, 1)
        ) as counted
    ) as summed
    where position = first or up_to <= :messages order by position
""")

_SEEN = text(f"""
    delete from mosshead.reflection_batches where {_REFLECTION} and batch_id = any(cast(:batches as uuid[]))
""")

_SKIP = text(f"""
    update mosshead.reflection_batches set skipped_for = :why
    where {_REFLECTION} and batch_id = any(cast(:batches as uuid[]))
""")

_DONE = text(f"""
    delete from mosshead.reflections as reflection where {_REFLECTION} and not exists (
        select from mosshead.reflection_batches as seen where {_SAME})
""")

_ALL_SKIPPED = text(f"""
    update mosshead.reflections as reflection set due_at = null, one_by_one = false
    where {_REFLECTION} and not exists (
        select from mosshead.reflection_batches as seen where {_SAME} and seen.skipped_for is null)
""")

_ONE_BY_ONE = text(f"update mosshead.reflections set one_by_one = true, put_off_for = :why where {_REFLECTION}")

_PUT_OFF = text(f"""
    update mosshead.reflections set due_at = now() + cast(:pause as interval), put_off_for = :why where {_REFLECTION}
""")

_SET_TIMER = text(f"""
    update mosshead.lanes as lane set reflections_due_at = (
        select min(reflection.due_at) from mosshead.reflections as reflection where {of_lane("reflection")})
    where {of_lane("lane")}
""")
