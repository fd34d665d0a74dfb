"""Scores of a run: hand-made runs, most with one error."""

from typing import Any

import pytest

from benchmarks.extraction.cases import Case
from benchmarks.extraction.matching import Proposal
from benchmarks.extraction.report import as_json, tables
from benchmarks.extraction.scoring import CaseRun, Found, Right, Scores, score, wilson
from tests.extraction_given import HOUR, NINE, case, gold, onto, proposal, session

SEATTLE = "User lives in Seattle"
BERLIN = "User lives in Berlin"
MOVED = gold(id="f2", content=BERLIN, quote="I live in Berlin now", match=["berlin"], action="supersede", target="f1")
TWO = case(session(gold()), session(MOVED), store=[BERLIN])


def scored(
    given: Case, *sessions: list[Proposal], store: list[str] | None = None, texts: tuple[str, ...] = ()
) -> Scores:
    """Return the scores of one case with these proposals, session by session."""
    return score([(given, CaseRun(sessions, list(given.store) if store is None else store, texts))])


def of_facts(scores: Scores) -> tuple[int, int, int]:
    return scores.facts.found, scores.facts.missed, scores.facts.false


def test_perfect_run_scores_full() -> None:
    first = proposal()
    scores = scored(TWO, [first], [onto(first.memory_id, BERLIN, "supersede")])  # type: ignore[arg-type]
    assert of_facts(scores) == (2, 0, 0)
    assert (scores.actions, scores.changes, scores.stores) == (Right(2, 2), Right(1, 1), Right(1, 1))
    assert scores.faults == []


def test_missed_and_false_facts_are_counted_by_tag_and_kind() -> None:
    scores = scored(TWO, [proposal("User likes tea", kind="preference")], [])
    assert of_facts(scores) == (0, 2, 1)
    assert scores.by_tag == {"change": Found(0, 2, 1)}
    assert scores.by_kind == {"fact": Found(0, 2, 0), "preference": Found(0, 0, 1)}
    assert [fault.what for fault in scores.faults] == ["missed", "false", "missed"]


def test_fact_of_another_session_is_false() -> None:
    assert of_facts(scored(TWO, [proposal(BERLIN)], [])) == (0, 2, 1)


def test_optional_fact_counts_neither_way() -> None:
    optional = case(session(gold(optional=True)))
    assert of_facts(scored(optional, [])) == (0, 0, 0)
    assert of_facts(scored(optional, [proposal()])) == (0, 0, 0)


@pytest.mark.parametrize(
    ("corrected", "missed"),
    [({"action": "supersede", "target": "f1"}, 0), ({"action": "none", "target": "f1"}, 1), ({}, 2)],
    ids=["put right", "repeated", "added"],
)
def test_fact_corrected_or_repeated_in_one_session_need_not_be_found_twice(
    corrected: dict[str, Any], missed: int
) -> None:
    second = {**MOVED, "action": "add", "target": None, **corrected}
    one_session = case(session(gold(), second), store=[])
    found = [proposal(BERLIN, sources=frozenset({2}))] if missed == 0 else []
    assert scored(one_session, found).facts.missed == missed


@pytest.mark.parametrize(
    ("start", "end", "right", "within"),
    [(0, 1, 1, 1), (0, 0.5, 0, 1), (0, 2, 0, 0), (-1, 1, 0, 0), (None, None, 0, 0)],
)
def test_date_is_right_to_the_minute(start: float | None, end: float | None, right: int, within: int) -> None:
    dated = case(session(gold(occurred=[NINE.isoformat(), (NINE + HOUR).isoformat(), "hour"])))
    occurred = None if start is None or end is None else (NINE + start * HOUR, NINE + end * HOUR)
    scores = scored(dated, [proposal(occurred=occurred)])
    assert (scores.dates, scores.dates_within) == (Right(right, 1), within)


def test_seconds_and_zone_of_a_date_do_not_matter() -> None:
    dated = case(session(gold(occurred=["2024-03-07T10:00:30+01:00", "2024-03-07T11:00:00+01:00", "hour"])))
    assert scored(dated, [proposal(occurred=(NINE, NINE + HOUR))]).dates == Right(1, 1)


def test_date_of_a_fact_that_was_not_found_is_not_judged() -> None:
    dated = case(session(gold(occurred=[NINE.isoformat(), (NINE + HOUR).isoformat(), "hour"])))
    assert scored(dated, []).dates == Right(0, 0)


@pytest.mark.parametrize(
    ("action", "elsewhere", "taken"),
    [
        ("supersede", False, "supersede"),
        ("supersede", True, "elsewhere"),
        ("none", False, "none"),
        ("update", False, "update"),
        ("contradict", False, "contradict"),
    ],
)
def test_action_is_right_only_on_the_right_memory(action: str, elsewhere: bool, taken: str) -> None:
    first, other = proposal(), proposal("User likes tea")
    target = other if elsewhere else first
    assert target.memory_id is not None
    scores = scored(TWO, [first, other], [onto(target.memory_id, BERLIN, action)])
    assert scores.confusion == {("add", "add"): 1, ("supersede", taken): 1}
    assert scores.changes == Right(int(taken == "supersede"), 1)


def test_another_gold_fact_is_another_memory() -> None:
    likes = gold(id="f0", content="User likes tea", quote="I like tea", match=["tea"], kind="preference")
    both = case(session(likes, gold()), session(MOVED), store=["User likes tea", BERLIN])
    tea, lives = proposal("User likes tea"), proposal(sources=frozenset({2}))
    assert tea.memory_id is not None
    scores = scored(both, [tea, lives], [onto(tea.memory_id, BERLIN, "supersede")])
    assert scores.confusion["supersede", "elsewhere"] == 1


def test_date_and_action_of_an_optional_fact_count_neither_way() -> None:
    dated = {**MOVED, "optional": True, "occurred": [NINE.isoformat(), (NINE + HOUR).isoformat(), "hour"]}
    scores = scored(case(session(gold()), session(dated), store=[BERLIN]), [proposal()], [proposal(BERLIN)])
    assert (scores.dates, scores.actions) == (Right(0, 0), Right(1, 1))


def test_adding_what_should_supersede_is_wrong() -> None:
    scores = scored(TWO, [proposal()], [proposal(BERLIN)])
    assert (scores.actions, scores.confusion["supersede", "add"]) == (Right(1, 2), 1)


def test_changing_something_with_a_new_fact_is_wrong() -> None:
    plain = case(session(gold()), session({**MOVED, "action": "add", "target": None}), store=[SEATTLE, BERLIN])
    first = proposal()
    assert first.memory_id is not None
    assert scored(plain, [first], [onto(first.memory_id, BERLIN, "supersede")]).actions == Right(1, 2)


def test_action_whose_target_was_never_found_is_not_judged() -> None:
    scores = scored(TWO, [], [proposal(BERLIN)])
    assert (scores.actions, scores.not_judged) == (Right(0, 0), 1)


def test_target_is_recognised_by_anything_that_went_into_its_memory() -> None:
    again = gold(id="f1b", action="none", target="f1")
    chain = case(session(gold()), session(again), session({**MOVED, "target": "f1"}), store=[BERLIN])
    second = proposal()  # the first was missed; the repetition became the memory
    assert second.memory_id is not None
    scores = scored(chain, [], [second], [onto(second.memory_id, BERLIN, "supersede")])
    assert (scores.confusion, scores.not_judged) == ({("supersede", "supersede"): 1}, 1)


def test_stores_are_compared_as_bags() -> None:
    both = case(session(gold(), {**MOVED, "action": "add", "target": None}), store=[SEATTLE, BERLIN])
    proposals = [proposal(), proposal(BERLIN, sources=frozenset({2}))]
    assert scored(both, proposals, store=[BERLIN, SEATTLE]).stores == Right(1, 1)
    for wrong in ([BERLIN], [BERLIN, SEATTLE, SEATTLE], [BERLIN, SEATTLE.upper()]):
        assert scored(both, proposals, store=wrong).stores == Right(0, 1)
    twice = case(session(gold()), store=[SEATTLE, SEATTLE])
    assert scored(twice, [proposal()], store=[SEATTLE]).stores == Right(0, 1)


def test_forbidden_content_is_searched_in_every_text() -> None:
    secret = case(session(gold()), never=["hunter2", "ignore (all|previous)"])
    assert scored(secret, [proposal()], texts=("nothing", "the word is Hunter2")).never_found == ["a-case: hunter2"]
    assert scored(secret, [proposal()], texts=("nothing",)).never_found == []


@pytest.mark.parametrize(("tag", "found"), [("secret", ["a-case: hunter2"]), ("sarcasm", [])])
def test_quotes_are_searched_for_secrets(tag: str, found: list[str]) -> None:
    given = case(session(gold()), never=["hunter2"], tags=[tag])
    run = CaseRun([[proposal()]], given.store, texts=(), quotes=("it is hunter2",))
    assert score([(given, run)]).never_found == found


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [(0, 0, 0.0, 1.0), (0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (5, 10, 0.237, 0.763), (85, 100, 0.767, 0.907)],
)
def test_part_has_a_confidence_interval(right: int, of: int, low: float, high: float) -> None:
    assert wilson(right, of) == pytest.approx((low, high), abs=0.001)


def test_precision_recall_and_f1() -> None:
    some = Found(found=6, missed=2, false=4)
    assert (some.precision, some.recall) == (0.6, 0.75)
    assert some.f1 == pytest.approx(2 / 3)
    assert (Found().precision, Found().recall, Found(missed=1).f1) == (1.0, 1.0, 0.0)


def test_report_contains_the_counts() -> None:
    scores = scored(TWO, [proposal()], [proposal(BERLIN), proposal("User likes tea")], store=[SEATTLE, BERLIN])
    given = as_json(scores, "offline")
    assert (given["cases"], given["provider"], given["store_equal"]) == (1, "offline", 0)
    assert given["facts"]["by_tag"]["change"] == {
        "precision": 0.667, "recall": 1.0, "f1": 0.8, "found": 2, "missed": 0, "false": 1,
    }  # fmt: skip
    assert given["actions"]["confusion"] == {"add": {"add": 1}, "supersede": {"add": 1}}
    assert [table.row_count for table in tables(scores, "offline")] == [11, 1, 1, 2]
