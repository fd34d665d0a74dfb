"""Time phrases against a message said on Wednesday 10 May 2023 at 14:30 in Berlin."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.times import resolve_time
from recollect.kinds import Granularity

BERLIN = ZoneInfo("Europe/Berlin")
SAID_AT = datetime(2023, 5, 10, 14, 30, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("phrase", "start", "end", "granularity"),
    [
        ("yesterday", "2023-05-09", "2023-05-10", "day"),
        ("today", "2023-05-10", "2023-05-11", "day"),
        ("tomorrow", "2023-05-11", "2023-05-12", "day"),
        ("the day before yesterday", "2023-05-08", "2023-05-09", "day"),
        ("the day after tomorrow", "2023-05-12", "2023-05-13", "day"),
        ("yesterday evening", "2023-05-09T17:00", "2023-05-09T23:00", "part_of_day"),
        ("this morning", "2023-05-10T05:00", "2023-05-10T12:00", "part_of_day"),
        ("last night", "2023-05-09T18:00", "2023-05-10T06:00", "part_of_day"),
        ("tonight", "2023-05-10T18:00", "2023-05-11T06:00", "part_of_day"),
        ("tomorrow at 10:15am", "2023-05-11T10:15", "2023-05-11T10:16", "minute"),
        ("today at 9", "2023-05-10T09:00", "2023-05-10T10:00", "hour"),
        ("on Friday at 3pm", "2023-05-05T15:00", "2023-05-05T16:00", "hour"),
        ("last Friday", "2023-05-05", "2023-05-06", "day"),
        ("last Wednesday", "2023-05-03", "2023-05-04", "day"),
        ("on Saturday morning", "2023-05-06T05:00", "2023-05-06T12:00", "part_of_day"),
        ("this Friday", "2023-05-12", "2023-05-13", "day"),
        ("next Tuesday", "2023-05-16", "2023-05-17", "day"),
        ("next friday", "2023-05-19", "2023-05-20", "day"),
        ("last weekend", "2023-05-06", "2023-05-08", "day"),
        ("this weekend", "2023-05-13", "2023-05-15", "day"),
        ("last week", "2023-05-01", "2023-05-08", "week"),
        ("next week", "2023-05-15", "2023-05-22", "week"),
        ("three weeks ago", "2023-04-17", "2023-04-24", "week"),
        ("a week ago", "2023-05-01", "2023-05-08", "week"),
        ("two days ago", "2023-05-08", "2023-05-09", "day"),
        ("in 3 days", "2023-05-13", "2023-05-14", "day"),
        ("a couple of months ago", "2023-03-01", "2023-04-01", "month"),
        ("a few days ago", "2023-05-05", "2023-05-09", "week"),
        ("10 years ago", "2013-01-01", "2014-01-01", "year"),
        ("two hours ago", "2023-05-10T12:00", "2023-05-10T13:00", "hour"),
        ("last month", "2023-04-01", "2023-05-01", "month"),
        ("in May", "2023-05-01", "2023-06-01", "month"),
        ("in december", "2022-12-01", "2023-01-01", "month"),
        ("back in march", "2023-03-01", "2023-04-01", "month"),
        ("last June", "2022-06-01", "2022-07-01", "month"),
        ("June 2021", "2021-06-01", "2021-07-01", "month"),
        ("last summer", "2022-06-01", "2022-09-01", "season"),
        ("last winter", "2022-12-01", "2023-03-01", "season"),
        ("in the summer of 2020", "2020-06-01", "2020-09-01", "season"),
        ("next autumn", "2023-09-01", "2023-12-01", "season"),
        ("last year", "2022-01-01", "2023-01-01", "year"),
        ("in 2019", "2019-01-01", "2020-01-01", "year"),
        ("on 3 March 2021", "2021-03-03", "2021-03-04", "day"),
        ("March 3rd, 2021", "2021-03-03", "2021-03-04", "day"),
        ("on the 5th of December", "2022-12-05", "2022-12-06", "day"),
        ("2023-01-05", "2023-01-05", "2023-01-06", "day"),
        ("2023-01-05 16:20", "2023-01-05T16:20", "2023-01-05T16:21", "minute"),
        ("last Christmas", "2022-12-25", "2022-12-26", "day"),
    ],
)
def test_a_phrase_is_read_against_the_time_of_its_message(phrase: str, start: str, end: str, granularity: str) -> None:
    found = resolve_time(f"User did something {phrase}.", SAID_AT)
    assert found is not None
    assert (found.start, found.end) == (local(start), local(end))
    assert found.granularity is Granularity(granularity)


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


@pytest.mark.parametrize(
    "phrase",
    [
        "I may march there",
        "You may go",
        "they march on",
        "in a while",
        "it takes 5 minutes",
        "the other day",
        "sun is out",
        "10 people",
        "room 2019",
        "the 45th of nothing",
        "99 flakes",
        "",
    ],
)
def test_what_names_no_time_gives_none(phrase: str) -> None:
    assert resolve_time(phrase, SAID_AT) is None


@pytest.mark.parametrize(
    ("phrase", "day"),
    [
        ("on Friday", "2023-05-12"),
        ("on Wednesday", "2023-05-17"),
        ("on 3 March", "2024-03-03"),
        ("in April", "2024-04-01"),
    ],
)
def test_looking_forward_a_bare_phrase_means_the_coming_one(phrase: str, day: str) -> None:
    found = resolve_time(phrase, SAID_AT, past=False)
    assert found is not None
    assert found.start == local(day)


def test_yesterday_is_the_day_before_in_the_zone_of_the_speaker() -> None:
    late = datetime(2023, 5, 10, 23, 30, tzinfo=UTC)
    in_tokyo = late.astimezone(ZoneInfo("Asia/Tokyo"))
    here, there = resolve_time("yesterday", late), resolve_time("yesterday", in_tokyo)
    assert here is not None
    assert there is not None
    assert here.start.date().isoformat() == "2023-05-09"
    assert there.start.date().isoformat() == "2023-05-10"


def test_a_day_of_the_clock_change_has_its_true_length() -> None:
    found = resolve_time("yesterday", datetime(2023, 3, 27, 9, 0, tzinfo=BERLIN))
    assert found is not None
    assert found.end.astimezone(UTC) - found.start.astimezone(UTC) == timedelta(hours=23)


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(ValueError, match="said_at"):
        resolve_time("yesterday", datetime(2023, 5, 10))  # noqa: DTZ001


@pytest.mark.parametrize("phrase", ["999 years ago", "in 999 months", "in 999 years", "a few years ago", "last winter"])
@pytest.mark.parametrize("year", [1, 2, 9999])
def test_the_ends_of_the_calendar_are_no_accident(phrase: str, year: int) -> None:
    resolve_time(phrase, datetime(year, 1, 1, tzinfo=UTC))


@given(
    st.lists(
        st.sampled_from(
            "last next this in on the Friday weekend May 2021 3 at pm days ago ago week a few since".split()
        ),
        max_size=8,
    ),
    st.datetimes(timezones=st.just(UTC), min_value=datetime(1000, 1, 1), max_value=datetime(9000, 1, 1)),  # noqa: DTZ001
    st.booleans(),
)
def test_an_interval_is_never_empty(words: list[str], said_at: datetime, past: bool) -> None:
    found = resolve_time(" ".join(words), said_at, past=past)
    assert found is None or found.start < found.end
