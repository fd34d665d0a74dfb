"""What is known, and was, of those whom a story is about: one statement over the views of version 1.

Memories that hold and such as were replaced by what holds; what an undo took back is in neither. Of what was forgotten nothing
is told, nor what was so before it: who asks for that to be gone wants to hear no more of it.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from mosshead.namespaces import NamespacePath
from mosshead.reading.memory_scan_sql import of_scope
from mosshead.results import StoredMemory
from mosshead.rows import memory_fields
from mosshead.tenancy import Statement
from mosshead.zones import in_zone

MOST = 300
"""So many at most: those that are named, then the most salient. A story tells of fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A memory of a story. entities: whom it is surely about; of_user: the user is one of them. until: when it was replaced.

    open: whom it may be about. holding: of one that was replaced, what holds in its place. sources: the messages that it was
    taken from.
    """

    memory: StoredMemory
    entities: frozenset[UUID]
    open: frozenset[UUID]
    of_user: bool
    until: datetime | None
    holding: UUID | None
    sources: tuple[UUID, ...]

    @property
    def rests_on(self) -> set[UUID]:
        """What has to hold for it to be told."""
        return {self.memory.id} if self.holding is None else {self.memory.id, self.holding}


def statement_for(
    path: NamespacePath,
    *,
    entities: Collection[UUID] = (),
    memories: Collection[UUID] = (),
    of_user: bool = False,
    anything: bool = False,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Statement:
    """The statement and its parameters, as the driver takes them; its rows are for `remembered`.

    entities: what is surely about them. memories: these, and what they replaced, and so on. of_user: what is about the user.
    anything: all of the time that is named.
    since, until: of all these only what happened, or else was said, not before and before; of all times where they are None.
    """
    return _HISTORIES, {
        "tenant_id": path.tenant_id,
        "namespace_id": path.namespace_id,
        "entities": list(entities),
        "memories": list(memories),
        "of_user": of_user,
        "anything": anything,
        "since": since,
        "until": until,
    }


def remembered(rows: Iterable[Any]) -> list[Remembered]:
    """The rows as values."""
    return [
        Remembered(
            memory=StoredMemory(**memory_fields(row)),
            entities=frozenset(row.entities or ()),
            open=frozenset(row.open or ()),
            of_user=bool(row.of_user),
            until=in_zone(row.valid_to, row.valid_from_offset) if row.state == "superseded" and row.valid_to else None,
            holding=row.holding,
            sources=tuple(row.sources or ()),
        )
        for row in rows
    ]


_IN_TIME = """(cast(%(since)s as timestamptz) is null or (
              coalesce(memory.occurred_to, memory.valid_from) >= cast(%(since)s as timestamptz)
              and coalesce(memory.occurred_from, memory.valid_from) < cast(%(until)s as timestamptz)))"""

_HISTORIES = f"""
    with recursive replaced as (
        select unnest(cast(%(memories)s as uuid[])) as memory_id
        union
        select edge.to_id from replaced
        join mosshead_read_v1.edges as edge
          on {of_scope("edge")} and edge.from_id = replaced.memory_id and edge.kind = 'replaces'
    ),
    subjects as materialized (
        select unnest(cast(%(entities)s as uuid[])) as entity_id
        union
        select entity.entity_id from mosshead_read_v1.entities as entity
        where {of_scope("entity")} and entity.is_user and cast(%(of_user)s as boolean)
    ),
    wanted as materialized (
        select memory_id from replaced
        union
        select link.memory_id from mosshead_read_v1.memory_entities as link
        where {of_scope("link")} and link.certainty = 'sure' and link.entity_id = any(array(select entity_id from subjects))
        union
        select memory.memory_id from mosshead_read_v1.memories as memory
        where {of_scope("memory")} and memory.known_to is null and cast(%(anything)s as boolean) and {_IN_TIME}
    ),
    onwards as (
        select memory.memory_id, memory.superseded_by as next_id from mosshead_read_v1.memories as memory
        where {of_scope("memory")} and memory.known_to is null and memory.state = 'superseded'
          and memory.memory_id = any(array(select memory_id from wanted))
        union
        select onwards.memory_id, memory.superseded_by from onwards
        join mosshead_read_v1.memories as memory
          on {of_scope("memory")} and memory.known_to is null and memory.state = 'superseded'
         and memory.memory_id = onwards.next_id
    ),
    held as materialized (
        select onwards.memory_id, onwards.next_id as holding from onwards
        join mosshead_read_v1.memories as memory
          on {of_scope("memory")} and memory.known_to is null and memory.state = 'active' and memory.memory_id = onwards.next_id
    ),
    found as materialized (
        select memory.memory_id, memory.version, memory.kind, memory.content, memory.salience, memory.confidence, memory.tier,
               memory.state, memory.superseded_by, memory.occurred_from, memory.occurred_to, memory.granularity,
               memory.valid_from, memory.valid_to, memory.said_by, memory.marked, memory.record_name, memory.record, memory.key,
               memory.valid_from_offset, memory.occurred_from_offset, memory.occurred_to_offset
        from mosshead_read_v1.memories as memory
        where {of_scope("memory")} and memory.known_to is null and memory.memory_id = any(array(select memory_id from wanted))
          and (memory.state = 'active' or memory.memory_id = any(array(select memory_id from held))) and {_IN_TIME}
        order by memory.memory_id = any(cast(%(memories)s as uuid[])) desc, memory.salience desc, memory.memory_id limit {MOST}
    ),
    whom as materialized (
        select link.memory_id,
               array_agg(entity.name
                         order by array_position(array['subject', 'object', 'about'], link.role), entity.name) as about,
               array_agg(link.entity_id) filter (where link.certainty = 'sure') as entities,
               array_agg(link.entity_id) filter (where link.certainty <> 'sure') as open,
               bool_or(entity.is_user) filter (where link.certainty = 'sure') as of_user
        from mosshead_read_v1.memory_entities as link
        join mosshead_read_v1.entities as entity on {of_scope("entity")} and entity.entity_id = link.entity_id
        where {of_scope("link")} and link.memory_id = any(array(select memory_id from found)) group by link.memory_id
    ),
    origins as materialized (
        select source.memory_id, array_agg(source.message_id order by source.message_id) as sources
        from mosshead_read_v1.provenance as source
        where {of_scope("source")} and source.stance = 'for' and source.memory_id = any(array(select memory_id from found))
        group by source.memory_id
    )
    select found.*, whom.about, whom.entities, whom.open, whom.of_user, origins.sources, standing.holding
    from found
    full join whom on whom.memory_id = found.memory_id
    full join origins on origins.memory_id = found.memory_id
    full join (select memory_id, holding from held where memory_id = any(array(select memory_id from found))) as standing
      on standing.memory_id = found.memory_id
    order by found.memory_id
"""
"""As in `mosshead.reading.memories_sql`, full joins put it together: under a plan for all a left join would be a loop."""
