"""Mode "direct": numbers without gaps, all checked before any is sent; through a real Redis."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from redis import Redis

from mosshead.errors import QueueUnavailable
from mosshead.paths import NamespacePath
from mosshead.publishing.direct import DirectPublisher
from mosshead.publishing.queue import EventQueue
from mosshead.publishing.signing import SigningKey, TenantKey, open_signed
from mosshead.publishing.validation import CheckedEvent, check_events
from tests.integration.mosshead.conftest import Taken
from workers.local import Addresses

SARAH, BO = NamespacePath.of(("acme", "sarah")), NamespacePath.of(("acme", "bo"))


def events(path: NamespacePath, *contents: str) -> list[CheckedEvent]:
    return check_events(path, [{"type": "message", "role": "user", "content": content} for content in contents])


@pytest.fixture
def publisher(addresses: Addresses, broker: Redis) -> Iterator[DirectPublisher]:
    opened = DirectPublisher(EventQueue(addresses.broker_url))
    yield opened
    opened.close()


def identity(publisher: DirectPublisher, path: NamespacePath) -> tuple[UUID, int]:
    (one,) = publisher.published(path).items()
    return one


def test_each_namespace_is_numbered_from_one_without_gaps(publisher: DirectPublisher, taken: Taken) -> None:
    publisher.publish(SARAH, events(SARAH, "a", "b"))
    publisher.publish(BO, events(BO, "c"))
    publisher.publish(SARAH, events(SARAH, "d"))

    sent = [(tuple(event["namespace"]), event["publisher_sequence"], event["content"]) for event in taken()]
    assert sent == [(SARAH.parts, 1, "a"), (SARAH.parts, 2, "b"), (BO.parts, 1, "c"), (SARAH.parts, 3, "d")]
    assert [identity(publisher, path)[1] for path in (SARAH, BO)] == [3, 1]
    assert publisher.published(NamespacePath.of(("acme", "nobody"))) == {}


def test_numbers_have_no_gaps_with_many_threads(publisher: DirectPublisher, taken: Taken) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: publisher.publish(SARAH, events(SARAH, "a", "b")), range(20)))
    assert [event["publisher_sequence"] for event in taken()] == list(range(1, 41))


def test_who_asks_is_told_of_each_that_was_sent(publisher: DirectPublisher) -> None:
    sent: list[int] = []
    publisher.publish(SARAH, events(SARAH, "a", "b"), lambda: sent.append(len(sent)))
    assert sent == [0, 1]


def test_what_is_signed_names_its_number_inside(addresses: Addresses, taken: Taken) -> None:
    publisher = DirectPublisher(EventQueue(addresses.broker_url), SigningKey("app", "s" * 32))
    publisher.publish(SARAH, events(SARAH, "a"))
    publisher.close()
    (envelope,) = taken()
    body = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    assert '"publisher_sequence":1' in open_signed(body, {"app": TenantKey("acme", "s" * 32)})


def test_after_a_failure_a_new_publisher_starts_afresh(publisher: DirectPublisher, taken: Taken, broker: Redis) -> None:
    publisher.publish(SARAH, events(SARAH, "a", "b"))
    before, _ = identity(publisher, SARAH)
    taken()
    broker.set("mosshead:events:mosshead.events", "not a list, so that Redis refuses the event")
    with pytest.raises(QueueUnavailable):
        publisher.publish(SARAH, events(SARAH, "c"))
    broker.delete("mosshead:events:mosshead.events")

    assert publisher.published(SARAH) == {}
    publisher.publish(SARAH, events(SARAH, "d"))
    (event,) = taken()
    assert UUID(event["publisher"]) != before, "nobody knows which of the old numbers arrived"
    assert event["publisher_sequence"] == 1


def test_a_number_that_may_have_been_sent_is_never_used_again(publisher: DirectPublisher, taken: Taken) -> None:
    """Something of the app's own interrupts in the middle: what went out keeps its numbers, and what comes next gets others."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publisher.publish(SARAH, events(SARAH, "a", "b"), interrupt)
    publisher.publish(SARAH, events(SARAH, "c"))

    numbers = [(event["publisher"], event["publisher_sequence"]) for event in taken()]
    assert len(numbers) == len(set(numbers)) == 2
