"""What the two generations of a namespace know of the things that a command names: rows to the pipeline's values."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from pgvector import HalfVector
from sqlalchemy import Connection, Row

from db.keys import LaneRef
from db.replay import knowledge
from db.replay.generations import Generation as Replayed
from mosshead.events import Command, Forget, Split
from pipeline.replay.models import GenerationKnowledge, KnownDecision, KnownMemory, KnownPerson, KnownQuestion, Vector


def refused_there(connection: Connection, lane: LaneRef, event_id: UUID) -> bool:
    """Whether a command did nothing, so that there is nothing of it to replay."""
    return any(row.refused is not None for row in knowledge.decisions(connection, lane, decision_ids=[event_id]))


def what_both_know(
    connection: Connection, replayed: Replayed, command: Command
) -> tuple[GenerationKnowledge, GenerationKnowledge]:
    """What the namespace knew just before a command took effect in it, and what its replay knows now, of what bears on it."""
    done = knowledge.decisions(connection, replayed.lane, decision_ids=[command.event_id])
    before = done[0].at if done else None
    then = _then(connection, replayed.lane, command, before)
    now = _now(connection, replayed.replay, then)
    # What says more there than what was named may say what stays, by another message of its own.
    beside = knowledge.memories_of(connection, replayed.lane, _sources(now.memories), before)
    more = _memories(connection, replayed.lane, set(beside) - {one.memory_id for one in then.memories}, before)
    return replace(then, memories=[*then.memories, *more]), now


def known_memories(connection: Connection, lane: LaneRef) -> list[KnownMemory]:
    """All memories that are known in a namespace, and hold."""
    return _memories(connection, lane, knowledge.known(connection, lane))


def _ids(command: Command, *fields: str) -> set[UUID]:
    return {value for name in fields if isinstance(value := getattr(command, name, None), UUID)}


def _then(connection: Connection, lane: LaneRef, command: Command, before: datetime | None) -> GenerationKnowledge:
    """What was known of all that a command names."""
    listed = command.memories if isinstance(command, Forget | Split) else ()
    decisions = _decisions(knowledge.decisions(connection, lane, decision_ids=_ids(command, "decision_id")))
    wanted = {*listed, *_ids(command, "replaces"), *(one.memory_id for one in decisions if one.memory_id is not None)}
    memories = _memories(connection, lane, wanted, before)
    beside = knowledge.memories_of(connection, lane, _sources(memories), before)
    return GenerationKnowledge(
        memories=[*memories, *_memories(connection, lane, set(beside) - wanted, before)],
        people=_people(knowledge.people(connection, lane, _ids(command, "entity_id", "into"), before)),
        questions=_questions(knowledge.questions(connection, lane, question_ids=_ids(command, "question_id"))),
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
        people=_people(knowledge.people(connection, replay, bearers)) if then.people else (),
        questions=_questions(knowledge.questions(connection, replay, messages=messages)),
        decisions=_decisions(decided),
    )


def _sources(memories: Iterable[KnownMemory]) -> set[UUID]:
    return {message for one in memories for message in one.sources}


def _memories(
    connection: Connection, lane: LaneRef, memory_ids: Collection[UUID], before: datetime | None = None
) -> list[KnownMemory]:
    return [
        KnownMemory(**{**_with_sets(row, "sources"), "vector": _vector(row.vector)})
        for row in knowledge.memories(connection, lane, memory_ids, before)
    ]


def _vector(text: str | None) -> Vector | None:
    return HalfVector.from_text(text).to_numpy().astype(np.float32) if text else None


def _people(rows: Iterable[Row[Any]]) -> list[KnownPerson]:
    return [KnownPerson(**_with_sets(row, "names", "sources")) for row in rows]


def _questions(rows: Iterable[Row[Any]]) -> list[KnownQuestion]:
    return [KnownQuestion(**_with_sets(row, "memories")) for row in rows]


def _decisions(rows: Iterable[Row[Any]]) -> list[KnownDecision]:
    return [
        KnownDecision(decision_id=row.decision_id, event_id=row.event_id, action=row.action, memory_id=row.memory_id)
        for row in rows
    ]


def _with_sets(row: Row[Any], *names: str) -> dict[str, Any]:
    return {**row._asdict(), **{name: frozenset(getattr(row, name)) for name in names}}
