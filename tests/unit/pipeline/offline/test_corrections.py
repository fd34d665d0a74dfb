"""What a later message puts right, and what it leaves as it was."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from pipeline.facts import Background, Fact, Message
from pipeline.offline import extract_offline
from recollect.kinds import Role

SAID_AT = datetime(2023, 5, 10, 14, 30, tzinfo=ZoneInfo("Europe/Berlin"))


def say(
    number: int, text: str, role: Role = Role.USER, speaker: str | None = None, conversation: str = "c1"
) -> Message:
    return Message(number, UUID(int=number), conversation, role, speaker, text, SAID_AT + timedelta(minutes=number))


def user(*texts: str) -> list[Fact]:
    return extract_offline([say(number, text) for number, text in enumerate(texts, 1)], Background())


def contents(facts: Sequence[Fact]) -> list[str]:
    return [fact.content for fact in facts]


@pytest.mark.parametrize(
    ("said", "correction", "content"),
    [
        ("The team meeting is on Monday.", "Actually, I meant Tuesday", "The team meeting is on Tuesday"),
        ("I live in London", "no, sorry, it's Leeds not London", "User lives in Leeds"),
        ("The deadline is Friday.", "Scratch that, it's Monday.", "The deadline is Monday"),
        (
            "I have a dentist appointment next Tuesday at 3pm",
            "sorry, 4pm",
            "User has a dentist appointment next Tuesday at 4pm",
        ),
        ("I was born in 1990", "no wait, 1991", "User was born in 1991"),
        ("My daughter is called Lily.", "It's Lilly, not Lily", "User's daughter is called Lilly"),
        ("My name is Sara", "Correction: Sarah", "User's name is Sarah"),
        ("I'm 34", "oops, 35", "User is 35"),
        ("I live in Leeds.", "Actually, I moved to York last month", "User moved to York"),
        ("I work at Acme", "Scratch that. I work at Bravo.", "User works at Bravo"),
    ],
)
def test_a_correction_takes_the_place_of_what_was_wrong(said: str, correction: str, content: str) -> None:
    (fact,) = user(said, correction)
    assert fact.content == content
    assert fact.corrects
    assert 2 in fact.sources


def test_a_correction_leaves_the_tie_of_the_one_corrected() -> None:
    facts = user("My brother Peter is a doctor.", "Actually he's a dentist")
    assert contents(facts) == ["Peter is User's brother", "User's brother Peter is a dentist"]


def test_a_correction_reaches_back_before_the_batch() -> None:
    background = Background(earlier=(say(1, "The team meeting is on Monday."),))
    (fact,) = extract_offline([say(1, "Actually, I meant Tuesday")], background)
    assert (fact.content, fact.corrects, fact.sources) == ("The team meeting is on Tuesday", True, (1,))
    assert (fact.attribute, fact.value) == ("team meeting day", "Tuesday")


def test_a_correction_keeps_to_its_conversation() -> None:
    facts = extract_offline(
        [say(1, "The standup is on Monday."), say(2, "Actually, I meant Tuesday", conversation="c2")], Background()
    )
    assert contents(facts) == ["The standup is on Monday"]


def test_the_part_that_was_right_stays() -> None:
    facts = user("I'm Sarah and I live in London", "sorry, I meant Leeds")
    assert [(fact.content, fact.corrects) for fact in facts] == [
        ("User's name is Sarah", False),
        ("User lives in Leeds", True),
    ]


def test_what_was_a_joke_is_withdrawn() -> None:
    assert user("I'm the queen of England. Just kidding.") == []


def test_nobody_corrects_what_another_said() -> None:
    facts = extract_offline(
        [
            say(1, "I live in London.", speaker="Caroline"),
            say(2, "Sorry, I meant Leeds.", speaker="Melanie"),
        ],
        Background(),
    )
    assert contents(facts) == ["Caroline lives in London"]
