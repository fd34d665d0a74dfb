"""Breakers: closed, open, half open with one probe, closed again. On the database's clock."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import Engine, text

from db import leases
from tests.given import LONG, NONE, SOON

FIRST = timedelta(minutes=1)
MOST = timedelta(minutes=5)
LLM = "llm"


class Provider:
    """The breaker of one provider; each call is a transaction."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def trip(self, pause: timedelta | None = None, *, first: timedelta = FIRST, reason: str = "503") -> timedelta:
        with self.engine.begin() as connection:
            return leases.trip_breaker(connection, LLM, reason, pause=pause, first=first, most=MOST)

    def admit(self, probe: timedelta = LONG) -> bool:
        with self.engine.begin() as connection:
            return leases.admit(connection, LLM, probe=probe)

    def close(self) -> None:
        with self.engine.begin() as connection:
            leases.close_breaker(connection, LLM)

    def leave(self) -> None:
        with self.engine.begin() as connection:
            leases.leave_providers(connection, [LLM])

    def paused(self) -> bool:
        with self.engine.begin() as connection:
            return LLM in leases.paused_providers(connection)

    def shown(self) -> list[leases.Breaker]:
        with self.engine.begin() as connection:
            return leases.breakers(connection)

    def wait_out(self) -> None:
        """End its pause, as far as the database can tell."""
        with self.engine.begin() as connection:
            connection.execute(text("update mosshead.breakers set open_until = now() - interval '1 ms'"))


@pytest.fixture
def provider(settled: None, worker_engine: Engine) -> Provider:
    return Provider(worker_engine)


def test_healthy_provider_admits_everyone(provider: Provider) -> None:
    assert [provider.admit() for _ in range(3)] == [True] * 3
    assert not provider.paused()
    assert provider.shown() == []


def test_failed_provider_admits_nobody(provider: Provider) -> None:
    assert provider.trip() == FIRST
    assert provider.paused()
    assert not provider.admit()


def test_failure_does_not_affect_another_provider(provider: Provider, worker_engine: Engine) -> None:
    provider.trip()
    with worker_engine.begin() as connection:
        assert leases.admit(connection, "embedder", probe=LONG)
        assert leases.paused_providers(connection) == [LLM]


def test_one_caller_probes_after_the_pause_and_others_wait(provider: Provider) -> None:
    provider.trip()
    provider.wait_out()
    assert not provider.paused()
    assert [provider.admit() for _ in range(3)] == [True, False, False]
    assert provider.paused()


def test_one_of_two_simultaneous_callers_probes(provider: Provider) -> None:
    for _ in range(5):
        provider.trip()
        provider.wait_out()
        start = Barrier(2)

        def come(start: Barrier = start) -> bool:
            start.wait()
            return provider.admit()

        with ThreadPoolExecutor(2) as threads:
            assert sorted(done.result() for done in [threads.submit(come) for _ in range(2)]) == [False, True]


def test_another_caller_probes_after_a_probe_died(provider: Provider) -> None:
    provider.trip()
    provider.wait_out()
    assert provider.admit(-SOON)
    assert provider.admit()


def test_inconclusive_probe_lets_another_caller_probe(provider: Provider) -> None:
    provider.trip()
    provider.wait_out()
    assert provider.admit()
    provider.leave()
    assert not provider.paused()
    assert provider.admit()


def test_leaving_probe_does_not_shorten_the_pause(provider: Provider) -> None:
    provider.trip()
    provider.leave()
    assert provider.paused()


def test_calls_under_way_at_a_failure_count_once(provider: Provider) -> None:
    provider.trip()
    for _ in range(5):
        provider.trip()

    (shown,) = provider.shown()
    assert shown.failures == 1
    assert 0 < shown.seconds <= FIRST.total_seconds()


def test_consecutive_outages_double_the_pause_up_to_the_maximum(provider: Provider) -> None:
    pauses = []
    for _ in range(20):
        pauses.append(provider.trip(first=timedelta(seconds=2)).total_seconds())
        provider.wait_out()
        assert provider.admit()

    assert pauses[:9] == [2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert set(pauses[9:]) == {300}


def test_requested_pause_is_respected(provider: Provider) -> None:
    assert provider.trip(timedelta(seconds=40)) == timedelta(seconds=40)
    provider.wait_out()
    provider.admit()
    assert provider.trip(timedelta(seconds=1)) == timedelta(seconds=1), "however often it failed"


def test_shorter_pause_does_not_cut_a_longer_one(provider: Provider) -> None:
    provider.trip(timedelta(seconds=40))
    for pause in (timedelta(seconds=1), NONE, None):
        assert provider.trip(pause) > timedelta(seconds=30)
    assert provider.trip(timedelta(seconds=90)) > timedelta(seconds=80), "but a longer one counts"


def test_provider_that_requests_no_pause_may_be_probed_at_once(provider: Provider) -> None:
    assert provider.trip(NONE) == NONE
    assert provider.admit()


def test_answering_provider_admits_everyone_and_forgets_its_failures(provider: Provider) -> None:
    provider.trip()
    provider.wait_out()
    provider.trip()
    provider.close()

    assert [provider.admit() for _ in range(3)] == [True] * 3
    assert not provider.paused()
    assert provider.trip() == FIRST


def test_open_breaker_is_shown_with_its_reason(provider: Provider) -> None:
    provider.trip(reason="ModelUnavailable: the endpoint answered 503")
    (shown,) = provider.shown()
    assert (shown.provider, shown.reason) == (LLM, "ModelUnavailable: the endpoint answered 503")
    provider.wait_out()
    assert [one.seconds for one in provider.shown()] == [0]
