"""The event queue on a real Redis: nothing goes astray when it was emptied, and a burst is one round trip."""

import pytest
from redis import Redis

from mosshead.errors import QueueUnavailable
from mosshead.publishing.queue import EventQueue
from tests.integration.mosshead.conftest import Taken
from workers.local import Addresses


@pytest.fixture
def queue(addresses: Addresses, broker: Redis) -> EventQueue:
    return EventQueue(addresses.broker_url)


def test_what_is_sent_together_arrives_in_order(queue: EventQueue, taken: Taken) -> None:
    queue.publish([f'{{"number":{number}}}' for number in range(50)])
    queue.close()
    assert [event["number"] for event in taken()] == list(range(50))


def test_an_emptied_redis_takes_the_next_event_into_the_same_queue(
    queue: EventQueue, taken: Taken, broker: Redis
) -> None:
    """Kombu keeps its bindings in Redis, too: by the exchange the event would end where nobody looks."""
    queue.publish(['{"number":1}'])
    broker.flushdb()
    queue.publish(['{"number":2}', '{"number":3}'])
    queue.close()
    assert broker.keys("*undeliver*") == []
    assert [event["number"] for event in taken()] == [2, 3]


def test_it_knows_its_length(queue: EventQueue, taken: Taken) -> None:
    assert queue.length() == 0
    queue.publish(["{}", "{}"])
    assert queue.length() == 2
    taken()
    assert queue.length() == 0
    queue.close()


def test_it_knows_about_how_much_memory_it_takes(queue: EventQueue, taken: Taken) -> None:
    assert queue.bytes() == 0
    queue.publish([f'{{"text":"{"x" * 30_000}"}}'] * 10)
    assert 300_000 < queue.bytes() < 600_000
    taken()
    assert queue.bytes() == 0
    queue.close()


def test_a_burst_is_one_round_trip(queue: EventQueue, broker: Redis) -> None:
    queue.length()
    before = broker.info("clients")["connected_clients"], broker.info("stats")["total_reads_processed"]
    queue.publish(["{}"] * 100)
    after = broker.info("stats")["total_reads_processed"]
    queue.close()
    assert before[0]
    assert after - before[1] < 10


def test_after_a_failure_it_connects_anew(queue: EventQueue, taken: Taken, broker: Redis) -> None:
    broker.set("mosshead:events:mosshead.events", "not a list, so that Redis refuses the event")
    with pytest.raises(QueueUnavailable, match=r"^MOSSHEAD_BROKER_URL: "):
        queue.publish(['{"number":1}'])
    broker.delete("mosshead:events:mosshead.events")
    queue.publish(['{"number":2}'])
    queue.close()
    assert [event["number"] for event in taken()] == [2]
