"""Whether the words around a time phrase look back or forward."""

import pytest

from mosshead.language.verbs import looks_back, tense_at


@pytest.mark.parametrize(
    ("sentence", "phrase", "past"),
    [
        ("I went to Rome on Friday", "on Friday", True),
        ("I'm going to Rome on Friday", "on Friday", False),
        ("We fly to Rome on Friday", "on Friday", False),
        ("I booked a table for Friday", "Friday", False),
        ("The meeting was moved to Friday", "Friday", False),
        ("The meeting was on Friday", "Friday", True),
        ("I've met her on Friday", "on Friday", True),
        ("I will go to Rome, probably on Friday", "on Friday", False),
        ("On Friday I met Peter", "On Friday", True),
        ("On Friday I'm meeting Peter", "On Friday", False),
        ("Lunch with Ana on Friday", "on Friday", None),
        ("My sister got married in June", "in June", True),
        ("My sister is getting married in June", "in June", False),
        ("I have a dentist appointment on Friday", "on Friday", False),
        ("I am happy that we met on Friday", "on Friday", True),
        ("My flight leaves Friday", "Friday", False),
        ("She flies home on Friday", "on Friday", False),
        ("I haven't seen her since May", "since May", True),
        ("I plan to visit Oslo in May", "in May", False),
        ("I'd like to visit Oslo in May", "in May", False),
        ("We didn't meet on Friday", "on Friday", True),
        ("I used to swim on Friday", "on Friday", True),
        ("Peter moved to Berlin in May", "in May", True),
        ("the deadline is Friday", "Friday", False),
        ("I can't make it on Friday", "on Friday", False),
        ("We have already sold it in May", "in May", True),
        ("Exam on the 3rd", "on the 3rd", None),
        ("She was born in May", "in May", True),
        ("I got tickets for Friday", "Friday", False),
        ("We just bought a house in May", "in May", True),
    ],
)
def test_clause_around_a_phrase_shows_its_direction(sentence: str, phrase: str, past: bool | None) -> None:
    start = sentence.index(phrase)
    assert tense_at(sentence, start, start + len(phrase)) is past


@pytest.mark.parametrize(
    ("predicate", "past"),
    [
        ("is from Oslo", True),
        ("is on Friday", False),
        ("moved to Oslo", True),
        ("has moved", True),
        ("has met Ana", True),
        ("has a meeting", False),
        ("flies to Oslo", False),
        ("was born in May", True),
        ("set the meeting for Friday", False),
        ("", False),
    ],
)
def test_predicate_shows_it_by_its_verb(predicate: str, past: bool) -> None:
    assert looks_back(predicate) is past
