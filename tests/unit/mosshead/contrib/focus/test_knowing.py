"""From rows to knowledge about a message: nearest memories, gender, kin; no counts."""

from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.contrib.focus.knowledge import by_kind, known_entities, known_to, named
from mosshead.entities.lookup import NameMatch
from mosshead.language.references import content_words, shared
from mosshead.language.wordlists import Gender
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType

ANN, BO, YARD = (UUID(int=number) for number in (1, 2, 3))


def row(entity_id: UUID, name: str, kind: str = "person", **given: Any) -> SimpleNamespace:
    fields: dict[str, Any] = {
        "aliases": None,
        "description": None,
        "is_user": False,
        "parent_id": None,
        "ancestors": None,
        "shares": None,
        "he": 0,
        "she": 0,
        "memories": 1,
    }
    return SimpleNamespace(entity_id=entity_id, name=name, entity_type=kind, **{**fields, **given})


@pytest.mark.parametrize(
    ("given", "gender"),
    [
        ({"name": "Sam"}, None),
        ({"name": "Sam", "he": 2, "she": 1}, Gender.HE),
        ({"name": "Peter", "she": 1}, Gender.SHE),
        ({"name": "Peter"}, Gender.HE),
        ({"name": "Sam", "aliases": ["my stepmum"], "he": 3}, Gender.SHE),
        ({"name": "Sam", "description": "User's brother"}, Gender.HE),
        ({"name": "Alex", "aliases": ["Alexandra Rusu"]}, Gender.SHE),
    ],
)
def test_gender_is_read_from_memories(given: dict[str, Any], gender: Gender | None) -> None:
    assert known_entities([row(ANN, **given)])[ANN].gender is gender


def test_homes_and_kin_are_among_the_known_and_the_user_is_not_tracked() -> None:
    user = uuid4()
    found = known_entities(
        [
            row(ANN, "Ann", shares=[BO, YARD, user, uuid4()], ancestors=[YARD], parent_id=YARD),
            row(BO, "Bo"),
            row(YARD, "The Yard", "org"),
            row(user, "User", is_user=True),
        ]
    )
    assert set(found) == {ANN, BO, YARD}
    assert (set(found[ANN].kin), set(found[ANN].homes)) == ({BO, YARD}, {YARD})
    assert found[YARD].gender is None


def near(text: int, content: str, similarity: float, *subjects: UUID, about: tuple[UUID, ...] = ()) -> SimpleNamespace:
    linked, as_subjects = [*subjects, *about], [True] * len(subjects) + [False] * len(about)
    return SimpleNamespace(
        kind="near", number=text, content=content, similarity=similarity, linked=linked, subjects=as_subjects
    )


def bearer(text: int, entity_id: UUID, similarity: float) -> SimpleNamespace:
    return SimpleNamespace(kind="bearer", number=text, entity_id=entity_id, similarity=similarity)


def test_nearest_memory_counts_and_most_for_its_subject() -> None:
    told = (near(0, "x", 0.5, ANN, about=(YARD,)), near(0, "y", 0.4, ANN), near(1, "z", 0.9, BO))
    known = known_to(0, {}, [], by_kind([*told, bearer(0, ANN, 0.3), bearer(1, BO, 0.2)]), {})
    assert known.near == {ANN: 0.5, YARD: pytest.approx(0.425)}
    assert known.bearers == {ANN: 0.3}


def test_common_words_bring_a_memory_nearer_to_a_description() -> None:
    told = (near(1, "Ann bakes bread", 0.3, ANN), near(1, "Bo sells stamps", 0.3, BO))
    known = known_to(0, {"the baker": 1}, [], by_kind(told), {})
    assert known.described["the baker"] == {ANN: pytest.approx(0.6), BO: 0.3}


def test_noun_a_memory_uses_for_another_is_not_its_subject() -> None:
    told = (
        near(1, "Ann held the ladder for the electrician", 0.5, ANN, about=(BO,)),
        near(2, "Ann is the electrician", 0.5, ANN, about=(BO,)),
    )
    sought = {"the electrician": 1, "the user's electrician": 2}
    known = known_to(0, sought, [], by_kind(told), {})
    assert known.described["the electrician"][BO] > known.described["the electrician"][ANN]
    assert known.described["the user's electrician"][ANN] > known.described["the user's electrician"][BO]


@given(st.permutations(range(6)), st.integers(1, 5), st.integers(0, 10_000))
def test_order_repetition_and_counts_do_not_change_what_is_known(order: list[int], times: int, count: int) -> None:
    told = [near(0, f"memory {number}", number / 10, (ANN, BO)[number % 2], about=(YARD,)) for number in range(6)]
    shuffled = tuple(told[number] for number in order) * times
    assert known_to(0, {}, [], by_kind(told), {}) == known_to(0, {}, [], by_kind(shuffled), {})
    assert known_entities([row(ANN, "Ann", memories=count)]) == known_entities([row(ANN, "Ann")])


def match(entity_id: UUID, name: str, *, whole: bool = True, is_user: bool = False) -> NameMatch:
    entity = RegisteredEntity(entity_id=entity_id, name=name, entity_type=EntityType.PERSON, is_user=is_user)
    return NameMatch(entity=entity, name=name, text=0, start=0, end=len(name), whole=whole)


def test_namesakes_are_one_name_and_the_user_is_none() -> None:
    (found,) = named([match(ANN, "Sam"), match(BO, "Sam")])
    assert found.entity_ids == (ANN, BO)
    assert named([match(BO, "Sam", is_user=True)]) == ()


@pytest.mark.parametrize(
    ("text", "other", "share"),
    [
        ("the baker", "She bakes bread", 1.0),
        ("the apprentice", "in her apprenticeship", 1.0),
        ("the old baker", "a tender goodbye", 0.0),
        ("", "anything", 0.0),
        ("the wooden boat", "boats of steel", 0.5),
        ("the boat २०२४", "a boat", 1.0),
    ],
)
def test_common_words_are_found(text: str, other: str, share: float) -> None:
    assert shared(content_words(text), content_words(other)) == share
