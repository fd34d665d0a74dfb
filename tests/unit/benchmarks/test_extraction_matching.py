"""When a proposal matches a gold fact, and which are paired."""

from typing import Any

import pytest

from benchmarks.extraction.cases import GoldFact
from benchmarks.extraction.matching import counts_as, match
from tests.extraction_given import gold, proposal


def fact(**given: Any) -> GoldFact:
    return GoldFact.model_validate(gold(**given))


@pytest.mark.parametrize(
    "content", ["User lives in Seattle", "user has been living in SEATTLE", "Seattle is where User lives"]
)
def test_other_words_match_if_every_pattern_is_found(content: str) -> None:
    assert counts_as(proposal(content), fact(match=["seattle", "liv"]))


@pytest.mark.parametrize(
    "wrong",
    [
        proposal("User likes Seattle"),
        proposal("User lives in Portland"),
        proposal("User does not live in Seattle"),
        proposal("User no longer lives in Seattle"),
        proposal(sources=frozenset({2, 3})),
        proposal(sources=frozenset()),
    ],
)
def test_wrong_value_denial_or_message_does_not_match(wrong: Any) -> None:
    assert not counts_as(wrong, fact())


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("User does not eat meat", "User never eats meat", True),
        ("User doesn't eat meat", "User eats no meat", True),
        ("User dont eat meat", "User is not one to eat meat", True),
        ("User is not without meat", "User eats meat", True),
        ("User eats meat", "User cannot eat meat", False),
        ("User isst kein Fleisch (meat)", "User isst nicht gern meat", True),
        ("User isst keine meat", "User isst meat", False),
        ("User ne mange pas de meat", "User mange sans meat", True),
        ("User n'a jamais mangé de meat", "User mange meat", False),
        ("User no come meat", "User come meat", False),
        ("User não come meat", "User nunca come meat", True),
        ("Userはmeatを食べない", "Userはmeatを食べる", False),
        ("User meat yemiyor değil", "User meat yiyor", False),
    ],
)
def test_both_must_have_the_same_number_of_denials(one: str, other: str, same: bool) -> None:
    assert counts_as(proposal(one), fact(content=other, match=["meat"])) is same


def test_fact_takes_the_closest_proposal_and_the_rest_are_false() -> None:
    far, near = proposal("User, so it seems, may live near Seattle"), proposal("User lives in Seattle")
    matched = match([fact()], [far, near])
    assert matched.found == {"f1": near}
    assert matched.false == (far,)


def test_proposal_matches_one_fact_only() -> None:
    both = proposal("User lives in Seattle with a dog")
    matched = match([fact(), fact(id="f2", content="User has a dog", match=["dog"])], [both])
    assert list(matched.found.values()) == [both]
    assert [one.id for one in matched.missed] == ["f2"]


def test_as_many_as_possible_are_paired() -> None:
    """The closest proposal of the first fact is the only one of the second."""
    first, second = (
        fact(match=["seattle"]),
        fact(id="f2", content="User lives in Seattle, on Pine", match=["seattle", "pine"]),
    )
    pine, plain = proposal("User lives in Seattle on Pine"), proposal("Somewhere in Seattle is where they are")
    matched = match([first, second], [pine, plain])
    assert matched.found == {"f1": plain, "f2": pine}


def test_optional_fact_takes_no_proposal_from_another() -> None:
    matched = match([fact(id="f0", optional=True), fact()], [proposal()])
    assert list(matched.found) == ["f1"]


def test_quarantined_fact_is_neither_found_nor_false() -> None:
    held = proposal(action="quarantine", memory_id=None)
    matched = match([fact()], [held])
    assert (matched.found, matched.false, matched.held_back) == ({}, (), {"f1": held})
    assert [one.id for one in matched.missed] == ["f1"]
