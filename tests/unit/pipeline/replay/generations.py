"""Two generations of memories with manual changes, for the tests of replaying."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
from hypothesis import strategies as st

from mosshead.events import Command
from mosshead.events.commands import Clarify, Forget, Merge, Remember, Split, Undo
from mosshead.models.kinds import MemoryKind
from pipeline.replay.models import GenerationKnowledge, KnownDecision, KnownMemory, KnownPerson, KnownQuestion, Vector
from tests.given import NOON

SAID, SAID_LATER, SAID_ELSEWHERE = (UUID(int=number) for number in (1, 2, 3))
"""Messages, which are the same in both generations."""

SHADOW = 1 << 64
"""The offset of the shadow's ids from the live generation's, where they are otherwise the same."""


def memory(number: int, content: str, *sources: UUID, cosine: float | None = None, **given: Any) -> KnownMemory:
    """Return a memory with an id, based on the first message or on those given. cosine: with memories whose cosine is 1."""
    fields: dict[str, Any] = {"kind": MemoryKind.FACT, "attribute": None, "value": None, **given}
    vector = None if cosine is None else facing(cosine)
    return KnownMemory(
        memory_id=UUID(int=number), content=content, sources=frozenset(sources or {SAID}), vector=vector, **fields
    )


def facing(cosine: float) -> Vector:
    """Return a two-dimensional unit vector with a cosine to the first axis."""
    return np.array([cosine, (1 - cosine**2) ** 0.5], np.float32)


def lives_in(city: str) -> dict[str, Any]:
    """Return where somebody lives, as an attribute."""
    return {"attribute": "lives_in", "value": city}


def person(number: int, *names: str, sources: tuple[UUID, ...] = (SAID,), **given: Any) -> KnownPerson:
    """Return somebody with names, introduced in the first message."""
    fields: dict[str, Any] = {"entity_type": "person", "is_user": False, **given}
    return KnownPerson(entity_id=UUID(int=number), names=frozenset(names), sources=frozenset(sources), **fields)


def question(number: int, mention: str, message: UUID | None = SAID) -> KnownQuestion:
    """Return a question about whom a name means in a message."""
    return KnownQuestion(question_id=UUID(int=number), mention=mention, message_id=message, memories=frozenset())


def decision(number: int, action: str, memory: int | None, event: int | None = None) -> KnownDecision:
    """Return a decision about a memory, or of a command."""
    ids = [None if one is None else UUID(int=one) for one in (event, memory)]
    return KnownDecision(decision_id=UUID(int=number), event_id=ids[0], action=action, memory_id=ids[1])


def made(kind: type[Command], **given: Any) -> Any:
    """Return a command as an app publishes it."""
    return kind.model_validate(
        {
            "namespace": ("acme", "sarah"),
            "publisher": UUID(int=9),
            "publisher_sequence": 1,
            "occurred_at": NOON,
            **given,
        }
    )


NOTHING = GenerationKnowledge()


def known(*memories: KnownMemory) -> GenerationKnowledge:
    """Return a generation with some memories."""
    return GenerationKnowledge(memories=memories)


def ids(*numbers: int) -> list[UUID]:
    """Return ids by their numbers."""
    return [UUID(int=number) for number in numbers]


BERLIN = memory(1, "User lives in Berlin", cosine=1.0, **lives_in("Berlin"))
SISTER = memory(2, "User's sister lives in Berlin", cosine=0.84)
CAT = memory(3, "User has a cat Tom")
WHOLE = memory(4, "User lives in Berlin with her cat Tom", **lives_in("Berlin"))


def renamed(generation: GenerationKnowledge) -> GenerationKnowledge:
    """Return the same generation with other ids."""
    return GenerationKnowledge(
        memories=[replace(one, memory_id=there(one.memory_id)) for one in generation.memories],
        people=[replace(one, entity_id=there(one.entity_id)) for one in generation.people],
        questions=[replace(one, question_id=there(one.question_id)) for one in generation.questions],
        decisions=[
            replace(one, decision_id=there(one.decision_id), memory_id=one.memory_id and there(one.memory_id))
            for one in generation.decisions
        ],
    )


def there(live: UUID) -> UUID:
    """Return the shadow's id of something with an id in the live generation."""
    return UUID(int=live.int + SHADOW)


_CONTENTS = (
    "User lives in Berlin",
    "User lives in Berlin with her cat Tom",
    "User has a cat Tom",
    "User's sister lives in Berlin",
    "User does not live in Berlin",
    "User likes tea and coffee",
    "User likes coffee and tea",
    "User enjoys drinking tea",
    "it is so",
)
_messages = st.frozensets(st.sampled_from((SAID, SAID_LATER, SAID_ELSEWHERE)), max_size=3)
_numbers = st.integers(100, 160)


def memories(first: int = 0) -> st.SearchStrategy[list[KnownMemory]]:
    """Memories of one generation, many of them alike; those of two may share ids, unless ``first`` differs."""
    one = st.builds(
        KnownMemory,
        memory_id=_numbers.map(lambda number: UUID(int=first + number)),
        content=st.sampled_from(_CONTENTS),
        kind=st.sampled_from((MemoryKind.FACT, MemoryKind.EVENT)),
        attribute=st.sampled_from((None, "lives_in")),
        value=st.sampled_from((None, "Berlin", "berlin", "Rome")),
        sources=_messages,
        vector=st.sampled_from((None, *map(facing, (1.0, 0.95, 0.9, 0.7, 0.2)))),
        active=st.sampled_from((True, True, True, False)),
    )
    return st.lists(one, max_size=12, unique_by=lambda one: one.memory_id)


@st.composite
def generations(draw: st.DrawFn, first: int = 0) -> GenerationKnowledge:
    """A generation with people of few names, questions about them, and decisions about its memories."""
    known = draw(memories(first))
    ids = _numbers.map(lambda number: UUID(int=first + number))
    names = st.sampled_from(("peter", "anna", "tom"))
    people = st.builds(
        KnownPerson,
        entity_id=ids,
        names=st.frozensets(names, min_size=1),
        entity_type=st.sampled_from(("person", "org")),
        is_user=st.booleans(),
        sources=_messages,
    )
    questions = st.builds(
        KnownQuestion,
        question_id=ids,
        mention=st.sampled_from(("Peter", "peter", "Anna")),
        message_id=st.sampled_from((None, SAID, SAID_LATER)),
        memories=st.just(frozenset()),
    )
    decisions = st.builds(
        KnownDecision,
        decision_id=ids,
        event_id=st.sampled_from((None, UUID(int=70), UUID(int=71))),
        action=st.sampled_from(("add", "update", "forget")),
        memory_id=st.sampled_from([None, *(one.memory_id for one in known)]),
    )
    return GenerationKnowledge(
        memories=known,
        people=draw(st.lists(people, max_size=4, unique_by=lambda one: one.entity_id)),
        questions=draw(st.lists(questions, max_size=4, unique_by=lambda one: one.question_id)),
        decisions=draw(st.lists(decisions, max_size=6, unique_by=lambda one: one.decision_id)),
    )


@st.composite
def commands_on(draw: st.DrawFn, known: GenerationKnowledge) -> Command:
    """A manual change of something a generation knows, or does not know."""
    of_memories = st.sampled_from([UUID(int=5), *(one.memory_id for one in known.memories)])
    of_people = st.sampled_from([UUID(int=5), UUID(int=6), *(one.entity_id for one in known.people)])
    one, other = draw(st.lists(of_people, min_size=2, max_size=2, unique=True))
    named = draw(st.lists(of_memories, min_size=1, max_size=4, unique=True))
    asked = draw(st.sampled_from([UUID(int=5), *(one.question_id for one in known.questions)]))
    undone = draw(st.sampled_from([UUID(int=5), *(one.decision_id for one in known.decisions)]))
    possible: list[Command] = [
        made(Forget, memories=named),
        made(Remember, content="User has moved", replaces=named[0], of_version=3),
        made(Merge, entity_id=one, into=other),
        made(Split, entity_id=one, memories=named),
        made(Clarify, question_id=asked, entity_id=draw(st.sampled_from((None, one)))),
        made(Clarify, mention="Peter", text="Where is Peter?", entity_id=one),
        made(Undo, decision_id=undone),
    ]
    return draw(st.sampled_from(possible))
