"""With a model that is never wrong, the service remembers exactly what the development set expects."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine

from benchmarks.extraction.cases import Case
from benchmarks.extraction.oracle import Oracle
from benchmarks.extraction.reading import read_cases
from benchmarks.extraction.scoring import score
from benchmarks.extraction.stages import Service
from config.settings import Settings, settings
from workers.dependencies import parts

FILES = sorted((Path(__file__).parents[1] / "data" / "extraction").glob("*.jsonl"))
CASES = {file.stem: read_cases(file) for file in FILES}
MARKS = {name: pytest.mark.thorough for name in CASES if name != "edges_and_languages"}
"""The other files take minutes, and run with ``make thorough``."""


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    """One endpoint for all files, which recognises any session."""
    with Oracle([one for cases in CASES.values() for one in cases]) as serving:
        yield serving


@pytest.fixture
def online(
    settled: None, service: Settings, ingest_engine: Engine, oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> Service:
    """This process as the only worker for a new tenant, with the oracle as its model."""
    monkeypatch.setenv("OPENAI_BASE_URL", oracle.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-oracle")
    settings.cache_clear()
    parts.cache_clear()
    return Service(ingest_engine, f"tenant-{uuid4().hex}")


@pytest.mark.parametrize(
    "cases", [pytest.param(cases, id=name, marks=MARKS.get(name, ())) for name, cases in CASES.items()]
)
def test_stored_memories_match_every_case(cases: list[Case], online: Service) -> None:
    scores = score((case, online.run(case)) for case in cases)

    wrong = [f"{fault.case}: {fault.gold}, {fault.given}" for fault in scores.faults if fault.what == "store"]
    assert wrong == []
    assert (scores.stores.right, scores.never_found, scores.failed) == (len(cases), [], 0)
    assert scores.facts.false == 0
