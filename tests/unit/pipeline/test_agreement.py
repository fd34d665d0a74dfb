"""Whether two statements say the same: similarity only nominates, the words decide."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.agreement import agree, is_more_precise, same_statement

VOCABULARY = "User likes not never doesn't Monday Tuesday 42 green tea coffee Peter".split()
WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=6).map(" ".join)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("User likes tea", "user likes TEA.", True),
        ("User likes Café Zoë", "User likes cafe  Zoe!", True),
        ("User is vegetarian", "User is not vegetarian", False),
        ("User lives in Boston", "Boston lives in User", False),
        ("User's dog is Rex", "User dog is Rex", True),
    ],
)
def test_the_same_statement_but_for_its_spelling(one: str, other: str, same: bool) -> None:
    assert same_statement(one, other) is same


@pytest.mark.parametrize(
    ("one", "other", "agrees"),
    [
        ("User likes coffee", "User really likes coffee", True),
        ("User liked hiking", "User likes hikes", True),
        ("User is vegetarian", "User is not vegetarian", False),
        ("User isn't vegetarian", "User is not vegetarian", True),
        ("User eats meat", "User never eats meat", False),
        ("User doesn’t eat meat", "User eats meat", False),
        ("The meeting is on Monday", "The meeting is on Tuesday", False),
        ("User has 2 dogs", "User has 3 dogs", False),
        ("User's brother is Peter", "User's brother is Tom", False),
        ("User knows Peter", "User knows Peter Haas", False),
    ],
)
def test_names_numbers_days_and_negation_must_agree(one: str, other: str, agrees: bool) -> None:
    assert agree(one, other) is agrees


@pytest.mark.parametrize(
    ("one", "other", "more"),
    [
        ("John Doe", "John", True),
        ("John", "John Doe", False),
        ("John", "John", False),
        ("Jane Doe", "John", False),
        ("not Seattle", "Seattle", False),
        ("Seattle, Washington", "seattle", True),
        ("Seattle", "", False),
    ],
)
def test_one_that_says_all_the_other_says_and_more(one: str, other: str, more: bool) -> None:
    assert is_more_precise(one, other) is more


@given(one=WORDS, other=WORDS)
def test_agreement_has_no_direction_and_precision_has(one: str, other: str) -> None:
    assert agree(one, one)
    assert agree(one, other) == agree(other, one)
    assert not (is_more_precise(one, other) and is_more_precise(other, one))
