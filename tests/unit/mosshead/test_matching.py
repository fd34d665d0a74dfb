"""Where a name is in a text: joined by "and", at the start of a sentence, and among the days of the week."""

from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from mosshead.language.name_spans import Name, places, words_of
from mosshead.language.names import normalise

BROOKS = Name(normalised="agnes brooks", is_person=True, full=("agnes", "brooks"))
RAIN = Name(normalised="otto rain", is_person=True, full=("otto", "rain"))
MAY = Name(normalised="lucy may", is_person=True, full=("lucy", "may"))
FAIR = Name(normalised="swap-it saturday", is_person=False)
FORGE = Name(normalised="anvil & spark", is_person=False)
TAILORS = Name(normalised="thread and hem", is_person=False)
WORDS = [
    "anvil",
    "Anvil",
    "spark",
    "Spark",
    "and",
    "&",
    "the",
    "Brooks",
    "sent",
    "Saturday",
    "May",
    "on",
    ".",
    "said",
    "thread",
]


def named(text: str, *names: Name) -> list[str]:
    return [text[place.start : place.end] for place in places(words_of(text), names)]


def test_ampersand_means_and() -> None:
    assert named("Lunch at Anvil & Spark today", FORGE) == ["Anvil & Spark"]
    assert named("Lunch at Anvil and Spark today", FORGE) == ["Anvil and Spark"]
    assert named("Lunch at Thread & Hem today", TAILORS) == ["Thread & Hem"]
    assert named("Is the Anvil and Otto's saw there?", FORGE) == ["Anvil"]
    assert named("the anvil and the spark", FORGE) == []
    assert named("the anvil & a spark", FORGE) == []


def test_symbols_are_letters_of_a_name() -> None:
    sharp, plus, just = (Name(normalised=name, is_person=False) for name in ("c#", "c++", "c"))
    assert named("We moved from C++ to C#.", sharp) == ["C#"]
    assert named("We moved from C++ to C#.", plus) == ["C++"]
    assert named("We moved from C++ to C#.", just) == []
    assert named("Is P!nk on?", Name(normalised="p!nk", is_person=True)) == ["P!nk"]
    assert named("He left Yahoo!", Name(normalised="yahoo", is_person=False)) == ["Yahoo"]
    assert named("Hi!Agnes Brooks is here", BROOKS) == ["Agnes Brooks"]


def test_surname_that_is_a_word_opens_a_sentence_with_a_human_action() -> None:
    assert named("Brooks sent a list, it ends.", BROOKS) == ["Brooks"]
    assert named("No idea. Rain said noon.", RAIN) == ["Rain"]
    assert named("Brooks are deep here.", BROOKS) == []
    assert named("Rain is coming.", RAIN) == []
    assert named("So rain said it all.", RAIN) == []


def test_day_or_month_is_no_part_of_a_name() -> None:
    assert named("He sleeps over on Saturday.", FAIR) == []
    assert named("Saturday said nothing.", FAIR) == []
    assert named("See you Saturday then.", FAIR) == []
    assert named("Is Swap-It Saturday on?", FAIR) == ["Swap-It Saturday"]
    assert named("We open in May.", MAY) == []
    assert named("Did you ask May?", MAY) == ["May"]
    assert named("May said noon.", MAY) == ["May"]


def test_month_is_nobody_even_if_somebody_has_the_name() -> None:
    may = Name(normalised="may", is_person=True)
    april = Name(normalised="april", is_person=True)
    for month in (
        "We moved in May.",
        "since May 2019",
        "on 3 May",
        "May 3rd it is",
        "May 31",
        "on 03 May",
        "MAY 2020",
        "last May",
        "early May",
    ):
        assert named(month, may) == []
    for person in (
        "Did you ask May?",
        "a letter from May",
        "Is that May's dog?",
        "May said noon.",
        "in May's garden",
        "Not till May said so.",
        "in 2019 May told me",
        "I owe May 50.",
        "I paid May 1500 euros",
    ):
        assert named(person, may) == ["May"]
    assert named("I saw April in April.", april) == ["April"]


@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_place_neither_begins_nor_ends_with_an_and(words: list[str]) -> None:
    for found in named(" ".join(words), BROOKS, MAY, FAIR, FORGE, TAILORS):
        assert {"and", "&"}.isdisjoint((found.split()[0], found.split()[-1]))


HAAS = Name(normalised="peter haas", is_person=True, full=("peter", "haas"))
BUSH = Name(normalised="george w. bush", is_person=True, full=("george", "w", "bush"))


def test_name_in_capitals_counts_like_one_in_small_letters() -> None:
    assert named("PETER CALLED TODAY", HAAS) == ["PETER"]
    assert named("WHERE DOES PETER LIVE?", HAAS) == ["PETER"]
    assert named("ASK PETER'S BROTHER", HAAS) == ["PETER"]
    assert named("Is that PETER'S?", HAAS) == ["PETER"]
    assert named("Peter Lindqvist called", HAAS) == []


def test_initial_within_a_name_ends_no_sentence() -> None:
    assert named("Is George W. Bush in?", BUSH) == ["George W. Bush"]
    assert named("It was plan B. Peter called.", HAAS) == ["Peter"]


def test_non_breaking_space_is_a_space() -> None:
    assert named("Is Peter\u00a0Haas in?", HAAS) == ["Peter\u00a0Haas"]
    assert named("Peter\u2028Haas", HAAS) == ["Peter", "Haas"]


def test_stop_or_question_mark_of_another_script_is_no_part_of_a_name() -> None:
    for text, name in (("هل رأيت محمد؟", "محمد"), ("यह राम।", "राम"), ("דיברת עם דוד־", "דוד")):
        assert named(text, Name(normalised=name, is_person=True)) == [name]


def test_voiced_and_unvoiced_kana_are_different_names() -> None:
    paris = Name(normalised=normalise("パリ"), is_person=False)
    assert named("パリに行きました", paris) == ["パリ"]
    assert named(normalize("NFD", "パリ"), paris) == [normalize("NFD", "パリ")]
    assert named("バリに行きました", paris) == []
