"""What an LLM is asked about: what may bear on something known, beside the few statements that it may bear on."""

from dataclasses import replace
from typing import Any

import pytest

from pipeline.consolidate import RULES, consolidate
from pipeline.decisions import Known
from pipeline.nominations import ALIKE, MOST, nominated
from recollect.language_model import Prompt
from tests.unit.pipeline.consolidating import known, new

FAR = ALIKE - 0.01
PASTA = known("User likes pasta")


@pytest.mark.parametrize(
    ("content", "memory", "similarity", "given", "asked"),
    [
        ("User adores noodles", PASTA, ALIKE, {}, True),
        ("User adores noodles", PASTA, FAR, {}, False),
        ("User adores pasta", PASTA, 0.1, {}, True),
        ("User stopped eating meat", PASTA, 0.1, {}, True),
        ("User eats no meat", PASTA, FAR, {"corrects": True}, True),
        ("User adores noodles", replace(PASTA, injected=True), FAR, {}, True),
        ("User is fond of rice", known("User likes pasta", attribute="loves"), FAR, {"attribute": "loves"}, True),
        ("User is fond of rice", known("User likes pasta"), FAR, {}, False),
        ("User fed 3 ducks, 4 swans and 5 geese", known("User rode 6 ducks, 7 owls and a mule"), FAR, {}, False),
    ],
    ids=[
        *(
            "very near",
            "near alone",
            "its words",
            "a change",
            "a correction",
            "what was in the prompt",
            "its attribute",
        ),
        *("no attribute", "few of its words"),
    ],
)
def test_what_is_asked_about(
    content: str, memory: Known, similarity: float, given: dict[str, Any], *, asked: bool
) -> None:
    fact = new(content, (memory, similarity), **given)

    assert nominated([fact]) == ([fact] if asked else [])


def test_the_nearest_are_shown_and_what_has_its_attribute_before_all() -> None:
    near = [(known(f"User likes pasta {number}", number), 0.9 - number / 100) for number in range(1, MOST + 2)]
    holder = (known("User is fond of rice", 9, attribute="loves"), 0.1)

    (plain,) = nominated([new("User adores pasta", *near, holder)])
    (of_value,) = nominated([new("User adores pasta", *near, holder, attribute="loves")])

    assert plain.near == tuple(near[:MOST])
    assert of_value.near == (holder, *near[: MOST - 1])


def test_a_word_that_all_of_them_hold_as_a_name_says_little() -> None:
    told = [known(f"Caroline {verb} {thing}", number) for number, (verb, thing) in enumerate(SAID, 2)]
    alone = new("Caroline painted a sunset", (known("Caroline likes pasta"), FAR))
    among = new("Caroline painted a sunset", (known("Caroline likes pasta"), FAR), *((one, 0.1) for one in told))

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
    """A language model that counts what it is asked, and adds."""

    name = "a-model"

    def __init__(self) -> None:
        self.calls = 0

    def answer(self, prompt: Prompt[Any]) -> Any:
        self.calls += 1
        one = {"fact": 2, "action": "add", "memory": None, "content": None, "reason": "new"}
        return prompt.answer.model_validate({"decisions": [one]})


def test_what_bears_on_nothing_is_added_without_asking_and_that_is_no_refusal() -> None:
    model = Counting()
    (alone,) = consolidate([new("User adores noodles", (PASTA, FAR))], model)
    calls = model.calls
    added, asked = consolidate(
        [new("User adores noodles", (PASTA, FAR)), new("User adores pasta", (PASTA, 0.7), number=2)], model
    )

    assert calls == 0
    assert model.calls == 1
    assert (alone.action, alone.decided_by, alone.refused) == ("add", RULES, None)
    assert (added.action, added.decided_by, added.refused) == ("add", RULES, None)
    assert (asked.action, asked.decided_by) == ("add", "a-model")
