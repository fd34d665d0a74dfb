"""The event queue's errors: which setting, what to do, no password, and soon."""

import socket
import time
from collections.abc import Iterator

import pytest

from mosshead.errors import ConfigurationError, QueueUnavailable
from mosshead.publishing.broker import broker_at
from mosshead.publishing.queue import EventQueue


@pytest.mark.parametrize(
    "url",
    [
        "redis://:s3cret/more@x.org:6379/0",
        "http://:s3cret@x.org",
        "localhost:6379",
        "",
        "postgresql://:s3cret@host/db",
        "redis",
        "redis://:s3cret@host/word",
        "redis://host/0?s3cret=1",
    ],
)
def test_an_address_of_no_broker_is_refused_with_the_setting_named(url: str) -> None:
    with pytest.raises(
        ConfigurationError, match=r"^MOSSHEAD_BROKER_URL: not a broker's URL; it looks like redis://"
    ) as caught:
        broker_at(url).open()
    assert "s3cret" not in str(caught.value)


@pytest.fixture
def silent_server() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def refused(url: str) -> str:
    queue = EventQueue(url)
    started = time.monotonic()
    with pytest.raises(
        QueueUnavailable, match=r"^MOSSHEAD_BROKER_URL: .*check that the broker is running there"
    ) as caught:
        queue.publish(["{}"])
    assert time.monotonic() - started < 10, "an app's request waits for this"
    assert caught.value.__cause__ is None
    queue.close()
    return str(caught.value)


def test_where_nothing_listens_the_setting_and_the_place_are_named() -> None:
    said = refused("redis://me:s3cret@127.0.0.1:9/0")
    assert "127.0.0.1:9" in said
    assert "s3cret" not in said


def test_a_server_that_hangs_is_given_up_soon(silent_server: int) -> None:
    assert str(silent_server) in refused(f"redis://127.0.0.1:{silent_server}/0")


def test_a_host_that_does_not_exist_is_said_so() -> None:
    assert "nowhere.invalid" in refused("redis://nowhere.invalid:6379/0")
