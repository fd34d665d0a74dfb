"""A machine whose Postgres is a Citus cluster: MOSSHEAD_TEST_CITUS_URL is its coordinator's address, as administrator.

The database needs the extensions citus and vector on every server, and workers that were added. Logins are without a password.
"""

from collections.abc import Iterator

import pytest
from sqlalchemy import make_url

from db.schema.distribute import distribute
from db.schema.migrate import migrate
from tests.acceptance.running import Running, machine
from tests.machine_given import CITUS_URL

SHARDS = 8


@pytest.fixture(scope="package")
def citus_url() -> str:
    """The administrator's address of a database that is migrated and distributed."""
    if CITUS_URL is None:
        pytest.skip("there is no Citus: set MOSSHEAD_TEST_CITUS_URL to a database of a coordinator with workers")
    migrate(CITUS_URL, {})
    distribute(CITUS_URL, shards=SHARDS)
    return CITUS_URL


@pytest.fixture(scope="package")
def on_citus(citus_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A machine that works by the offline rules."""
    roles = {"DATABASE": "mosshead_reader", "INGEST": "mosshead_ingest", "WORKER": "mosshead_worker"}
    logins = {
        f"MOSSHEAD_{name}_URL": make_url(citus_url).set(username=role, password=None).render_as_string()
        for name, role in roles.items()
    }
    environment = {**logins, "OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "MOSSHEAD_GAP_SECONDS": "3600"}
    with machine(tmp_path_factory.mktemp("citus"), environment) as started:
        yield started
