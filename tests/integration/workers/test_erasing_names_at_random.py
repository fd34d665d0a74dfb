"""After random identity statements of an app, two conversations are erased: only names that others or the app gave remain."""

import random
from collections.abc import Callable
from uuid import UUID

import pytest

from mosshead import Namespace
from tests.forming import Forming
from tests.integration.workers.conftest import Find
from tests.integration.workers.test_erasing_at_random import LOOSE, rows

__all__ = ["rows"]

SURNAMES = {"gone": "Quuxley", "gone later": "Quuxson", "kept": "Haas"}
SAID = (
    "Peter {0} is a dentist.",
    "Peter {0} has a dog.",
    "Peter has a cat.",
    "Peter works at {0} College.",
    "My friend Anna {0} plays chess with Peter.",
    "Anna {0} lives in Leeds.",
    "Anna likes tea.",
    "Peter likes Anna.",
)
GIVEN = "Ace Winter"


def live(forming: Forming, sarah: Namespace, chance: random.Random, acts: int) -> set[UUID]:
    """Run some weeks of an app that states identities; return the entities it named."""
    given = set()
    forming.say("Peter Quuxley is a dentist.", "My friend Anna Quuxley has a horse.", conversation="gone")
    for _ in range(acts):
        act = chance.random()
        of = chance.choice(sarah.entities.list())
        about = [str(one.id) for one in sarah.memories(about=of)]
        if act < 0.5:
            conversation = chance.choice(tuple(SURNAMES))
            forming.say(chance.choice(SAID).format(SURNAMES[conversation]), conversation=conversation)
        elif act < 0.6:
            forming.command(type="undo", decision_id=str(chance.choice(sarah.decisions.latest()).id))
        elif act < 0.7:
            into = chance.choice(sarah.entities.list())
            if into.id != of.id:
                forming.command(type="merge", entity_id=str(of.id), into=str(into.id))
        elif act < 0.9 and about:
            name = {"name": GIVEN} if chance.random() < 0.2 else {}
            moved = chance.sample(about, min(len(about), 2))
            split_off = forming.command(type="split", entity_id=str(of.id), memories=moved, **name)
            given |= {split_off} if name else set()
        elif asked := sarah.entities.questions():
            question = chance.choice(asked)
            meant = chance.choice([*({"entity_id": str(one.entity_id)} for one in question.candidates), {}])
            forming.command(type="clarify", question_id=str(question.id), **meant)
    return given


@pytest.mark.parametrize(
    ("seed", "acts"), [(0, 12), *(pytest.param(seed, 24, marks=pytest.mark.thorough) for seed in (0, 1))]
)  # each seed found a fault
def test_only_names_that_others_and_the_app_gave_are_left(
    forming: Forming, sarah: Namespace, find: Find, rows: Callable[[str], list[str]], *, seed: int, acts: int
) -> None:
    given = live(forming, sarah, random.Random(seed), acts)

    for conversation in ("gone", "gone later"):
        forming.erase(conversation=conversation)

    assert find("quux") == {}
    assert rows(LOOSE) == []
    assert {one.name for one in sarah.entities.list() if one.id in given} <= {GIVEN}
    for decision in sarah.decisions.latest():
        forming.command(type="undo", decision_id=str(decision.id))
    assert find("quux") == {}
    assert rows(LOOSE) == []
    assert not sarah.progress().partial
