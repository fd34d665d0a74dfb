"""The burst: its messages, and the checks of their effects."""

from collections import defaultdict
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.burst import Naive, Result, burst, result_of
from benchmarks.faults.history import Effect, Sent

NAIVE = Naive(llm_calls=200, seconds=5.0, out_of_order=7)
PUBLISHER = UUID(int=1)


def said(count: int) -> list[Sent]:
    """Return messages of one namespace, a tenth of a second apart."""
    return [Sent(UUID(int=number), "sarah", "app", number, number / 10, number / 10) for number in range(1, count + 1)]


def effect(of: Sent) -> Effect:
    return Effect(of.event_id, PUBLISHER, of.number, of.begun + 3)


def judged(sent: list[Sent], effects: list[Effect], llm_calls: int = 24) -> Result:
    return result_of(sent, effects, llm_calls, NAIVE)


@given(st.integers(1, 8), st.integers(1, 8), st.text(max_size=5))
def test_each_namespace_says_as_much_as_the_others_in_its_own_order(namespaces: int, each: int, seed: str) -> None:
    numbers = defaultdict(list)
    for saying in burst(namespaces, each, seed):
        numbers[saying.namespace].append(saying.number)

    assert len(numbers) == namespaces
    assert all(found == list(range(1, each + 1)) for found in numbers.values())


def test_namespaces_take_random_turns_that_the_seed_reproduces() -> None:
    one, again, other = ([(saying.namespace, saying.text) for saying in burst(5, 4, seed)] for seed in "aab")

    assert one == again
    assert one != other
    assert [name for name, _ in one] != sorted(name for name, _ in one)


def test_burst_in_effect_once_and_in_order_passes() -> None:
    sent = said(3)

    result = judged(sent, [effect(one) for one in sent])

    assert (result.messages, result.namespaces, result.llm_calls, result.seconds) == (3, 1, 24, 3.2)
    assert (result.lost, result.doubled, result.out_of_order) == (0, 0, 0)
    assert result.holds


def test_missing_doubled_and_overtaken_messages_are_counted() -> None:
    first, second, third = said(3)

    assert judged([first, second], [effect(first)]).lost == 1
    assert judged([first, second], [effect(first), effect(first), effect(second)]).doubled == 1
    assert judged([first, second, third], [effect(first), effect(third), effect(second)]).out_of_order == 1


def test_burst_without_any_effect_is_lost_and_no_error() -> None:
    assert judged(said(2), []).lost == 2


@pytest.mark.parametrize(
    "fault", [{"lost": 1}, {"doubled": 1}, {"out_of_order": 1}, {"llm_calls": 46}], ids=lambda fault: next(iter(fault))
)
def test_burst_passes_only_without_faults_and_with_few_calls(fault: dict[str, Any]) -> None:
    sent = said(1)
    sound = judged(sent, [effect(sent[0])], llm_calls=45)

    assert sound.holds
    assert not replace(sound, **fault).holds
