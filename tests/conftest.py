"""Fixtures for all tests: an environment without settings and, on request, real servers.

The servers start once, when a test first uses one of their fixtures; unit tests use none. Each test has its own tenant, so
nothing is cleaned up in between.
"""

import gc
import logging
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import settings as hypothesis_settings
from redis import Redis
from sqlalchemy import Engine, create_engine

from config.settings import Settings, settings
from db.engine import open_engine
from db.keys import LaneRef
from mosshead import Memory
from mosshead.api.settings import client_settings, open_publisher
from mosshead.embeddings import CachedEmbedder, open_embedder
from mosshead.paths import NamespacePath
from mosshead.urls import sqlalchemy_url
from tests.given import MINILM, Hint, Publishing, Remembering, Worker, nothing_at_work, waiting_hints, workers_with
from tests.machine_given import TEMPLATE, machine_of_minilm, scratch_database
from workers.local import Addresses

# At import, because the service's modules read their settings when imported, which happens during collection.
for _name in [name for name in os.environ if name.startswith(("MOSSHEAD_", "OPENAI_"))]:
    del os.environ[_name]

# A shared machine is sometimes slow, and a slow example is no failure; examples that passed are not repeated.
hypothesis_settings.register_profile("mosshead", deadline=None, derandomize=True, max_examples=25)
hypothesis_settings.register_profile("thorough", deadline=None, derandomize=True, max_examples=1_000)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "mosshead"))


def pytest_collection_finish() -> None:
    """Freeze objects allocated during collection, so that the garbage collector does not scan them repeatedly."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_left_by_another_test() -> Iterator[None]:
    yield
    settings.cache_clear()
    for handler in logging.getLogger().handlers:
        if type(handler) is logging.StreamHandler and sys.__stderr__:
            # A command run by the test installed it, with a standard error that is closed after the test.
            handler.stream = sys.__stderr__  # setStream would flush the closed one


@pytest.fixture(scope="session", autouse=True)
def _spools_of_our_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the spools of tests and their processes out of the user's home."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    yield
    del os.environ["XDG_STATE_HOME"]


@pytest.fixture(scope="session")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Addresses]:
    """A running Postgres, migrated and with MiniLM as the active model, and a running Redis."""
    with machine_of_minilm(tmp_path_factory.mktemp("machine")) as running:
        yield running


@pytest.fixture(scope="session")
def admin_url(addresses: Addresses) -> str:
    """The superuser's URL."""
    assert addresses.admin_url is not None
    return addresses.admin_url


@pytest.fixture(scope="session")
def admin_engine(admin_url: str) -> Iterator[Engine]:
    """An engine that sees every tenant's rows, for tests of internals."""
    engine = create_engine(sqlalchemy_url(admin_url, "MOSSHEAD_ADMIN_URL"))
    yield engine
    engine.dispose()


@pytest.fixture
def migrated_database(admin_engine: Engine) -> Iterator[str]:
    """The administrator's URL of a new migrated database."""
    with scratch_database(admin_engine, template=TEMPLATE) as url:
        yield url


@pytest.fixture(scope="session")
def worker_engine(addresses: Addresses) -> Iterator[Engine]:
    """An engine with the stages' login."""
    engine = open_engine(addresses.worker_url, setting="MOSSHEAD_WORKER_URL")
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def ingest_engine(addresses: Addresses) -> Iterator[Engine]:
    """An engine with the intake's login."""
    engine = open_engine(addresses.ingest_url, setting="MOSSHEAD_INGEST_URL")
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def reader_engine(addresses: Addresses) -> Iterator[Engine]:
    """An engine with an app's login."""
    engine = open_engine(addresses.database_url, setting="MOSSHEAD_DATABASE_URL")
    yield engine
    engine.dispose()


@pytest.fixture
def fresh_namespace() -> NamespacePath:
    """A namespace of a new tenant."""
    return NamespacePath.of((f"tenant-{uuid4().hex}", "sarah"))


@pytest.fixture
def lane(fresh_namespace: NamespacePath) -> LaneRef:
    """The ids of the fresh namespace."""
    return LaneRef(fresh_namespace.tenant_id, fresh_namespace.namespace_id)


@pytest.fixture
def publishing(ingest_engine: Engine, fresh_namespace: NamespacePath) -> Publishing:
    """A publisher for the fresh namespace that writes directly into the inbox."""
    return Publishing(ingest_engine, fresh_namespace)


@pytest.fixture
def remembering(worker_engine: Engine, lane: LaneRef) -> Remembering:
    """Stores memories and entities in the fresh namespace, as consolidation does."""
    return Remembering(worker_engine, lane)


@pytest.fixture
def worker(worker_engine: Engine, lane: LaneRef) -> Worker:
    """A worker's view of the fresh namespace's lane."""
    return Worker(worker_engine, lane)


@pytest.fixture
def settled(admin_engine: Engine) -> None:
    """Finish or remove whatever earlier tests left: no pending work, no live workers, no provider down."""
    nothing_at_work(admin_engine)


@pytest.fixture
def slots(settled: None, worker_engine: Engine) -> Callable[[int], None]:
    """Sets how many tasks dispatching may run at once; initially none."""
    return lambda count: workers_with(worker_engine, count)


@pytest.fixture(scope="session")
def connected(addresses: Addresses) -> Iterator[Memory]:
    """The connections that tests read with, whose statements are planned already.

    Reads may take a minute, because the machine may be busy.
    """
    with Memory.connect(database_url=addresses.database_url, read_timeout=60) as memory:
        yield memory


@pytest.fixture
def memory(addresses: Addresses, connected: Memory, tmp_path: Path) -> Iterator[Memory]:
    """The library connected to the running servers, with its own spool."""
    chosen = client_settings(
        database_url=addresses.database_url, broker_url=addresses.broker_url, spool_dir=tmp_path / "spool"
    )
    publisher = open_publisher(chosen)
    assert publisher is not None
    yield Memory(connected._engine, MINILM, publisher)
    publisher.close()


@pytest.fixture
def service(addresses: Addresses, worker_engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """The settings of this process as a worker, with empty queues.

    The stages' connections outlast the test: a new one would plan every statement again, which takes longer than most tests.
    """
    from workers import dependencies
    from workers.celery_app import app
    from workers.dependencies import parts

    def engine_of(url: str, *, setting: str, prepared: bool) -> Engine:
        return worker_engine if url == addresses.worker_url else open_engine(url, setting=setting, prepared=prepared)

    def embedder_of(spec: str, **endpoint: Any) -> CachedEmbedder:
        return MINILM if spec == "minilm" else open_embedder(spec, **endpoint)

    def keep(close: bool = True) -> None:
        if not close:  # in a forked process
            Engine.dispose(worker_engine, close=False)

    monkeypatch.setattr(worker_engine, "dispose", keep)  # a command opens and closes its own login
    monkeypatch.setattr(dependencies, "open_engine", engine_of)
    monkeypatch.setattr(dependencies, "open_embedder", embedder_of)
    for name, value in addresses.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MOSSHEAD_DEBOUNCE_SECONDS", "0")
    monkeypatch.setenv("MOSSHEAD_PROFILE_DEBOUNCE_SECONDS", "0")
    monkeypatch.setenv("MOSSHEAD_REFLECTION_DEBOUNCE_SECONDS", "0")
    settings.cache_clear()
    parts.cache_clear()
    app.conf.broker_url = addresses.broker_url
    with Redis.from_url(addresses.broker_url) as broker:
        broker.flushdb()
    yield settings()
    if parts.cache_info().currsize and parts().engine is not worker_engine:
        parts().engine.dispose()
    parts.cache_clear()


@pytest.fixture
def hints(service: Settings) -> Iterator[Callable[[], list[Hint]]]:
    """Returns the hints sent and not taken, without taking them."""
    with Redis.from_url(service.broker()) as broker:
        yield lambda: waiting_hints(broker)
