"""How many messages are fetched for each raw score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.search.messages import each_for


@given(st.integers(min_value=0, max_value=200))
def test_twice_as_many_as_may_be_shown_are_fetched_and_little_more(shown: int) -> None:
    assert max(20, 2 * shown) <= each_for(shown) <= max(20, 4 * shown)


@pytest.mark.parametrize("shown", [201, 10**9])
def test_fetch_is_bounded_however_many_are_wanted(shown: int) -> None:
    assert each_for(shown) == 400


def test_large_namespace_has_few_statements() -> None:
    assert len({each_for(shown) for shown in range(1_000)}) <= 8
