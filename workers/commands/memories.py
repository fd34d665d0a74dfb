"""Memories that an app writes itself: checked like facts, linked to the entities they name, stored under an id known before."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import cast
from uuid import UUID

from sqlalchemy import Connection

from db import decisions, entities, memories
from db.candidates import CandidateRow
from db.decisions import Stamp
from db.keys import BatchRef, LaneRef
from db.memories import Edge, NewMemory
from db.unlearn import unlearn
from mosshead.embeddings import Vectors
from mosshead.entities import lookup
from mosshead.events.commands import Forget, Remember
from mosshead.ids import remembered_id
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType, Role
from mosshead.paths import NamespacePath
from mosshead.safety import suspicion_of
from mosshead.store.connection import tenant_transaction
from pipeline.linking.registry import Link, Replaced, named_again, with_the_subject
from pipeline.linking.registry import Role as LinkRole
from pipeline.models import USER, Fact, FactMention, Message
from pipeline.salience import STATED, score_salience
from workers.dependencies import Parts, Store
from workers.stages.consolidate.plan import bearers_of, link, new_memory

_NUMBER = 1
_USER = re.compile(r"\bUser\b|\b[Tt]he user\b")
_IS_USER = re.compile(r"(?:the )?user", re.IGNORECASE)


def prepare(batch: BatchRef, command: Remember, parts: Parts) -> Store:
    """Check, embed and link an event's memory, outside any transaction; return a function that writes it in one."""
    suspicion = suspicion_of(command.content, "", ())
    if suspicion is not None:
        return partial(_quarantine, batch=batch, command=command, suspicion=suspicion)
    vector = parts.embedder.embed([command.content])[0]
    fact = Fact(
        kind=command.kind,
        content=command.content,
        sources=(_NUMBER,),
        quote=command.content,
        mentions=tuple(_mentions(batch.lane, command, parts)),
    )
    links, learned = _linked(batch, command, fact, vector, parts)
    scored = score_salience(fact)
    memory_id = remembered_id(NamespacePath.of(command.namespace).home_id, command.event_id)
    return partial(
        _store,
        batch=batch,
        command=command,
        memory=new_memory(
            fact,
            memory_id,
            sureness=STATED,
            valid_from=command.occurred_at,
            salience=scored.value,
            factors=scored.explained(),
            marked=scored.marked,
        ),
        vector=(parts.embedder.name, vector),
        links=links,
        learned=learned,
    )


def _mentions(lane: LaneRef, command: Remember, parts: Parts) -> Iterable[FactMention]:
    """Return the known entities that the memory is about; the first is its subject."""
    path = NamespacePath.of(command.namespace)
    given = command.about is not None
    texts = command.about if command.about is not None else [command.content]
    with tenant_transaction(parts.engine, lane.tenant_id) as connection:
        found = lookup.named(connection, path, texts, are_names=given)
    sorts = {(texts[one.text] if given else one.name): one.entity.entity_type for one in reversed(found)}
    names = [name for name in texts if name in sorts] if given else [one.name for one in found]
    if any(_IS_USER.fullmatch(text) if given else _USER.search(text) for text in texts):
        names, sorts = [USER, *names], {**sorts, USER: EntityType.PERSON}
    for place, name in enumerate(dict.fromkeys(names)):
        yield FactMention(name=name, entity_type=sorts[name], role="about" if place else "subject")


def _linked(
    batch: BatchRef, command: Remember, fact: Fact, vector: Vectors, parts: Parts
) -> tuple[tuple[Link, ...], tuple[RegisteredEntity, ...]]:
    """Link the memory like a fact of a message with this text, without entities that the linker would create. Return the links,
    and the user if not mentioned before.
    """
    message = Message(
        _NUMBER, command.event_id, command.conversation, Role.USER, None, command.content, command.occurred_at
    )
    row = CandidateRow(_NUMBER, {}, None, {}, vector)
    with tenant_transaction(parts.engine, batch.lane.tenant_id) as connection:
        mentioned = bearers_of(connection, batch, {_NUMBER: (fact, row)}, {_NUMBER: message})
    linked = link(mentioned, parts)
    with tenant_transaction(parts.engine, batch.lane.tenant_id) as connection:
        known = set(entities.existing(connection, batch.lane, linked.is_about(_NUMBER)))
        before = _replaced(connection, batch.lane, command)
        names = [one.name for one in fact.mentions] if before else []
        bearers = lookup.bearers(connection, NamespacePath.of(command.namespace), names, are_names=True)
    user = {key for key, one in linked.entities.items() if one.is_user}
    by_name = {name: one for name, one in linked.links[_NUMBER].items() if one.entity_id in known | user}
    about = tuple(named_again(by_name, fact.mentions, bearers, before).values())
    if command.about is None:
        about = with_the_subject(about, fact.mentions, before)
    return about, tuple(one for one in linked.learned[_NUMBER] if one.entity_id in user - known)


def _replaced(connection: Connection, lane: LaneRef, command: Remember) -> list[Replaced]:
    """Return the entities of the memory that this one replaces; empty if it replaces none."""
    rows = memories.sure_of_memory(connection, lane, command.replaces) if command.replaces else ()
    return [Replaced(one.entity_id, EntityType(one.entity_type), cast("LinkRole", one.role)) for one in rows]


def _store(
    connection: Connection,
    *,
    batch: BatchRef,
    command: Remember,
    memory: NewMemory,
    vector: tuple[str, Vectors],
    links: Sequence[Link],
    learned: Sequence[RegisteredEntity],
) -> None:
    """vector: the model and its vector. learned: the user, if not mentioned before."""
    lane, old, new = batch.lane, command.replaces, memory.memory_id
    stamp = decisions.stamp_of_event(connection, command.event_id)
    refused = _refusal(connection, lane, command)
    touched: set[UUID] = set()
    news: set[UUID] = set()
    if refused is None:
        memories.add(connection, lane, memory, stamp)
        memories.set_vectors(connection, lane, vector[0], "memory", {new: vector[1]})
        entities.save(connection, lane, learned, stamp)
        about = {one.entity_id: (one.role, "sure") for one in reversed(links)}
        memories.link(connection, lane, new, about, stamp)
        touched, news = set(about), {one.entity_id for one in learned}
        if old is not None:
            touched |= _supersede(connection, lane, old, new, since=command.occurred_at, stamp=stamp)
            news |= unlearn(connection, lane, [old], stamp)
    entities.touch_profiles(connection, lane, entities.existing(connection, lane, touched | news))
    logged = decisions.by_app(
        stamp,
        "supersede" if old else "add",
        memory_id=None if refused else new,
        target_id=old,
        target_version=command.of_version,
        fact=_said(command),
        refused=refused,
        entities=sorted(news),
        changed=frozenset() if refused else frozenset([new, old] if old else [new]),
        concerned=frozenset([old] if old else []),
    )
    decisions.log(connection, batch, [logged])


def _refusal(connection: Connection, lane: LaneRef, command: Remember) -> str | None:
    if command.replaces is None:
        return None
    now = memories.memory_states(connection, lane, [command.replaces]).get(command.replaces)
    if now is None:
        return "there is no memory to replace"
    if now.state != "active":
        return f"the memory to replace is {now.state}"
    if command.of_version is None or command.of_version == now.version:
        return None
    # A memory that was confirmed has a new version but the same content.
    read = memories.content_of(connection, lane, command.replaces, command.of_version)
    return None if read == now.content else "the memory to replace has changed since"


def _supersede(
    connection: Connection, lane: LaneRef, old: UUID, new: UUID, *, since: datetime, stamp: Stamp
) -> set[UUID]:
    """Close the old memory and point it to the new one; return the entities it was about."""
    version = memories.memory_states(connection, lane, [old])[old].version
    memories.change(connection, lane, old, version, stamp, state="superseded", superseded_by=new, valid_to=since)
    memories.retire_vector(connection, lane, old)
    memories.end_relations(connection, lane, old, stamp, valid_to=since)
    memories.join(connection, lane, [Edge(new, old, "replaces")], stamp)
    return set(memories.entities_of_memory(connection, lane, old))


def _said(command: Remember) -> dict[str, object]:
    return command.model_dump(mode="json", exclude_none=True, include={"content", "kind", "about", "by"})


def _quarantine(connection: Connection, *, batch: BatchRef, command: Remember, suspicion: str) -> None:
    stamp = decisions.stamp_of_event(connection, command.event_id)
    logged = decisions.by_app(stamp, "quarantine", reason=suspicion, fact=_said(command))
    decisions.log(connection, batch, [logged])


def forget(connection: Connection, *, batch: BatchRef, command: Forget) -> None:
    """Close the listed active memories, by the database's clock; log a refusal if there are none."""
    stamp = decisions.stamp_of_event(connection, command.event_id)
    found = memories.memory_states(connection, batch.lane, command.memories)
    known = [one for one in found.values() if one.state == "active"]
    for one in known:
        memories.change(connection, batch.lane, one.memory_id, one.version, stamp, state="withdrawn")
        memories.retire_vector(connection, batch.lane, one.memory_id)
        memories.end_relations(connection, batch.lane, one.memory_id, stamp, valid_to=stamp.at)
    closed = frozenset(one.memory_id for one in known)
    unlearned = unlearn(connection, batch.lane, closed, stamp)
    touched = unlearned.union(memories.entities_of_memory(connection, batch.lane, *closed))
    entities.touch_profiles(connection, batch.lane, entities.existing(connection, batch.lane, touched))
    logged = decisions.by_app(
        stamp,
        "forget",
        reason=command.reason or "the app said so",
        memory_id=min(closed, default=None),
        refused=None if closed else "there is no such memory, or it is closed already",
        entities=sorted(unlearned),
        hidden=memories.messages_of_withdrawn(connection, batch.lane, sorted(closed)),
        changed=closed,
        concerned=frozenset(found),
    )
    decisions.log(connection, batch, [logged])
