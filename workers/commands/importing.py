"""What is brought from elsewhere: each memory stays one of its own, is linked to whom the app says, and asks nobody anything.

The same line twice is the same thing, whatever crashed in between: ids come from the app's own names, and what is known already
is left as it is. What does not fit is left out and counted, and the rest still takes effect.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

import structlog
from sqlalchemy import Connection

from db import decisions, imports, memories, profiles
from db.decisions import LoggedDecision, Stamp
from db.keys import BatchRef
from db.memories import NewMemory
from mosshead.embeddings import Vectors
from mosshead.events import Import
from mosshead.events.imports import ImportedEntity, ImportedMemory
from mosshead.ids import imported_id
from mosshead.language.names import normalise
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from mosshead.timestamps import lies_ahead
from pipeline import salience
from pipeline.embedding import embed
from pipeline.models import Fact
from pipeline.safety import instructs, suspicion_of
from pipeline.salience import score_salience
from workers.commands.imported_registry import Registry
from workers.parts import Parts

_APP = "app"
_REASON = "imported"
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Brought:
    """What an import event says that is new, worked out before its transaction.

    suspect: by its id, why a memory must not become one. vectors: of the others' contents, by place.
    home_id: by which ids are derived.
    """

    entities: Sequence[ImportedEntity]
    memories: Sequence[ImportedMemory]
    suspect: Mapping[str, str]
    vectors: Mapping[int, Vectors]
    model: str
    home_id: UUID
    said_at: datetime
    refused: Counter[str]


def prepare(batch: BatchRef, command: Import, parts: Parts) -> Callable[[Connection], None]:
    """Judge and embed what an event brings, outside any transaction; returns what writes it, in one."""
    refused: Counter[str] = Counter()
    by_id = {one.id: one for one in reversed(command.memories)}
    with tenant_transaction(parts.engine, batch.lane.tenant_id) as connection:
        known = imports.memories_of_keys(connection, batch.lane, by_id)
    new = [one for key, one in reversed(by_id.items()) if key not in known]
    found = {one.id: suspicion_of(one.content, "", ()) for one in new}
    suspect = {key: reason for key, reason in found.items() if reason is not None}
    refused["occurred_at: lies more than a day ahead"] = sum(_is_ahead(one) for one in new)
    contents = {place: one.content for place, one in enumerate(new) if one.id not in suspect}
    brought = _Brought(
        entities=list(_trusted(command.entities, refused)),
        memories=new,
        suspect=suspect,
        vectors=embed(contents, parts.embedder),
        model=parts.embedder.name,
        home_id=NamespacePath.of(command.namespace).home_id,
        said_at=command.occurred_at,
        refused=refused,
    )
    return partial(_store, batch=batch, brought=brought)


def _trusted(entities: Iterable[ImportedEntity], refused: Counter[str]) -> Iterable[ImportedEntity]:
    """The entities without what is an instruction rather than a name or a description."""
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
    refused = Counter(brought.refused)
    of_entities, *of_memories = decisions.stamps(connection, 1 + len(brought.memories))
    about = [key for one in brought.memories for key in one.about]
    registry = Registry(
        connection, batch.lane, brought.home_id, entities=brought.entities, about=about, refused=refused
    )
    learned = registry.bring(of_entities)
    logged = [_of_entities(brought, of_entities, learned)] if learned else []
    logged += [
        _quarantined(one, stamp, brought.suspect[one.id]) if one.id in brought.suspect else _added(brought, one, stamp)
        for one, stamp in zip(brought.memories, of_memories, strict=True)
    ]
    touched = _remember(connection, batch, brought, of_memories, registry)
    decisions.log(connection, batch, logged)
    profiles.touch(connection, batch.lane, sorted(learned | touched))
    reasons = {reason: count for reason, count in refused.items() if count}
    if reasons:
        _log.warning("imports_refused", reasons=reasons)


def _remember(
    connection: Connection, batch: BatchRef, brought: _Brought, stamps: Sequence[Stamp], registry: Registry
) -> set[UUID]:
    """Write the memories; returns whom they are about."""
    kept = [(place, one, stamps[place]) for place, one in enumerate(brought.memories) if one.id not in brought.suspect]
    rows = [(_memory(brought, one), stamp) for _, one, stamp in kept]
    memories.add_all(connection, batch.lane, rows)
    vectors = {row.memory_id: brought.vectors[place] for (row, _), (place, *_) in zip(rows, kept, strict=True)}
    memories.set_vectors(connection, batch.lane, brought.model, "memory", vectors)
    links = [
        (link, stamp)
        for (row, stamp), (_, one, _) in zip(rows, kept, strict=True)
        for link in registry.links(row.memory_id, one)
    ]
    imports.link(connection, batch.lane, links)
    return {entity_id for (_, entity_id, _, _), _ in links}


def _memory(brought: _Brought, one: ImportedMemory) -> NewMemory:
    fact = Fact(kind=one.kind, content=one.content, sources=(1,), quote=one.content, marked=one.marked)
    scored = score_salience(fact)
    sureness = salience.STATED if one.confidence is None else one.confidence
    return NewMemory(
        memory_id=imported_id(brought.home_id, "memory", one.id),
        key=one.id,
        kind=one.kind,
        content=one.content,
        salience=scored.value if one.salience is None else one.salience,
        factors=scored.explained() if one.salience is None else {},
        confidence=sureness,
        tier=salience.tier_of(sureness),
        attribute=one.attribute,
        value=one.value,
        occurred_from=one.occurred.start if one.occurred else None,
        occurred_to=one.occurred.end if one.occurred else None,
        granularity=one.occurred.granularity if one.occurred else None,
        valid_from=brought.said_at if _is_ahead(one) else one.occurred_at or brought.said_at,
        said_by=one.said_by,
        marked=scored.marked,
    )


def _is_ahead(one: ImportedMemory) -> bool:
    """Whether its time is a wrong clock's: it has that of its event then, and the decision log shows what it came with."""
    return one.occurred_at is not None and lies_ahead(one.occurred_at)


def _of_entities(brought: _Brought, stamp: Stamp, learned: set[UUID]) -> LoggedDecision:
    fact = {"entities": [one.key for one in brought.entities]}
    return LoggedDecision(
        stamp=stamp, action="add", reason=_REASON, decided_by=_APP, fact=fact, entities=sorted(learned)
    )


def _added(brought: _Brought, one: ImportedMemory, stamp: Stamp) -> LoggedDecision:
    memory_id = imported_id(brought.home_id, "memory", one.id)
    return LoggedDecision(
        stamp=stamp,
        action="add",
        reason=_REASON,
        decided_by=_APP,
        memory_id=memory_id,
        fact=one.model_dump(mode="json", exclude_none=True),
        changed=frozenset({memory_id}),
    )


def _quarantined(one: ImportedMemory, stamp: Stamp, suspicion: str) -> LoggedDecision:
    fact = one.model_dump(mode="json", exclude_none=True)
    return LoggedDecision(stamp=stamp, action="quarantine", reason=suspicion, decided_by=_APP, fact=fact)
