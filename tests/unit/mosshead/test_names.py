"""Names: how they are compared, and where they may be in a text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mosshead.language.names import MAX_WORDS, name_key, normalise, possible_names, spelled_out, strange_names


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Peter", "peter"),
        ("  PETER   Haas ", "peter haas"),
        ("Müller's", "muller"),
        ("Peter’s", "peter"),
        ("James'", "james"),
        ("Straße", "strasse"),
        ("O'Brien", "o'brien"),
        ("Wolf of Blog Street", "wolf of blog street"),
        ("Yahoo!'s", "yahoo"),
        ("#general", "general"),
        ("@Sam", "sam"),
        ("C#", "c#"),
        ("?!", "?!"),
        ("Алёна", "алена"),
        ("أحمد", "احمد"),
        ("محمّد", "محمد"),
        ("सड़क", "सडक"),
        ("", ""),
    ],
)
def test_names_are_compared_in_a_plain_form(name: str, plain: str) -> None:
    assert normalise(name) == plain


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("パリ", "バリ"),
        ("ガス", "カス"),
        ("เสือ", "เสื้อ"),
        ("หมู", "หม"),
        ("राम", "रीमा"),
        ("कर्म", "करम"),
        ("தமிழ்", "தமழ்"),
    ],
)
def test_marks_that_make_another_letter_make_another_name(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)
    assert possible_names(one) == [normalise(one)]
    assert possible_names(f"{other}.") == [normalise(other)]


@example("Ann 's dog")
@given(st.text(max_size=30))
def test_plain_form_has_no_surplus_space(name: str) -> None:
    plain = normalise(name)
    assert plain == " ".join(plain.split())


def test_every_run_of_words_may_be_a_name_longer_ones_first() -> None:
    assert possible_names("Ask Peter Haas!") == ["ask peter haas", "ask peter", "peter haas", "ask", "haas", "peter"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Check if Peter's content is passing", "peter"),
        ("AT&T called", "at&t"),
        ("the St. Mary-Ann house", "mary-ann"),
        ("Zoë?", "zoe"),
        ("We moved from C++ to Rust", "c++"),
        ("C# or C?", "c#"),
        ("Play P!nk and Ke$ha", "p!nk"),
        ("hi!Peter", "peter"),
        ("Peter+Sam", "sam"),
    ],
)
def test_name_is_found_in_a_text(text: str, name: str) -> None:
    assert name in possible_names(text)


@given(st.lists(st.sampled_from("one two three four".split()), max_size=12))
def test_no_run_is_too_long_or_repeated(words: list[str]) -> None:
    found = possible_names(" ".join(words))
    assert len(set(found)) == len(found)
    assert all(len(run.split()) <= MAX_WORDS for run in found)
    assert set(words) <= set(found)


@pytest.mark.parametrize(
    ("normalised", "spelled", "key"),
    [
        ("peter haas", "peter haas", "peter haas"),
        ("the anchor", "anchor", "anchor"),
        ("dr. o'hara-smith", "ohara smith", "ohara smith"),
        ("mueller", "mueller", "muller"),
        ("søren kierkegaard", "soren kierkegaard", "soren kierkegaard"),
        ("the", "the", "the"),
        ("st. mary / ann", "st mary ann", "st mary ann"),
        ("", "", ""),
    ],
)
def test_keys_for_comparing_and_looking_up_a_name(normalised: str, spelled: str, key: str) -> None:
    assert (spelled_out(normalised), name_key(normalised)) == (spelled, key)


@pytest.mark.parametrize(
    ("text", "strange"),
    [
        ("How high is Kilimanjaro?", ["Kilimanjaro"]),
        ("Sum up what Middlemarch is about", ["Middlemarch"]),
        ("Translate it into Finnish, please", ["Finnish"]),
        ("What did Vera say about Lisboa?", []),
        ("Is it on Friday in March?", []),
        ("What a day! Rain again", []),
        ("Wie heißt mein Hund?", []),
    ],
)
def test_name_in_no_memory_is_strange(text: str, strange: list[str]) -> None:
    assert strange_names(text, ["Vera keeps bees", "the Lisboetas next door"]) == strange
