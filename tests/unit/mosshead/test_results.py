"""A read returns plain, frozen values."""

from collections.abc import Sequence
from dataclasses import FrozenInstanceError
from datetime import UTC, date, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead import Granularity, Hits, Occurrence, Progress
from tests.factories import hit

HITS = Hits((hit(1), hit(2), hit(3)), Progress())


def test_hits_are_a_sequence() -> None:
    assert isinstance(HITS, Sequence)
    assert (len(HITS), HITS[0], HITS[-1], HITS[1:]) == (3, hit(1), hit(3), (hit(2), hit(3)))
    assert [*HITS] == [hit(1), hit(2), hit(3)]
    assert hit(2) in HITS
    assert list(reversed(HITS)) == [hit(3), hit(2), hit(1)]
    with pytest.raises(IndexError):
        HITS[3]


def test_empty_hits_are_falsy() -> None:
    assert not Hits((), Progress())


def test_hits_are_lines_for_a_prompt() -> None:
    assert HITS.text == "- memory 1\n- memory 2\n- memory 3"
    assert Hits((), Progress()).text == ""


def at(offset: float, granularity: Granularity, *, hour: int = 0, length: timedelta = timedelta(days=1)) -> Occurrence:
    start = datetime(2023, 5, 9, hour, tzinfo=timezone(timedelta(hours=offset))).astimezone(UTC)
    return Occurrence(start=start, end=start + length, granularity=granularity)


@given(
    st.integers(-40, 52),
    st.sampled_from([Granularity.DAY, Granularity.WEEK, Granularity.MONTH, Granularity.SEASON, Granularity.YEAR]),
    st.integers(1, 366),
    st.integers(-1, 1),
)
def test_whole_days_are_calendar_days_of_the_place_where_they_were_said(
    quarters: int, granularity: Granularity, days: int, changed: int
) -> None:
    length = timedelta(days=days, hours=changed)
    assert at(quarters / 4, granularity, length=length).day == date(2023, 5, 9)


@given(st.integers(-40, 52), st.sampled_from(Granularity), st.integers(0, 23))
def test_time_with_its_zone_has_the_day_where_it_was_said(quarters: int, granularity: Granularity, hour: int) -> None:
    start = datetime(2023, 5, 9, hour, tzinfo=timezone(timedelta(minutes=15 * quarters)))
    length = timedelta(hours=1) if hour else timedelta(days=1)
    assert Occurrence(start=start, end=start + length, granularity=granularity).day == date(2023, 5, 9)


def test_time_without_its_zone_that_is_no_whole_day_has_its_utc_day() -> None:
    assert at(9, Granularity.HOUR, hour=8, length=timedelta(hours=1)).day == date(2023, 5, 8)
    assert at(0, Granularity.DAY, hour=18, length=timedelta(0)).day == date(2023, 5, 9)
    brought = datetime(2023, 5, 9, 19, 34, 56, tzinfo=UTC)
    assert Occurrence(start=brought, end=brought + timedelta(days=1), granularity=Granularity.DAY).day == date(
        2023, 5, 9
    )


HERE, THERE = UUID(int=1), UUID(int=2)


@pytest.mark.parametrize(
    ("progress", "partial"),
    [
        (Progress(), False),
        (Progress(pending=1), True),
        (Progress(published={HERE: 3}), True),
        (Progress(published={HERE: 3}, received={HERE: 2, THERE: 9}), True),
        (Progress(published={HERE: 3}, received={HERE: 3}), False),
        (Progress(published={HERE: 3}, received={HERE: 4}), False),
    ],
)
def test_hits_are_partial_while_a_published_event_is_not_in_effect(progress: Progress, partial: bool) -> None:
    assert (progress.partial, Hits((), progress).partial) == (partial, partial)


def test_progress_counts_what_the_inbox_lacks() -> None:
    assert Progress(published={HERE: 5, THERE: 2}, received={HERE: 3, THERE: 4}).not_received == 2


def test_hit_is_immutable() -> None:
    with pytest.raises(FrozenInstanceError):
        HITS[0].content = "another"  # type: ignore[misc]
