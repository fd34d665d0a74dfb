"""The figures of many durations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.lag import Lag, lag_of

DURATIONS = st.lists(st.integers(0, 1000), min_size=1, max_size=200)


def test_of_a_hundred_the_fiftieth_the_ninety_fifth_and_the_last() -> None:
    assert lag_of(range(100, 0, -1)) == Lag(50, 95, 100)


def test_it_is_rounded() -> None:
    assert lag_of([1.2345], digits=3) == Lag(1.234, 1.234, 1.234)


@given(DURATIONS)
def test_so_many_are_at_most_so_long_and_no_fewer_would_do(durations: list[int]) -> None:
    lag = lag_of(durations)
    for share, figure in ((50, lag.p50), (95, lag.p95), (100, lag.max)):
        assert sum(one <= figure for one in durations) * 100 >= share * len(durations)
        assert sum(one < figure for one in durations) * 100 < share * len(durations)


def test_nothing_has_no_figures() -> None:
    with pytest.raises(ValueError, match="durations"):
        lag_of([])
