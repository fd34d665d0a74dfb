"""Names and numbers that nobody said are detected; those that somebody did say, in any form, are not."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.extraction.mentions import SourceVocabulary

SAID = SourceVocabulary.of(
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
        "User's brother Zoe has cats",
        "The brother is Zoë. She has cats",
    ],
)
def test_said_text_is_found(content: str) -> None:
    assert not SAID.lacks_name_or_number_of(content)
    assert not SAID.doubts_an_opening_of(content)


@pytest.mark.parametrize(
    "content", ["User knows Klaus", "User has 4 cats", "User paid 1000", "User paid 15.5", "User is at WOB"]
)
def test_unsaid_text_is_missed(content: str) -> None:
    assert SAID.lacks_name_or_number_of(content)


@pytest.mark.parametrize(
    ("phrase", "lacks"), [("Rome", True), ("The brother", False), ("Zoë", False), ("writer", False), ("4", True)]
)
def test_phrase_does_not_open_a_sentence(phrase: str, lacks: bool) -> None:
    assert SAID.lacks_part_of(phrase) is lacks


@pytest.mark.parametrize(
    ("said", "name"), [("sao paulo", "São Paulo"), ("Zürich", "Zurich"), ("cancun", "Cancún"), ("한국", "한국")]
)
def test_name_is_recognised_with_or_without_its_accents(said: str, name: str) -> None:
    known = SourceVocabulary.of([f"i live in {said}"])
    assert not known.lacks_name(name)
    assert not known.lacks_name_or_number_of(f"User lives in {name}")


def test_syllable_is_no_accent() -> None:
    assert SourceVocabulary.of(["i live in 각"]).lacks_name("가")


def test_sentence_that_opens_with_an_unknown_name_is_only_doubted() -> None:
    assert not SAID.lacks_name_or_number_of("Klaus has cats")
    assert SAID.doubts_an_opening_of("Klaus has cats")
    assert not SAID.doubts_an_opening_of("Brothers have cats")


@pytest.mark.parametrize(
    ("name", "lacks"),
    [("Zoë", False), ("zo", True), ("北京", False), ("东京", True), ("iPhone 15", False), ("iPhone 1", True)],
)
def test_name_is_recognised_by_its_words_or_in_scripts_without_capitals_by_its_letters(name: str, lacks: bool) -> None:
    assert SAID.lacks_name(name) is lacks


GERMAN = SourceVocabulary.of(["User", "Ich trinke gerne Tee mit meinem Bruder Paul und der Katze"])


@pytest.mark.parametrize(
    ("content", "lacks"),
    [
        ("User trinkt Tee des Bruders", False),
        ("User kennt Pauls Katzen", False),
        ("User kennt Pauls Hunde", True),
        ("User kennt Paula", True),
    ],
)
def test_german_nouns_may_be_inflected(content: str, lacks: bool) -> None:
    assert GERMAN.lacks_name_or_number_of(content) is lacks


def test_english_names_may_not_be_inflected() -> None:
    assert SourceVocabulary.of(["I met Peter in Oslo"]).lacks_name_or_number_of("User met Peters in Oslo")


@pytest.mark.parametrize(
    ("said", "content", "lacks"),
    [
        ("عندي ٣ قطط", "User has 3 cats", False),
        ("मेरे पास २ बिल्लियाँ हैं", "उपयोगकर्ता के पास 2 बिल्लियाँ हैं", False),
        ("मीटिंग ५PM को है", "मीटिंग 5 PM को है", False),
        ("मेरे पास ५GB है", "मेरे पास ५GB है", False),
        ("Das Essen ist um 12.30 Uhr", "Das Essen ist um 12:30 Uhr", False),
        ("Das Essen ist um 12:30 Uhr", "Das Essen ist um 12.30 Uhr", False),
        ("Das Essen ist um 12.30 Uhr", "Das Essen ist um 12.45 Uhr", True),
        ("It costs 3:50", "It costs 3.50", True),
        ("Das Haus kostet 1,2 Mio", "Das Haus kostet 1200000", False),
        ("It is twenty-nine", "It is 29", False),
        ("عندي ٣ قطط", "User has 4 cats", True),
        ("الوزن ٨٢٫٥", "User weighs 82.5", False),
        ("Ich zahle 1.500 Euro Miete", "User zahlt 1500 Euro Miete", False),
        ("Ich zahle 1500 Euro Miete", "User zahlt 1.500 Euro Miete", False),
        ("Ich zahle 1.500,50 Euro Miete", "User zahlt 1,500.50 Euro Miete", False),
        ("Ich wiege 82,5 kg", "User wiegt 82.5 kg", False),
        ("Ich wiege 82,5 kg", "User wiegt 825 kg", True),
        ("Ich wiege 82,5 kg", "User wiegt 82,6 kg", True),
        ("Je paie 1\u202f500 € de loyer", "User paie 1500 € de loyer", False),
        ("The flat costs 1,00,000 rupees", "The flat costs 100000 rupees", False),
        ("I ran 1.5 km", "User ran 15 km", True),
        ("I have 50 sheep", "User has 50,000 sheep", True),
        ("I have 50,000 sheep", "User has 50 sheep", True),
    ],
)
def test_number_may_be_in_another_countrys_notation(said: str, content: str, lacks: bool) -> None:
    assert SourceVocabulary.of(["User", said]).lacks_name_or_number_of(content) is lacks


@pytest.mark.parametrize(
    ("said", "content", "lacks"),
    [
        ("I make 50k", "User makes 50,000", False),
        ("I make 50,000", "User makes 50k", False),
        ("It cost 2.5 million", "It cost 2500000", False),
        ("It cost 1.5m", "It cost 1.5 million", False),
        ("I ran a 5k", "User ran 5 km", False),
        ("I make 50k", "User makes 500,000", True),
        ("two dozen eggs", "User has 24 eggs", False),
        ("three hundred people", "300 people came", False),
        ("half a dozen", "User has 12", False),
        ("We meet at 3pm", "The meeting is at 15:00", False),
        ("We meet at 3:30 p.m.", "The meeting is at 15:30", False),
        ("We meet at 15:30", "The meeting is at 3:30pm", False),
        ("We meet at 3", "The meeting is at 3:00", False),
        ("We meet at 3pm", "The meeting is at 3:00", False),
        ("We meet at 12am", "The meeting is at 0:00", False),
        ("We meet at half past three", "The meeting is at 15:30", False),
        ("We meet at quarter to 4", "The meeting is at 3:45", False),
        ("We meet at 3pm", "The meeting is at 16:00", True),
        ("We meet at 3pm", "The meeting is at 3:30", True),
        ("We meet at 3am", "The meeting is at 15:00", True),
        ("We won 2 to 1", "User's team won 2:1", False),
        ("We won 2:10", "User's team won 2:11", True),
    ],
)
def test_number_may_be_shortened_and_a_time_be_on_another_clock(said: str, content: str, lacks: bool) -> None:
    assert SourceVocabulary.of(["User", said, "The It"]).lacks_name_or_number_of(content) is lacks


@given(st.text("0123456789.,: kmap", max_size=40))
def test_identical_text_is_supported(text: str) -> None:
    assert not SourceVocabulary.of([text]).lacks_name_or_number_of(text)


def test_vowels_of_a_name_are_part_of_it() -> None:
    said = SourceVocabulary.of(["मैं राम और सीता को जानता हूँ"])
    assert not said.lacks_name("राम")
    assert said.lacks_name("रामी मता")


def test_long_line_of_figures_in_pairs_is_read_quickly() -> None:
    started = time.process_time()

    SourceVocabulary.of(["1," + "11," * 10_000])

    assert time.process_time() - started < 1
