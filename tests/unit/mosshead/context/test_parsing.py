"""The names in a message, and how it reads with names replaced."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.entities.disambiguation import telling
from mosshead.entities.lookup import NameMatch, parse
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType


def match(
    message: str, name: str, number: int = 1, kind: EntityType = EntityType.PERSON, *, text: int = 0, user: bool = False
) -> NameMatch:
    start = message.index(name)
    entity = RegisteredEntity(entity_id=UUID(int=number), name=name, entity_type=kind, is_user=user)
    return NameMatch(entity=entity, name=name, text=text, start=start, end=start + len(name), whole=True)


@pytest.mark.parametrize(
    ("message", "names", "unnamed"),
    [
        ("Where did Ines put the ladder?", ["Ines"], "Where did someone put the ladder?"),
        ("Is Ines's ladder  back?", ["Ines"], "Is someone's ladder back?"),
        ("Is the Moraes’ ladder with Ines?", ["Moraes", "Ines"], "Is the someone’ ladder with someone?"),
        ("Ines", ["Ines"], "Ines"),
        ("Ines?", ["Ines"], "Ines?"),
        ("No name in here", [], "No name in here"),
    ],
)
def test_people_are_replaced_by_someone(message: str, names: list[str], unnamed: str) -> None:
    found = [match(message, name, number) for number, name in enumerate(names, 1)]

    assert parse(message, found).unnamed == unnamed


def test_other_names_stay() -> None:
    message = "Has Ines been to Porto?"
    found = [match(message, "Ines", 1), match(message, "Porto", 2, EntityType.PLACE)]

    assert parse(message, found).unnamed == "Has someone been to Porto?"
    assert parse(message, found).named == {"Ines": {UUID(int=1)}, "Porto": {UUID(int=2)}}


def test_name_of_several_entities_is_contested_and_the_user_is_never_in_question() -> None:
    message = "Ask Ines and Sam"
    found = [match(message, "Ines", 1), match(message, "Ines", 2), match(message, "Sam", 3, user=True)]
    parsed = parse(message, found)

    assert parsed.contested == ("Ines",)
    assert "Sam" not in parsed.named
    assert parsed.means_somebody


def before(text: int, name: str, number: int) -> NameMatch:
    return match(f"{name} was here", name, number, text=text)


@pytest.mark.parametrize(
    ("message", "turns", "implied"),
    [
        ("Does she still have it?", [before(1, "Sam", 1), before(2, "Ines", 2)], {2}),
        ("Does she still have it?", [before(2, "Sam", 1), before(2, "Ines", 2)], set()),
        ("Does she still have it?", [before(2, "Ines", 1), before(2, "Ines", 2)], set()),
        ("Does she still have it?", [], set()),
        ("Where is the ladder kept?", [before(2, "Ines", 2)], set()),
    ],
    ids=["the last named", "two named", "two of one name", "nobody named", "no pronoun"],
)
def test_pronoun_means_the_only_person_named_last(message: str, turns: list[NameMatch], implied: set[int]) -> None:
    parsed = parse(message, turns)

    assert (parsed.named, parsed.unnamed) == ({}, message)
    assert parsed.implied == {UUID(int=number) for number in implied}
    assert parsed.means_somebody is bool(implied)


def test_no_pronoun_is_resolved_where_somebody_is_named() -> None:
    message = "Does she have Sam's ladder?"

    assert parse(message, [match(message, "Sam", 1), before(1, "Ines", 2)]).implied == frozenset()


@given(words=st.lists(st.sampled_from(["Ines", "the", "ladder", "is", "Sam's", "back"]), min_size=1, max_size=8))
def test_only_names_are_removed(words: list[str]) -> None:
    message = " ".join(words)
    found = [match(message, name, number) for number, name in enumerate(("Ines", "Sam"), 1) if name in message]
    left = parse(message, found).unnamed.split()
    replaced = {("Ines", "someone"), ("Sam's", "someone's")}

    assert all(one == other or (one, other) in replaced for one, other in zip(words, left, strict=True))


@pytest.mark.parametrize(
    "message", ["Where did Ines put the ladder?", "Is Ines's ladder back?", "Ines rang, she has it"]
)
def test_one_vector_serves_to_search_and_to_resolve(message: str) -> None:
    assert telling(message, "Ines").text == parse(message, [match(message, "Ines")]).unnamed
