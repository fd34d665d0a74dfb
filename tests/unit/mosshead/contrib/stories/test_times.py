"""The days of the times that a request names."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.contrib.stories.requests import StoryIntent, asked_for, times_in

TODAY = date(2026, 3, 4)

SPANS = {
    "between March and May 2023": ("2023-03-01", "2023-05-31"),
    "between November and March 2024": ("2023-11-01", "2024-03-31"),
    "between March and May": ("2025-03-01", "2025-05-31"),
    "between 3 and 5 May 2023": ("2023-05-03", "2023-05-05"),
    "from 2020 to 2022": ("2020-01-01", "2022-12-31"),
    "from 2022 to 2020": ("2020-01-01", "2022-12-31"),
    "from May 2023 until today": ("2023-05-01", "2026-03-04"),
    "since 2020": ("2020-01-01", "2026-03-04"),
    "since 3 May 2023": ("2023-05-03", "2026-03-04"),
    "since 2030": ("2030-01-01", "2030-01-01"),
    "after 2020": ("2021-01-01", "2026-03-04"),
    "before 2020": ("0001-01-01", "2019-12-31"),
    "until 2019": ("0001-01-01", "2019-12-31"),
    "in the last 3 months": ("2025-12-04", "2026-03-04"),
    "in the past two weeks": ("2026-02-18", "2026-03-04"),
    "today": ("2026-03-04", "2026-03-04"),
    "in 2023": ("2023-01-01", "2023-12-31"),
}


@pytest.mark.parametrize("span", SPANS)
def test_days_between_two_times_and_around_one_are_found(span: str) -> None:
    ((first, last),) = times_in(f"What happened {span}?", TODAY)
    assert (str(first), str(last)) == SPANS[span]
    asked = asked_for(f"What happened {span}?", TODAY)
    assert (asked.intent, asked.bare) == (StoryIntent.PERIOD, True)
    assert not asked_for(f"What happened with WOBS {span}?", TODAY).bare


def test_two_people_are_no_time() -> None:
    assert asked_for("What happened between Anna and Bo?", TODAY).intent is StoryIntent.CONNECTION
    assert times_in("before Anna came, and since", TODAY) == ()
    assert len(times_in("in 2019 and in 2023", TODAY)) == 2


@given(
    st.lists(
        st.sampled_from(
            [*" ".join(SPANS).split(), "and", "May", "31", "0", "99", "last", "999", "weeks", "ago", "\u017f"]
        )
    ).map(" ".join),
    st.dates() | st.sampled_from([date.min, date.max]),
)
def test_first_day_is_never_after_the_last(request_: str, today: date) -> None:
    assert all(first <= last for first, last in times_in(request_, today))
