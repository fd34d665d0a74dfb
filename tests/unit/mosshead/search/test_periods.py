"""Times that a question names, and how well a day's messages may answer it."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.language.dates import periods, where_asked

TODAY = date(2026, 3, 4)  # a Wednesday

NAMED = {
    "What happened in May 2023?": ["2023-05-01 2023-05-31"],
    "What happened in 2023-05?": ["2023-05-01 2023-05-31"],
    "What did we eat on 8 May 2023?": ["2023-05-08 2023-05-08"],
    "What did we eat on 31 February 2023?": ["2023-02-01 2023-02-28"],
    "Who came on June 3rd, 2024?": ["2024-06-03 2024-06-03"],
    "Who came on the 3rd of June?": ["2025-06-03 2025-06-03 each year"],
    "What was planned for 2024-02-29?": ["2024-02-29 2024-02-29"],
    "Where was the fair in 2022?": ["2022-01-01 2022-12-31"],
    "Was it in June or in August?": ["2025-06-01 2025-06-30 each year", "2025-08-01 2025-08-31 each year"],
    "Where did we go in March?": ["2026-03-01 2026-03-31 each year"],
    "Where did we go in November two years ago?": ["2024-11-01 2024-11-30"],
    "May I march with you?": [],
    "How many of the 2000 stamps are sold?": [],
    "What came of 2024-17-01?": [],
    "What did I say yesterday?": ["2026-03-03 2026-03-03"],
    "What did I say last night?": ["2026-03-03 2026-03-04"],
    "Where was I last Monday?": ["2026-03-02 2026-03-02"],
    "Where was I last Wednesday?": ["2026-02-25 2026-02-25"],
    "What did I cook last week?": ["2026-02-23 2026-03-01"],
    "What did I cook this month?": ["2026-03-01 2026-03-31"],
    "What did I read last month?": ["2026-02-01 2026-02-28"],
    "What did I read last year?": ["2025-01-01 2025-12-31"],
    "What did I read in the past year?": ["2025-03-04 2026-03-04"],
    "What did I read in the last three months?": ["2025-12-04 2026-03-04"],
    "What broke three days ago?": ["2026-03-01 2026-03-01"],
    "What broke 2 weeks ago?": ["2026-02-16 2026-02-22"],
    "What am I doing next week?": ["2026-03-09 2026-03-15"],
    "Was habe ich gestern gesagt?": ["2026-03-03 2026-03-03"],
    "Where is the ladder?": [],
    # A pattern that ignores case treats these letters as i, s and k.
    "Where was I last FRİDAY?": ["2026-02-27 2026-02-27"],
    "What did I say yeſterday?": ["2026-03-03 2026-03-03"],
    "What happened in APRİL?": ["2025-04-01 2025-04-30 each year"],
    "What broke 2 wee\u212as ago?": ["2026-02-16 2026-02-22"],
}


@pytest.mark.parametrize("message", NAMED)
def test_times_are_found_as_named(message: str) -> None:
    found = [f"{one.first} {one.last}{' each year' if one.each_year else ''}" for one in periods(message, TODAY)]
    assert found == NAMED[message]


@pytest.mark.parametrize(
    ("named", "said", "fit"),
    [
        ("in May 2023", date(2023, 5, 1), 1.0),
        ("in May 2023", date(2023, 6, 7), 1.0),  # a week later
        ("in May 2023", date(2023, 6, 8), 0.0),
        ("in May 2023", date(2024, 5, 9), 0.0),
        ("in December", date(2024, 1, 3), 1.0),
        ("in May", date(2019, 5, 3), 1.0),
        ("on 8 May 2023", date(2023, 5, 8), 1.0),
        ("on 8 May 2023", date(2023, 5, 15), 1.0),
        ("on 8 May 2023", date(2023, 5, 7), 0.5),  # planned
        ("on 8 May", date(2019, 5, 7), 0.5),
        ("on the evening of 7 July, 2023", date(2023, 7, 3), 0.5),
        ("on 29 February", date(2023, 3, 7), 1.0),
        ("in 2023", date(2023, 12, 31), 0.5),
        ("in 2023", date(2024, 1, 1), 0.0),
        ("last year", date(2025, 12, 31), 0.5),
        ("last week", date(2026, 3, 8), 1.0),
        ("last week", date(2026, 2, 22), 0.0),
        ("yesterday", date(2026, 3, 2), 0.0),
    ],
)
def test_message_within_a_time_or_a_week_after_it_fits(named: str, said: date, fit: float) -> None:
    (period,) = periods(named, TODAY)
    assert period.fits(said) == fit


@given(
    st.text(alphabet=st.sampled_from("0123456789-/ ainMaymrchstyedlwkog"), max_size=60),
    st.dates(max_value=date.max - timedelta(days=400)),
    st.dates(max_value=date.max - timedelta(days=400)),
)
def test_times_of_any_text_can_be_compared_with_any_day(message: str, today: date, said: date) -> None:
    found = periods(f"999 years ago, {message}", today)
    assert all(one.first <= one.last and one.fits(said) in {0.0, 0.5, 1.0} for one in found)


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
def test_today_follows_the_zone_of_the_question_or_else_of_the_last_message(
    now: datetime, said: list[datetime], day: int
) -> None:
    asked = where_asked(now, said)
    assert (asked, asked.day) == (NOW, day)
