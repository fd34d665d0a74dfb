"""Whether a stage may ask the providers it depends on, on a real database."""

from datetime import timedelta

import pytest
from sqlalchemy import Engine

from config.settings import Settings
from db import leases
from db.leases import EMBEDDER, LLM
from tests.forming import Forming
from tests.given import LONG, NONE
from workers.dependencies import providers_of
from workers.tasks import admitted

BOTH = Settings(OPENAI_API_KEY="k", embedder="openai:text-embedding-3-small")


@pytest.fixture(autouse=True)
def _no_provider_is_down(settled: None) -> None:
    """Reset the providers that earlier tests left failing."""


def trip(engine: Engine, provider: str, pause: timedelta) -> None:
    with engine.begin() as connection:
        leases.trip_breaker(connection, provider, "503", pause=pause, first=LONG, most=LONG)


def may(engine: Engine, stage: str, settings: Settings = BOTH) -> bool:
    with engine.begin() as connection:
        return admitted(connection, stage, settings)


def down(engine: Engine) -> list[str]:
    with engine.begin() as connection:
        return [one.provider for one in leases.breakers(connection)]


def test_stage_waits_for_each_provider_that_it_needs(worker_engine: Engine) -> None:
    trip(worker_engine, EMBEDDER, LONG)
    assert may(worker_engine, "extract")
    assert not may(worker_engine, "embed")
    assert not may(worker_engine, "consolidate")
    assert may(worker_engine, "consolidate", Settings()), "with rules and a model of its own"


def test_wait_for_one_provider_does_not_reserve_the_other(worker_engine: Engine) -> None:
    """Otherwise nobody could try the available one for as long as a try may take."""
    trip(worker_engine, LLM, LONG)
    trip(worker_engine, EMBEDDER, NONE)
    assert not may(worker_engine, "consolidate")
    assert may(worker_engine, "embed")
    assert not may(worker_engine, "embed"), "one tries"


def test_stage_that_ended_releases_its_own_tries_only(worker_engine: Engine) -> None:
    for provider in (LLM, EMBEDDER):
        trip(worker_engine, provider, NONE)
    assert may(worker_engine, "extract")
    assert may(worker_engine, "embed")
    with worker_engine.begin() as connection:
        leases.leave_providers(connection, providers_of("extract", BOTH))
        leases.leave_providers(connection, providers_of("score_salience", BOTH))
        assert leases.paused_providers(connection) == [EMBEDDER]


def test_pause_grows_from_two_seconds_to_five_minutes(worker_engine: Engine) -> None:
    with worker_engine.begin() as connection:
        assert leases.trip_breaker(connection, LLM, "503", pause=None) == timedelta(seconds=2)
        connection.exec_driver_sql("update mosshead.breakers set failures = 99, open_until = now()")
        assert leases.trip_breaker(connection, LLM, "503", pause=None) == timedelta(minutes=5)


def test_embedder_is_back_when_it_answered_and_not_where_nothing_was_asked(
    forming: Forming, worker_engine: Engine
) -> None:
    trip(worker_engine, EMBEDDER, LONG)
    forming.command(type="configure", instructions="Mind the recipes.")
    assert down(worker_engine) == [EMBEDDER]
    forming.say("I like tea.")
    assert down(worker_engine) == []
