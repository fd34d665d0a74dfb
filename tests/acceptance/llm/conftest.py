"""The machine that the tests of this folder share: it has a model, a fake one over real HTTP, and Flower."""

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
    """A test asks for all the answers that it scripted: the next one would get what is left."""
    yield
    assert fake.unscript() == {}


@pytest.fixture(scope="package")
def running(fake: FakeOpenAI, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The machine. One task runs at a time, so that others wait where an onlooker sees them, and it logs all it can."""
    environment = {
        "OPENAI_BASE_URL": fake.base_url,
        "OPENAI_API_KEY": API_KEY,
        "MOSSHEAD_CONCURRENCY": "1",
        "MOSSHEAD_LOG_LEVEL": "debug",
    }
    with machine(tmp_path_factory.mktemp("with-model"), environment, flower=True) as started:
        yield started
