"""Scores of the answers: who is meant, what reaches the context, what is in focus, and what a crowd changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.entities.coretrieval import Fetched, score_together, within
from benchmarks.entities.counting import Share, f1
from benchmarks.entities.crowd import Size
from benchmarks.entities.focus import FocusScores, Referred, Tracked, score_focus
from benchmarks.entities.latency import Latency, Times, measure
from benchmarks.entities.scaling import Crowded, InCrowd, smaller
from benchmarks.entities.who import Answer, score_who, verdict
from benchmarks.entities.world import Focus, Talk, Together, Turn, Who
from mosshead.models.kinds import Role

ASKED = Answer("ambiguous")
UNKNOWN = Answer("unknown")


def row(expect: str | tuple[str, ...], kind: str = "attribute", name: str = "q") -> Who:
    return Who.model_validate({"id": name, "text": "Ask Jo", "mention": "Jo", "expect": expect, "kind": kind})


def resolved(key: str) -> Answer:
    return Answer("resolved", key)


@pytest.mark.parametrize(
    ("expect", "answer", "expected"),
    [
        ("jo-miller", resolved("jo-miller"), "right"),
        ("jo-miller", resolved("jo-smith"), "wrong"),
        ("jo-miller", ASKED, "asked"),
        ("jo-miller", UNKNOWN, "asked"),
        ("ask", resolved("jo-miller"), "wrong"),
        ("ask", resolved("ask"), "wrong"),
        ("ask", Answer("resolved"), "wrong"),
        ("ask", UNKNOWN, "asked"),
        (("none", "ask"), UNKNOWN, "asked"),
        (("none", "ask"), ASKED, "asked"),
        (("none", "ask"), resolved("jo-miller"), "wrong"),
    ],
)
def test_row_has_one_of_three_outcomes(expect: str, answer: Answer, expected: str) -> None:
    assert verdict(row(expect), answer) == expected


def test_shares_are_taken_of_the_rows_they_concern() -> None:
    scores = score_who(
        [
            (row("a"), resolved("a")),
            (row("a"), resolved("a")),
            (row("a", "quirk"), resolved("b")),
            (row("a", "quirk"), ASKED),
            (row("ask", "ambiguous"), ASKED),
            (row("ask", "ambiguous"), UNKNOWN),
            (row("ask", "ambiguous"), resolved("a")),
            (row(("none", "ask"), "unknown"), UNKNOWN),
            (row(("none", "ask"), "unknown"), resolved("a")),
        ]
    )

    assert (scores.right, scores.wrong, scores.asked) == (Share(2, 4), Share(1, 4), Share(1, 4))
    assert scores.ask_precision == Share(2, 3)
    assert scores.ask_recall == Share(2, 3)
    assert scores.unknown == Share(1, 2)
    assert scores.by_kind["quirk"] == {"wrong": 1, "asked": 1}
    assert scores.as_json()["by_kind"] == {
        "attribute": {"right": 2, "wrong": 0, "asked": 0},
        "quirk": {"right": 0, "wrong": 1, "asked": 1},
        "ambiguous": {"right": 0, "wrong": 1, "asked": 2},
        "unknown": {"right": 0, "wrong": 1, "asked": 1},
    }


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "ask", ("none", "ask")]),
            st.sampled_from([ASKED, UNKNOWN, resolved("a"), resolved("b")]),
        ),
        max_size=8,
    )
)
def test_every_row_is_right_wrong_or_asked(answered: list[tuple[str, Answer]]) -> None:
    scores = score_who([(row(expect), answer) for expect, answer in answered])

    assert scores.right.hits + scores.wrong.hits + scores.asked.hits == scores.right.of
    assert sum(sum(counts.values()) for counts in scores.by_kind.values()) == len(answered)
    assert scores.ask_precision.hits == scores.ask_recall.hits


def needing(*needs: tuple[str, ...], kind: str = "multi-hop") -> Together:
    return Together.model_validate({"id": "c", "text": "?", "user_now": "2026-03-02", "needs": needs, "kind": kind})


def test_one_of_each_group_is_enough_and_each_group_is_needed() -> None:
    scores = score_together(
        [
            (needing(("a", "b"), ("c",)), Fetched(frozenset("bc"), frozenset("ab"))),
            (needing(("a",), kind="event-in-time"), Fetched(frozenset(), frozenset("a"))),
        ]
    )

    assert (scores.all_groups, scores.vector_all_groups) == (Share(1, 2), Share(1, 2))
    assert scores.by_kind == {"multi-hop": (Share(1, 1), Share(0, 1)), "event-in-time": (Share(0, 1), Share(1, 1))}
    assert scores.as_json()["by_kind"]["multi-hop"] == {"all_groups": 1, "vector_all_groups": 0, "of": 1}


def test_budget_holds_the_best_that_fit() -> None:
    listed = [("a", "x" * 40), ("b", "x" * 70), ("c", "x" * 10), ("d", "x" * 50)]

    # A line is the text, with two characters before it and one after.
    assert within(listed, 56, len) == {"a", "c"}
    assert within(listed, 55, len) == {"a"}
    assert within(listed, 0, len) == frozenset()


def tracked(*turns: tuple[Focus, Tracked]) -> FocusScores:
    """Return the scores of one conversation: for each turn the gold and what was reported."""
    said = [Turn(role=Role.USER, content="…", gold=gold) for gold, _ in turns]
    reply = Turn(role=Role.ASSISTANT, content="…")
    return score_focus([(Talk(id="t", turns=(*said, reply)), [given for _, given in turns])])


def test_layers_are_pooled_over_turns() -> None:
    scores = tracked(
        (Focus(scene=("mill",), topic=("jo",)), Tracked(scene=frozenset({"mill"}), topic=frozenset({"jo", "bo"}))),
        (Focus(scene=("mill",), topic=("bo",)), Tracked(scene=frozenset({"weir"}), topic=frozenset())),
    )

    assert scores.scene_f1 == f1(1, 2, 2) == 0.5
    assert scores.topic_f1 == f1(1, 2, 2)


def test_mention_must_be_gone_at_the_next_turn_unless_it_recurs() -> None:
    before = Focus(mention=("jo", "mill", "bo", "weir", "flo"))
    after = Focus(topic=("bo",), mention=("weir",), scene=("flo",))
    scores = tracked(
        (before, Tracked()),
        (after, Tracked(topic=frozenset({"jo", "weir"}), scene=frozenset({"mill"}), mention=frozenset({"flo"}))),
        (Focus(mention=("weir",)), Tracked()),
    )

    assert scores.fade == Share(1, 2)  # jo is still there, the mill is not; the others are gold


@pytest.mark.parametrize(
    ("text", "meant", "given", "right"),
    [
        ("he", "jo", [("he", {"jo"})], True),
        ("He", "jo", [("he", {"jo"})], True),
        ("he", "jo", [("he", {"bo"})], False),
        ("he", "jo", [("he", {"jo"}), ("he", {"bo"})], False),
        ("he", "jo", [], False),
        ("he", "jo", [("his", {"jo"})], False),
        ("her", "jo", [("her husband", {"jo"})], False),
        ("it", None, [], True),
        ("it", None, [("it", set())], True),
        ("it", None, [("it", {"mill"})], False),
        ("both of them", ("jo", "bo"), [("both of them", {"bo", "jo"})], True),
        ("both of them", ("jo", "bo"), [("both of them", {"jo"})], False),
        ("her husband", "bo", [("her husband", {"bo"}), ("her", {"jo"})], True),
        ("her husband", "bo", [("her", {"bo"})], False),
        ("her husband", "bo", [("husband", {"bo"}), ("her", {"jo"})], True),
        ("her husband", "bo", [("husbandry", {"bo"})], False),
        ("my old piano teacher", "bo", [("piano teacher", {"bo"})], True),
        ("the baker", "bo", [("the baker with the van", {"bo"})], True),
        ("the baker", "bo", [("the bakery down there", {"bo"})], False),
        ("the other", None, [], True),
    ],
)
def test_reference_is_resolved_or_left_alone(
    text: str, meant: str | tuple[str, ...] | None, given: list[tuple[str, set[str]]], right: bool
) -> None:
    references = tuple(Referred(words, frozenset(keys)) for words, keys in given)

    scores = tracked((Focus(pronouns={text: meant}), Tracked(references=references)))

    single, several = Share(int(right), 1), Share()
    assert (scores.pronouns, scores.phrases) == ((single, several) if " " not in text else (several, single))


def times(milliseconds: float) -> Times:
    return Times(p50=milliseconds, p99=milliseconds)


def in_crowd(bearers: int, *answers: Answer) -> InCrowd:
    rows = [(row("a", name=f"q{number}"), answer) for number, answer in enumerate(answers)]
    return InCrowd(bearers, 0, 0, 1.0, rows, Latency(times(9), times(4), times(0.5)))


def test_only_rows_that_were_right_before_count_as_changed() -> None:
    crowded = Crowded(
        in_crowd(50, resolved("a"), resolved("a"), resolved("a"), ASKED, resolved("b")),
        in_crowd(500, resolved("a"), resolved("b"), ASKED, resolved("b"), ASKED),
    )

    assert (crowded.to_another, crowded.to_asked) == (("q1",), ("q2",))
    assert crowded.as_json()["right_to_another"] == 1


def test_ratio_is_to_an_embedding_and_a_round_trip() -> None:
    assert in_crowd(50, ASKED).latency.ratio == 2.0


def test_each_row_is_timed_once_by_each_call() -> None:
    called: list[tuple[str, str]] = []

    measure(
        ["x", "y"],
        resolve=lambda one: called.append(("resolve", one)),
        embed=lambda one: called.append(("embed", one)),
        round_trip=lambda one: called.append(("trip", one)),
    )

    assert called == [(call, one) for one in "xy" for call in ("resolve", "embed", "trip")]


def test_percentiles_are_in_milliseconds() -> None:
    assert Times.of([second / 1000 for second in range(101)]) == Times(p50=50.0, p99=99.0)


def test_smaller_crowd_is_smaller_in_everything() -> None:
    assert smaller(Size(bearers=500, entities=10_000, memories=100_000)) == Size(
        bearers=50, entities=1_000, memories=10_000
    )
