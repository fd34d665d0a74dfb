"""Whatever happens to a lane, in any order: each event takes effect once, in its publisher's order."""

import pytest
from hypothesis import settings
from sqlalchemy import Engine

from benchmarks.faults.machine import Engines, lane_machine
from benchmarks.faults.mutants import MUTANTS, run_machine, uncaught
from benchmarks.faults.resend_machine import Resending

QUICK = {"watermark too early", "lost ones do not wait again"}
"""The mutants of each machine that are detected soonest: `make test` runs them, and `make thorough` runs all."""


@pytest.fixture
def engines(ingest_engine: Engine, worker_engine: Engine, admin_engine: Engine) -> Engines:
    """Return the logins that the machine needs."""
    return Engines(ingest_engine, worker_engine, admin_engine)


def test_each_event_takes_effect_once_and_in_order_whatever_happens_to_its_lane(engines: Engines) -> None:
    run_machine(lane_machine(engines), examples=200 if settings.get_current_profile_name() == "thorough" else 15)


def test_each_event_that_a_failover_loses_is_resent_once_and_in_order() -> None:
    run_machine(Resending, examples=1_000 if settings.get_current_profile_name() == "thorough" else 25)


def test_every_mutant_still_finds_its_place_in_the_code(engines: Engines) -> None:
    for mutant in MUTANTS.values():
        with mutant(engines.admin):
            pass


@pytest.mark.parametrize(
    "mutant", [pytest.param(name, marks=() if name in QUICK else pytest.mark.thorough) for name in MUTANTS]
)
def test_faults_in_the_write_side_and_in_resending_are_detected(engines: Engines, mutant: str) -> None:
    assert uncaught(engines, {mutant: MUTANTS[mutant]}) == []
