"""What an LLM is asked about: facts that may affect memories, shown with the few that they may affect."""

from dataclasses import replace
from typing import Any

import pytest

from mosshead.llm import Prompt
from pipeline.consolidation.consolidate import consolidate
from pipeline.consolidation.llm import ALIKE, MOST_NEAR, nominated
from pipeline.models import RULES, Known
from tests.unit.pipeline.consolidating import known, new

FAR = ALIKE - 0.01
DIET = known("User follows a plant-based diet without eggs")
STEAK = "User eats steak with chips every Friday"
DEAR = "User finds a plant-based diet dear and dull"


@pytest.mark.parametrize(
    ("content", "memory", "similarity", "given", "asked"),
    [
        (STEAK, DIET, FAR, {}, False),
        (STEAK, DIET, ALIKE, {}, True),
        (DEAR, DIET, 0.1, {}, True),
        ("User stopped eating steak with chips on Fridays", DIET, 0.1, {}, True),
        (STEAK, DIET, FAR, {"corrects": True}, True),
        (STEAK, replace(DIET, injected=True), FAR, {}, True),
        (STEAK, replace(DIET, attribute="eats"), FAR, {"attribute": "eats"}, True),
        (STEAK, replace(DIET, attribute="eats"), FAR, {"attribute": "orders"}, False),
        (STEAK, DIET, FAR, {"attribute": "dish_name"}, True),
        ("User's late supper on Friday is called Steak Night", DIET, FAR, {}, True),
        ("User eats steak on Fridays", DIET, FAR, {}, True),
        (STEAK, known("User is a strict vegan"), FAR, {}, True),
        (STEAK, known("User is a strict vegan at home"), FAR, {}, True),
        ("User fed 3 ducks, 4 swans and 5 geese", known("User rode 6 ducks, 7 owls and a mule"), FAR, {}, False),
    ],
    ids=[
        *("near alone", "very near", "its words", "a change", "a correction", "what was in the prompt"),
        *("its attribute", "another attribute", "a name by its attribute", "a name", "few words", "a memory of few"),
        *("of three", "few of its words"),
    ],
)
def test_facts_for_the_llm_are_selected(
    content: str, memory: Known, similarity: float, given: dict[str, Any], *, asked: bool
) -> None:
    fact = new(content, (memory, similarity), **given)

    assert nominated([fact]) == ([fact] if asked else [])


@pytest.mark.parametrize(
    ("told", "asked"),
    [({"said_by": "Ann", "earlier_fact": 1}, False), ({"said_by": "Bob", "earlier_fact": 1}, True), ({}, True)],
    ids=["who said both at once", "what another said", "what was known"],
)
def test_two_facts_from_one_person_at_once_are_compared_less_readily(told: dict[str, Any], *, asked: bool) -> None:
    """Two of seven words are common: less than a third of their weight, and more than a quarter."""
    memory = known("Pottery calms Ann after long evenings of work", **({"said_by": "Ann"} | told))
    fact = new("Pottery brings Ann new friends at weekly fairs", (memory, FAR), said_by="Ann")

    assert bool(nominated([fact])) is asked


def test_nearest_are_shown_and_those_with_the_same_attribute_first() -> None:
    near = [(known(f"User likes pasta {number}", number), 0.9 - number / 100) for number in range(1, MOST_NEAR + 2)]
    holder = (known("User is rather fond of fried brown rice", 9, attribute="loves"), 0.1)
    adored = "User adores pasta from small Italian shops"

    (plain,) = nominated([new(adored, *near, holder)])
    (of_value,) = nominated([new(adored, *near, holder, attribute="loves")])

    assert plain.near == tuple(near[:MOST_NEAR])
    assert of_value.near == (holder, *near[: MOST_NEAR - 1])


def test_word_in_all_of_them_as_a_name_says_little() -> None:
    likes = known("Caroline likes pasta with pesto")
    told = [known(f"Caroline {verb} {thing} all day", number) for number, (verb, thing) in enumerate(SAID, 2)]
    alone = new("Caroline painted a sunset", (likes, FAR))
    among = new("Caroline painted a sunset over hills", (likes, FAR), *((one, 0.1) for one in told))

    assert nominated([alone]) == [alone]
    assert nominated([among]) == []


SAID = [
    ("reads", "novels"),
    ("plays", "tennis"),
    ("drives", "trucks"),
    ("sells", "houses"),
    ("grows", "roses"),
    ("teaches", "chemistry"),
    ("collects", "stamps"),
    ("bakes", "bread"),
]


class Counting:
    """A language model that counts its calls, and always adds."""

    name = "a-model"

    def __init__(self) -> None:
        self.calls = 0

    def answer(self, prompt: Prompt[Any]) -> Any:
        self.calls += 1
        one = {"fact": 2, "action": "add", "memory": None, "content": None, "reason": "new"}
        return prompt.answer.model_validate({"decisions": [one]})


def test_fact_that_affects_nothing_is_added_without_asking_and_that_is_no_refusal() -> None:
    model = Counting()
    (alone,) = consolidate([new(STEAK, (DIET, FAR))], model)
    calls = model.calls
    added, asked = consolidate([new(STEAK, (DIET, FAR)), new(DEAR, (DIET, 0.7), number=2)], model)

    assert calls == 0
    assert model.calls == 1
    assert (alone.action, alone.decided_by, alone.refused) == ("add", RULES, None)
    assert (added.action, added.decided_by, added.refused) == ("add", RULES, None)
    assert (asked.action, asked.decided_by) == ("add", "a-model")
