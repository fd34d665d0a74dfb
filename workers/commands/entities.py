"""Commands about identity: answer a question, merge two entities, split one."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row

from db import decisions, entities, identity, questions
from db.decisions import Stamp
from db.identity import Moved
from db.keys import BatchRef, LaneRef
from db.questions import Example
from mosshead.api.entities import around
from mosshead.entities import lookup
from mosshead.entities.disambiguation import telling
from mosshead.events.commands import Clarify, Merge, Split
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType
from mosshead.paths import NamespacePath
from mosshead.safety import instructs
from mosshead.store.connection import tenant_transaction
from workers.dependencies import Parts, Store

Command = Clarify | Merge | Split


def prepare(batch: BatchRef, command: Command, parts: Parts) -> Store:
    """Prepare a command. An answer is embedded now, outside any transaction, because it becomes an example."""
    act: Callable[..., Moved | str]  # it says why not, in fixed words
    match command:
        case Clarify():
            act = partial(_clarify, command=command, example=_example(batch.lane, command, parts))
        case Merge():
            act = partial(_merge, command=command)
        case Split():
            act = partial(_split, command=command)
    return partial(_carry_out, batch=batch, command=command, act=act)


def _carry_out(connection: Connection, *, batch: BatchRef, command: Command, act: Callable[..., Moved | str]) -> None:
    stamp = decisions.stamp_of_event(connection, command.event_id)
    done = act(connection, batch.lane, stamp=stamp)
    moved, refused = (Moved(frozenset(), frozenset()), done) if isinstance(done, str) else (done, None)
    entities.touch_profiles(connection, batch.lane, entities.existing(connection, batch.lane, moved.entities))
    logged = decisions.by_app(
        stamp,
        command.type,
        memory_id=min(moved.memories, default=None),
        fact=_said(command),
        refused=refused,
        entities=sorted(moved.entities),
        changed=moved.memories,
    )
    decisions.log(connection, batch, [logged])


def _said(command: Command) -> dict[str, Any]:
    """Return the command's own fields, without the example's text and the memories that the log lists."""
    envelope = {"version", "type", "event_id", "namespace", "publisher", "publisher_sequence", "occurred_at"}
    return command.model_dump(mode="json", exclude={*envelope, "conversation", "text", "memories"}, exclude_none=True)


def _clarify(
    connection: Connection, lane: LaneRef, *, command: Clarify, example: Example | None, stamp: Stamp
) -> Moved | str:
    waiting = questions.waiting(connection, lane, command.question_id) if command.question_id else []
    meant = entities.find(connection, lane, command.entity_id) if command.entity_id else None
    if refused := _why_not_answered(connection, command, waiting, meant):
        return refused
    waiting = [one for one in waiting if not one.answered]
    answer = meant.entity_id if meant else _somebody_new(connection, lane, command, waiting, stamp)
    touched = {answer}
    if waiting:
        questions.settle(connection, lane, waiting, answer, stamp)
        touched.update(candidate for one in waiting for candidate in one.candidates)
    if example is not None:
        others = sorted(touched - {answer})
        questions.keep(connection, lane, replace(example, entity_id=answer, others=others), stamp)
    return Moved(frozenset(one.memory_id for one in waiting), frozenset(touched))


def _why_not_answered(
    connection: Connection, command: Clarify, waiting: Sequence[Row[Any]], meant: RegisteredEntity | None
) -> str | None:
    if command.question_id is not None and not waiting:
        return "there is no such question"
    if waiting and all(one.answered for one in waiting):
        return "it is answered already"
    if command.entity_id is not None and meant is None:
        return "there is no such entity"
    if meant is None or any(meant.entity_id in one.candidates for one in waiting):
        return None
    mention = waiting[0].mention if waiting else command.mention or ""
    bearers = lookup.named(connection, NamespacePath.of(command.namespace), [mention], are_names=True)
    known = any(one.entity.entity_id == meant.entity_id for one in bearers)
    return None if known else "it does not have the name, and was not a candidate"


def _somebody_new(
    connection: Connection, lane: LaneRef, command: Clarify, waiting: Sequence[Row[Any]], stamp: Stamp
) -> UUID:
    """Create an entity with the name in question and the type of the candidates."""
    known = (entities.find(connection, lane, candidate) for candidate in waiting[0].candidates)
    like = next((one.entity_type for one in known if one), EntityType.PERSON)
    newcomer = RegisteredEntity(entity_id=command.event_id, name=waiting[0].mention, entity_type=like)
    entities.introduce(connection, lane, newcomer, stamp)
    return newcomer.entity_id


def _merge(connection: Connection, lane: LaneRef, *, command: Merge, stamp: Stamp) -> Moved | str:
    entity = entities.find(connection, lane, command.entity_id)
    into = entities.find(connection, lane, command.into)
    if entity is None or into is None:
        return "there is no such entity"
    if entity.is_user:
        return "the user cannot become a part of somebody else"
    return identity.merge(connection, lane, entity=entity, into=into, stamp=stamp)


def _split(connection: Connection, lane: LaneRef, *, command: Split, stamp: Stamp) -> Moved | str:
    entity = entities.find(connection, lane, command.entity_id)
    if entity is None:
        return "there is no such entity"
    if any(map(instructs, (command.name or "", *command.aliases, command.description or ""))):
        return "its name, an alias or its description looks like an instruction"
    memories = identity.memories_naming(connection, lane, command.entity_id) & frozenset(command.memories)
    if not memories:
        return "none of the memories is about it"
    newcomer = RegisteredEntity(
        entity_id=command.event_id,
        name=command.name or entity.name,
        entity_type=entity.entity_type,
        aliases=tuple(command.aliases),
        description=command.description,
    )
    return identity.split(
        connection, lane, entity_id=entity.entity_id, newcomer=newcomer, memories=memories, stamp=stamp
    )


def _example(lane: LaneRef, command: Clarify, parts: Parts) -> Example | None:
    """Return the example that an answer gives: the words around the mention. None if there is no message or no question."""
    mention, text, message_id, conversation = command.mention, command.text, None, command.conversation
    if command.question_id is not None:
        with tenant_transaction(parts.engine, lane.tenant_id) as connection:
            asked = next(iter(questions.waiting(connection, lane, command.question_id)), None)
        if asked is not None:
            mention, text, message_id, conversation = asked.mention, asked.message, asked.message_id, asked.conversation
    if not mention or not text:
        return None
    said = around(text, mention)
    return Example(
        example_id=command.event_id,
        mention=mention,
        text=said,
        entity_id=command.event_id,
        vector=parts.embedder.embed([telling(said, mention).text])[0],
        model=parts.embedder.name,
        message_id=message_id,
        conversation=conversation,
    )
