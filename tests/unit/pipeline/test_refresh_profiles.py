"""Living profiles: put together by rules, or summed up by a model."""

from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from pipeline.ports import Prompt
from pipeline.refresh_profiles import StaleProfile, refresh_profiles
from recollect.kinds import EntityType
from tests.given import registered

A = TypeVar("A", bound=BaseModel)


def stale(*memories: str, summary: str = "", **entity: Any) -> StaleProfile:
    return StaleProfile(registered(**{"name": "Peter", **entity}), summary, memories)


def put_together(profile: StaleProfile) -> str:
    return refresh_profiles([profile], None)[profile.entity.entity_id]


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
def test_it_says_first_who_this_is(entity: dict[str, Any], introduction: str) -> None:
    assert put_together(stale(**entity)) == introduction


def test_then_what_is_known_each_once_and_in_order() -> None:
    profile = stale("Peter writes.", "Peter likes tea", "Peter writes")
    assert put_together(profile) == "Peter (person). Peter writes. Peter likes tea."


def test_a_few_sentences_at_most() -> None:
    summary = put_together(stale(*(f"Peter knows word {number}" for number in range(100))))
    assert summary.count("Peter knows") == 8


def test_it_stays_short_but_says_one_thing_at_least() -> None:
    assert len(put_together(stale(*(f"{number} " + "x" * 300 for number in range(8))))) < 800
    assert "y" * 5000 in put_together(stale("y" * 5000, "z"))


class SummingUp:
    """A language model that says what it was asked about."""

    name = "a-model"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def answer(self, prompt: Prompt[A]) -> A:
        self.asked.append(prompt.user)
        return prompt.answer.model_validate({"summary": f"summary {len(self.asked)}"})


def test_a_model_is_asked_once_for_each_with_what_was_known() -> None:
    model = SummingUp()
    profiles = [stale("Peter writes", summary="An old summary"), stale("Bo sings", name="Bo")]
    found = refresh_profiles(profiles, model)

    assert found == {profiles[0].entity.entity_id: "summary 1", profiles[1].entity.entity_id: "summary 2"}
    assert all(words in model.asked[0] for words in ("Peter writes", "An old summary"))
    assert "Bo sings" in model.asked[1]


def test_nothing_stale_is_nothing_to_do() -> None:
    assert refresh_profiles([], None) == {}
