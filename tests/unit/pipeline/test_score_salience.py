"""Salience: the steps and weights exactly as specified, and the promised order."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.models.kinds import EntityType, MemoryKind
from pipeline.models import Fact, FactMention, Relation
from pipeline.salience import WEIGHTS, factor_score, score_salience

TALK = st.lists(
    st.sampled_from(
        "I you we my User Peter brother wife client must will send check always tomorrow deadline by Friday soon if because "
        "and then 42 remember this important don't forget it the a coffee blue remember that to make sure".split()
    ),
    max_size=25,
).map(" ".join)
KINDS = st.sampled_from(MemoryKind)


def fact(
    content: str = "Grass: green",
    quote: str = "",
    kind: MemoryKind = MemoryKind.FACT,
    mentions: Sequence[str] = (),
    marked: bool = False,
) -> Fact:
    people = tuple(FactMention(name=name, entity_type=EntityType.PERSON) for name in mentions)
    return Fact(kind=kind, content=content, quote=quote, sources=(1,), mentions=people, marked=marked)


@pytest.mark.parametrize(("matches", "score"), [(0, 0), (1, 4), (2, 6), (3, 8), (4, 9), (5, 10), (6, 10), (60, 10)])
def test_steps_of_a_factor(matches: int, score: float) -> None:
    assert factor_score(matches) == score


def test_weights_of_the_factors() -> None:
    assert list(WEIGHTS.items()) == [
        ("temporal_urgency", 0.20),
        ("relationships", 0.20),
        ("action_language", 0.20),
        ("explicit_marking", 0.15),
        ("self_reference", 0.15),
        ("complexity", 0.10),
    ]


def test_words_without_a_cue_have_no_salience() -> None:
    salience = score_salience(fact("Grass: green", "the grass is green"), ["the grass is green"])

    assert salience.value == 0
    assert set(salience.factors.values()) == {0}


@pytest.mark.parametrize(
    ("quote", "factor", "score"),
    [
        ("it happens tomorrow", "temporal_urgency", 4),
        ("Tomorrow, which is URGENT", "temporal_urgency", 6),
        ("a deadline by Friday, urgent", "temporal_urgency", 8),
        ("her brother", "relationships", 4),
        ("the brother of a client", "relationships", 6),
        ("one of the writers", "relationships", 4),
        ("a check of the brakes", "action_language", 4),
        ("must always check", "action_language", 8),
        ("an important thing", "explicit_marking", 4),
        ("I like it", "self_reference", 4),
        ("I like my dog", "self_reference", 6),
        ("tea because of the taste", "complexity", 4),
        ("tea because of 2 reasons", "complexity", 6),
    ],
)
def test_cues_of_each_factor(quote: str, factor: str, score: float) -> None:
    assert score_salience(fact(quote=quote)).factors[factor] == score


@pytest.mark.parametrize("quote", ["snow", "mistake", "Andes", "mustard", "brotherhood", "checkers", "India"])
def test_cue_within_another_word_does_not_count(quote: str) -> None:
    assert score_salience(fact(quote=quote)).value == 0


def test_value_is_the_weighted_sum() -> None:
    salience = score_salience(fact("User must call a client tomorrow", "I must call my client tomorrow"))

    # .20·4 tomorrow + .20·4 client + .20·6 must, call + .15·8 I, my, User
    assert salience.value == 4.0
    scored = {name: score for name, score in salience.factors.items() if score}
    assert scored == {"temporal_urgency": 4, "relationships": 4, "action_language": 6, "self_reference": 8}


def test_sum_of_an_unmarked_fact_is_not_capped() -> None:
    busy = (
        "I told my wife and our friends, my boss, a client and the doctor: it is important, note that from now on I must always "
        "check, send, finish, build and start today, tomorrow, asap, by Friday, this week, because if, when, however, first 2"
    )
    salience = score_salience(fact(f"User: {busy}", busy))

    assert not salience.marked
    assert set(salience.factors.values()) == {8, 9, 10}
    assert salience.value > 9


def test_value_is_explained_factor_by_factor() -> None:
    words = "I must call my client tomorrow"
    explained = score_salience(fact("User must call a client tomorrow", words, MemoryKind.PROCESS)).explained()

    assert explained["factors"]["action_language"] == {"matches": 2, "score": 6, "weight": 0.2, "contribution": 1.2}
    assert explained["factors"]["complexity"] == {"matches": 0, "score": 0, "weight": 0.1, "contribution": 0}
    assert {name: explained[name] for name in ("sum", "process", "marked", "value")} == {
        "sum": 4.0,
        "process": 3.0,
        "marked": False,
        "value": 7.0,
    }
    assert json.loads(json.dumps(explained)) == explained


@given(TALK, TALK, KINDS, st.booleans())
def test_explanation_adds_up(content: str, quote: str, kind: MemoryKind, marked: bool) -> None:
    explained = score_salience(fact(content or "x", quote, kind, marked=marked)).explained()

    assert explained["sum"] == pytest.approx(sum(one["contribution"] for one in explained["factors"].values()))
    plain = explained["sum"] + explained["process"]
    assert explained["value"] == pytest.approx(8.5 + 0.15 * plain if explained["marked"] else plain, abs=0.006)


def test_cue_in_content_and_quote_counts_once() -> None:
    both = score_salience(fact("The deadline is tomorrow", "the deadline is tomorrow"))

    assert both.factors["temporal_urgency"] == 6


def test_user_counts_in_the_content_and_the_first_person_in_the_message() -> None:
    assert score_salience(fact("User likes coffee", "I like coffee")).factors["self_reference"] == 6
    assert (
        score_salience(fact("The user interface is blue", "the user interface is blue")).factors["self_reference"] == 0
    )
    assert score_salience(fact("Vitamin: I", "vitamin")).factors["self_reference"] == 0


def test_relations_and_further_entities_count() -> None:
    plain = fact("Ann: Bob", mentions=["Ann", "Bob", "Cy"])
    related = plain.model_copy(update={"relations": (Relation(subject="Ann", predicate="knows", object="Bob"),)})

    assert score_salience(plain).factors["complexity"] == 6
    assert score_salience(related).factors["relationships"] == 4


def test_messages_count_without_a_quote_and_only_their_marks_with_one() -> None:
    message = "It is important: my wife arrives tomorrow"

    assert score_salience(fact(), [message]).factors["temporal_urgency"] == 4
    quoted = score_salience(fact(quote="grass"), [message])
    assert (quoted.factors["temporal_urgency"], quoted.factors["explicit_marking"]) == (0, 4)


def test_process_starts_three_higher() -> None:
    assert score_salience(fact(kind=MemoryKind.PROCESS)).value == 3


@pytest.mark.parametrize(
    "quote",
    [
        "Remember this: grass",
        "please remember that grass grows",
        "Don’t forget this",
        "You need to learn this",
        "keep this in mind",
        "Make a note of it",
    ],
)
def test_request_to_remember_marks_a_fact(quote: str) -> None:
    salience = score_salience(fact(quote=quote))

    assert salience.marked
    assert salience.value > 8.5


@pytest.mark.parametrize(
    "quote", ["I remember that day", "do you remember this song", "hard to remember it", "a footnote"]
)
def test_act_of_remembering_does_not_mark_it(quote: str) -> None:
    assert not score_salience(fact(quote=quote)).marked


def test_marked_fact_outranks_an_unmarked_busy_process() -> None:
    busy = (
        "First check the client list because the deadline is tomorrow; then I must always send my boss 2 copies, soon, "
        "and make sure that our team is there by Friday: it is important"
    )
    process = score_salience(fact(busy, busy, MemoryKind.PROCESS))

    assert process.value == 8.5
    assert score_salience(fact(marked=True)).value > process.value


@given(TALK, TALK, TALK, KINDS, st.booleans())
def test_value_stays_between_zero_and_ten(
    content: str, quote: str, source: str, kind: MemoryKind, marked: bool
) -> None:
    salience = score_salience(fact(content or "x", quote, kind, marked=marked), [source])

    assert 0 <= salience.value <= 10
    assert all(0 <= score <= 10 for score in salience.factors.values())


@given(TALK, st.lists(TALK, max_size=3), TALK, KINDS)
def test_more_cues_never_lower_the_value(content: str, sources: list[str], further: str, kind: MemoryKind) -> None:
    plain = fact(content or "x", kind=kind)

    assert score_salience(plain, [*sources, further]).value >= score_salience(plain, sources).value


@given(TALK, TALK, KINDS, TALK, KINDS)
def test_marked_fact_outranks_every_unmarked_one(
    content: str, quote: str, kind: MemoryKind, other: str, other_kind: MemoryKind
) -> None:
    marked = score_salience(fact(content or "x", quote, kind, marked=True))
    plain = score_salience(fact(other or "x", other, other_kind))

    assert plain.factors["explicit_marking"] or marked.value > plain.value


@given(TALK, TALK)
def test_mark_raises_the_value_of_any_words(content: str, quote: str) -> None:
    plain = score_salience(fact(content or "x", quote))
    assert score_salience(fact(content or "x", quote, marked=True)).value >= max(plain.value, 8.5)


@given(TALK, TALK)
def test_unmarked_fact_has_exactly_its_weighted_sum(content: str, quote: str) -> None:
    salience = score_salience(fact(content or "x", quote))
    total = sum(WEIGHTS[name] * score for name, score in salience.factors.items())

    assert salience.marked or salience.value == pytest.approx(total)


@given(TALK, TALK, KINDS, st.booleans())
def test_process_is_never_below_the_same_text_of_another_kind(
    content: str, quote: str, kind: MemoryKind, marked: bool
) -> None:
    other, process = (fact(content or "x", quote, k, marked=marked) for k in (kind, MemoryKind.PROCESS))

    assert score_salience(process).value >= score_salience(other).value
