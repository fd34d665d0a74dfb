"""The machine that the acceptance tests share, where they need no other."""

from collections.abc import Iterator

import pytest

from tests.acceptance.running import Running, machine


@pytest.fixture(scope="package")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A machine that works by the offline rules. It goes with the last of these tests: even idle it takes part of a core."""
    # A gap that is waited for would end no wait of a test: what nobody is to wait for shows, however slow the machine is.
    environment = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "MOSSHEAD_GAP_SECONDS": "3600"}
    with machine(tmp_path_factory.mktemp("offline"), environment) as started:
        yield started
