"""The machine shared by those acceptance tests that need no other."""

from collections.abc import Iterator

import pytest

from tests.acceptance.running import Running, machine


@pytest.fixture(scope="package")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A machine with the offline rules. It stops after the last of these tests: even idle, it uses part of a core."""
    # No wait of a test outlasts a gap, so a wait for an event that never comes fails, however slow the machine is.
    environment = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "MOSSHEAD_GAP_SECONDS": "3600"}
    with machine(tmp_path_factory.mktemp("offline"), environment) as started:
        yield started
