"""Names and numbers that nobody said are found; those that somebody did say, in whatever form, are not."""

import pytest

from pipeline.prompts.vocabulary import Vocabulary

SAID = Vocabulary.of(
    ["User", "my brother zoë has three cats and paid $1,000.50 at 7pm; WOBS's iPhone15, twenty-five", "我住在北京"]
)


@pytest.mark.parametrize(
    "content",
    [
        "User's brother Zoë has 3 cats",
        "User paid 1000.5 to WOBS",
        "User is 25 and has an iPhone 15",
        "User eats at 7 PM",
        "User drinks coffee",
        "The brother is Zoë. She has cats",
    ],
)
def test_what_was_said_is_found(content: str) -> None:
    assert not SAID.lacks_name_or_number_of(content)
    assert not SAID.doubts_an_opening_of(content)


@pytest.mark.parametrize(
    "content", ["User knows Klaus", "User has 4 cats", "User paid 1000", "User paid 15.5", "User is at WOB"]
)
def test_what_was_not_said_is_missed(content: str) -> None:
    assert SAID.lacks_name_or_number_of(content)


@pytest.mark.parametrize(
    ("phrase", "lacks"), [("Rome", True), ("The brother", False), ("Zoë", False), ("writer", False), ("4", True)]
)
def test_a_phrase_has_no_sentence_to_open(phrase: str, lacks: bool) -> None:
    assert SAID.lacks_part_of(phrase) is lacks


def test_a_sentence_that_opens_with_an_unknown_name_is_doubted_only() -> None:
    assert not SAID.lacks_name_or_number_of("Klaus has cats")
    assert SAID.doubts_an_opening_of("Klaus has cats")
    assert not SAID.doubts_an_opening_of("Brothers have cats")


@pytest.mark.parametrize(
    ("name", "lacks"),
    [("Zoë", False), ("zo", True), ("北京", False), ("东京", True), ("iPhone 15", False), ("iPhone 1", True)],
)
def test_a_name_is_known_by_its_words_or_in_scripts_without_capitals_by_its_letters(name: str, lacks: bool) -> None:
    assert SAID.lacks_name(name) is lacks


GERMAN = Vocabulary.of(["User", "Ich trinke gerne Tee mit meinem Bruder Paul und der Katze"])


@pytest.mark.parametrize(
    ("content", "lacks"),
    [
        ("User trinkt Tee des Bruders", False),
        ("User kennt Pauls Katzen", False),
        ("User kennt Pauls Hunde", True),
        ("User kennt Paula", True),
    ],
)
def test_german_nouns_may_be_bent(content: str, lacks: bool) -> None:
    assert GERMAN.lacks_name_or_number_of(content) is lacks


def test_english_names_may_not() -> None:
    assert Vocabulary.of(["I met Peter in Oslo"]).lacks_name_or_number_of("User met Peters in Oslo")
