"""The checker of the fault runs: what no run may hide from it, on histories of our own making."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.faults.checker import Verdict, check
from benchmarks.faults.history import Effect, Histories, History, Sent

NAMES = UUID(int=0)


def sent(number: int, *, source: str = "one", namespace: str = "acme/sarah", at: float | None = None) -> Sent:
    """The n-th event of a source, sent in its second of the run."""
    begun = float(number) if at is None else at
    return Sent(uuid5(NAMES, f"{source}/{namespace}/{number}"), namespace, source, number, begun, begun + 0.1)


def effect(of: Sent) -> Effect:
    """That it took effect, under the number that its source gave it."""
    return Effect(of.event_id, uuid5(NAMES, of.source), of.number, of.begun + 5)


def run(count: int, *, source: str = "one", namespace: str = "acme/sarah") -> list[Sent]:
    return [sent(number, source=source, namespace=namespace) for number in range(1, count + 1)]


def applied(order: Sequence[Sent]) -> list[Effect]:
    return [effect(one) for one in order]


def test_a_history_in_which_all_took_effect_once_and_in_order_is_sound() -> None:
    events = [*run(3), *run(3, namespace="acme/peter"), *run(2, source="two")]

    assert check(events, applied(events)) == Verdict(sent=8, late=2)
    assert check(events, applied(events)).sound


@given(st.integers(2, 12), st.data())
def test_whatever_is_dropped_is_lost(count: int, data: st.DataObject) -> None:
    events = run(count)
    dropped = data.draw(st.sets(st.sampled_from(events), min_size=1))

    verdict = check(events, applied([one for one in events if one not in dropped]))

    assert (verdict.lost, verdict.sound) == (len(dropped), False)


@given(st.integers(1, 12), st.data())
def test_whatever_took_effect_again_is_doubled(count: int, data: st.DataObject) -> None:
    events = run(count)
    again = data.draw(st.lists(st.sampled_from(events), min_size=1, max_size=5))
    places = data.draw(st.lists(st.integers(0, count), min_size=len(again), max_size=len(again)))
    order = list(events)
    for one, place in zip(again, places, strict=True):
        order.insert(max(place, order.index(one) + 1), one)

    verdict = check(events, applied(order))

    assert (verdict.doubled, verdict.lost, verdict.sound) == (len(again), 0, False)


@given(st.integers(2, 12).flatmap(lambda count: st.permutations(range(count))))
def test_any_other_order_is_out_of_order(order: list[int]) -> None:
    events = run(len(order))
    overtaken = sum(place < max(order[:index], default=-1) for index, place in enumerate(order))

    verdict = check(events, applied([events[place] for place in order]))

    assert verdict.out_of_order == overtaken
    assert verdict.sound == (order == sorted(order))


def test_order_holds_within_a_source_and_a_namespace_alone() -> None:
    one, two, elsewhere = run(2), run(2, source="two"), run(2, namespace="acme/peter")

    assert check([*one, *two, *elsewhere], applied([*elsewhere, *two, *one])).out_of_order == 0


def test_processes_that_share_a_spool_stand_in_the_order_of_its_numbers() -> None:
    first, second = sent(1, source="spool-a"), sent(1, source="spool-b")
    shared = UUID(int=7)
    effects = [Effect(second.event_id, shared, 2, 1.0), Effect(first.event_id, shared, 1, 1.0)]

    assert check([first, second], effects).out_of_order == 1


def test_what_nobody_sent_is_foreign() -> None:
    verdict = check(run(1), applied([*run(1), sent(9)]))

    assert (verdict.foreign, verdict.sound) == (1, False)


def test_what_was_only_begun_may_take_effect_once_or_not_at_all() -> None:
    cut_off = replace(sent(1), done=None)

    assert check([cut_off], []) == Verdict()
    assert check([cut_off], applied([cut_off])).sound
    assert check([cut_off], applied([cut_off, cut_off])).doubled == 1


@pytest.mark.parametrize(("begun", "late"), [(0.5, 0), (1.05, 0), (1.2, 1)])
def test_late_is_what_was_sent_before_another_source_began_what_it_took_effect_after(begun: float, late: int) -> None:
    early, other = sent(1), sent(1, source="two", at=begun)

    verdict = check([early, other], applied([other, early]))

    assert (verdict.late, verdict.sound) == (late, True)


def test_verdicts_add_up() -> None:
    assert Verdict(1, 2, 3, 4, 5, 6) + Verdict(1, 1, 1, 1, 1, 1) == Verdict(2, 3, 4, 5, 6, 7)


def test_a_history_is_read_back_while_several_processes_write_it(tmp_path: Path) -> None:
    path, finished, cut_off = tmp_path / "history", sent(1), replace(sent(1, source="two"), done=None)
    histories = Histories([path, tmp_path / "another"])
    assert histories.sent() == []

    first, second = History(path), History(path)
    first.begun(finished)
    assert histories.sent() == [replace(finished, done=None)]
    second.begun(cut_off)
    assert finished.done is not None
    first.done(finished.event_id, finished.done)

    assert histories.sent() == [finished, cut_off]
    assert histories.sent(since=finished.begun + 1) == []
    first.close()
    second.close()


def test_half_a_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path, whole = tmp_path / "history", tmp_path / "whole"
    history = History(whole)
    history.begun(sent(1))
    history.close()
    text, histories = whole.read_text(), Histories([path])

    path.write_text(text[:20])
    assert histories.sent() == []
    path.write_text(text)
    assert histories.sent() == [replace(sent(1), done=None)]
