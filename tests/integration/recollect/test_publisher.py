"""The publisher: numbers without gaps, all checked before any is sent; through a real Redis."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from redis import Redis

from recollect.errors import InvalidEvent, QueueUnavailable
from recollect.publisher import Publisher
from recollect.queue import QUEUE, EventQueue, open_connection
from workers.machine import Addresses

SARAH, BO = ("acme", "sarah"), ("acme", "bo")


def message(content: str = "hi", **given: Any) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": content, **given}


Published = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def published(addresses: Addresses) -> Published:
    """Tells everything that is in the queue, and takes it out."""

    def take() -> list[dict[str, Any]]:
        found = []
        with open_connection(addresses.broker_url) as connection:
            queue = QUEUE(connection.channel())
            queue.declare()
            while (taken := queue.get(no_ack=True)) is not None:
                found.append(json.loads(taken.body))
        return found

    take()
    return take


@pytest.fixture
def publisher(addresses: Addresses) -> Iterator[Publisher]:
    queue = EventQueue(addresses.broker_url)
    yield Publisher(queue)
    queue.close()


def test_each_namespace_is_numbered_from_one_without_gaps(publisher: Publisher, published: Published) -> None:
    publisher.publish(SARAH, [message("a"), message("b")])
    publisher.publish(BO, [message("c")])
    publisher.publish(SARAH, [message("d")])

    sent = [(tuple(event["namespace"]), event["publisher_sequence"], event["content"]) for event in published()]
    assert sent == [(SARAH, 1, "a"), (SARAH, 2, "b"), (BO, 1, "c"), (SARAH, 3, "d")]
    assert [publisher.published(path) for path in (SARAH, BO, ("acme", "nobody"))] == [3, 1, 0]


def test_numbers_have_no_gaps_with_many_threads(publisher: Publisher, published: Published) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: publisher.publish(SARAH, [message(), message()]), range(20)))

    assert [event["publisher_sequence"] for event in published()] == list(range(1, 41))


def test_the_ids_of_the_events_come_back_in_order(publisher: Publisher, published: Published) -> None:
    ids = publisher.publish(SARAH, [message(), message()])
    events = published()
    assert [event["event_id"] for event in events] == [str(one) for one in ids]
    assert {event["publisher"] for event in events} == {str(publisher.id)}


def test_an_event_may_bring_its_own_id_and_time_and_no_other_publisher(
    publisher: Publisher, published: Published
) -> None:
    own = {"event_id": "0195a000-0000-7000-8000-000000000001", "occurred_at": "2020-01-01T00:00:00+02:00"}
    publisher.publish(SARAH, [message(**own, publisher="somebody else", publisher_sequence=99)])

    (event,) = published()
    assert {name: event[name] for name in own} == own
    assert (event["publisher"], event["publisher_sequence"]) == (str(publisher.id), 1)


def test_an_event_that_brings_its_own_namespace_is_numbered_there(publisher: Publisher, published: Published) -> None:
    publisher.publish(SARAH, [message()])
    ids = [publisher.publish_event(message(namespace=list(path))) for path in (SARAH, BO)]

    sent = [(tuple(event["namespace"]), event["publisher_sequence"]) for event in published()]
    assert sent == [(SARAH, 1), (SARAH, 2), (BO, 1)]
    assert len(set(ids)) == 2


def test_an_event_does_not_leave_the_namespace_that_it_is_published_in(
    publisher: Publisher, published: Published
) -> None:
    publisher.publish(SARAH, [message(namespace=list(BO))])
    assert [tuple(event["namespace"]) for event in published()] == [SARAH]


def test_where_one_does_not_fit_none_is_sent_and_no_number_is_spent(publisher: Publisher, published: Published) -> None:
    with pytest.raises(InvalidEvent, match="role: "):
        publisher.publish(SARAH, [message("fine"), message(role="narrator")])
    assert published() == []

    publisher.publish(SARAH, [message("next")])
    assert [event["publisher_sequence"] for event in published()] == [1]


def test_who_asks_is_told_of_each_that_was_sent(publisher: Publisher) -> None:
    sent = []
    publisher.publish(SARAH, [message(), message()], lambda: sent.append(len(sent)))
    assert sent == [0, 1]


def test_after_a_failure_a_new_publisher_starts_afresh(
    publisher: Publisher, published: Published, addresses: Addresses
) -> None:
    publisher.publish(SARAH, [message(), message()])
    before = publisher.id
    published()
    with Redis.from_url(addresses.broker_url) as broker:
        broker.set("recollect:events:recollect.events", "not a list, so that Redis refuses the event")
        with pytest.raises(QueueUnavailable):
            publisher.publish(SARAH, [message()])
        broker.delete("recollect:events:recollect.events")

    assert publisher.published(SARAH) == 0
    publisher.publish(SARAH, [message()])
    (event,) = published()
    assert event["publisher"] == str(publisher.id) != str(before), "nobody knows which of the old numbers arrived"
    assert event["publisher_sequence"] == 1


def test_a_number_that_may_have_been_sent_is_never_used_again(publisher: Publisher, published: Published) -> None:
    """Something of the app's own interrupts in the middle: what went out keeps its numbers, and what comes next gets others."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publisher.publish(SARAH, [message("a"), message("b")], interrupt)
    publisher.publish(SARAH, [message("c")])

    numbers = [(event["publisher"], event["publisher_sequence"]) for event in published()]
    assert len(numbers) == len(set(numbers)) == 2
