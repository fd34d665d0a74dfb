"""What kind a message is: small talk, a request, or about the speaker; and what a request needs to know of them."""

import pytest

from mosshead.embeddings.calibration import UnrelatedCosines
from mosshead.language.requests import (
    asks_of_oneself,
    asks_what_is_now,
    is_first_person,
    is_request,
    is_small_talk,
    needs_of,
)


@pytest.mark.parametrize(
    "said",
    [
        *("ok", "lol", "Thanks, that's great!", "<Media omitted>", "This message was deleted", "👍"),
        *("k", "7 minutes.", "15 min", "at 5:30?", "hahaha yes", "looool", "jajaja", "omw", "On my way!", "brb"),
        *("lmaooo", "okayyy", "thaaanks", "niiice one"),
        *("You deleted this message", "sticker omitted", "IMG-0042.jpg (file attached)", "Missed voice call", "null"),
        *("ja, genau", "vale, gracias", "d'accord merci", "Danke, bis gleich", "va bene grazie", "спасибо"),
    ],
)
def test_small_talk_is_recognised(said: str) -> None:
    assert is_small_talk(said)
    assert not is_small_talk(f"{said} I moved to Ghent")


@pytest.mark.parametrize(
    "said", ["7731", "555 1234", "17", "I took 7 minutes", "Nokia", "gut feeling", "oui oui Paris"]
)
def test_informative_message_is_no_small_talk(said: str) -> None:
    assert not is_small_talk(said)


@pytest.mark.parametrize(
    "said",
    ["Can you convert 5 miles to km?", "ok, translate this", "what could I cook tonight", "Am I late?", "Have we met?"],
)
def test_request_is_no_statement(said: str) -> None:
    assert is_request(said)


@pytest.mark.parametrize(
    "said", ["I live in Ghent.", "My sister is a nurse.", "We moved on Monday", "Was at my sister's. Am I tired!"]
)
def test_statement_is_about_the_speaker_and_no_request(said: str) -> None:
    assert is_first_person(said)
    assert not is_request(said)


@pytest.mark.parametrize(
    "said",
    [
        *("Tell me a joke", "How do I boil an egg?", "How tall is Mount Everest?", "The boiler says 0.6 bar."),
        *("A recipe for disaster recovery, please", "Is the exercise on page 12 solvable?"),
    ],
)
def test_action_is_not_about_the_asking_speaker(said: str) -> None:
    assert not is_first_person(said)
    assert needs_of(said) == []


@pytest.mark.parametrize(
    "said",
    [
        *("Write my cover letter", "Give me a workout plan", "Recommend a Thai restaurant nearby"),
        *("Make me a running schedule", "Book me a table somewhere", "Any ideas for a weekend away?"),
        *("Find me a hiking route for Sunday", "Schreib mir ein Anschreiben für meine Bewerbung"),
    ],
)
def test_request_about_oneself_needs_to_know_more(said: str) -> None:
    assert needs_of(said)


def test_question_about_the_past_does_not_ask_about_now() -> None:
    assert asks_what_is_now("Where do I live?")
    assert asks_what_is_now("Do I smoke?")
    assert not asks_what_is_now("Where did I live before?")
    assert not asks_what_is_now("Please do the taxes")


def test_nearest_of_many_texts_must_be_nearer_than_that_of_a_few() -> None:
    cosines = UnrelatedCosines(mean=0.7, deviation=0.02)
    assert 0.7 < cosines.near(3) < cosines.near(200) < 0.85


@pytest.mark.parametrize(
    ("text", "of_oneself"),
    [
        ("Where do I work?", True),
        ("What am I afraid of", True),
        ("which bank have I got", True),
        ("What's my shoe size?", True),
        ("what is my phone number", True),
        ("Can you tell me which city I live in?", True),
        ("Remind me where I work", True),
        ("Where's my home?", True),
        ("Which city is my flat in?", True),
        ("Who is my employer?", True),
        ("How old is my daughter?", False),
        ("What did I tell you about my sister?", False),
        ("Which street is my mum's flat in?", False),
        ("Who am I meeting?", False),
        ("When did I say that the bins are out?", False),
        ("What's my brother's address?", False),
        ("Where do we live?", False),
        ("Tell me a joke", False),
    ],
)
def test_question_about_oneself_asks_about_nobody_else(text: str, of_oneself: bool) -> None:
    assert asks_of_oneself(text) is of_oneself
