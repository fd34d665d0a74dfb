"""Scores: a base that never changes, and a boost for recent messages, to the digit."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.search.memories import base, recency_boost

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("age", "boost"),
    [
        (timedelta(0), 0.15),
        (timedelta(days=7) - MOMENT, 0.15),
        (timedelta(days=7), 0.08),
        (timedelta(days=30) - MOMENT, 0.08),
        (timedelta(days=30), 0.03),
        (timedelta(days=90) - MOMENT, 0.03),
        (timedelta(days=90), 0.0),
        (timedelta(days=3650), 0.0),
        (-MOMENT, 0.0),
    ],
    ids=str,
)
def test_recent_message_has_a_boost(age: timedelta, boost: float) -> None:
    assert recency_boost(NOW - age, NOW) == boost


@given(relevance=st.floats(-5, 20), salience=st.floats(0, 10), strength=st.floats(0, 1), more=st.floats(0.01, 1))
def test_each_part_of_the_base_counts(relevance: float, salience: float, strength: float, more: float) -> None:
    scored = base(relevance, salience, strength)
    assert base(relevance + more, salience, strength) > scored
    assert base(relevance, salience + more, strength) > scored
    assert base(relevance, salience, strength + more) > scored


def test_base_is_a_weighted_sum() -> None:
    assert base(3.0, 5.0, 0.8) == pytest.approx(3.0 * 0.2 + 5.0 * 0.02 + 0.8 * 0.05)
