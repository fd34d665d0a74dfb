"""Living profiles: assembled by rules, or summarised by a model, from the old summary and the news."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any, TypeVar
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from mosshead.llm import AnswerDeclined, ModelUnavailable, Prompt
from mosshead.models.kinds import EntityType
from pipeline.profiles import ProfileMemory, Refreshed, StaleProfile, refresh_profiles
from tests.given import NOON, registered

A = TypeVar("A", bound=BaseModel)

PETER = registered("Peter")


def told(content: str, *, number: int = 1, subject: bool = True, salience: float = 5.0, day: int = 0) -> ProfileMemory:
    return ProfileMemory(UUID(int=number), content, subject, salience, NOON + timedelta(days=day))


def in_order(*contents: str) -> tuple[ProfileMemory, ...]:
    """Return memories, each less salient than the one before."""
    return tuple(told(content, number=number, salience=10 - number / 100) for number, content in enumerate(contents, 1))


def put_together(*news: ProfileMemory, held: Sequence[ProfileMemory] = (), **entity: Any) -> Refreshed:
    stale = StaleProfile(registered(**{"name": "Peter", **entity}), "", tuple(held), news)
    return refresh_profiles([stale], None)[stale.entity.entity_id]


@pytest.mark.parametrize(
    ("entity", "introduction"),
    [
        ({}, "Peter (person)."),
        ({"description": "writer"}, "Peter (writer)."),
        ({"description": "writer", "parent": "WOBS"}, "Peter (writer at WOBS)."),
        ({"description": "writer at WOBS", "parent": "WOBS"}, "Peter (writer at WOBS)."),
        ({"name": "User", "is_user": True, "aliases": ("Sarah",)}, "User (the user), also known as Sarah."),
        (
            {"name": "WOBS", "entity_type": EntityType.ORG, "aliases": ("Wolf", "WOBS", "Blog")},
            "WOBS (org), also known as Wolf or Blog.",
        ),
    ],
)
def test_profile_begins_with_who_this_is(entity: dict[str, Any], introduction: str) -> None:
    assert put_together(**entity) == Refreshed(introduction, ())


class TestByRules:
    def test_known_facts_follow_once_each_most_salient_first(self) -> None:
        memories = (
            told("Peter likes tea", number=1, salience=3),
            told("Peter writes", number=2, salience=9),
            told("peter writes.", number=3, salience=8),
            told("Bo knows Peter", number=4, salience=10, subject=False),
            told("Peter sings", number=5, salience=3, day=1),
        )
        assert put_together(*memories) == Refreshed(
            "Peter (person). Peter writes. Peter sings. Peter likes tea. Bo knows Peter.",
            (UUID(int=2), UUID(int=5), UUID(int=1), UUID(int=4)),
        )

    def test_profile_has_at_most_a_few_sentences(self) -> None:
        made = put_together(*in_order(*(f"Peter knows word {number}" for number in range(100))))
        assert made.summary.count("Peter knows") == len(made.holds) == 8

    def test_profile_is_short_but_has_at_least_one_statement(self) -> None:
        assert len(put_together(*in_order(*(f"{number} " + "x" * 300 for number in range(8)))).summary) < 800
        assert "y" * 5000 in put_together(*in_order("y" * 5000, "z")).summary


MEMORIES = st.lists(
    st.builds(
        told,
        st.sampled_from(
            ["Peter sings", "peter sings.", "Peter runs", *(f"Peter said {word * 90}" for word in "abcdefghi")]
        ),
        subject=st.booleans(),
        salience=st.sampled_from([0.0, 3.0, 7.5]),
        day=st.integers(0, 3),
    ),
    max_size=30,
).map(lambda memories: [replace(memory, memory_id=UUID(int=number)) for number, memory in enumerate(memories)])


@given(memories=MEMORIES, cuts=st.lists(st.integers(0, 30), max_size=6))
def test_incremental_profile_equals_one_built_from_scratch(memories: list[ProfileMemory], cuts: list[int]) -> None:
    """In any order: a memory not salient enough for the earlier summary is not salient enough for this one."""
    by_id = {memory.memory_id: memory for memory in memories}
    places = [0, *sorted(min(cut, len(memories)) for cut in cuts), len(memories)]
    made = put_together()
    for start, end in pairwise(places):
        made = put_together(*memories[start:end], held=[by_id[key] for key in made.holds])

    assert made == put_together(*memories)


class SummingUp:
    """A language model that answers with its number of calls, or fails as told."""

    name = "a-model"

    def __init__(self, error: Exception | None = None) -> None:
        self.asked: list[str] = []
        self._error = error

    def answer(self, prompt: Prompt[A]) -> A:
        self.asked.append(prompt.user)
        if self._error is not None:
            raise self._error
        return prompt.answer.model_validate({"summary": f"summary {len(self.asked)}"})


class TestByAModel:
    def test_model_is_asked_once_for_each_with_old_and_new_memories_oldest_first(self) -> None:
        model = SummingUp()
        held, (new, newer) = (
            in_order("Peter sings"),
            (told("Peter left", number=8, day=2), told("Peter came", number=9)),
        )
        stale = [
            StaleProfile(PETER, "An old summary", held, (new, newer)),
            StaleProfile(registered("Bo", description="singer"), "", (), in_order("Bo sings")),
        ]
        found = refresh_profiles(stale, model)

        assert list(found.values()) == [
            Refreshed("summary 1", (UUID(int=1), UUID(int=8), UUID(int=9))),
            Refreshed("summary 2", (UUID(int=1),)),
        ]
        assert "| An old summary" in model.asked[0]
        assert "| Peter came\n| Peter left" in model.asked[0]
        assert "Peter sings" not in model.asked[0], "the old summary rests on it"
        assert "| Bo (singer)" in model.asked[1]

    def test_model_is_not_asked_without_news(self) -> None:
        model = SummingUp()
        held = in_order("Peter sings")
        nobody = registered("Bo")
        found = refresh_profiles([StaleProfile(PETER, "Sings.", held, ()), StaleProfile(nobody, "", (), ())], model)

        assert found == {
            PETER.entity_id: Refreshed("Sings.", (held[0].memory_id,)),
            nobody.entity_id: Refreshed("Bo (person).", ()),
        }
        assert model.asked == []

    def test_refused_answer_is_left_to_the_rules(self) -> None:
        stale = StaleProfile(PETER, "", (), in_order("Peter sings"))
        (made,) = refresh_profiles([stale], SummingUp(AnswerDeclined("the model declined"))).values()
        assert made == Refreshed("Peter (person). Peter sings.", (UUID(int=1),), "AnswerDeclined: the model declined")

    def test_failing_endpoint_is_waited_for(self) -> None:
        with pytest.raises(ModelUnavailable):
            refresh_profiles([StaleProfile(PETER, "", (), in_order("x"))], SummingUp(ModelUnavailable("503")))


def test_no_stale_profile_needs_no_work() -> None:
    assert refresh_profiles([], None) == {}
