"""An app that starts while Postgres is unreachable."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest

from benchmarks.faults.proxy import Proxy
from mosshead import Memory, StoreUnavailable
from tests.acceptance.running import Running


@pytest.fixture
def out_of_reach(running: Running) -> Iterator[Proxy]:
    """A proxy to Postgres that refuses connections until healed."""
    (folder,) = parse_qs(urlsplit(running.addresses.database_url).query)["host"]
    proxy = Proxy(Path(folder) / ".s.PGSQL.5432")
    proxy.start()
    proxy.refuse()
    yield proxy
    proxy.close()


def test_events_arrive_and_reads_work_once_postgres_is_back(
    running: Running, out_of_reach: Proxy, tmp_path: Path
) -> None:
    url = f"postgresql://mosshead_reader@127.0.0.1:{out_of_reach.port}/mosshead"
    path = ("acme", uuid4().hex)
    with pytest.raises(StoreUnavailable):
        Memory.connect(database_url=url, broker_url=running.addresses.broker_url)
    with Memory.connect(
        database_url=url, broker_url=running.addresses.broker_url, spool_dir=tmp_path, read_timeout=60, check=False
    ) as memory:
        sarah = memory.namespace(*path)
        sarah.publish("I just moved to Seattle.", conversation="c1")
        with pytest.raises(StoreUnavailable):
            sarah.query("Where does she live?")
        elsewhere = running.memory.namespace(*path)
        running.eventually(lambda: bool(elsewhere.query("Where does she live?")), "the fact is remembered")
        out_of_reach.heal()
        assert [hit.content for hit in sarah.query("Where does she live?")] == ["User just moved to Seattle"]
