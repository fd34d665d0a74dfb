"""The name that a message is probably about, judged by its form alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.entities.resolution import likely_name


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Ask Peter about the batch", "Peter"),
        ("Peter's tomatoes are ripe", "Peter"),
        ("is peter in?", "peter"),
        ("Does WOBS know whether Peter's tomatoes are ripe?", "Peter"),
        ("Did Peter Haas's brother call?", "Peter Haas"),
        ("Ask Haas", "Haas"),
        ("Anna's Peter called", "Anna"),
        ("I'll ask Bea on Monday", "Bea"),
        ("Are the Marks' tomatoes ripe?", "Marks"),
        ("Mark the date", None),
        ("Mark's here", "Mark"),
        ("mark the date", None),
        ("will you come?", None),
        ("Is anybody in?", None),
        ("Bea is in", "Bea"),
        ("", None),
    ],
)
def test_first_name_precedes_other_names_and_a_mere_capital(said: str, name: str | None) -> None:
    assert likely_name(said) == name


@given(st.text())
def test_name_is_in_the_message(said: str) -> None:
    name = likely_name(said)
    assert name is None or (name and name in said)
