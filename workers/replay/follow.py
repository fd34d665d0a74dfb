"""Follow a namespace: put its events that took effect into the lane of its replay, in order, a few at a time.

Messages are copied as they are. A command names memories, entities, questions and decisions by ids that the replay does not have;
it waits until all earlier events took effect there, and then names their counterparts (`pipeline.replay`).
"""

from collections.abc import Collection, Iterable
from dataclasses import fields, replace
from datetime import datetime
from itertools import takewhile
from typing import Any, Final, TypeVar
from uuid import UUID

from sqlalchemy import Connection, Engine, Row

from db.candidates import vector_of
from db.keys import LaneRef
from db.replay import generations, knowledge
from db.replay.generations import Generation
from mosshead.events import Command, parse_event
from mosshead.events.commands import Forget, Split
from mosshead.store.connection import tenant_transaction
from pipeline.replay.models import GenerationKnowledge, KnownDecision, KnownMemory, KnownPerson, KnownQuestion
from pipeline.replay.translate import NOT_REPLAYED, TRANSLATED, LeftOut, left_unsaid, translate

_AT_ONCE: Final = 500
_AHEAD: Final = 2_000
"""How many events may wait in the lane of a replay; more are added as these take effect."""

K = TypeVar("K", KnownMemory, KnownPerson, KnownQuestion, KnownDecision)


def follow(engine: Engine, lane: LaneRef) -> bool:
    """Advance the replay of a namespace by one step; return False if there is none, or another process is working on it."""
    with tenant_transaction(engine, lane.tenant_id) as connection:
        # A switch takes seconds; meanwhile the scheduler must serve others.
        generation = generations.lock(connection, lane, wait=False)
        if generation is None:
            return False
        generations.follow_configuration(connection, generation)
        coming = generations.upcoming(connection, generation, but_not=NOT_REPLAYED, limit=_AT_ONCE)
        said = list(takewhile(lambda one: one.type not in TRANSLATED, coming))
        if said:
            if generations.waiting(connection, generation.replay) >= _AHEAD:
                return False
            generations.replay(connection, generation, [one.event_id for one in said])
            return True
        if coming and not generations.standing(connection, generation, but_not=NOT_REPLAYED).replaying:
            _replay_command(connection, generation, coming[0])
            return True
        return False


def _replay_command(connection: Connection, generation: Generation, coming: Row[Any]) -> None:
    command = parse_event(generations.payload(connection, generation.lane, coming.event_id))
    decided = knowledge.decisions(connection, generation.lane, decision_ids=[coming.event_id])
    # A refused command did nothing, so there is nothing to replay.
    if not isinstance(command, Command) or any(row.refused is not None for row in decided):
        generations.leave_out(connection, generation, coming.event_id)
        return
    then, now = what_both_know(connection, generation, command)
    translated = translate(command, then, now)
    if isinstance(translated, LeftOut):
        why = None if translated.done else translated.why
        generations.leave_out(connection, generation, coming.event_id, why=why)
        return
    told = translated.model_dump(mode="json", exclude_none=True)
    generations.replay(connection, generation, [coming.event_id], payload=told)
    if why := left_unsaid(command, then, now):
        generations.leave_out(connection, generation, coming.event_id, why=why)


def what_both_know(
    connection: Connection, replayed: Generation, command: Command
) -> tuple[GenerationKnowledge, GenerationKnowledge]:
    """Return what bears on a command: what the namespace knew just before it took effect, and what its replay knows now."""
    done = knowledge.decisions(connection, replayed.lane, decision_ids=[command.event_id])
    before = done[0].at if done else None
    then = _then(connection, replayed.lane, command, before)
    now = _now(connection, replayed.replay, then)
    # A counterpart that says more may, by another of its messages, also stand for memories that stay.
    beside = knowledge.memories_of(connection, replayed.lane, _sources(now.memories), before)
    more = _memories(connection, replayed.lane, set(beside) - {one.memory_id for one in then.memories}, before)
    return replace(then, memories=[*then.memories, *more]), now


def known_memories(connection: Connection, lane: LaneRef) -> list[KnownMemory]:
    """Return all active memories of a namespace."""
    return _memories(connection, lane, knowledge.known(connection, lane))


def _ids(command: Command, *fields: str) -> set[UUID]:
    return {value for name in fields if isinstance(value := getattr(command, name, None), UUID)}


def _then(connection: Connection, lane: LaneRef, command: Command, before: datetime | None) -> GenerationKnowledge:
    listed = command.memories if isinstance(command, Forget | Split) else ()
    decisions = _known(KnownDecision, knowledge.decisions(connection, lane, decision_ids=_ids(command, "decision_id")))
    wanted = {*listed, *_ids(command, "replaces"), *(one.memory_id for one in decisions if one.memory_id is not None)}
    memories = _memories(connection, lane, wanted, before)
    beside = knowledge.memories_of(connection, lane, _sources(memories), before)
    return GenerationKnowledge(
        memories=[*memories, *_memories(connection, lane, set(beside) - wanted, before)],
        people=_known(KnownPerson, knowledge.people(connection, lane, _ids(command, "entity_id", "into"), before)),
        questions=_known(
            KnownQuestion, knowledge.questions(connection, lane, question_ids=_ids(command, "question_id"))
        ),
        decisions=decisions,
    )


def _now(connection: Connection, replay: LaneRef, then: GenerationKnowledge) -> GenerationKnowledge:
    same = {one.memory_id for one in then.memories}
    found = {*same, *knowledge.memories_of(connection, replay, _sources(then.memories))}
    names = {name for one in then.people for name in one.names}
    bearers = {*(one.entity_id for one in then.people), *knowledge.bearers(connection, replay, names)}
    memories = _memories(connection, replay, found)
    messages = {one.message_id for one in then.questions if one.message_id is not None}
    same_decisions = [one.decision_id for one in then.decisions]
    same_events = [one.event_id for one in then.decisions if one.event_id is not None]
    of_memories = [one.memory_id for one in memories] if then.decisions else []
    decided = knowledge.decisions(
        connection, replay, decision_ids=same_decisions, memory_ids=of_memories, event_ids=same_events
    )
    return GenerationKnowledge(
        memories=memories,
        people=_known(KnownPerson, knowledge.people(connection, replay, bearers)) if then.people else (),
        questions=_known(KnownQuestion, knowledge.questions(connection, replay, messages=messages)),
        decisions=_known(KnownDecision, decided),
    )


def _sources(memories: Iterable[KnownMemory]) -> set[UUID]:
    return {message for one in memories for message in one.sources}


def _memories(
    connection: Connection, lane: LaneRef, memory_ids: Collection[UUID], before: datetime | None = None
) -> list[KnownMemory]:
    rows = knowledge.memories(connection, lane, memory_ids, before)
    return [
        replace(one, vector=vector_of(row.vector)) for one, row in zip(_known(KnownMemory, rows), rows, strict=True)
    ]


def _known(kind: type[K], rows: Iterable[Row[Any]]) -> list[K]:
    """Build values of a class from rows with its columns; an array becomes a set."""
    columns = [field.name for field in fields(kind)]

    def value_of(row: Row[Any], name: str) -> Any:
        value = getattr(row, name)
        return frozenset(value) if isinstance(value, list) else value

    return [kind(**{name: value_of(row, name) for name in columns}) for row in rows]
