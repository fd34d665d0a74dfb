"""What the benchmark of publishing counts."""

import time

import pytest

from benchmarks.publishing import P50_MS, P99_MS, Result, Row, measure, within
from mosshead import SpoolFull, SpoolUnavailable


def row(**given: object) -> Row:
    fields = {"mode": "spool", "state": "all up", "paced": True, "publishes": 1000, "refused": 0}
    times = {"p50_ms": P50_MS, "p99_ms": P99_MS, "max_ms": 99.0}
    return Row(**{**fields, **times, **given})  # type: ignore[arg-type]


def test_each_publish_is_timed() -> None:
    numbers: list[int] = []

    def publish(number: int) -> None:
        numbers.append(number)
        time.sleep(0.005 if number == 7 else 0)

    found = measure("spool", "all up", publish, paced=False, publishes=200)
    assert numbers == list(range(200))
    assert (found.publishes, found.refused) == (200, 0)
    assert 0 <= found.p50_ms <= found.p99_ms <= found.max_ms
    assert found.max_ms >= 5


def test_run_ends_after_a_few_refusals() -> None:
    def publish(number: int) -> None:
        raise SpoolUnavailable if number % 2 else SpoolFull

    found = measure("spool", "Redis down", publish, paced=True, publishes=1000)
    assert (found.publishes, found.refused) == (3, 3)


def test_any_other_error_ends_the_run() -> None:
    def publish(number: int) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        measure("spool", "all up", publish, paced=False, publishes=3)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({}, True),
        ({"p50_ms": 0.6}, False),
        ({"p99_ms": 5.1}, False),
        ({"refused": 1}, False),
        ({"p99_ms": 50.0, "paced": False}, True),
        ({"p99_ms": 50.0, "mode": "inbox"}, True),
    ],
)
def test_paced_times_are_those_of_the_spool(given: dict[str, object], kept: bool) -> None:
    assert within(row(**given)) is kept


@pytest.mark.parametrize(("lost", "sound"), [({}, True), ({"spool": 1}, False), ({"inbox": 1}, False)])
def test_lost_events_fail_the_run(lost: dict[str, int], sound: bool) -> None:
    assert Result([], {}, {"spool": 0, "inbox": 0, **lost}, 0.0, within=True).sound is sound
