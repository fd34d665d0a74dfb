"""The machine that the acceptance tests share, where they need no other."""

from collections.abc import Iterator

import pytest

from tests.acceptance.running import Running, machine


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A machine that works by the offline rules."""
    environment = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}
    with machine(tmp_path_factory.mktemp("offline"), environment, flower=True) as started:
        yield started
