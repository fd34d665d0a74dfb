"""The machine shared by this folder's tests: it has Flower, and a fake model over real HTTP."""

from collections.abc import Iterator

import pytest

from tests.acceptance.running import Running, machine
from tests.fake_openai import FakeOpenAI

API_KEY = "sk-quiet-harbour"


@pytest.fixture(scope="package")
def fake() -> Iterator[FakeOpenAI]:
    """The model."""
    with FakeOpenAI() as server:
        yield server


@pytest.fixture(autouse=True)
def _nothing_stays_scripted(fake: FakeOpenAI) -> Iterator[None]:
    """Check that a test requested all its scripted answers; the next test would get the rest."""
    yield
    assert fake.unscript() == {}


@pytest.fixture(scope="package")
def running(fake: FakeOpenAI, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The machine. It runs one task at a time, so that others visibly wait, and logs everything it can."""
    environment = {
        "OPENAI_BASE_URL": fake.base_url,
        "OPENAI_API_KEY": API_KEY,
        "MOSSHEAD_CONCURRENCY": "1",
        "MOSSHEAD_LOG_LEVEL": "debug",
    }
    with machine(tmp_path_factory.mktemp("with-model"), environment, flower=True) as started:
        yield started
