"""The order of a lane: always each publisher's own, then a conversation's sequence across publishers, then time and arrival."""

from collections import defaultdict
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.batching import WaitingEvent, next_batch, order_events
from tests.given import NOON

PUBLISHERS = [UUID(int=number) for number in range(1, 4)]


def waiting(publisher: int = 0, number: int = 1, minute: float = 0, **given_fields: Any) -> WaitingEvent:
    """Return an event that occurred some minutes after noon."""
    fields: dict[str, Any] = {"event_id": uuid4(), "conversation": "c1", "sequence": None, "position": 0}
    at = NOON + timedelta(minutes=minute)
    return WaitingEvent(publisher_id=PUBLISHERS[publisher], number=number, occurred_at=at, **{**fields, **given_fields})


@st.composite
def backlogs(draw: st.DrawFn) -> list[WaitingEvent]:
    """Events of some publishers, whose times and sequences may contradict the numbers, in any order of arrival."""
    counts = draw(st.lists(st.integers(0, 6), min_size=1, max_size=3))
    events = [
        waiting(
            publisher,
            number + 1,
            draw(st.integers(0, 9)),
            conversation=draw(st.sampled_from([None, "c1", "c2"])),
            sequence=draw(st.none() | st.integers(0, 9)),
        )
        for publisher, count in enumerate(counts)
        for number in range(count)
    ]
    shuffled = draw(st.permutations(events))
    return [
        WaitingEvent(**{**{name: getattr(one, name) for name in one.__slots__}, "position": place})
        for place, one in enumerate(shuffled)
    ]


@given(backlogs())
def test_nothing_is_lost_or_doubled_and_each_publisher_keeps_its_order(backlog: list[WaitingEvent]) -> None:
    ordered = order_events(backlog)

    assert sorted(map(id, ordered)) == sorted(map(id, backlog))
    numbers = defaultdict(list)
    for event in ordered:
        numbers[event.publisher_id].append(event.number)
    assert all(those == sorted(those) for those in numbers.values())


@given(backlogs(), st.randoms())
def test_order_of_reading_rows_does_not_matter(backlog: list[WaitingEvent], random: Any) -> None:
    shuffled = random.sample(backlog, len(backlog))
    assert order_events(shuffled) == order_events(backlog)


@given(st.lists(st.integers(0, 2), max_size=12), st.randoms())
def test_turns_of_several_processes_have_the_order_of_the_sequence(turns: list[int], random: Any) -> None:
    """However wrong the clocks of the processes are."""
    sent: defaultdict[int, int] = defaultdict(int)
    said = []
    for sequence, publisher in enumerate(turns):
        sent[publisher] += 1
        said.append(waiting(publisher, sent[publisher], random.randint(0, 99), sequence=sequence, position=sequence))

    assert order_events(random.sample(said, len(said))) == said


def test_time_and_then_arrival_decide_without_a_sequence() -> None:
    later, earlier = waiting(0, minute=2), waiting(1, minute=1, position=9)
    same_time = waiting(2, minute=1, position=10)
    assert order_events([later, same_time, earlier]) == [earlier, same_time, later]


def test_sequence_says_nothing_across_conversations() -> None:
    first, second = (
        waiting(0, minute=1, sequence=9, conversation="a"),
        waiting(1, minute=2, sequence=1, conversation="b"),
    )
    assert order_events([second, first]) == [first, second]


def test_sequence_that_contradicts_the_publisher_is_ignored() -> None:
    first, second = waiting(0, 1, minute=2, sequence=7), waiting(0, 2, minute=1, sequence=3)
    assert order_events([second, first]) == [first, second]


@pytest.mark.parametrize(
    ("suspects", "messages", "tokens", "taken"),
    [
        ("....", 10, 100, 4),
        ("....", 2, 100, 2),
        ("....", 10, 25, 2),
        ("....", 10, 1, 1),
        ("!...", 10, 100, 1),
        ("..!.", 10, 100, 2),
        ("", 10, 100, 0),
    ],
)
def test_batch_is_cut_at_its_size_and_at_a_suspect(suspects: str, messages: int, tokens: int, taken: int) -> None:
    ordered = [waiting(number=place + 1, suspect=mark == "!", tokens=10) for place, mark in enumerate(suspects)]
    assert next_batch(ordered, messages=messages, tokens=tokens) == ordered[:taken]
