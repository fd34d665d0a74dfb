"""Notes without a verb, turned into sentences."""

import pytest

from pipeline.rules_en.sentences import whole


@pytest.mark.parametrize(
    ("note", "sentence"),
    [
        ("Ilse (wife): vegetarian", "Ilse is my wife; Ilse is vegetarian"),
        ("Bram, 14: plays the drums", "Bram is 14; Bram plays the drums"),
        ("Delphine: driver, van only", "Delphine is a driver, van only"),
        ("| me | nights | 7B |", "I have nights, 7B"),
    ],
)
def test_line_of_a_list_says_who_is_what(note: str, sentence: str) -> None:
    assert whole(note, listed=True) == sentence


@pytest.mark.parametrize(
    "text",
    [
        *("Note: bring cake", "See you on Friday", "no idea", "call mum on Sunday", "Running is fun"),
        *("I'm off Friday", "I'm allergic to Mondays", "Anna's off Friday", "who's free Friday", "On Mon, 3 May 2024"),
    ],
)
def test_other_texts_are_not_changed(text: str) -> None:
    assert whole(text, listed=False) == text
