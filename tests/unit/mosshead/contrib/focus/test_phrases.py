"""References in a message: which words, of which kind, and in which role in their clause."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.language.references import GrammaticalRole, Layout, Phrase, PhrasePlace, ReferenceForm, is_person, phrases


def read(text: str) -> tuple[Phrase, ...]:
    return phrases(Layout(text))


def place_of(text: str, word: str) -> PhrasePlace:
    start = text.index(word)
    return Layout(text).place(start, start + len(word))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Has he been told?", {"he": "pronoun"}),
        ("He's late.", {"he": "pronoun"}),
        ("Does the accordion fellow have a date?", {"the accordion fellow": "person"}),
        ("Ask my first employer, she has it", {"my first employer": "person", "she": "pronoun", "it": "pronoun"}),
        ("And her husband knows", {"her": "pronoun", "her husband": "person"}),
        ("Let the other one know", {"the other one": "other one"}),
        ("Ask the other Sarah", {"the other sarah": "other one"}),
        ("Both of them left", {"both of them": "both"}),
        ("Is that one full?", {"that one": "that one"}),
        ("Is that thing we discussed, on?", {"that thing we discussed": "before"}),
        ("Follow the usual process", {"the usual process": "usual"}),
        ("Do the same for Sarah", {"the same": "usual"}),
        ("Do that on Monday", {"that": "pronoun"}),
        ("Close this, please, and send that too", {"this": "pronoun", "that": "pronoun"}),
        ("I had that trouble", {}),
        ("That's fine", {}),
        ("Do the thing with the key", {"the thing": "thing", "the key": "thing"}),
        ("Our eldest thinks so", {"our eldest": "thing"}),
        ("Is that nurse in?", {"that nurse": "person"}),
        ("Over the bridge", {"the bridge": "thing"}),
        ("The one in red left", {"the one": "person"}),
        ("I know that Ann came", {}),
        ("It's nearly seven.", {}),
        ("It is raining", {}),
        ("You came, didn't it?", {}),
        ("See you the other day", {"the other day": "thing"}),
        ("", {}),
        ("…!?", {}),
    ],
)
def test_references_are_found(text: str, found: dict[str, str]) -> None:
    assert {one.text: one.form.value for one in read(text)} == found


@pytest.mark.parametrize(
    ("text", "word", "part"),
    [
        ("Otto is late", "Otto", GrammaticalRole.SUBJECT),
        ("Otto's late", "Otto", GrammaticalRole.OWNER),  # "late" might be a boat
        ("Otto's in", "Otto", GrammaticalRole.SUBJECT),
        ("Has Otto been told?", "Otto", GrammaticalRole.SUBJECT),
        ("I called Otto", "Otto", GrammaticalRole.OBJECT),
        ("A parcel for Otto", "Otto", GrammaticalRole.OTHER),
        ("It was Otto's guest", "Otto", GrammaticalRole.OWNER),
        ("Ann rang and Otto came", "Otto", GrammaticalRole.SUBJECT),
        ("Ask her", "her", GrammaticalRole.OBJECT),
        ("Ask her brother", "her", GrammaticalRole.OWNER),
        ("Write her a note", "her", GrammaticalRole.OBJECT),
        ("Send it to him", "him", GrammaticalRole.OTHER),
        ("Hers are green", "Hers", GrammaticalRole.SUBJECT),
    ],
)
def test_clauses_are_analysed(text: str, word: str, part: GrammaticalRole) -> None:
    assert place_of(text, word).part is part


def test_places_count_sentences_from_the_last() -> None:
    text = "Otto said so. Ann: does Ivan know?"
    sentences = [place_of(text, name).sentence for name in ("Otto", "Ann", "Ivan")]
    assert sentences == [2, 1, 0]
    assert place_of(text, "Otto").reports
    assert not place_of("What does Otto say?", "Otto").reports


def test_description_is_searched_in_the_words_of_memories() -> None:
    sought = {one.text: one.sought for one in read("My doctor met the man with the cane, and him from the train.")}
    assert sought["my doctor"] == "the user's doctor"
    assert sought["the man"] == "the man with the cane"
    assert sought["him"] == "the man from the train"


def test_the_first_one_says_less_than_the_one_in_red() -> None:
    assert [one.bare for one in phrases(Layout("The first one, then the one in red"))] == [True, False]


@pytest.mark.parametrize(
    "word", ["baker", "librarian", "pianist", "husband", "postman", "waitress", "engineer", "trainee"]
)
def test_words_for_people_are_recognised(word: str) -> None:
    assert is_person(word)


@pytest.mark.parametrize(
    "word", ["water", "number", "list", "address", "van", "or", "weather", "coffee", "principal", "coo"]
)
def test_words_for_things_are_recognised(word: str) -> None:
    assert not is_person(word)


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for one in read(text):
        assert 0 <= one.place.start < one.place.end <= len(text)
        assert one.form in ReferenceForm


def test_long_message_is_read_to_its_end() -> None:
    found = read("she told him that the baker knew it, " * 100)
    assert len([one for one in found if one.text == "the baker"]) == 100


def test_message_without_a_stop_is_not_searched_repeatedly() -> None:
    text = "so he told me that the guy from the shop wanted to see the man with the van " * 50
    assert sum(len(one.sought) for one in read(text)) < 8 * len(text)
