"""Shared by an app's tests: a shell, and the event queue with an intake that runs when a test asks."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from redis import Redis
from sqlalchemy import Engine

from db import inbox
from mosshead.cli.main import main
from mosshead.publishing.broker import QUEUE, broker_at
from tests.given import NONE
from workers.local import Addresses

Events = list[dict[str, Any]]
Taken = Callable[..., Events]
Eventually = Callable[[Callable[[], object], str], None]

_PATIENCE_SECONDS = 60.0


class Said(NamedTuple):
    """The output of a command, and its exit status."""

    status: int
    out: str
    err: str


Shell = Callable[..., Said]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Return a function that runs a command in this process, as the console script does, with environment variables."""

    def run(*arguments: str, **variables: str) -> Said:
        with monkeypatch.context() as context:
            context.setattr(sys, "argv", ["mosshead", *arguments])
            for name, value in variables.items():
                context.setenv(name, value)
            capsys.readouterr()
            with pytest.raises(SystemExit) as ended:
                main()
        return Said(int(ended.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture
def broker(addresses: Addresses) -> Iterator[Redis]:
    """Return Redis, emptied."""
    with Redis.from_url(addresses.broker_url) as opened:
        opened.flushdb()
        yield opened


@pytest.fixture
def taken(addresses: Addresses, broker: Redis) -> Taken:
    """Return a function that takes all events out of the queue, or waits for the given number of them."""

    def take(count: int = 0) -> Events:
        found: Events = []
        deadline = time.monotonic() + _PATIENCE_SECONDS
        with broker_at(addresses.broker_url).open() as connection:
            queue = QUEUE(connection.channel())
            queue.declare()
            while (message := queue.get(no_ack=True)) is not None or len(found) < count:
                if message is not None:
                    found.append(json.loads(message.body))
                    continue
                assert time.monotonic() < deadline, f"{len(found)} of {count} events came"
                time.sleep(0.02)
        return found

    return take


@pytest.fixture
def take_in(taken: Taken, ingest_engine: Engine) -> Taken:
    """Return a function that moves events from the queue into the inbox, as the intake does."""

    def take(count: int = 0) -> Events:
        found = taken(count)
        with ingest_engine.begin() as connection:
            inbox.publish(connection, [json.dumps(event) for event in found], quiet=NONE, most=NONE)
        return found

    return take


@pytest.fixture
def eventually() -> Eventually:
    """Return a function that waits for a condition."""

    def wait(predicate: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not predicate():
            assert time.monotonic() < deadline, f"not in time: {what}"
            time.sleep(0.02)

    return wait
