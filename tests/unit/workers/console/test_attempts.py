"""Failed logins are limited by address and in total, and a right login from elsewhere is never held up."""

import pytest

from workers.console.login import FREE, LONGEST, MANY, MOST_ADDRESSES, WINDOW, Attempts, address_of


class Clock:
    """Stands still until the test moves it."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def attempts(clock: Clock) -> Attempts:
    return Attempts(clock)


def test_address_that_fails_waits_longer_each_time_and_a_minute_at_most(attempts: Attempts, clock: Clock) -> None:
    waits = []
    for _ in range(FREE + 8):
        attempts.failed("203.0.113.7")
        waits.append(attempts.wait("203.0.113.7"))
        clock.now += waits[-1]

    assert waits == [0] * (FREE - 1) + [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert attempts.wait("203.0.113.7") == 0


def test_failures_of_one_address_hold_up_no_other(attempts: Attempts) -> None:
    for _ in range(50):
        attempts.failed("203.0.113.7")
    assert attempts.wait("203.0.113.7") == LONGEST
    assert attempts.wait("203.0.113.8") == 0


def test_address_that_waits_longer_than_the_window_starts_anew(attempts: Attempts, clock: Clock) -> None:
    for _ in range(50):
        attempts.failed("203.0.113.7")
    clock.now += WINDOW + 1
    attempts.failed("203.0.113.7")
    assert attempts.wait("203.0.113.7") == 0


def test_many_failures_of_many_addresses_leave_each_one_try_a_minute(attempts: Attempts, clock: Clock) -> None:
    for number in range(MANY):
        attempts.failed(f"198.51.100.{number}")
    assert attempts.wait("198.51.100.1") == 0
    attempts.failed("203.0.113.7")
    assert attempts.wait("203.0.113.7") == LONGEST
    assert attempts.wait("203.0.113.8") == 0, "who has not failed may always try"
    clock.now += WINDOW + 1
    attempts.failed("203.0.113.7")
    assert attempts.wait("203.0.113.7") == 0


def test_memory_of_failures_is_bounded(attempts: Attempts) -> None:
    for number in range(MOST_ADDRESSES + 500):
        attempts.failed(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(attempts) == MOST_ADDRESSES
    assert attempts.wait("10.0.0.1") == 0
    attempts.failed("x" * 100_000)
    assert len(attempts) == MOST_ADDRESSES


@pytest.mark.parametrize(
    ("failing", "asking", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:203.0.113.7", "203.0.113.7", True),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("", "", True),
    ],
)
def test_addresses_of_one_network_count_as_one(attempts: Attempts, failing: str, asking: str, same: bool) -> None:
    for _ in range(FREE):
        attempts.failed(failing)
    assert (attempts.wait(asking) > 0) is same


@pytest.mark.parametrize(
    ("connected", "forwarded", "address"),
    [
        ("203.0.113.7", "", "203.0.113.7"),
        ("203.0.113.7", "198.51.100.1", "203.0.113.7"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "1.1.1.1,", "10.0.0.1"),
    ],
)
def test_only_our_own_proxy_says_whose_address_counts(connected: str, forwarded: str, address: str) -> None:
    assert address_of(connected, forwarded, {"10.0.0.1", "10.0.0.2"}) == address
