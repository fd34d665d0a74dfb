"""The items of a session: never more than allowed, nothing expired, and the formulas to the digit."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.contrib.working_memory.state import (
    Added,
    Policy,
    Reference,
    Rules,
    State,
    ToolResult,
    add,
    add_result,
    alive,
    least_relevant,
    relevance,
    take_turn,
    use,
)

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
TTL = timedelta(minutes=5)

Change = Callable[[State, datetime, Rules], State]


def adding(one: Added) -> Change:
    return lambda state, now, used: add(state, one, now, used)


def using(kind: str, key: str) -> Change:
    return lambda state, now, _: use(state, state.find(kind, key), now)[0]


def reporting(reference: str, things: Sequence[Added] = ()) -> Change:
    def change(state: State, now: datetime, used: Rules) -> State:
        return add_result(state, ToolResult(tool="search", reference=reference, label="pages", at=now), things, used)

    return change


def having_a_turn(state: State, _: datetime, used: Rules) -> State:
    return take_turn(state, used)


def apply(state: State, change: Change, now: datetime, used: Rules) -> State:
    """Apply a change as a session does: remove expired items, and set the time of use."""
    return replace(change(alive(state, now, used.ttl), now, used), touched=now)


types = st.sampled_from(["page", "person"])
ids = st.integers(0, 14).map(str)
added = st.builds(Added, type=types, id=ids, label=st.just("A title"))
changes = st.one_of(
    added.map(adding),
    st.builds(using, types, ids),
    st.builds(reporting, ids, st.lists(added, max_size=12)),
    st.just(having_a_turn),
)
histories = st.lists(st.tuples(changes, st.integers(0, 240)), max_size=60)
policies = st.sampled_from(["fifo", "relevance", "summary"])


def rules(policy: Policy = "fifo", capacity: int = 10) -> Rules:
    return Rules(capacity=capacity, ttl=TTL, policy=policy)


def after(history: Sequence[tuple[Change, int]], used: Rules) -> tuple[State, datetime]:
    """Return the state after a history of changes, each some seconds after the one before."""
    state, now = State(), START
    for change, seconds in history:
        now += timedelta(seconds=seconds)
        state = apply(state, change, now, used)
    return state, now


def page(number: int, *, minute: float = 0.0, accesses: int = 1) -> Reference:
    at = START + timedelta(minutes=minute)
    return Reference(type="page", id=str(number), label="A page", at=at, used=at, accesses=accesses)


@given(histories, policies)
def test_bounds_hold_whatever_happens(history: list[tuple[Change, int]], policy: Policy) -> None:
    state, now = after(history, rules(policy))

    assert len(state.entities) <= 10
    assert len(state.results) <= 5
    assert len({(one.type, one.id) for one in state.entities}) == len(state.entities)
    assert [one.at for one in state.entities] == sorted(one.at for one in state.entities)
    assert all(one.at <= one.used <= now < one.used + TTL for one in state.entities)
    assert all(one.accesses >= 1 for one in state.entities)
    assert 0 <= state.evicted <= state.added


@given(histories, policies, added)
def test_added_item_is_the_most_recent_and_was_accessed_once_more(
    history: list[tuple[Change, int]], policy: Policy, one: Added
) -> None:
    before, now = after(history, rules(policy))
    later = now + timedelta(seconds=1)
    known = alive(before, later, TTL).find(one.type, one.id)

    latest = apply(before, adding(one), later, rules(policy)).entities[-1]

    assert (latest.type, latest.id, latest.at, latest.used) == (one.type, one.id, later, later)
    assert latest.accesses == (known.accesses + 1 if known else 1)


@given(histories, policies)
def test_state_survives_json(history: list[tuple[Change, int]], policy: Policy) -> None:
    state, _ = after(history, rules(policy))
    assert State.from_json(state.to_json()) == state


@pytest.mark.parametrize("written", ["", "[]", "{}", '{"format": 2}', '{"format": 1}', "null", b"\xff"])
def test_state_of_another_version_is_an_empty_session(written: str | bytes) -> None:
    assert State.from_json(written) == State()


@pytest.mark.parametrize("other", [[3], [None], []])
def test_state_of_another_format_is_an_empty_session(other: list[object]) -> None:
    state = apply(State(), adding(Added(type="page", id="1", label="A page")), START, rules())
    assert State.from_json(state.to_json()) == state
    _, fields = json.loads(state.to_json())
    assert State.from_json(json.dumps([*other, fields])) == State()


@given(st.lists(st.tuples(st.floats(0, 60), st.integers(1, 30)), min_size=1, max_size=50), st.floats(0, 30))
def test_relevance_to_the_digit(known: list[tuple[float, int]], later: float) -> None:
    references = [page(number, minute=minute, accesses=count) for number, (minute, count) in enumerate(known)]
    now = START + timedelta(minutes=60 + later)
    expected = [
        0.6 * math.exp(-0.1 * (now - one.used).total_seconds() / 60) + 0.4 * min(one.accesses / 10, 1.0)
        for one in references
    ]
    assert [relevance(one, now) for one in references] == pytest.approx(expected, rel=1e-12, abs=0)
    assert least_relevant(references, now) == expected.index(min(expected))


@pytest.mark.parametrize(
    ("minutes", "accesses", "value"),
    [(0, 1, 0.64), (0, 10, 1.0), (0, 25, 1.0), (10, 10, 0.6 * math.exp(-1) + 0.4), (5, 5, 0.6 * math.exp(-0.5) + 0.2)],
)
def test_relevance_by_hand(minutes: int, accesses: int, value: float) -> None:
    assert relevance(page(1, accesses=accesses), START + timedelta(minutes=minutes)) == pytest.approx(value, rel=1e-12)


def test_clock_that_runs_ahead_gives_at_most_full_relevance() -> None:
    assert relevance(page(1, minute=1, accesses=10), START) == 1.0


def test_window_drops_the_item_added_first() -> None:
    history: list[tuple[Change, int]] = [(adding(Added(type="page", id=str(n), label="x")), 1) for n in range(12)]
    history.insert(10, (adding(Added(type="page", id="0", label="x")), 1))

    state, _ = after(history, rules())

    assert [one.id for one in state.entities] == ["3", "4", "5", "6", "7", "8", "9", "0", "10", "11"]
    assert (state.added, state.evicted) == (13, 2)


def test_frequently_used_item_outlives_a_newer_one_by_relevance() -> None:
    history: list[tuple[Change, int]] = [(adding(Added(type="page", id=str(n), label="x")), 1) for n in range(10)]
    history += [(using("page", "0"), 1)] * 9
    history += [(adding(Added(type="page", id="10", label="x")), 1)]

    state, _ = after(history, rules("relevance"))

    assert [one.id for one in state.entities] == ["0", "2", "3", "4", "5", "6", "7", "8", "9", "10"]


def test_added_item_displaces_others_and_not_itself() -> None:
    """Even if it was last used long ago, and is the least relevant of all."""
    history: list[tuple[Change, int]] = [(adding(Added(type="page", id=str(n), label="x")), 1) for n in range(10)]
    history += [(using("page", str(n)), 0) for n in range(10)]
    history += [(adding(Added(type="page", id="10", label="x", at=START - timedelta(minutes=2))), 1)]

    state, _ = after(history, rules("relevance"))

    assert state.find("page", "10") is not None
    assert state.entities[0].id == "10"


def test_item_unused_for_too_long_is_gone_and_a_use_keeps_it() -> None:
    state = apply(State(), adding(Added(type="page", id="1", label="x")), START, rules())
    state = apply(state, adding(Added(type="page", id="2", label="x")), START, rules())
    state = apply(state, using("page", "1"), START + timedelta(minutes=4), rules())

    moment = START + TTL
    assert [one.id for one in alive(state, moment - timedelta(microseconds=1), TTL).entities] == ["1", "2"]
    assert [one.id for one in alive(state, moment, TTL).entities] == ["1"]


def test_idle_session_becomes_empty() -> None:
    state = apply(State(task="Tidy up"), having_a_turn, START, rules())

    assert alive(state, START + TTL - timedelta(microseconds=1), TTL) == state
    assert alive(state, START + TTL, TTL) == State()


def test_late_item_takes_its_place_in_time_and_makes_nothing_older() -> None:
    state = apply(State(), adding(Added(type="page", id="1", label="x")), START, rules())
    state = apply(state, adding(Added(type="page", id="2", label="x")), START + timedelta(seconds=9), rules())
    now = START + timedelta(seconds=10)

    late = apply(state, adding(Added(type="page", id="3", label="x", at=START + timedelta(seconds=5))), now, rules())
    again = apply(late, adding(Added(type="page", id="2", label="x", at=START)), now, rules())

    assert [one.id for one in again.entities] == ["1", "3", "2"]
    assert again.entities[-1].at == START + timedelta(seconds=9)
    assert (
        apply(state, adding(Added(type="page", id="4", label="x", at=now + TTL)), now, rules()).entities[-1].at == now
    )


def test_first_item_of_a_result_is_the_most_recent_and_the_result_keeps_its_order() -> None:
    listed = tuple(Added(type="page", id=str(n), label="x") for n in range(12))

    state = apply(State(), reporting("call_1", listed), START, rules())

    assert [one.id for one in reversed(state.entities)] == [str(n) for n in range(10)]
    assert state.results[0].entities == tuple(("page", str(n)) for n in range(10))
    assert state.evicted == 0


def test_last_five_results_are_kept() -> None:
    history = [(reporting(str(n)), 1) for n in range(7)]
    state, _ = after(history, rules())
    assert [one.reference for one in state.results] == ["2", "3", "4", "5", "6"]


@pytest.mark.parametrize(("policy", "kept"), [("fifo", 8), ("relevance", 8), ("summary", 5)])
def test_summary_replaces_older_turns_after_ten(policy: Policy, kept: int) -> None:
    history: list[tuple[Change, int]] = [(adding(Added(type="page", id=str(n), label="x")), 1) for n in range(8)]
    state, now = after(history + [(having_a_turn, 1)] * 9, rules(policy))
    assert (len(state.entities), state.turns) == (8, 9)

    state = apply(state, having_a_turn, now, rules(policy))

    assert [one.id for one in state.entities] == [str(n) for n in range(8 - kept, 8)]
    assert state.turns == (0 if policy == "summary" else 10)
