"""Whatever happens to a lane, in any order: each event takes effect once, in its publisher's order."""

import pytest
from hypothesis import settings
from sqlalchemy import Engine

from benchmarks.faults.machine import Engines
from benchmarks.faults.mutants import MUTANTS, run_machine, uncaught

QUICK = {"watermark too early"}
"""The mutant that is detected soonest: `make test` runs it, and `make thorough` runs all."""


@pytest.fixture
def engines(ingest_engine: Engine, worker_engine: Engine, admin_engine: Engine) -> Engines:
    """Return the logins that the machine needs."""
    return Engines(ingest_engine, worker_engine, admin_engine)


def test_each_event_takes_effect_once_and_in_order_whatever_happens_to_its_lane(engines: Engines) -> None:
    run_machine(engines, examples=200 if settings.get_current_profile_name() == "thorough" else 15)


@pytest.mark.parametrize(
    "mutant", [pytest.param(name, marks=() if name in QUICK else pytest.mark.thorough) for name in MUTANTS]
)
def test_faults_in_the_write_side_are_detected(engines: Engines, mutant: str) -> None:
    assert uncaught(engines, {mutant: MUTANTS[mutant]}) == []
