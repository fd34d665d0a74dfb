"""Servers that are down or hang: the page says which, and the log repeats no request."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from benchmarks.faults.proxy import Proxy
from mosshead import Memory, Namespace
from mosshead.api.entities import NamespaceEntities
from mosshead.deadline import bounded
from mosshead.paths import NamespacePath
from mosshead.publishing.spool import Spool
from tests.forming import Forming
from tests.given import Publishing
from tests.integration.workers.console.conftest import Site, served
from workers.local import Addresses

NO_REDIS = "redis://127.0.0.1:9/0"
PATIENT = 20.0
"""Seconds for a read that should end by itself: the machine may be busy."""


@pytest.fixture
def proxy(addresses: Addresses) -> Proxy:
    """Yield a proxy in front of Postgres, on a port; the test closes it."""
    (folder,) = parse_qs(urlsplit(addresses.database_url).query)["host"]
    made = Proxy(Path(folder) / ".s.PGSQL.5432")
    made.start()
    return made


@pytest.fixture
def far_memory(proxy: Proxy, tmp_path: Path) -> Iterator[Memory]:
    """Return a memory that reaches Postgres through the proxy and Redis not at all."""
    url = f"postgresql://mosshead_reader@127.0.0.1:{proxy.port}/mosshead"
    with Memory.connect(database_url=url, broker_url=NO_REDIS, spool_dir=tmp_path, read_timeout=PATIENT) as connected:
        yield connected


@pytest.fixture
def far(far_memory: Memory, fresh_namespace: NamespacePath) -> Iterator[Site]:
    """Return the console, reading through it."""
    yield from served(far_memory, fresh_namespace)


def test_hanging_or_missing_database_is_reported(
    publishing: Publishing, proxy: Proxy, far_memory: Memory, far: Site
) -> None:
    publishing.say("I like coffee")
    probes = [httpx.get(far.address + path) for path in ("/healthz", "/readyz")]
    assert [one.status_code for one in probes] == [httpx.codes.OK, httpx.codes.OK]
    proxy.blackhole()
    bounded(far_memory._engine, 0.5)
    hung = far.get()
    unready = httpx.get(f"{far.address}/readyz", timeout=30)
    bounded(far_memory._engine, PATIENT)
    assert unready.status_code == httpx.codes.SERVICE_UNAVAILABLE
    assert (hung.status_code, "The database took too long" in hung.text) == (httpx.codes.GATEWAY_TIMEOUT, True)
    proxy.close()
    gone = far.get("/memories", q="coffee")
    assert (gone.status_code, "The database does not answer" in gone.text) == (httpx.codes.SERVICE_UNAVAILABLE, True)
    assert "Choose a namespace" in gone.text
    probes = [httpx.get(far.address + path) for path in ("/healthz", "/readyz")]
    assert [one.status_code for one in probes] == [httpx.codes.OK, httpx.codes.SERVICE_UNAVAILABLE]
    assert [one.text for one in probes] == ["", ""]


def test_event_published_without_redis_waits_in_the_spool_and_the_page_says_so(
    forming: Forming, sarah: Namespace, proxy: Proxy, far: Site, tmp_path: Path
) -> None:
    forming.say("I live in Leeds.")
    (decision,) = sarah.decisions.latest()[:1]
    answer = far.send(f"/decisions/{decision.id}/undo")
    assert answer.status_code == httpx.codes.SEE_OTHER
    seen = far.client.get(answer.headers["Location"])
    assert (seen.status_code, "is on its way" in seen.text) == (httpx.codes.OK, True)
    (file,) = tmp_path.glob("*.spool")
    assert Spool(file, most_bytes=1).held().events == 1
    proxy.close()


def test_full_spool_is_reported_and_nothing_is_published(
    forming: Forming, sarah: Namespace, addresses: Addresses, fresh_namespace: NamespacePath, tmp_path: Path
) -> None:
    forming.say("I live in Leeds.")
    (decision,) = sarah.decisions.latest()[:1]
    with Memory.connect(
        database_url=addresses.database_url, broker_url=NO_REDIS, spool_dir=tmp_path, spool_bytes=1
    ) as full:
        for site in served(full, fresh_namespace):
            answer = site.send(f"/decisions/{decision.id}/undo")
    assert answer.status_code == httpx.codes.SERVICE_UNAVAILABLE
    assert "The spool is full" in answer.text


def test_log_repeats_neither_requests_nor_errors(
    publishing: Publishing, site: Site, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    publishing.say("I like coffee")
    site.get("/memories", q="a canary")
    site.get("/memories", kind="a canary")

    def fail(_self: NamespaceEntities) -> None:
        raise RuntimeError("a canary")

    monkeypatch.setattr(NamespaceEntities, "list", fail)
    answer = site.get("/entities", q="a canary")
    assert answer.status_code == httpx.codes.INTERNAL_SERVER_ERROR
    assert "canary" not in answer.text
    logged = "".join(capfd.readouterr())
    assert "console_asked" in logged
    assert "RuntimeError" in logged
    assert "canary" not in logged
