"""What a later message puts right, and what it leaves as it was."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from mosshead.models.kinds import Role
from pipeline.models import Background, Fact, Message
from pipeline.rules_en import extract_offline

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


@pytest.mark.parametrize(
    ("said", "correction"),
    [
        ("I live in Leeds.", "No, scratch that, tomorrow"),
        ("I live in Leeds.", "Wait, scratch that, tonight"),
        ("My favourite food is pizza.", "Scratch that, later"),
    ],
)
def test_what_is_withdrawn_leaves_its_place_to_no_other_word(said: str, correction: str) -> None:
    assert user(said, correction) == []


@pytest.mark.parametrize(
    ("said", "answer"),
    [("My favourite food is pizza.", "no, it's late"), ("My favourite city is Rome.", "wait, it's Monday")],
)
def test_it_is_not_what_an_earlier_message_spoke_of(said: str, answer: str) -> None:
    assert contents(user(said, answer)) == contents(user(said))


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


@pytest.mark.parametrize(
    "words",
    [
        "Just kidding",
        "I was joking",
        "please forget that",
        "forget what I just said",
        "Can you forget that?",
        "don't remember that",
        "Please don't save that",
        "ignore my last message",
        "that was a lie",
        "never mind",
        "Forget that I live in Leeds",
        "please forget that I said I live in Leeds, thanks",
    ],
)
def test_what_is_taken_back_is_no_memory(words: str) -> None:
    assert [fact.content for fact in user("I like tea", "I live in Leeds", words) if not fact.retracts] == [
        "User likes tea"
    ]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [("Do you like it there?", "not really"), ("Shall I book a table?", "never mind"), ("Sent.", "delete that")],
)
def test_an_answer_to_the_assistant_takes_nothing_back(asked: str, answer: str) -> None:
    messages = [say(1, "I live in Leeds"), say(2, asked, Role.ASSISTANT), say(3, answer)]
    assert contents(extract_offline(messages, Background())) == ["User lives in Leeds"]


def test_only_what_was_said_last_is_taken_back() -> None:
    assert contents(user("I live in Leeds", "what's the weather?", "forget that")) == ["User lives in Leeds"]


def test_in_a_group_everybody_takes_back_his_own() -> None:
    said = [("I live in Leeds", "Ann"), ("I live in York", "Bob"), ("forget that", "Ann")]
    messages = [say(number, text, speaker=speaker) for number, (text, speaker) in enumerate(said, 1)]
    assert contents(extract_offline(messages, Background())) == ["Bob lives in York"]


@pytest.mark.parametrize("words", ["Don't forget that I live in Leeds", "I'll never forget that I lived in Leeds"])
def test_what_is_not_to_be_forgotten_is_not_forgotten(words: str) -> None:
    assert not any(fact.retracts for fact in user(words))


@pytest.mark.parametrize("words", ["Please forget that", "forget that I live in Leeds"])
def test_what_came_before_the_batch_is_to_be_forgotten(words: str) -> None:
    background = Background(earlier=(say(0, "I live in Leeds"), say(0, "Nice!", Role.ASSISTANT)))
    (fact,) = extract_offline([say(1, words)], background)
    assert (fact.content, fact.retracts, fact.sources, fact.quote) == ("User lives in Leeds", True, (1,), words)


def test_whose_sister_she_is_need_not_be_forgotten() -> None:
    facts = user("Forget that my sister Anna lives in Rome")
    assert [(fact.content, fact.retracts) for fact in facts] == [("User's sister Anna lives in Rome", True)]


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        ("I quit my job at Acme", "works_at"),
        ("I got laid off", "works_at"),
        ("I left Acme", "works_at"),
        ("I've resigned", "works_at"),
        ("I no longer work at Acme", "works_at"),
        ("I don't live in Leeds anymore", "lives_in"),
        ("I moved out of Leeds", "lives_in"),
        ("I broke up with Tom", "partner"),
        ("I didn't quit my job", None),
        ("I almost quit my job", None),
        ("I want to quit my job", None),
        ("I left the keys at home", None),
        ("I quit smoking", None),
        ("I lost my job offer", None),
        ("I left Acme a voicemail", None),
        ("I left Acme at 5", None),
        ("I left Acme last year", "works_at"),
        ("I left Sarah the keys", None),
        ("I quit my first job after a week", None),
        ("I quit my side job", None),
        ("I once lost my job", None),
        ("I lost my job when I was 20", None),
        ("I lost my job when the plant closed", "works_at"),
        ("I left the job half done", None),
        ("I lost the job to a younger man", None),
        ("I lost my position in the queue", None),
        ("I left my position at Acme", "works_at"),
        ("I was let go by the police", None),
        ("I no longer work at Acme on Mondays", None),
        ("I no longer live in Leeds city centre", None),
        ("I moved out of Leeds for a year", None),
        ("I moved out of Leeds when I was six", None),
        ("I moved out of Leeds last week", "lives_in"),
        ("I'm divorced", None),
        ("I got divorced", "partner"),
        ("I broke up in laughter", None),
    ],
)
def test_what_holds_no_more(said: str, ends: str | None) -> None:
    (fact,) = user(said)
    assert (fact.ends, fact.attribute) == (ends, None)


@pytest.mark.parametrize(
    "words",
    [
        "I had surgery, but don't remember it",
        "I was born in Leeds but do not remember that",
        "I set the alarm and forget it",
        "My kids love Disney but don't record it",
    ],
)
def test_what_the_speaker_does_not_remember_himself_is_said(words: str) -> None:
    assert len(user(words)) == 1


@pytest.mark.parametrize(
    "words",
    [
        "Forget that I'm vegan for a second",
        "Forget that I'm vegan and give me the steak recipe",
        "Forget that I'm a vegetarian tonight, order the steak",
        "Don't remember that I'm vegan?",
    ],
)
def test_what_is_left_out_of_account_for_now_or_asked_is_remembered(words: str) -> None:
    assert not any(fact.retracts for fact in user(words))


def test_a_request_may_be_a_question() -> None:
    assert [fact.retracts for fact in user("Could you please forget that I live in Leeds?")] == [True]


def test_an_answer_to_another_user_takes_nothing_back() -> None:
    said = [("I live in Leeds", "Ann"), ("Do you like it there?", "Bob"), ("not really", "Ann")]
    messages = [say(number, text, speaker=speaker) for number, (text, speaker) in enumerate(said, 1)]
    assert contents(extract_offline(messages, Background())) == ["Ann lives in Leeds"]


@pytest.mark.parametrize("words", ["not really", "never mind", "forget it", "that's not true"])
def test_what_may_be_an_answer_takes_nothing_back_that_came_before_the_batch(words: str) -> None:
    """The app may publish only what its users say."""
    assert extract_offline([say(1, words)], Background(earlier=(say(0, "I live in Leeds"),))) == []


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("I speak French or rather try to", "User speaks French"),
        ("I work at Acme - or rather for its owner", "User works at Acme"),
        ("I moved in March, or rather April", "User moved in April"),
        ("I scratch that itch every day", "User scratches that itch every day"),
        ("Tom, no, wait, I live in Leeds", "User lives in Leeds"),
    ],
)
def test_what_puts_nothing_right_in_its_sentence_takes_nothing_away(words: str, content: str) -> None:
    assert contents(user(words)) == [content]
