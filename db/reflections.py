"""Reflections: which are dirty, the batches they have not seen, and when the first of a lane is due.

A lane works on one batch at a time, so batches are noted in the order in which they took effect. Each change of a row sets the
lane's timer in the same transaction; the lane's batch copies that to ``ready_at`` when it ends.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection

from db.keys import OF_BATCH, BatchRef, LaneRef
from mosshead.store.connection import OF_NAMESPACE, Sql, both_of_namespace, of_namespace

_MOST_MESSAGES = 100
"""A reflection takes batches with up to this many messages in total, or one batch that has more."""

Subject = tuple[str, str]
"""A kind of reflection and its subject: ("document", "UserProfile")."""


@dataclass(frozen=True, slots=True)
class DueReflection:
    """A reflection that is due. batches: those that it processes now, in order."""

    kind: str
    subject: str
    batches: tuple[UUID, ...]


def note_news(connection: Connection, batch: BatchRef, *, least: timedelta, most: timedelta) -> None:
    """Mark the reflections that a batch's messages trigger, and make those of conversations that it ends due.

    Call it in the transaction in which the batch takes effect. least, most: as `touch` has them.
    """
    news = " union all ".join(f"select '{kind}', subject from ({of}) as one (subject)" for kind, of in NEWS.items())
    subjects = Sql(f"""
        with said as (
            select distinct conversation_id from mosshead.events where {OF_BATCH} and type = 'message'
        )
        {news}
    """).run(connection, batch.scope)
    touch(connection, batch, [(kind, subject) for kind, subject in subjects], least=least, most=most)
    ended = Sql(f"""
        select distinct conversation_id from mosshead.events where {OF_BATCH} and type = 'conversation_ended'
    """).scalars(connection, batch.scope)
    if ended:
        hasten(connection, batch.lane, conversations=ended)


EXPANSIONS: Final = "expansions"
"""The kind that changes of memories trigger, not messages. Its only subject is ''."""

STILL_EXPANDED: Final = f"""
    {of_namespace("memory")} and memory.memory_id = expansion.memory_id and memory.known_to is null and memory.state = 'active'
    and sha256(convert_to(memory.content, 'UTF8')) = expansion.made_of
"""
"""SQL for whether a memory is active and its expansion is up to date."""


def note_changes(connection: Connection, batch: BatchRef, *, expands: bool, least: timedelta, most: timedelta) -> None:
    """Delete the expansions of memories that a batch changed or withdrew; schedule new ones if there are any.

    Call it in the transaction in which the batch takes effect. least, most: as `touch` has them.
    """
    changed = Sql(f"""
        select distinct memory_id from mosshead.decision_memories as concerned
        where {of_namespace("concerned")} and concerned.changed and concerned.decision_id = any(array(
            select decision_id from mosshead.decisions where {OF_BATCH}))
    """).scalars(connection, batch.scope)
    if not changed:
        return
    Sql(f"""
        delete from mosshead.expansions as expansion
        where {of_namespace("expansion")} and expansion.memory_id = any(%(changed)s::uuid[])
          and not exists (select from mosshead.memories as memory where {STILL_EXPANDED})
    """).run(connection, batch.scope, changed=list(changed))
    if expands:
        touch(connection, batch, [(EXPANSIONS, "")], least=least, most=most)


NEWS: Final[dict[str, str]] = {
    "document": f"""
        select shape ->> 'name' from mosshead.namespaces cross join jsonb_array_elements(profiles) as shape
        where {OF_NAMESPACE} and exists (select from said)
    """,
    "episodes": f"""
        select coalesce(conversation_id, '') from said
        where exists (select from mosshead.namespaces where {OF_NAMESPACE} and episodes)
    """,
    "summary": f"""
        select conversation_id from said join mosshead.summaries as summary using (conversation_id)
        where {of_namespace("summary")}
    """,
}
"""By kind, the subjects that messages trigger; none if the namespace does not ask for the kind. ``said`` holds the distinct
conversations of the messages. The subject '' stands for messages outside any. Commands touch the subjects of other kinds.
"""

OF_CONVERSATIONS: Final = ("episodes", "summary")
"""The kinds whose subjects are conversations."""


def touch(
    connection: Connection, batch: BatchRef, subjects: Iterable[Subject], *, least: timedelta, most: timedelta
) -> None:
    """Mark reflections as having a new batch. Call it in the transaction in which the batch takes effect.

    Each is due when nothing has touched it for ``least``, or its first touch is ``most`` ago.
    """
    rows = sorted(set(subjects))
    if rows:
        parameters = {"kinds": [kind for kind, _ in rows], "subjects": [subject for _, subject in rows]}
        # A postponed reflection stays postponed: otherwise each new message would repeat the failing call at once.
        Sql(f"""
            insert into mosshead.reflections as reflection (tenant_id, namespace_id, kind, subject, dirty_since, due_at)
            select %(tenant_id)s, %(namespace_id)s, kind, subject, now(),
                   now() + least(%(least)s::interval, %(most)s::interval)
            from {_GIVEN}
            on conflict (tenant_id, namespace_id, kind, subject) do update set
                dirty_since = case when reflection.due_at is null then (select now()) else reflection.dirty_since end,
                put_off_for = case when reflection.due_at is null then null else reflection.put_off_for end,
                due_at = case
                    when reflection.due_at is null then excluded.due_at
                    when reflection.due_at <= now() or reflection.put_off_for is not null then reflection.due_at
                    else least(excluded.due_at, reflection.dirty_since + %(most)s::interval)
                end;

            insert into mosshead.reflection_batches (tenant_id, namespace_id, kind, subject, batch_id)
            select %(tenant_id)s, %(namespace_id)s, kind, subject, %(batch_id)s from {_GIVEN}
            on conflict do nothing
        """).run(connection, batch.scope, least=least, most=most, **parameters)
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
    """Make dirty reflections due at once: all, or those of a kind, a subject, or some conversations.

    again: also skipped ones.
    """
    said_in_some = None if conversations is None else list(conversations)
    narrowed = {"kind": kind, "subject": subject, "conversations": said_in_some}
    if again:
        Sql(f"""
            update mosshead.reflection_batches as seen set skipped_for = null from mosshead.reflections as reflection
            where {_SAME} and {_NARROWED} and seen.skipped_for is not null
        """).run(connection, lane.scope, **narrowed)
    changed = Sql(f"""
        update mosshead.reflections as reflection set due_at = now()
        where {_NARROWED} and exists (
            select from mosshead.reflection_batches as seen where {_SAME} and seen.skipped_for is null)
    """).changed(connection, lane.scope, **narrowed)
    if changed:
        set_timer(connection, lane)


def first_due(connection: Connection, lane: LaneRef) -> DueReflection | None:
    """Return the reflection that has been due for longest, with its first batches; None if none is due.

    It stays the first while its batch has the lane.
    """
    row = Sql(f"""
        select kind, subject, one_by_one from mosshead.reflections where {OF_NAMESPACE} and due_at <= now()
        order by due_at, kind, subject limit 1
    """).row(connection, lane.scope)
    if row is None:
        return None
    wanted = {"kind": row.kind, "subject": row.subject, "messages": -1 if row.one_by_one else _MOST_MESSAGES}
    batches = Sql(f"""
        select batch_id from (
            select batch_id, position, sum(messages) over (order by position) as up_to, min(position) over () as first
            from (
                select batch_id, position, (
                    select count(*) from mosshead.events as event
                    where {of_namespace("event")} and event.batch_id = waiting.batch_id and event.type = 'message') as messages
                from mosshead.reflection_batches as waiting where {_REFLECTION} and skipped_for is null
                order by position limit greatest(%(messages)s, 1)
            ) as counted
        ) as summed
        where position = first or up_to <= %(messages)s order by position
    """).scalars(connection, lane.scope, **wanted)
    return DueReflection(row.kind, row.subject, tuple(batches))


def settle(connection: Connection, lane: LaneRef, due: DueReflection) -> None:
    """Mark a reflection's batches as seen. Call it in the transaction that stores its result.

    It stays due if it has not seen all, including those that arrived in between.
    """
    Sql(f"""
        delete from mosshead.reflection_batches where {_REFLECTION} and batch_id = any(%(batches)s::uuid[])
    """).run(connection, lane.scope, **_of(due))
    _rest(connection, lane, due)


def put_off(connection: Connection, lane: LaneRef, due: DueReflection, *, pause: timedelta, why: str) -> None:
    """Postpone a reflection that cannot run now. why: in fixed words."""
    Sql(f"""
        update mosshead.reflections set due_at = now() + %(pause)s::interval, put_off_for = %(why)s where {_REFLECTION}
    """).run(connection, lane.scope, pause=pause, why=why, **_of(due))
    set_timer(connection, lane)


def give_up(connection: Connection, lane: LaneRef, due: DueReflection, *, why: str) -> str:
    """Give up a reflection's current batches; return what follows: "one by one" or "skipped".

    Several batches are then tried one by one; a single batch is skipped and kept with the reason. why: in fixed words.
    """
    if len(due.batches) > 1:
        _one_by_one(connection, lane, due, why)
        return "one by one"
    Sql(f"""
        update mosshead.reflection_batches set skipped_for = %(why)s
        where {_REFLECTION} and batch_id = any(%(batches)s::uuid[])
    """).run(connection, lane.scope, why=why, **_of(due))
    _rest(connection, lane, due)
    return "skipped"


def lighten(connection: Connection, lane: LaneRef, due: DueReflection, *, pause: timedelta, why: str) -> str:
    """Make a reflection ask for less; return what follows: "one by one", or "put off" if it already has only one batch."""
    if len(due.batches) > 1:
        _one_by_one(connection, lane, due, why)
        return "one by one"
    put_off(connection, lane, due, pause=pause, why=why)
    return "put off"


def set_timer(connection: Connection, lane: LaneRef) -> None:
    """Note on the lane when its first reflection is due."""
    Sql(f"""
        update mosshead.lanes as lane set reflections_due_at = (
            select min(reflection.due_at) from mosshead.reflections as reflection where {of_namespace("reflection")})
        where {of_namespace("lane")}
    """).run(connection, lane.scope)


def _one_by_one(connection: Connection, lane: LaneRef, due: DueReflection, why: str) -> None:
    Sql(f"""
        update mosshead.reflections set one_by_one = true, put_off_for = %(why)s where {_REFLECTION}
    """).run(connection, lane.scope, why=why, **_of(due))


def _rest(connection: Connection, lane: LaneRef, due: DueReflection) -> None:
    """Set a reflection to rest if all its batches were seen or skipped."""
    Sql(f"""
        delete from mosshead.reflections as reflection where {_REFLECTION} and not exists (
            select from mosshead.reflection_batches as seen where {_SAME});

        update mosshead.reflections as reflection set due_at = null, one_by_one = false
        where {_REFLECTION} and not exists (
            select from mosshead.reflection_batches as seen where {_SAME} and seen.skipped_for is null)
    """).run(connection, lane.scope, **_of(due))
    set_timer(connection, lane)


def _of(due: DueReflection) -> dict[str, Any]:
    return {"kind": due.kind, "subject": due.subject, "batches": list(due.batches)}


_REFLECTION = f"{OF_NAMESPACE} and kind = %(kind)s and subject = %(subject)s"
_SAME = f"{of_namespace('seen')} and seen.kind = reflection.kind and seen.subject = reflection.subject"

_GIVEN = "unnest(%(kinds)s::text[], %(subjects)s::text[]) as given (kind, subject)"

_NARROWED = f"""
    {of_namespace("reflection")} and reflection.kind = coalesce(%(kind)s, reflection.kind)
    and reflection.subject = coalesce(%(subject)s, reflection.subject)
    and (%(conversations)s::text[] is null or exists (
        select from mosshead.reflection_batches as seen join mosshead.events as event
          on {both_of_namespace("event", "seen")} and event.batch_id = seen.batch_id
        where {_SAME} and event.conversation_id = any(%(conversations)s::text[])))
"""
