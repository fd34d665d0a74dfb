"""A worker's heartbeat in the real database, which may be down for a while."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine, create_engine, make_url, text
from structlog.testing import capture_logs

from benchmarks.faults.proxy import proxied
from db.engine import open_engine
from tests.given import MODEL
from workers.local import Addresses, wait_until
from workers.worker import Heartbeat

SOON_SECONDS = 60
SOCKET = ".s.PGSQL.5432"


@pytest.fixture
def engine(addresses: Addresses) -> Iterator[Engine]:
    opened = open_engine(addresses.worker_url, setting="MOSSHEAD_WORKER_URL")
    yield opened
    opened.dispose()


@pytest.fixture
def worker() -> str:
    return f"celery@{uuid4()}"


@pytest.fixture
def seen(admin_engine: Engine, worker: str) -> Callable[[], tuple[int, datetime] | None]:
    """Return the worker's slots and when it was seen, or None if it is not listed."""

    def look() -> tuple[int, datetime] | None:
        with admin_engine.begin() as connection:
            row = connection.execute(
                text("select slots, seen_at from mosshead.workers where worker = :worker"), {"worker": worker}
            ).one_or_none()
        return (row.slots, row.seen_at) if row else None

    return look


def test_worker_is_seen_at_once_and_repeatedly_until_it_leaves(
    engine: Engine, worker: str, seen: Callable[[], tuple[int, datetime] | None]
) -> None:
    slots = [2]
    heartbeat = Heartbeat(engine, worker, lambda: slots[0], model=MODEL, every=0.05)
    heartbeat.start()
    wait_until(lambda: seen() is not None, SOON_SECONDS, "the first beat")
    first = seen()
    assert first is not None
    assert first[0] == 2

    slots[0] = 5
    wait_until(lambda: (seen() or first)[0] == 5, SOON_SECONDS, "a later beat")
    later = seen()
    assert later is not None
    assert later[1] > first[1]

    heartbeat.stop()
    heartbeat.stop()
    assert seen() is None


def test_no_connection_is_open_between_two_beats_for_a_child_to_share(
    engine: Engine, worker: str, seen: Callable[[], tuple[int, datetime] | None]
) -> None:
    heartbeat = Heartbeat(engine, worker, lambda: 1, model=MODEL, every=60)
    heartbeat.start()
    wait_until(lambda: seen() is not None, SOON_SECONDS, "the first beat")
    wait_until(lambda: engine.pool.status().endswith("Current Checked out connections: 0"), SOON_SECONDS, "its end")
    assert "Connections in pool: 0" in engine.pool.status()
    heartbeat.stop()


def test_missing_database_is_waited_for_and_reported_once(
    addresses: Addresses, worker: str, seen: Callable[[], tuple[int, datetime] | None], tmp_path: Path
) -> None:
    url = make_url(addresses.worker_url)
    there = Path(str(url.query["host"])) / SOCKET
    away = create_engine(url.set(drivername="postgresql+psycopg", query={"host": str(tmp_path)}))
    with capture_logs() as logs:
        heartbeat = Heartbeat(away, worker, lambda: 1, model=MODEL, every=0.05)
        heartbeat.start()
        wait_until(lambda: bool(logs), SOON_SECONDS, "the report")
        time.sleep(0.3)  # some more beats
        with proxied(there, tmp_path / SOCKET):
            wait_until(lambda: seen() is not None, SOON_SECONDS, "a beat")
            heartbeat.stop()
    assert logs == [{"event": "heartbeat_missed", "error": "OperationalError", "log_level": "warning"}]
    assert seen() is None


def test_error_in_a_beat_does_not_end_the_heartbeat(
    engine: Engine, worker: str, seen: Callable[[], tuple[int, datetime] | None]
) -> None:
    answers = iter([ZeroDivisionError()])

    def slots() -> int:
        for error in answers:
            raise error
        return 1

    with capture_logs():
        heartbeat = Heartbeat(engine, worker, slots, model=MODEL, every=0.05)
        heartbeat.start()
        wait_until(lambda: seen() is not None, SOON_SECONDS, "the next beat")
        heartbeat.stop()
