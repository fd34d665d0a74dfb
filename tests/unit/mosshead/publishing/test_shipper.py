"""The shipper's logs if the event queue or Postgres is unavailable."""

import json
from typing import Any, cast
from uuid import UUID

import pytest
from sqlalchemy import create_engine

from mosshead.errors import QueueUnavailable, StoreUnavailable
from mosshead.paths import NamespacePath
from mosshead.publishing import shipper
from mosshead.publishing.queue import EventQueue
from mosshead.publishing.shipper import Shipment
from mosshead.publishing.spool import Changes, KeptEvents, Spool, UnsentEvents

PUBLISHER = UUID(int=7)


class OneEvent:
    """A spool with one event."""

    def changes(self, _since: int) -> Changes:
        return Changes(PUBLISHER, 1, (UnsentEvents(1, NamespacePath.of(("acme", "sarah")), 0, 1),))

    def sizes(self, _key: int, first: int, last: int) -> list[int]:
        return [2] * (last - first + 1)

    def read(self, _publisher: UUID, _key: int, first: int, last: int) -> list[tuple[int, str]]:
        return [(number, json.dumps({"content": "quetzal"})) for number in range(first, last + 1)]

    def kept(self, _after: int, _most: int) -> list[KeptEvents]:
        return []

    def trim(self) -> None:
        pass


class Queue:
    """An event queue with one failing method."""

    def __init__(self, away: str) -> None:
        self._away = away

    def bytes(self) -> int:
        return self._answer("bytes")

    def length(self) -> int:
        return self._answer("length")

    def publish(self, _events: list[str]) -> None:
        self._answer("publish")

    def _answer(self, method: str) -> int:
        if method == self._away:
            raise QueueUnavailable("Redis does not answer")
        return 0


@pytest.mark.parametrize("away", ["bytes", "publish", "length", "Postgres"])
def test_log_record_contains_no_exception_whose_frames_contain_events(
    away: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def received(*given: Any) -> dict[int, int]:
        if away == "Postgres":
            raise StoreUnavailable("Postgres does not answer")
        return {}

    monkeypatch.setattr(shipper, "_received", received)
    shipment = Shipment(cast(Spool, OneEvent()), cast(EventQueue, Queue(away)), create_engine("sqlite://"), None)
    shipment.step()
    if away == "length":
        shipment._send_again(0.0)
    (record,) = caplog.records
    assert "does not answer" in record.getMessage()
    assert isinstance(record.args, tuple)
    assert not any(isinstance(one, BaseException) for one in record.args)
