"""Spools that ship through real servers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis import Redis

from mosshead.publishing import queue, shipper
from mosshead.publishing.queue import EventQueue
from mosshead.publishing.shipper import SpoolPublisher
from mosshead.publishing.signing import SigningKey
from mosshead.publishing.spool import Spool
from mosshead.urls import sqlalchemy_url
from tests.integration.mosshead.conftest import Eventually, Taken
from workers.local import Addresses

OpenPublisher = Callable[..., SpoolPublisher]
LostAfter = Callable[[float], None]


@dataclass(frozen=True)
class Around:
    """A spool's surroundings. broker: Redis. waiting: Returns how many events wait in the spool, as another process sees it."""

    broker: Redis
    taken: Taken
    take_in: Taken
    waiting: Callable[[], int]
    eventually: Eventually

    def cut(self) -> None:
        """Wait until the spool is empty."""
        self.eventually(lambda: self.waiting() == 0, "the spool is cut")

    def queued(self) -> int:
        """Return how many events are in the queue."""
        return self.broker.llen("mosshead:events:mosshead.events")


@pytest.fixture
def lost_after(monkeypatch: pytest.MonkeyPatch) -> LostAfter:
    """Return a function that sets after how many seconds lost events are resent. Before it is called, none are.

    It also gives closing time to ship.
    """
    monkeypatch.setattr(shipper, "_LAST_CALL_SECONDS", 60.0)
    monkeypatch.setattr(queue, "_SLOW_SECONDS", 3_600.0)
    monkeypatch.setattr(queue, "_MOST_SECONDS", 3_600.0)
    monkeypatch.setattr(queue, "_LOST_SECONDS", 3_600.0)
    return lambda seconds: monkeypatch.setattr(queue, "_LOST_SECONDS", seconds)


@pytest.fixture
def spool_file(tmp_path: Path) -> Path:
    return tmp_path / "spool" / "one.spool"


@pytest.fixture
def open_spooled(addresses: Addresses, broker: Redis, spool_file: Path) -> Iterator[OpenPublisher]:
    """Return a function that opens publishers on one spool, and close them after the test."""
    opened: list[SpoolPublisher] = []

    def one(
        *,
        broker_url: str = addresses.broker_url,
        database_url: str = addresses.database_url,
        key: SigningKey | None = None,
        keep_seconds: float = 0.0,
    ) -> SpoolPublisher:
        spool = Spool(spool_file, most_bytes=10**8, keep_seconds=keep_seconds)
        url = sqlalchemy_url(database_url, "MOSSHEAD_DATABASE_URL")
        opened.append(SpoolPublisher(spool=spool, queue=EventQueue(broker_url), database_url=url, key=key))
        return opened[-1]

    yield one
    for publisher in opened:
        publisher.close()


@pytest.fixture
def spooled(open_spooled: OpenPublisher) -> SpoolPublisher:
    return open_spooled()


@pytest.fixture
def around(broker: Redis, taken: Taken, take_in: Taken, eventually: Eventually, spool_file: Path) -> Iterator[Around]:
    spool = Spool(spool_file, most_bytes=1)
    yield Around(broker, taken, take_in, lambda: spool.held().events, eventually)
    spool.close()
