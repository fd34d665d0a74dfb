"""Times as a model writes them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.models.kinds import Granularity
from pipeline.extraction.dates import occurrence_of, words_for
from pipeline.extraction.prompt import ExtractedTime

OSLO = timezone(timedelta(hours=1))


def occurrence(
    start: str, end: str | None = None, granularity: Granularity = Granularity.DAY
) -> tuple[str, str] | None:
    found = occurrence_of(ExtractedTime(start=start, end=end, granularity=granularity), OSLO)
    return (found.start.isoformat(), found.end.isoformat()) if found else None


def test_time_without_offset_is_in_the_zone_of_the_message() -> None:
    assert occurrence("2023-01-04", "2023-01-05") == ("2023-01-04T00:00:00+01:00", "2023-01-05T00:00:00+01:00")
    assert occurrence("2023-01-04T10:00Z", "2023-01-04T11:00Z") == (
        "2023-01-04T10:00:00+00:00",
        "2023-01-04T11:00:00+00:00",
    )


@pytest.mark.parametrize(
    ("granularity", "end"),
    [
        (Granularity.MINUTE, "2023-12-04T00:01:00+01:00"),
        (Granularity.HOUR, "2023-12-04T01:00:00+01:00"),
        (Granularity.PART_OF_DAY, "2023-12-04T06:00:00+01:00"),
        (Granularity.DAY, "2023-12-05T00:00:00+01:00"),
        (Granularity.WEEK, "2023-12-11T00:00:00+01:00"),
        (Granularity.MONTH, "2024-01-01T00:00:00+01:00"),
        (Granularity.SEASON, "2024-03-01T00:00:00+01:00"),
        (Granularity.YEAR, "2024-12-01T00:00:00+01:00"),
    ],
)
def test_missing_end_or_one_equal_to_the_start_is_one_unit_later(granularity: Granularity, end: str) -> None:
    assert occurrence("2023-12-04", None, granularity) == ("2023-12-04T00:00:00+01:00", end)
    assert occurrence("2023-12-04", "2023-12-04", granularity) == ("2023-12-04T00:00:00+01:00", end)


def test_whole_days_begin_at_midnight_whatever_hour_the_model_writes() -> None:
    day = ("2023-12-04T00:00:00+01:00", "2023-12-05T00:00:00+01:00")
    assert occurrence("2023-12-04T14:30") == day
    assert occurrence("2023-12-04T14:30", "2023-12-05T14:30") == day
    assert occurrence("2023-12-04T14:30", None, Granularity.WEEK) == (day[0], "2023-12-11T00:00:00+01:00")
    assert occurrence("2023-12-04T14:30", None, Granularity.HOUR) == (
        "2023-12-04T14:30:00+01:00",
        "2023-12-04T15:30:00+01:00",
    )
    in_utc = ("2023-12-03T23:00:00+00:00", "2023-12-04T23:00:00+00:00")
    assert occurrence("2023-12-03T23:00Z", "2023-12-04T23:00Z") == occurrence("2023-12-03T23:00Z") == in_utc
    part = ("2023-12-04T09:00:00+01:00", "2023-12-04T17:00:00+01:00")
    assert occurrence("2023-12-04T09:00", "2023-12-04T17:00") == part


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("yesterday", None),
        ("", None),
        ("2023-02-30", None),
        ("2023-01-05", "2023-01-04"),
        ("2023-01-05", "soon"),
        ("0001-01-01", None),
    ],
)
def test_invalid_time_is_dropped(start: str, end: str | None) -> None:
    assert occurrence(start, end) is None


@given(
    start=st.text(max_size=30) | st.datetimes().map(str),
    end=st.none() | st.datetimes().map(str),
    granularity=st.sampled_from(Granularity),
)
def test_interval_is_never_empty_and_has_a_zone(start: str, end: str | None, granularity: Granularity) -> None:
    found = occurrence_of(ExtractedTime(start=start, end=end, granularity=granularity), OSLO)

    assert found is None or (found.start < found.end and found.start.utcoffset() is not None)


def test_fact_may_mention_only_its_own_time() -> None:
    day = ExtractedTime(start="2023-01-04", end=None, granularity=Granularity.DAY)
    words = words_for(occurrence_of(day, UTC))

    assert not words.lacks_name_or_number_of("on Wednesday, 4 January 2023")
    assert words.lacks_name_or_number_of("on Thursday")
    assert words.lacks_name_or_number_of("at 0:00, 12 AM")


def test_fact_may_mention_its_hour_on_either_clock() -> None:
    hour = ExtractedTime(start="2023-01-04T19:30", end=None, granularity=Granularity.MINUTE)

    words = words_for(occurrence_of(hour, datetime.now(UTC).tzinfo))

    assert not words.lacks_name_or_number_of("at 19:30, which is 7:30 PM")
