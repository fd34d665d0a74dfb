"""Properties of every command repeated in another generation, whatever both know."""

from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from mosshead.events import Command
from pipeline.replay.models import GenerationKnowledge, KnownMemory
from pipeline.replay.translate import LeftOut, translate
from tests.unit.pipeline.replay.generations import (
    SAID,
    SAID_ELSEWHERE,
    SAID_LATER,
    SHADOW,
    commands_on,
    decision,
    generations,
    memory,
    person,
    question,
    renamed,
    there,
)

_NAMING = ("memories", "replaces", "entity_id", "into", "question_id", "decision_id")

_ALL_SAID = (SAID, SAID_LATER, SAID_ELSEWHERE)
_UNLIKE = (
    "User likes tea",
    "Anna works at Acme",
    "Peter has a dog",
    "User lives in Berlin",
    "Tom plays chess",
    "it is so",
)


@st.composite
def clear_generations(draw: st.DrawFn) -> GenerationKnowledge:
    """Return a generation in which no two memories are equal and nobody shares a name."""
    sources = st.frozensets(st.sampled_from(_ALL_SAID), min_size=1).map(sorted)
    contents = draw(st.lists(st.sampled_from(_UNLIKE), unique=True, min_size=1))
    memories: list[KnownMemory] = [
        memory(number, content, *draw(sources), active=draw(st.booleans()))
        for number, content in enumerate(contents, 100)
    ]
    names = draw(st.lists(st.sampled_from(("peter", "anna", "tom")), unique=True))
    asked = draw(st.sets(st.tuples(st.sampled_from(("Peter", "Anna")), st.sampled_from(_ALL_SAID))))
    deciding = st.tuples(st.sampled_from(("add", "update")), st.sampled_from(memories))
    done = draw(st.lists(deciding, unique_by=lambda one: (one[0], one[1].memory_id)))
    by_hand = [decision(500 + number, "forget", None, event=500 + number) for number in range(2)]
    return GenerationKnowledge(
        memories=memories,
        people=[
            person(200, "user", is_user=True),
            *(person(number, name, sources=tuple(draw(sources))) for number, name in enumerate(names, 201)),
        ],
        questions=[question(number, *one) for number, one in enumerate(sorted(asked), 300)],
        decisions=[*by_hand, *(decision(400 + n, action, of.memory_id.int) for n, (action, of) in enumerate(done))],
    )


@given(st.data(), generations(), generations(SHADOW))
def test_every_named_id_exists_there(data: st.DataObject, then: GenerationKnowledge, now: GenerationKnowledge) -> None:
    translated = translate(data.draw(commands_on(then)), then, now)

    if not isinstance(translated, LeftOut):
        assert _named(translated) <= _known(now)


@given(st.data(), generations(), generations(SHADOW))
def test_translation_is_idempotent(data: st.DataObject, then: GenerationKnowledge, now: GenerationKnowledge) -> None:
    translated = translate(data.draw(commands_on(then)), then, now)

    if not isinstance(translated, LeftOut):
        assert translate(translated, now, now) == translated


@given(st.data(), clear_generations())
def test_ids_correspond_where_both_generations_are_equal(data: st.DataObject, then: GenerationKnowledge) -> None:
    command: Command = data.draw(commands_on(then))
    translated = translate(command, then, renamed(then))

    if _named(command) <= _known(then) and not _replaces_what_is_closed(command, then):
        assert not isinstance(translated, LeftOut)
        assert _named(translated) == {there(one) for one in _named(command)}


@given(st.data(), generations(), generations(SHADOW))
def test_only_ids_and_versions_change(data: st.DataObject, then: GenerationKnowledge, now: GenerationKnowledge) -> None:
    command: Command = data.draw(commands_on(then))
    translated = translate(command, then, now)

    if not isinstance(translated, LeftOut):
        changing = {*_NAMING, "of_version"}
        assert type(translated) is type(command)
        assert translated.model_dump(exclude=changing) == command.model_dump(exclude=changing)


def _named(command: Command) -> set[UUID]:
    """Return the ids that a command names."""
    given: list[Any] = [getattr(command, name, None) for name in _NAMING]
    return {one for named in given for one in (named if isinstance(named, list) else [named]) if one is not None}


def _known(generation: GenerationKnowledge) -> set[UUID]:
    return {
        *(one.memory_id for one in generation.memories),
        *(one.entity_id for one in generation.people),
        *(one.question_id for one in generation.questions),
        *(one.decision_id for one in generation.decisions),
    }


def _replaces_what_is_closed(command: Command, then: GenerationKnowledge) -> bool:
    """Return whether it replaces a closed memory, which is impossible there as it would be here."""
    closed = {one.memory_id for one in then.memories if not one.active}
    return getattr(command, "replaces", None) in closed
