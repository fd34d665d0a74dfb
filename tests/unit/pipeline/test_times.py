"""Time phrases against a message said on Wednesday 10 May 2023 at 14:30 in Berlin."""

import time
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosshead.language.dates import resolve_time, times_in
from mosshead.language.dates.spans import easter_sunday
from mosshead.models.kinds import Granularity

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
        ("two years ago in November", "2021-11-01", "2021-12-01", "month"),
        ("in November two years ago", "2021-11-01", "2021-12-01", "month"),
        ("in May last year", "2022-05-01", "2022-06-01", "month"),
        ("in May of last year", "2022-05-01", "2022-06-01", "month"),
        ("last year, in March", "2022-03-01", "2022-04-01", "month"),
        ("last year on 3 May", "2022-05-03", "2022-05-04", "day"),
        ("on 3 December this year", "2023-12-03", "2023-12-04", "day"),
        ("from 3 to 7 May last year", "2022-05-03", "2022-05-08", "day"),
        ("in the spring of last year", "2022-03-01", "2022-06-01", "season"),
        ("at Christmas 2019", "2019-12-25", "2019-12-26", "day"),
        ("on New Year's Day, 2021", "2021-01-01", "2021-01-02", "day"),
        ("at Halloween in 2018", "2018-10-31", "2018-11-01", "day"),
        ("Christmas two years ago", "2021-12-25", "2021-12-26", "day"),
        ("a year ago today", "2022-05-10", "2022-05-11", "day"),
        ("today ten years ago", "2013-05-10", "2013-05-11", "day"),
        ("a week ago yesterday", "2023-05-02", "2023-05-03", "day"),
        ("three weeks from today", "2023-05-31", "2023-06-01", "day"),
        ("a month from tomorrow", "2023-06-11", "2023-06-12", "day"),
        ("half a year ago", "2022-11-01", "2022-12-01", "month"),
        ("two Fridays ago", "2023-04-28", "2023-04-29", "day"),
        ("the Friday before last", "2023-04-28", "2023-04-29", "day"),
        ("the week before last", "2023-04-24", "2023-05-01", "week"),
        ("the weekend before last", "2023-04-29", "2023-05-01", "day"),
        ("the year before last", "2021-01-01", "2022-01-01", "year"),
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
        ("the day before yesterday evening", "2023-05-08T17:00", "2023-05-08T23:00", "part_of_day"),
        ("yesterday at 19:30", "2023-05-09T19:30", "2023-05-09T19:31", "minute"),
        ("yesterday evening at 8", "2023-05-09T20:00", "2023-05-09T21:00", "hour"),
        ("at 8 this morning", "2023-05-10T08:00", "2023-05-10T09:00", "hour"),
        ("at noon yesterday", "2023-05-09T12:00", "2023-05-09T13:00", "hour"),
        ("yesterday at midnight", "2023-05-10T00:00", "2023-05-10T01:00", "hour"),
        ("tonight at 1", "2023-05-11T01:00", "2023-05-11T02:00", "hour"),
        ("at quarter to nine on Saturday", "2023-05-06T08:45", "2023-05-06T08:46", "minute"),
        ("in the morning of May 3", "2023-05-03T05:00", "2023-05-03T12:00", "part_of_day"),
        ("half an hour ago", "2023-05-10T14:00", "2023-05-10T14:01", "minute"),
        ("a fortnight ago", "2023-04-24", "2023-05-01", "week"),
        ("a fortnight from tomorrow", "2023-05-25", "2023-05-26", "day"),
        ("a week today", "2023-05-17", "2023-05-18", "day"),
        ("three weeks tomorrow", "2023-06-01", "2023-06-02", "day"),
        ("it's been three weeks today", "2023-05-10", "2023-05-11", "day"),
        ("three times a week today", "2023-05-10", "2023-05-11", "day"),
        ("once a week on Friday", "2023-05-05", "2023-05-06", "day"),
        ("it was a good Friday", "2023-05-05", "2023-05-06", "day"),
        ("a week on Friday", "2023-05-19", "2023-05-20", "day"),
        ("Friday week", "2023-05-19", "2023-05-20", "day"),
        ("at Easter", "2023-04-09", "2023-04-10", "day"),
        ("last Easter", "2023-04-09", "2023-04-10", "day"),
        ("on Good Friday", "2023-04-07", "2023-04-08", "day"),
        ("on Easter Monday 2019", "2019-04-22", "2019-04-23", "day"),
        ("Ash Wednesday last year", "2022-03-02", "2022-03-03", "day"),
        ("at the end of the month", "2023-05-01", "2023-06-01", "month"),
        ("early last year", "2022-01-01", "2023-01-01", "year"),
        ("on the 4th", "2023-05-04", "2023-05-05", "day"),
        ("on the 14th", "2023-04-14", "2023-04-15", "day"),
        ("on the 31st", "2023-03-31", "2023-04-01", "day"),
        ("on the 5th of last month", "2023-04-05", "2023-04-06", "day"),
        ("last month on the 5th", "2023-04-05", "2023-04-06", "day"),
        ("in the week of the 10th", "2023-05-08", "2023-05-15", "week"),
        ("the week of 3 April", "2023-04-03", "2023-04-10", "week"),
        ("on Tuesday of last week", "2023-05-02", "2023-05-03", "day"),
        ("last week on Tuesday", "2023-05-02", "2023-05-03", "day"),
        ("from 3 to 7 May", "2023-05-03", "2023-05-08", "day"),
        ("May 3-7", "2023-05-03", "2023-05-08", "day"),
        ("between May 3 and May 7, 2021", "2021-05-03", "2021-05-08", "day"),
        ("from 28 December to 3 January", "2022-12-28", "2023-01-04", "day"),
        ("from Monday to Thursday", "2023-05-08", "2023-05-12", "day"),
        ("between June and August 2021", "2021-06-01", "2021-09-01", "month"),
        ("on the first of April", "2023-04-01", "2023-04-02", "day"),
        ("the second Monday in April", "2023-04-10", "2023-04-11", "day"),
        ("the last Friday of last month", "2023-04-28", "2023-04-29", "day"),
        ("on 29 February", "2020-02-29", "2020-03-01", "day"),
        ("on March twelfth", "2023-03-12", "2023-03-13", "day"),
        ("on the twenty-first of March", "2023-03-21", "2023-03-22", "day"),
        ("on Saturday 11 March", "2023-03-11", "2023-03-12", "day"),
        ("on 17 march half 8", "2023-03-17T08:30", "2023-03-17T08:31", "minute"),
        ("on new years eve", "2022-12-31", "2023-01-01", "day"),
        ("the first weekend of April", "2023-04-01", "2023-04-03", "day"),
        ("on New Year's Eve", "2022-12-31", "2023-01-01", "day"),
        ("on 2023/05/01", "2023-05-01", "2023-05-02", "day"),
        ("on 1.5.2023", "2023-05-01", "2023-05-02", "day"),
        ("gestern Abend", "2023-05-09T17:00", "2023-05-09T23:00", "part_of_day"),
        ("vorgestern", "2023-05-08", "2023-05-09", "day"),
        ("ayer por la tarde", "2023-05-09T12:00", "2023-05-09T17:00", "part_of_day"),
        ("heute in der Stadt", "2023-05-10", "2023-05-11", "day"),
        ("hoy hace frío", "2023-05-10", "2023-05-11", "day"),
        ("aujourd'hui, il y a eu un accident dans la rue", "2023-05-10", "2023-05-11", "day"),
        ("hier soir", "2023-05-09T17:00", "2023-05-09T23:00", "part_of_day"),
        ("j'ai vu Ana hier", "2023-05-09", "2023-05-10", "day"),
        ("letzte Woche", "2023-05-01", "2023-05-08", "week"),
        ("nächsten Monat", "2023-06-01", "2023-07-01", "month"),
        ("el año que viene", "2024-01-01", "2025-01-01", "year"),
        ("l'an dernier", "2022-01-01", "2023-01-01", "year"),
        ("esta tarde", "2023-05-10T12:00", "2023-05-10T17:00", "part_of_day"),
        ("ce soir", "2023-05-10T17:00", "2023-05-10T23:00", "part_of_day"),
        ("in the past year", "2022-05-10", "2023-05-11", "year"),
        ("in the last three weeks", "2023-04-19", "2023-05-11", "week"),
        ("from 2015 to 2019", "2015-01-01", "2020-01-01", "year"),
        ("in 2021-03", "2021-03-01", "2021-04-01", "month"),
        ("between March and June", "2022-03-01", "2022-07-01", "month"),
        ("forty years ago", "1983-01-01", "1984-01-01", "year"),
    ],
)
def test_phrase_is_read_against_the_time_of_its_message(phrase: str, start: str, end: str, granularity: str) -> None:
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
        "on the 14th floor",
        "at the end of the day it matters",
        "open from 3 to 7",
        "ich wohne hier",
        "exactly what I wanted for a sunday",
        "guten Morgen",
        "por la mañana",
        "I met Morgen Freeman's cousin in Hierapolis",
        "2.5 years ago",
        "1,000 years ago",
        "1/2 year ago",
        "half a day ago",
        "heute vor zwei Jahren",
        "morgen in einer Woche",
        "hoy hace dos años",
        "hoy en día",
        "il y a deux ans aujourd'hui",
        "aujourd'hui en huit",
        "",
        "for the past year",
        "for the last two years",
    ],
)
def test_phrase_without_a_time_gives_none(phrase: str) -> None:
    assert resolve_time(phrase, SAID_AT) is None


@pytest.mark.parametrize(
    ("phrase", "day"),
    [
        ("on Friday", "2023-05-12"),
        ("on Wednesday", "2023-05-17"),
        ("on 3 March", "2024-03-03"),
        ("in April", "2024-04-01"),
        ("on the 10th", "2023-05-10"),
        ("on the 9th", "2023-06-09"),
        ("on the 31st", "2023-05-31"),
        ("until Friday", "2023-05-12"),
        ("this coming Friday", "2023-05-12"),
        ("Tuesday week", "2023-05-23"),
        ("a week from Friday", "2023-05-19"),
        ("Friday in two weeks", "2023-05-26"),
        ("next week Tuesday", "2023-05-16"),
        ("on Tuesday next week", "2023-05-16"),
        ("on Saturday the 20th", "2023-05-20"),
        ("by the end of the week", "2023-05-08"),
        ("early next year", "2024-01-01"),
        ("on 29 February", "2024-02-29"),
        ("from 9 to 12 May", "2023-05-09"),
        ("from 1 to 3 May", "2024-05-01"),
        ("morgen", "2023-05-11"),
        ("pasado mañana", "2023-05-12"),
        ("übermorgen", "2023-05-12"),
        ("demain", "2023-05-11"),
        ("the second Monday of next month", "2023-06-12"),
        ("on Friday, 5 May", "2023-05-05"),
        ("the last weekend of June", "2023-06-24"),
        ("this coming weekend", "2023-05-13"),
        ("this Christmas", "2023-12-25"),
        ("from 28 December to 3 January 2024", "2023-12-28"),
    ],
)
def test_bare_phrase_means_the_coming_time_in_the_future_tense(phrase: str, day: str) -> None:
    found = resolve_time(phrase, SAID_AT, past=False)
    assert found is not None
    assert found.start == local(day)


@pytest.mark.parametrize(
    ("phrase", "said_on", "start"),
    [
        ("last Christmas", "2023-12-25", "2022-12-25"),
        ("this Christmas", "2023-12-26", "2023-12-25"),
        ("this winter", "2024-01-15", "2023-12-01"),
        ("this winter", "2023-10-10", "2023-12-01"),
        ("this summer", "2023-10-10", "2023-06-01"),
        ("last May", "2023-05-10", "2022-05-01"),
        ("next May", "2023-05-10", "2024-05-01"),
        ("last winter", "2024-01-15", "2022-12-01"),
    ],
)
@pytest.mark.parametrize("past", [True, False])
def test_last_yearly_time_is_over_the_next_will_begin_and_this_one_lasts_or_is_of_this_year(
    phrase: str, said_on: str, start: str, *, past: bool
) -> None:
    found = resolve_time(phrase, local(f"{said_on}T09:00"), past=past)
    assert found is not None
    assert found.start == local(start)


@pytest.mark.parametrize(
    ("phrase", "said_on", "start"),
    [
        ("from 3 to 7 May", "2023-05-03", "2023-05-03"),
        ("from 3 to 7 May", "2023-05-05", "2023-05-03"),
        ("May 3-7", "2023-05-02", "2022-05-03"),
        ("from 28 April to 3 May", "2023-05-01", "2023-04-28"),
        ("from 28 December to 3 January", "2024-12-31", "2024-12-28"),
        ("from 28 December to 3 January", "2025-01-02", "2024-12-28"),
        ("from 28 December to 3 January", "2024-12-27", "2023-12-28"),
    ],
)
def test_past_tense_includes_days_that_have_begun_and_are_not_over(phrase: str, said_on: str, start: str) -> None:
    found = resolve_time(phrase, local(f"{said_on}T09:00"))
    assert found is not None
    assert found.start == local(start)


@pytest.mark.parametrize(
    "text", ["I moved in May. Last year was hard.", "in May and last year", "on 29 February last year"]
)
def test_year_of_another_sentence_or_without_that_day_says_nothing_about_it(text: str) -> None:
    assert len(times_in(text, SAID_AT)) == 2


def test_yesterday_is_the_day_before_in_the_zone_of_the_speaker() -> None:
    late = datetime(2023, 5, 10, 23, 30, tzinfo=UTC)
    in_tokyo = late.astimezone(ZoneInfo("Asia/Tokyo"))
    here, there = resolve_time("yesterday", late), resolve_time("yesterday", in_tokyo)
    assert here is not None
    assert there is not None
    assert here.start.date().isoformat() == "2023-05-09"
    assert there.start.date().isoformat() == "2023-05-10"


def test_day_of_the_clock_change_has_its_true_length() -> None:
    found = resolve_time("yesterday", datetime(2023, 3, 27, 9, 0, tzinfo=BERLIN))
    assert found is not None
    assert found.end.astimezone(UTC) - found.start.astimezone(UTC) == timedelta(hours=23)


@pytest.mark.parametrize(
    ("phrase", "plain"),
    [("on FRİDAY", "on Friday"), ("yeſterday", "yesterday"), ("TONİGHT", "tonight"), ("at CHRİSTMAS", "at Christmas")],
)
def test_letters_equal_to_others_without_case_are_read_as_those(phrase: str, plain: str) -> None:
    found = resolve_time(phrase, SAID_AT)
    assert found is not None
    assert found == resolve_time(plain, SAID_AT)


@pytest.mark.parametrize("day", ["1818-03-22", "1961-04-02", "2000-04-23", "2026-04-05", "2038-04-25"])
def test_easter_falls_on_the_day_of_the_calendar(day: str) -> None:
    """The earliest and the latest Easter of the Gregorian calendar are 22 March and 25 April."""
    assert easter_sunday(int(day[:4])) == date.fromisoformat(day)


def test_naive_time_is_refused() -> None:
    with pytest.raises(ValueError, match="said_at"):
        resolve_time("yesterday", datetime(2023, 5, 10))  # noqa: DTZ001


@pytest.mark.parametrize("phrase", ["999 years ago", "in 999 months", "in 999 years", "a few years ago", "last winter"])
@pytest.mark.parametrize("year", [1, 2, 9999])
def test_ends_of_the_calendar_raise_no_error(phrase: str, year: int) -> None:
    resolve_time(phrase, datetime(year, 1, 1, tzinfo=UTC))


def test_clock_time_of_the_coming_friday_is_read_with_its_day() -> None:
    found = resolve_time("this coming Friday at half past 7", SAID_AT, past=False)
    assert found is not None
    assert (found.start, found.granularity) == (local("2023-05-12T07:30"), Granularity.MINUTE)


def test_every_phrase_is_found_in_its_place_and_none_twice() -> None:
    text = "We met on 3 May and again last Friday at 9, and will go on from 3 to 7 May."
    found = times_in(text, SAID_AT)
    assert [text[phrase.start : phrase.end].strip(".") for phrase in found] == [
        "3 May",
        "last Friday",
        "from 3 to 7 May",
    ]


HOURS_IN_A_DAY = 24
ZONES = [
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Pacific/Chatham",
    "Pacific/Apia",
    "UTC",
]


@pytest.mark.parametrize("hour", range(HOURS_IN_A_DAY))
@pytest.mark.parametrize("day", ["2023-03-25", "2023-10-28"])
def test_hour_lasts_an_hour_on_the_days_the_clocks_change(day: str, hour: int) -> None:
    found = resolve_time(f"tomorrow at {hour}", datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=BERLIN))
    assert found is not None
    assert found.end.astimezone(UTC) - found.start.astimezone(UTC) == timedelta(hours=1)


def test_two_hours_ago_are_two_hours_across_a_clock_change() -> None:
    found = resolve_time("two hours ago", datetime(2023, 3, 26, 4, 30, tzinfo=BERLIN))
    assert found is not None
    assert found.start == datetime(2023, 3, 26, 1, 0, tzinfo=BERLIN)


def test_day_that_its_zone_skipped_is_no_time() -> None:
    assert resolve_time("yesterday", datetime(2011, 12, 31, 9, tzinfo=ZoneInfo("Pacific/Apia"))) is None


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles"])
def test_zone_of_this_machine_does_not_matter(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    phrases = ["yesterday at 19:30", "two hours ago", "last Friday", "in May", "on the 4th"]
    expected = [resolve_time(phrase, SAID_AT) for phrase in phrases]
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert [resolve_time(phrase, SAID_AT) for phrase in phrases] == expected
    finally:
        monkeypatch.undo()
        time.tzset()


WORDS = """
last next this in on the Friday Tuesday weekend week May February 2021 3 29 31 at pm days ago from to and
between until of half past noon midnight 14th first end month yesterday tomorrow morning night evening a few
since gestern mañana hier je 19:30 1.5.2023 second hours
"""


@settings(deadline=None)
@given(
    words=st.lists(st.sampled_from(WORDS.split()), max_size=8),
    said_at=st.datetimes(
        min_value=datetime(1000, 1, 1),  # noqa: DTZ001
        max_value=datetime(9000, 1, 1),  # noqa: DTZ001
        timezones=st.sampled_from([ZoneInfo(zone) for zone in ZONES]),
    ),
    past=st.booleans(),
)
def test_interval_is_never_empty_and_keeps_the_zone_of_its_message(
    words: list[str], said_at: datetime, past: bool
) -> None:
    text = " ".join(words)
    found = times_in(text, said_at, past=past)
    for phrase in found:
        assert phrase.occurred.start.astimezone(UTC) < phrase.occurred.end.astimezone(UTC)
        assert phrase.occurred.start.tzinfo is phrase.occurred.end.tzinfo is said_at.tzinfo
        assert 0 <= phrase.start < phrase.end <= len(text)
    assert all(one.end <= other.start for one, other in pairwise(found))
    first = resolve_time(text, said_at, past=past)
    assert (first is None) == (not found)
    assert first is None or first in [phrase.occurred for phrase in found]


def test_a_year_ago_today_is_a_valid_day_of_its_month() -> None:
    for said_on, then in ((datetime(2024, 3, 30), "2023-03-30"), (datetime(2024, 2, 29), "2023-02-28")):  # noqa: DTZ001
        found = resolve_time("a year ago today", said_on.replace(tzinfo=BERLIN))
        assert found is not None
        assert f"{found.start:%Y-%m-%d}" == then


@pytest.mark.parametrize("text", ["every May, last year in Rome", "a few years ago in May"])
def test_time_of_no_particular_year_stays_without_one(text: str) -> None:
    assert len(times_in(text, SAID_AT)) == 2
