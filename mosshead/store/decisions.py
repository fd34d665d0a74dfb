"""The read side's SQL about decisions on memories, and the resulting relations between memories.

As in `mosshead.store.memories`, functions take a connection inside a transaction that has set its tenant, and never commit.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from mosshead.models.memories import Action, Decision, DecisionCandidate, Related
from mosshead.paths import NamespacePath
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace


def decisions(connection: Connection, path: NamespacePath, memory_id: UUID) -> list[Decision]:
    """Return the decisions about a memory, in order."""
    concerned = "join mosshead_read_v1.decision_memories as concerned using (tenant_id, namespace_id, decision_id)"
    which = "concerned.memory_id = %(memory_id)s order by position"
    return decisions_where(connection, path, which, joined=concerned, memory_id=memory_id)


def decision(connection: Connection, path: NamespacePath, decision_id: UUID) -> Decision | None:
    """Return one decision; None if there is none."""
    found = decisions_where(connection, path, "decision_id = %(decision_id)s", decision_id=decision_id)
    return found[0] if found else None


def latest_decisions(
    connection: Connection, path: NamespacePath, limit: int, *, action: Action | None = None
) -> list[Decision]:
    """Return the latest decisions, latest first; optionally of one kind."""
    condition = "true" if action is None else "action = %(action)s"
    which = f"{condition} order by position desc limit %(limit)s"
    return decisions_where(connection, path, which, action=action, limit=limit)


def decisions_where(
    connection: Connection, path: NamespacePath, which: str, *, joined: str = "", **parameters: Any
) -> list[Decision]:
    """Return decisions with what they saw. which: a condition and the order. joined: a join with another view."""
    # With a star, prepared statements would fail once the view gains a column.
    rows = Sql(f"""
        select decision_id as id, action, reason, decision.memory_id, target_id, target_version, fact, candidates, extracted_by,
               decided_by, prompt_version, decided_at, undoes, in_effect, refused
        from mosshead_read_v1.decisions as decision {joined}
        where {OF_NAMESPACE} and {which}
    """).rows(connection, path.ids, **parameters)
    return [Decision(**{**row._asdict(), "fact": row.fact or {}, "candidates": _seen(row.candidates)}) for row in rows]


def _seen(candidates: Iterable[Mapping[str, Any]]) -> tuple[DecisionCandidate, ...]:
    return tuple(
        DecisionCandidate(memory_id=UUID(one["memory_id"]), version=one["version"], similarity=one["similarity"])
        for one in candidates
    )


def later_decisions(connection: Connection, path: NamespacePath, decision_id: UUID) -> list[UUID]:
    """Return the decisions in effect that later changed what one wrote of a memory or document; latest first."""
    return _LATER.scalars(connection, path.ids, decision_id=decision_id)


# All rows of a decision begin or end at its time, which shows that two decisions wrote the same part of a memory. It is not
# enough that both changed the memory: confirming it does not change its entities.
_LATER = Sql(f"""
    with decision as (
        select decision_id, action, target_id, position, decided_at from mosshead_read_v1.decisions
        where {OF_NAMESPACE} and decision_id = %(decision_id)s
    ),
    own as (
        select memory_id from mosshead_read_v1.decision_memories
        where {OF_NAMESPACE} and decision_id = %(decision_id)s and changed
    ),
    written as (
        select memory_id, cast(null as uuid) as part, known_from, known_to from mosshead_read_v1.memories
        where {OF_NAMESPACE} and memory_id in (select memory_id from own)
        union all
        select memory_id, entity_id, known_from, known_to from mosshead_read_v1.memory_entities_over_time
        where {OF_NAMESPACE} and memory_id in (select memory_id from own)
        union all
        select memory_id, relation_id, known_from, known_to from mosshead_read_v1.relations_over_time
        where {OF_NAMESPACE} and memory_id in (select memory_id from own)
    )
    select later.decision_id, later.position
    from decision
    join written as mine on decision.decided_at in (mine.known_from, mine.known_to)
    join written as others on others.memory_id = mine.memory_id and others.part is not distinct from mine.part
    join mosshead_read_v1.decision_memories as concerned
      on {of_namespace("concerned")} and concerned.memory_id = mine.memory_id
     and concerned.changed
    join mosshead_read_v1.decisions as later
      on {of_namespace("later")} and later.decision_id = concerned.decision_id
     and later.decided_at in (others.known_from, others.known_to)
    where later.position > decision.position and later.in_effect and later.action <> 'undo'
    union
    select later.decision_id, later.position
    from decision
    join mosshead_read_v1.decisions as later
      on {of_namespace("later")} and later.target_id = decision.target_id
     and later.action = decision.action
    where decision.action = 'document' and later.position > decision.position and later.in_effect
    order by position desc
""")


def related(connection: Connection, path: NamespacePath, memory_id: UUID, limit: int) -> list[Related]:
    """Return the relations of other current memories to one, strongest first within each kind."""
    rows = Sql(f"""
        with stored as (
            select kind, to_id as memory_id, weight from mosshead_read_v1.edges
            where {OF_NAMESPACE} and from_id = %(memory_id)s
            union
            select case when kind = 'replaces' then 'replaced_by' else kind end, from_id, weight from mosshead_read_v1.edges
            where {OF_NAMESPACE} and to_id = %(memory_id)s
        ),
        shared as (
            select 'shares_entity' as kind, other.memory_id, count(*) as weight
            from mosshead_read_v1.memory_entities as own
            join mosshead_read_v1.memory_entities as other using (tenant_id, namespace_id, entity_id)
            where {OF_NAMESPACE} and own.memory_id = %(memory_id)s
              and other.memory_id <> %(memory_id)s
            group by other.memory_id
        ),
        found as (
            select both_kinds.kind, both_kinds.memory_id, cast(null as uuid) as entity_id, weight
            from (select * from stored union all select * from shared) as both_kinds
            join mosshead_read_v1.memories as memory on memory.memory_id = both_kinds.memory_id
            where {of_namespace("memory")} and memory.known_to is null
              and (memory.state = 'active' or both_kinds.kind in ('replaces', 'replaced_by')) and memory.state <> 'withdrawn'
            union all
            select 'summary', null, profile.entity_id, null
            from mosshead_read_v1.memory_entities as link
            join mosshead_read_v1.profiles as profile using (tenant_id, namespace_id, entity_id)
            where {OF_NAMESPACE} and link.memory_id = %(memory_id)s and profile.version > 0
        )
        select * from (
            select *, row_number() over (partition by kind order by weight desc nulls last, memory_id, entity_id) as place
            from found
        ) as ranked
        where place <= %(limit)s order by kind, place
    """).run(connection, path.ids, memory_id=memory_id, limit=limit)
    return [Related(kind=row.kind, memory_id=row.memory_id, entity_id=row.entity_id, weight=row.weight) for row in rows]
