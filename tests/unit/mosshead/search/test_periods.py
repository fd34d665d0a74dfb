"""Times that a question names, and how well what was said on a day may tell of them."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.language.times import Interval, Period, periods, where_asked

TODAY = date(2026, 3, 4)  # a Wednesday

NAMED = {
    "What happened in May 2023?": [Period(year=2023, month=5)],
    "What did we eat on 8 May 2023?": [Period(year=2023, month=5, day=8)],
    "Who came on June 3rd, 2024?": [Period(year=2024, month=6, day=3)],
    "Who came on the 3rd of June?": [Period(month=6, day=3)],
    "What was planned for 2024-02-29?": [Period(year=2024, month=2, day=29)],
    "Where was the fair in 2022?": [Period(year=2022)],
    "Was it in June or in August?": [Period(month=6), Period(month=8)],
    "Where did we go in March?": [Period(month=3)],
    "May I march with you?": [],
    "How many of the 2000 stamps are sold?": [],
    "What came of 2024-17-01?": [],
    "What did I say yesterday?": [Interval(first=date(2026, 3, 3), last=date(2026, 3, 3))],
    "Where was I last Monday?": [Interval(first=date(2026, 3, 2), last=date(2026, 3, 2))],
    "Where was I last Wednesday?": [Interval(first=date(2026, 2, 25), last=date(2026, 2, 25))],
    "What did I cook last week?": [Interval(first=date(2026, 2, 23), last=date(2026, 3, 1))],
    "What did I cook this month?": [Interval(first=date(2026, 3, 1), last=TODAY)],
    "What did I read last month?": [Interval(first=date(2026, 2, 1), last=date(2026, 2, 28))],
    "What did I read last year?": [Interval(first=date(2025, 1, 1), last=date(2025, 12, 31))],
    "What did I read in the past year?": [Interval(first=date(2025, 3, 4), last=TODAY)],
    "What broke three days ago?": [Interval(first=date(2026, 3, 1), last=date(2026, 3, 1))],
    "What broke 2 weeks ago?": [Interval(first=date(2026, 2, 15), last=date(2026, 2, 21))],
    "Where is the ladder?": [],
    # To a pattern that ignores case these letters are i, s and k.
    "Where was I last FRİDAY?": [Interval(first=date(2026, 2, 27), last=date(2026, 2, 27))],
    "What did I say yeſterday?": [Interval(first=date(2026, 3, 3), last=date(2026, 3, 3))],
    "What happened in APRİL?": [Period(month=4)],
    "What broke 2 wee\u212as ago?": [Interval(first=date(2026, 2, 15), last=date(2026, 2, 21))],
}


@pytest.mark.parametrize("message", NAMED)
def test_times_are_found_as_they_are_named(message: str) -> None:
    assert list(periods(message, TODAY)) == NAMED[message]


@pytest.mark.parametrize(
    ("period", "said", "fit"),
    [
        (Period(year=2023, month=5), date(2023, 5, 1), 1.0),
        (Period(year=2023, month=5), date(2023, 6, 7), 1.0),  # a week after it
        (Period(year=2023, month=5), date(2023, 6, 8), 0.0),
        (Period(year=2023, month=5), date(2024, 5, 9), 0.0),
        (Period(month=12), date(2024, 1, 3), 1.0),
        (Period(month=5), date(2019, 5, 3), 1.0),
        (Period(year=2023, month=5, day=8), date(2023, 5, 8), 1.0),
        (Period(year=2023, month=5, day=8), date(2023, 5, 15), 1.0),
        (Period(year=2023, month=5, day=8), date(2023, 5, 7), 0.5),  # what was planned
        (Period(year=2023, month=2, day=31), date(2023, 3, 7), 1.0),
        (Period(year=2023), date(2023, 12, 31), 0.5),
        (Period(year=2023), date(2024, 1, 1), 0.0),
        (Interval(first=date(2026, 2, 23), last=date(2026, 3, 1)), date(2026, 3, 8), 1.0),
        (Interval(first=date(2026, 2, 23), last=date(2026, 3, 1)), date(2026, 2, 22), 0.0),
    ],
)
def test_what_is_said_within_a_time_or_a_week_after_it_fits(period: Period | Interval, said: date, fit: float) -> None:
    assert period.fits(said) == fit


@given(
    st.text(alphabet=st.sampled_from("0123456789-/ ainMaymrchstyedlwkog"), max_size=60),
    st.dates(max_value=date.max - timedelta(days=400)),
    st.dates(max_value=date.max - timedelta(days=400)),
)
def test_any_text_names_times_that_any_day_can_be_held_against(message: str, today: date, said: date) -> None:
    assert all(one.fits(said) in {0.0, 0.5, 1.0} for one in periods(f"999 years ago, {message}", today))


NOW = datetime(2026, 3, 3, 4, tzinfo=UTC)
SEATTLE, BERLIN = timezone(-timedelta(hours=8)), timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("now", "said", "day"),
    [
        (NOW, [], 3),
        (NOW, [NOW - timedelta(days=1)], 3),
        (NOW, [NOW.astimezone(SEATTLE) - timedelta(days=2), NOW - timedelta(days=1)], 2),
        (NOW, [NOW.astimezone(SEATTLE) - timedelta(days=2), NOW.astimezone(BERLIN) - timedelta(days=1)], 3),
        (NOW.astimezone(BERLIN), [NOW.astimezone(SEATTLE)], 3),
        (NOW.astimezone(SEATTLE), [NOW.astimezone(BERLIN)], 2),
    ],
)
def test_today_is_where_it_is_asked_or_else_where_something_was_said_last(
    now: datetime, said: list[datetime], day: int
) -> None:
    asked = where_asked(now, said)
    assert (asked, asked.day) == (NOW, day)


@pytest.mark.parametrize(
    ("period", "first", "last"),
    [
        (Period(year=2023), date(2023, 1, 1), date(2023, 12, 31)),
        (Period(year=2024, month=2), date(2024, 2, 1), date(2024, 2, 29)),
        (Period(month=3), date(2026, 3, 1), date(2026, 3, 31)),
        (Period(month=5), date(2025, 5, 1), date(2025, 5, 31)),  # it has not begun this year
        (Period(month=3, day=5), date(2025, 3, 5), date(2025, 3, 5)),
        (Period(year=2023, month=2, day=31), date(2023, 2, 28), date(2023, 2, 28)),
        (Interval(first=date(2026, 2, 23), last=date(2026, 3, 1)), date(2026, 2, 23), date(2026, 3, 1)),
    ],
)
def test_a_time_has_a_first_day_and_a_last(period: Period | Interval, first: date, last: date) -> None:
    assert period.days(TODAY) == (first, last)
