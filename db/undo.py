"""Undo a decision: end the rows that it made and restart those that it ended, unless a later decision builds on it.

Each row names the decisions that made and ended it. Rows are found by their owners, because nothing is indexed by decision. A
made row is compared with the current one by content, not by who made it: undoing an undo leaves things as they were. An entity
that consolidation introduced stays after the undo, because other memories may be about it; only what was learned about it is
removed (``introduces``). An entity that the app introduced, by a split or as somebody new, is removed with the decision if
nothing else depends on it.
"""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection

from db.decisions import Stamp
from db.keys import DOCUMENTS, ENDED, MEMORIES, TABLES, LaneRef, TemporalTable, begin, same_entity, told_anew
from mosshead.store.connection import Sql, both_of_namespace, of_namespace

_INTRODUCING: Final = frozenset({"add", "update", "supersede", "contradict", "none"})


@dataclass(frozen=True, slots=True)
class Done:
    """A decision in the log.

    memories, documents: those it changed; entities: those about which it learned or forgot something.
    """

    decision_id: UUID
    action: str
    position: int
    in_effect: bool
    memories: tuple[UUID, ...]
    entities: tuple[UUID, ...]
    documents: tuple[UUID, ...] = ()

    @property
    def undone(self) -> dict[str, Any]:
        """Return the parameters by which statements find its rows."""
        changed = {name: list(getattr(self, name)) for name in ("memories", "entities", "documents")}
        return {"undone": self.decision_id, "introduces": self.action in _INTRODUCING, **changed}


def find(connection: Connection, lane: LaneRef, decision_id: UUID) -> Done | None:
    """Return a decision of a namespace; None if there is none."""
    row = Sql(f"""
        select action, position, in_effect,
               array(select memory_id from mosshead.decision_memories as concerned
                     where {of_namespace("concerned")} and concerned.decision_id = decision.decision_id and changed
                     order by memory_id) as memories,
               entities, case when action in ('document', 'undo') and target_id is not null
                         then array[target_id] else '{{}}' end as documents
        from mosshead.decisions as decision where {of_namespace("decision")} and decision_id = %(decision_id)s
    """).row(connection, lane.scope, decision_id=decision_id)
    if row is None:
        return None
    memories, entities, documents = map(tuple, row[3:])
    return Done(decision_id, row.action, row.position, row.in_effect, memories, entities, documents)


def builders(connection: Connection, lane: LaneRef, done: Done) -> list[UUID] | None:
    """Return the later decisions that build on one; None if it can be undone.

    Neither its results, nor the entities that an undo would restore, may have changed since. The list is empty if no decision in
    effect made the change.
    """
    parameters = {**lane.scope, **done.undone}
    resting = Sql(" union all ".join(_RESTING_ON)).scalars(connection, parameters)
    if not resting and not Sql(" union all ".join(_MOVED_ON) + " limit 1").exists(connection, parameters):
        return None
    return Sql(f"""
        select decision_id from mosshead.decisions as later
        where {of_namespace("later")} and later.position > %(position)s and later.in_effect and later.action <> 'undo' and (
            later.decision_id = any(%(resting)s::uuid[]) or later.entities && %(entities)s::uuid[]
            or later.action = 'document' and later.target_id = any(%(documents)s::uuid[]) or exists (
                select from mosshead.decision_memories as concerned
                where {of_namespace("concerned")} and concerned.decision_id = later.decision_id and changed
                  and concerned.memory_id = any(%(memories)s::uuid[])))
        order by later.position
    """).scalars(connection, parameters, position=done.position, resting=[one for one in resting if one is not None])


def reverse(connection: Connection, lane: LaneRef, done: Done, stamp: Stamp) -> None:
    """Undo a decision for which `builders` returned None. The undo is itself a decision, and can be undone."""
    Sql(_REVERSE).run(connection, lane.scope | stamp.columns | done.undone)
    # If it was an undo, its decision is in effect again; if that was an undo too, its own is not, and so on.
    Sql(f"""
        with recursive chain as (
            select decision_id, undoes, false as in_effect from mosshead.decisions as decision
            where {of_namespace("decision")} and decision_id = %(decision_id)s
            union all
            select decision.decision_id, decision.undoes, not chain.in_effect
            from chain join mosshead.decisions as decision on {of_namespace("decision")} and decision.decision_id = chain.undoes
        )
        update mosshead.decisions as decision set in_effect = chain.in_effect
        from chain where {of_namespace("decision")} and decision.decision_id = chain.decision_id
    """).run(connection, lane.scope, decision_id=done.decision_id)


# Rows of the tables that `db.keys` lists.


def _moved_on(table: TemporalTable) -> str:
    """Build SQL that finds rows that are no longer as the decision left them."""
    alike = " and ".join(f"now.{column} is not distinct from made.{column}" for column in table.says.split())
    return f"""
        (select 1 from mosshead.{table.name} as made where {_rows(table, "made", "made_by")} and not exists (
            select from mosshead.{table.name} as now
            where {_same_key(table, "now", "made")} and now.known_to is null and {alike}))
        union all
        (select 1 from mosshead.{table.name} as ended where {_rows(table, "ended", "ended_by")} and not exists (
            select from mosshead.{table.name} as made
            where {_rows(table, "made", "made_by")} and {_same_key(table, "made", "ended")}) and exists (
            select from mosshead.{table.name} as now where {_same_key(table, "now", "ended")} and now.known_to is null))
    """


def _naming_no_more(table: TemporalTable) -> str:
    """Build SQL that finds who ended an entity named by a row that would restart."""
    return f"""
        (select gone.ended_by from mosshead.{table.name} as ended
         cross join unnest({table.names}) as named (entity_id) cross join {_no_more("named.entity_id")} as gone
         where {_rows(table, "ended", "ended_by")})
    """


def _reverse(table: TemporalTable, **changed: str) -> str:
    """Build SQL that ends what the decision made and restarts what it ended.

    changed: SQL for columns that differ from the ended row.
    """
    return f"""
        update mosshead.{table.name} as now set {ENDED} from mosshead.{table.name} as made
        where {_rows(table, "made", "made_by")} and {_same_key(table, "now", "made")} and now.known_to is null;

        {begin(table.name, **changed)} from mosshead.{table.name} as ended where {_rows(table, "ended", "ended_by")} returning 1
    """


_OWNERS: Final = {"memory_id": "memories", "from_id": "memories", "document_id": "documents", "entity_id": "entities"}
"""The parameter with the owners of rows, by the owner's column."""


def _rows(table: TemporalTable, alias: str, mark: str) -> str:
    owned = f"{alias}.{table.owner} = any(%({_OWNERS[table.owner]})s::uuid[])"
    return f"{of_namespace(alias)} and {owned} and {alias}.{mark} = %(undone)s"


def _same_key(table: TemporalTable, one: str, other: str) -> str:
    # Not "is not distinct from", for which Postgres uses no index. Key columns are never null.
    return " and ".join((of_namespace(one), *(f"{one}.{column} = {other}.{column}" for column in table.key.split())))


def _no_more(entity_id: str) -> str:
    """Build SQL for how an entity's last row ended, to join to a row that names it.

    It finds nothing for an existing entity, nor for one that the decision itself ended and that an undo would restore.
    """
    return f"""
        lateral (
            select last.ended_by from (
                select one.* from mosshead.entities as one
                where {of_namespace("one")} and one.entity_id = {entity_id} order by one.known_from desc limit 1) as last
            where last.known_to is not null and not exists (
                select from mosshead.entities as own
                where {of_namespace("own")} and own.entity_id = last.entity_id and own.ended_by = %(undone)s
                  and not exists (select from mosshead.entities as made
                                  where {of_namespace("made")} and made.entity_id = last.entity_id
                                    and made.made_by = %(undone)s)))
    """


# Entities: a decision changes parts of them.

_MADE: Final = f"{of_namespace('made')} and made.entity_id = any(%(entities)s::uuid[]) and made.made_by = %(undone)s"
_ENDED: Final = (
    f"{of_namespace('ended')} and ended.entity_id = any(%(entities)s::uuid[]) and ended.ended_by = %(undone)s"
)
_BEFORE: Final = (
    f"left join mosshead.entities as before on {same_entity('before', 'made')} and before.ended_by = %(undone)s"
)
_NEW: Final = f"""
    select made.entity_id from mosshead.entities as made {_BEFORE}
    where {_MADE} and before.entity_id is null and not %(introduces)s
"""

_ENTITIES_MOVED_ON: Final = f"""
    (select 1 from mosshead.entities as made {_BEFORE}
     where {_MADE} and (made.name, made.description, made.parent_id)
                       is distinct from (before.name, before.description, before.parent_id)
       and not exists (
         select from mosshead.entities as now where {same_entity("now", "made")} and now.known_to is null
           and (before.name is null or made.name = before.name or now.name = made.name)
           and (made.description is not distinct from before.description or now.description is not distinct from made.description)
           and (made.parent_id is not distinct from before.parent_id or now.parent_id is not distinct from made.parent_id)))
    union all
    (select 1 from ({_NEW}) as made where not exists (
        select from mosshead.entities as now where {same_entity("now", "made")} and now.known_to is null))
    union all
    (select 1 from mosshead.entities as ended where {_ENDED}
       and not exists (select from mosshead.entities as made where {same_entity("made", "ended")} and made.made_by = %(undone)s)
       and exists (select from mosshead.entities as now where {same_entity("now", "ended")} and now.known_to is null))
"""
"""Finds an entity that is no longer as the decision left it."""


def _others(table: str, key: tuple[str, ...], names: str) -> str:
    """Build SQL that finds who made other rows of a table that name an entity to be removed."""
    same = " and ".join(f"made.{column} = now.{column}" for column in key)
    return f"""
        (select now.made_by from mosshead.{table} as now join ({_NEW}) as new on {names}
         where {of_namespace("now")} and now.known_to is null and not exists (
             select from mosshead.{table} as made where {of_namespace("made")} and {same} and made.made_by = %(undone)s))
    """


_BELONGING_TO_NO_MORE: Final = f"""
    (select gone.ended_by from mosshead.entities as ended
     left join mosshead.entities as made on {same_entity("made", "ended")} and made.made_by = %(undone)s
     cross join {_no_more("ended.parent_id")} as gone
     where {_ENDED} and (made.entity_id is null or made.parent_id is distinct from ended.parent_id))
"""
"""Finds who ended an entity that would become a parent again."""

_REVERSE_ENTITIES: Final = f"""
    with learned as (
        select now.entity_id,
               case when before.entity_id is not null and made.name <> before.name then before.name else now.name end as name,
               case when made.description is distinct from before.description
                    then before.description else now.description end as description,
               case when made.parent_id is distinct from before.parent_id
                    then before.parent_id else now.parent_id end as parent_id
        from mosshead.entities as made
        join mosshead.entities as now on {same_entity("now", "made")} and now.known_to is null
        {_BEFORE}
        where {_MADE} and (before.entity_id is not null or %(introduces)s)
    ),
    {told_anew("learned")};

    update mosshead.entities as now set {ENDED} from ({_NEW}) as made
    where {same_entity("now", "made")} and now.known_to is null;

    {begin("entities")} from mosshead.entities as ended where {_ENDED}
      and not exists (select from mosshead.entities as made where {same_entity("made", "ended")} and made.made_by = %(undone)s)
    returning 1
"""

# Memories, with their vectors.

# The content before the decision is restored; a memory that the decision made is withdrawn with its content unchanged.
_WITHDRAWN: Final = {column: f"now.{column}" for column in MEMORIES.says.split()} | {"state": "'withdrawn'"}
_SAID_BEFORE: Final = {
    **{column: f"now.{column}" for column in ("tenant_id", "namespace_id", "memory_id")},
    "version": "now.version + 1",
    **{
        column: f"case when before.memory_id is null then {now} else before.{column} end"
        for column, now in _WITHDRAWN.items()
    },
}

_REVERSE_MEMORIES: Final = f"""
    update mosshead.memories as now set {ENDED} from mosshead.memories as made
    where {_rows(MEMORIES, "made", "made_by")} and {_same_key(MEMORIES, "now", "made")} and now.known_to is null;

    {begin("memories", **_SAID_BEFORE)} from mosshead.memories as now left join mosshead.memories as before
      on {both_of_namespace("before", "now")} and before.memory_id = now.memory_id
     and before.ended_by = %(undone)s
    where {of_namespace("now")} and now.memory_id = any(%(memories)s::uuid[]) and now.ended_by = %(decision_id)s
    returning 1
"""

_REVERSED: Final = f"""
    mosshead.memories as after join mosshead.memories as until
      on {both_of_namespace("until", "after")} and until.memory_id = after.memory_id
     and until.ended_by = %(decision_id)s
    where {of_namespace("after")} and after.memory_id = any(%(memories)s::uuid[]) and after.made_by = %(decision_id)s
      and (after.content, after.state) is distinct from (until.content, until.state)
"""


def told_by(vector: str, memory: str) -> str:
    """Return SQL for whether an earlier version's vector fits a memory's current content: a model may lack those in between."""
    return f"""
        exists (select from mosshead.memories as said
                where {of_namespace("said")} and said.memory_id = {vector}.owner_id and said.version = {vector}.version
                  and said.content = {memory}.content)
    """


_REVERSE_VECTORS: Final = f"""
    update mosshead.embeddings as vector set owner_kind = 'past_memory'
    where {of_namespace("vector")} and vector.owner_kind = 'memory'
      and vector.owner_id in (select after.memory_id from {_REVERSED});

    insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding)
    select distinct on (after.memory_id, vector.model)
           after.tenant_id, after.namespace_id, vector.model, 'memory', after.memory_id, after.version, vector.embedding
    from (select after.* from {_REVERSED} and after.state = 'active') as after
    join mosshead.memories as before
      on {both_of_namespace("before", "after")} and before.memory_id = after.memory_id and before.ended_by = %(undone)s
    join mosshead.embeddings as vector
      on {both_of_namespace("vector", "after")}
     and vector.owner_kind = 'past_memory' and vector.owner_id = after.memory_id and vector.version <= before.version
    where {told_by("vector", "after")}
    order by after.memory_id, vector.model, vector.version desc
"""

_RESTING_ON: Final = (
    _others("memory_entities", ("memory_id", "entity_id"), "now.entity_id = new.entity_id"),
    _others("relations", ("relation_id",), "new.entity_id in (now.subject_id, now.object_id)"),
    _others("entities", ("entity_id",), "now.parent_id = new.entity_id"),
    _others("examples", ("example_id",), "now.entity_id = new.entity_id"),
    *map(_naming_no_more, TABLES),
    _BELONGING_TO_NO_MORE,
)
_MOVED_ON: Final = (*map(_moved_on, (MEMORIES, *TABLES, DOCUMENTS)), _ENTITIES_MOVED_ON)

# A replaced document gets its former content again, under the next number.
_NEXT_NUMBER: Final = f"""(
    select max(version) + 1 from mosshead.documents as one where {of_namespace("one")} and one.document_id = ended.document_id)"""

_REVERSE: Final = ";\n".join(
    (
        *map(_reverse, TABLES),
        _REVERSE_MEMORIES,
        _REVERSE_VECTORS,
        _REVERSE_ENTITIES,
        _reverse(DOCUMENTS, version=_NEXT_NUMBER),
    )
)
