"""Imports: each memory stays separate, is linked to the entities that the app names, and raises no question.

Importing a line twice has no further effect, even after a crash: ids derive from the app's own names, and known items are left as
they are. Invalid items are left out and counted; the rest takes effect.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from uuid import UUID

import structlog
from sqlalchemy import Connection

from db import decisions, imports, memories
from db import entities as registry
from db.decisions import LoggedDecision, Stamp
from db.keys import BatchRef, LaneRef
from db.memories import Link, NewMemory
from mosshead.embeddings import Vectors
from mosshead.events.commands import Import, ImportedEntity, ImportedMemory
from mosshead.ids import imported_id
from mosshead.language.names import normalise
from mosshead.models.entities import RegisteredEntity
from mosshead.models.occurrence import FactOccurrence
from mosshead.paths import NamespacePath
from mosshead.safety import instructs, suspicion_of
from mosshead.store.connection import tenant_transaction
from mosshead.timestamps import lies_ahead
from pipeline.embedding import embed
from pipeline.models import Fact
from pipeline.salience import STATED, score_salience
from workers.dependencies import Parts, Store
from workers.stages.consolidate.plan import new_memory

_REASON = "imported"
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Brought:
    """The new content of an import event, computed before its transaction.

    entities: by key. suspect: why a memory is rejected, by its id. vectors: of the other contents, by memory id. home_id: from
    which ids are derived.
    """

    entities: Mapping[str, ImportedEntity]
    memories: Sequence[ImportedMemory]
    suspect: Mapping[str, str]
    vectors: Mapping[UUID, Vectors]
    model: str
    home_id: UUID
    said_at: datetime
    refused: Counter[str]


def prepare(batch: BatchRef, command: Import, parts: Parts) -> Store:
    """Check and embed an event's items, outside any transaction; return a function that writes them in one."""
    refused: Counter[str] = Counter()
    by_id = {one.id: one for one in reversed(command.memories)}
    with tenant_transaction(parts.engine, batch.lane.tenant_id) as connection:
        known = imports.memories_of_keys(connection, batch.lane, by_id)
    new = [one for key, one in reversed(by_id.items()) if key not in known]
    found = {one.id: suspicion_of(one.content, "", ()) for one in new}
    suspect = {key: reason for key, reason in found.items() if reason is not None}
    entities: dict[str, ImportedEntity] = {}
    for entity in _trusted(command.entities, refused):
        entities.setdefault(entity.key, entity)
    refused["occurred_at: lies more than a day ahead"] = sum(_is_ahead(one) for one in new)
    home_id = NamespacePath.of(command.namespace).home_id
    contents = {imported_id(home_id, "memory", one.id): one.content for one in new if one.id not in suspect}
    brought = _Brought(
        entities=entities,
        memories=new,
        suspect=suspect,
        vectors=embed(contents, parts.embedder),
        model=parts.embedder.name,
        home_id=home_id,
        said_at=command.occurred_at,
        refused=refused,
    )
    return partial(_store, batch=batch, brought=brought)


def _trusted(entities: Iterable[ImportedEntity], refused: Counter[str]) -> Iterable[ImportedEntity]:
    """Return the entities without names and descriptions that look like instructions."""
    for one in entities:
        if instructs(one.name):
            refused["name: looks like an instruction"] += 1
            continue
        aliases = [alias for alias in one.aliases if normalise(alias) and not instructs(alias)]
        refused["aliases: no word, or looks like an instruction"] += len(one.aliases) - len(aliases)
        changes: dict[str, object] = {"aliases": aliases}
        if one.description and instructs(one.description):
            refused["description: looks like an instruction"] += 1
            changes["description"] = None
        yield one.model_copy(update=changes)


def _store(connection: Connection, *, batch: BatchRef, brought: _Brought) -> None:
    brought, lane = replace(brought, refused=Counter(brought.refused)), batch.lane  # this may run again
    of_entities, *of_memories = decisions.stamps(connection, 1 + len(brought.memories))
    ids = _ids_by_key(connection, lane, brought)
    learned = _learn(connection, lane, brought, ids, of_entities)
    fact = {"entities": list(brought.entities)}
    logged = [_logged(brought, one, stamp) for one, stamp in zip(brought.memories, of_memories, strict=True)]
    if learned:
        logged.insert(0, decisions.by_app(of_entities, "add", reason=_REASON, fact=fact, entities=sorted(learned)))
    touched = _remember(connection, lane, brought, ids, of_memories)
    decisions.log(connection, batch, logged)
    registry.touch_profiles(connection, lane, sorted(learned | touched))
    reasons = {reason: count for reason, count in brought.refused.items() if count}
    if reasons:
        _log.warning("imports_refused", reasons=reasons)


def _ids_by_key(connection: Connection, lane: LaneRef, brought: _Brought) -> dict[str, UUID]:
    """Map each key to its entity: a known one, the one it was merged into, or a new one."""
    named = {key for one in brought.entities.values() for key in (one.key, one.parent) if key is not None}
    keys = named.union(*(one.about for one in brought.memories))
    ids = imports.entities_of_keys(connection, lane, keys)
    before = {
        key: [imported_id(brought.home_id, "entity", key), *filter(None, [imports.own_id(key)])]
        for key in keys - ids.keys()
    }
    now = registry.merged(connection, lane, {one for olds in before.values() for one in olds})
    ids |= {key: now[one] for key, olds in before.items() for one in olds if one in now}
    known = registry.user(connection, lane)
    user = known.entity_id if known else None
    for key, one in brought.entities.items():
        ids.setdefault(key, user if one.is_user and user else imported_id(brought.home_id, "entity", key))
        if one.is_user:
            user = user or ids[key]
    return ids


def _learn(
    connection: Connection, lane: LaneRef, brought: _Brought, ids: Mapping[str, UUID], stamp: Stamp
) -> set[UUID]:
    """Write what is new about the entities; return those that changed."""
    parents = _parents(connection, lane, brought, ids)
    rows = [
        RegisteredEntity(
            entity_id=ids[key],
            key=key,
            name=one.name,
            entity_type=one.entity_type,
            description=one.description,
            parent_id=parents.get(key),
            is_user=one.is_user,
            aliases=tuple(one.aliases),
        )
        for key, one in brought.entities.items()
    ]
    return registry.save(connection, lane, rows, stamp)


def _parents(connection: Connection, lane: LaneRef, brought: _Brought, ids: Mapping[str, UUID]) -> dict[str, UUID]:
    """Map each key to its parent, if that is known and not below the entity itself."""
    wanted = {key: one.parent for key, one in brought.entities.items() if one.parent}
    parents = {key: ids[parent] for key, parent in wanted.items() if parent in ids}
    brought.refused["parent: no entity of that key"] += len(wanted) - len(parents)
    above = registry.parents_above(connection, lane, {*parents.values(), *(ids[key] for key in parents)})
    for key, parent in list(parents.items()):
        if _is_above(ids[key], parent, above):
            brought.refused["parent: is below the entity"] += 1
            del parents[key]
        else:
            above.setdefault(ids[key], parent)
    return parents


def _remember(
    connection: Connection, lane: LaneRef, brought: _Brought, ids: Mapping[str, UUID], stamps: Sequence[Stamp]
) -> set[UUID]:
    """Write the memories; return the entities they are about."""
    new = [
        (_memory(brought, one), one, stamp)
        for one, stamp in zip(brought.memories, stamps, strict=True)
        if one.id not in brought.suspect
    ]
    memories.add_all(connection, lane, [(memory, stamp) for memory, _, stamp in new])
    memories.set_vectors(connection, lane, brought.model, "memory", brought.vectors)
    links = [(link, stamp) for memory, one, stamp in new for link in _links(brought, one, memory.memory_id, ids)]
    memories.link_all(connection, lane, links)
    return {entity_id for (_, entity_id, _, _), _ in links}


def _links(brought: _Brought, memory: ImportedMemory, memory_id: UUID, ids: Mapping[str, UUID]) -> Iterable[Link]:
    """Return the entities a memory is about; count the unknown keys."""
    roles = memory.roles or [("about" if place else "subject", "sure") for place in range(len(memory.about))]
    for key, (role, certainty) in zip(memory.about, roles, strict=True):
        if key in ids:
            yield memory_id, ids[key], role, certainty
        else:
            brought.refused["about: no entity of that key"] += 1


def _memory(brought: _Brought, one: ImportedMemory) -> NewMemory:
    fact = Fact(
        kind=one.kind,
        content=one.content,
        sources=(1,),
        quote=one.content,
        occurred=one.occurred and FactOccurrence(**dict(one.occurred)),
        attribute=one.attribute,
        value=one.value,
        marked=one.marked,
    )
    scored = score_salience(fact)
    return new_memory(
        fact,
        imported_id(brought.home_id, "memory", one.id),
        sureness=STATED if one.confidence is None else one.confidence,
        valid_from=brought.said_at if _is_ahead(one) else one.occurred_at or brought.said_at,
        salience=scored.value if one.salience is None else one.salience,
        factors=scored.explained() if one.salience is None else {},
        marked=scored.marked,
        said_by=one.said_by,
        key=one.id,
    )


def _is_ahead(one: ImportedMemory) -> bool:
    """Whether its time is ahead, as from a wrong clock: it gets its event's time, and the decision log keeps its own."""
    return one.occurred_at is not None and lies_ahead(one.occurred_at)


def _logged(brought: _Brought, one: ImportedMemory, stamp: Stamp) -> LoggedDecision:
    fact = one.model_dump(mode="json", exclude_none=True)
    if suspicion := brought.suspect.get(one.id):
        return decisions.by_app(stamp, "quarantine", reason=suspicion, fact=fact)
    memory_id = imported_id(brought.home_id, "memory", one.id)
    changed = frozenset({memory_id})
    return decisions.by_app(stamp, "add", reason=_REASON, memory_id=memory_id, fact=fact, changed=changed)


def _is_above(entity_id: UUID, other: UUID | None, parents: Mapping[UUID, UUID]) -> bool:
    seen: set[UUID] = set()
    while other is not None and other != entity_id and other not in seen:
        seen.add(other)
        other = parents.get(other)
    return other == entity_id
