"""The machine that the acceptance tests share, where they need no other."""

from collections.abc import Iterator

import pytest

from tests.acceptance.running import Running, machine


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A machine that works by the offline rules."""
    with machine(tmp_path_factory.mktemp("offline"), {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}) as started:
        yield started
