"""The figures of many durations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.lag import Lag, lag_of

DURATIONS = st.lists(st.integers(0, 1000), min_size=1, max_size=200)


def test_percentiles_of_a_hundred_are_the_50th_the_95th_and_the_last() -> None:
    assert lag_of(range(100, 0, -1)) == Lag(50, 95, 100)


def test_percentiles_are_rounded() -> None:
    assert lag_of([1.2345], digits=3) == Lag(1.234, 1.234, 1.234)


@given(DURATIONS)
def test_percentile_is_the_smallest_value_that_covers_its_share(durations: list[int]) -> None:
    lag = lag_of(durations)
    for share, figure in ((50, lag.p50), (95, lag.p95), (100, lag.max)):
        assert sum(one <= figure for one in durations) * 100 >= share * len(durations)
        assert sum(one < figure for one in durations) * 100 < share * len(durations)


def test_no_durations_have_no_figures() -> None:
    with pytest.raises(ValueError, match="durations"):
        lag_of([])
