"""How often a caller may ask: at any times, no more than the bucket held plus what flowed in since."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.contrib.server.limits import MOST_BUCKETS, RateLimit
from mosshead.contrib.server.problems import RefusedRequest


class Clock:
    """A clock that the test moves, in seconds."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def admitted(limit: RateLimit, caller: str = "a") -> bool:
    try:
        limit.take(caller)
    except RefusedRequest:
        return False
    return True


@given(
    rate=st.floats(0.1, 2),
    burst=st.integers(1, 5),
    pauses=st.lists(st.floats(0, 0.5), min_size=20, max_size=60),
)
def test_no_caller_gets_in_more_often_than_its_rate_and_burst_allow(
    rate: float, burst: int, pauses: list[float]
) -> None:
    clock = Clock()
    limit = RateLimit(rate, burst, clock)
    count = 0
    for pause in pauses:
        clock.now += pause
        count += admitted(limit)
        assert count <= burst + clock.now * rate + 1e-6


def test_caller_that_waits_as_long_as_told_gets_in() -> None:
    clock = Clock()
    limit = RateLimit(0.5, 1, clock)
    assert admitted(limit)
    with pytest.raises(RefusedRequest) as refused:
        limit.take("a")
    clock.now += float(refused.value.headers["Retry-After"])
    assert admitted(limit)


def test_callers_share_no_bucket_and_the_oldest_buckets_are_dropped() -> None:
    limit = RateLimit(0.001, 1, Clock())
    assert all(admitted(limit, str(number)) for number in range(MOST_BUCKETS))
    assert not admitted(limit, "5")
    assert admitted(limit, "new")
    assert admitted(limit, "0"), "its bucket was let go"
