"""Shipping: waiting events are sent in order, cut once the inbox has them, and resent if they are lost."""

import json
import logging
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from db.keys import LaneRef
from mosshead.errors import SpoolUnavailable
from mosshead.paths import NamespacePath
from mosshead.publishing import queue as queue_of_events
from mosshead.publishing import shipper
from mosshead.publishing import shipper as shipment
from mosshead.publishing.publishers import CheckedEvent, check_events
from mosshead.publishing.queue import CROWDED_WINDOW, SUSPECT_WINDOW, WINDOW
from mosshead.publishing.shipper import SpoolPublisher
from mosshead.publishing.signing import SigningKey, TenantKey, open_signed
from tests.given import NONE, claimed
from tests.integration.mosshead.publishing.conftest import Around, LostAfter, OpenPublisher
from workers.local import Addresses, wait_until


@pytest.fixture(autouse=True)
def _nothing_goes_twice_unasked(lost_after: LostAfter) -> None:
    """Resend events that seem lost only when the test says so, however slow it is."""


def events(path: NamespacePath, *contents: str) -> list[CheckedEvent]:
    return check_events(path, [{"type": "message", "role": "user", "content": content} for content in contents])


def test_published_events_are_sent_numbered_and_in_order(
    spooled: SpoolPublisher, around: Around, fresh_namespace: NamespacePath
) -> None:
    spooled.publish(fresh_namespace, events(fresh_namespace, "a", "b"))
    spooled.publish(fresh_namespace, events(fresh_namespace, "c"))
    ((publisher, newest),) = spooled.spool.published(fresh_namespace).items()
    found = [(event["publisher"], event["publisher_sequence"], event["content"]) for event in around.taken(3)]
    assert found == [(str(publisher), 1, "a"), (str(publisher), 2, "b"), (str(publisher), 3, "c")]
    assert newest == 3


def test_process_that_cannot_start_a_thread_loses_nothing(
    spooled: SpoolPublisher, around: Around, fresh_namespace: NamespacePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as without_threads:
        without_threads.setattr(threading.Thread, "start", refused)
        spooled.publish(fresh_namespace, events(fresh_namespace, "a"))
    assert around.waiting() == 1
    spooled.publish(fresh_namespace, events(fresh_namespace, "b"))
    assert [event["content"] for event in around.taken(2)] == ["a", "b"]


def test_signal_handler_publishes_while_the_thread_is_created(
    spooled: SpoolPublisher, around: Around, fresh_namespace: NamespacePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, before = threading.Thread, threading.enumerate()

    def interrupted(**given: Any) -> threading.Thread:
        monkeypatch.setattr(shipper, "Thread", made)
        spooled.publish(fresh_namespace, events(fresh_namespace, "by the handler"))
        return made(**given)

    monkeypatch.setattr(shipper, "Thread", interrupted)
    app = threading.Thread(target=spooled.publish, args=(fresh_namespace, events(fresh_namespace, "a")), daemon=True)
    app.start()
    app.join(60)
    assert not app.is_alive()
    assert [event["content"] for event in around.taken(2)] == ["a", "by the handler"]
    assert len([one for one in threading.enumerate() if one not in before and "shipper" in one.name]) == 1


def test_event_is_cut_only_once_the_inbox_has_it(
    spooled: SpoolPublisher, around: Around, fresh_namespace: NamespacePath, lost_after: LostAfter
) -> None:
    lost_after(0.5)
    spooled.publish(fresh_namespace, events(fresh_namespace, "a"))
    around.taken(1)  # Redis no longer has it
    time.sleep(0.3)
    assert around.waiting() == 1
    around.take_in(1)
    around.cut()


def test_events_lost_by_redis_are_resent(
    spooled: SpoolPublisher, around: Around, fresh_namespace: NamespacePath, lost_after: LostAfter
) -> None:
    spooled.publish(fresh_namespace, events(fresh_namespace, *"abc"))
    around.eventually(lambda: around.queued() == 3, "all of it is in the queue")
    around.broker.flushdb()
    lost_after(0.5)
    assert list(dict.fromkeys(event["content"] for event in around.take_in(3))) == ["a", "b", "c"]
    around.cut()


def test_missing_event_is_resent_with_those_that_follow(
    spooled: SpoolPublisher, around: Around, fresh_namespace: NamespacePath, lost_after: LostAfter
) -> None:
    spooled.publish(fresh_namespace, events(fresh_namespace, "a"))
    around.take_in(1)
    spooled.publish(fresh_namespace, events(fresh_namespace, "b"))
    around.taken(1)
    spooled.publish(fresh_namespace, events(fresh_namespace, "c"))
    around.take_in(1)
    lost_after(0.5)
    assert list(dict.fromkeys(event["content"] for event in around.take_in(2))) == ["b", "c"]
    around.cut()


def test_import_does_not_delay_another_tenants_chat(
    open_spooled: OpenPublisher, around: Around, fresh_namespace: NamespacePath
) -> None:
    """The import came first."""
    chat = NamespacePath.of(("another", "chat"))
    away = open_spooled(broker_url="redis://127.0.0.1:9/0")
    away.publish(fresh_namespace, events(fresh_namespace, *map(str, range(400))))
    away.publish(chat, events(chat, "hello"))
    away.close()
    open_spooled()  # finds both
    places = [place for place, event in enumerate(around.taken(WINDOW)) if event["namespace"] == list(chat.parts)]
    assert places[0] < 200


def test_events_in_flight_never_exceed_the_window(
    spooled: SpoolPublisher, around: Around, fresh_namespace: NamespacePath
) -> None:
    spooled.publish(fresh_namespace, events(fresh_namespace, *map(str, range(WINDOW + 200))))
    around.eventually(lambda: around.queued() == WINDOW, "the window is full")
    time.sleep(0.3)
    assert around.queued() == WINDOW
    numbers = [event["publisher_sequence"] for event in around.take_in(WINDOW)]
    while around.waiting():
        numbers += [event["publisher_sequence"] for event in around.take_in()]
    assert list(dict.fromkeys(numbers)) == list(range(1, WINDOW + 201))  # a slow test may see some twice


def test_large_events_are_limited_by_their_bytes(
    spooled: SpoolPublisher, around: Around, fresh_namespace: NamespacePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue_of_events, "WINDOW_BYTES", 100_000)
    monkeypatch.setattr(queue_of_events, "EACH_TURN_BYTES", 25_000)
    contents = [f"{number} {'x' * 20_000}" for number in range(15)]
    spooled.publish(fresh_namespace, events(fresh_namespace, *contents))
    around.eventually(around.queued, "the first is in the queue")
    most = 0
    found: dict[int, str] = {}
    while around.waiting():
        time.sleep(0.3)
        most = max(most, around.queued())
        found |= {event["publisher_sequence"]: event["content"] for event in around.take_in()}
    assert most <= 1 + 100_000 // 20_000
    assert list(found.values()) == contents


@pytest.mark.parametrize("login", ["administrator", "publisher"])
def test_few_events_are_sent_to_a_queue_that_others_crowd(
    *,
    login: str,
    addresses: Addresses,
    open_spooled: OpenPublisher,
    around: Around,
    fresh_namespace: NamespacePath,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shipment, "_CROWDED_BYTES", 200_000)
    queue = "mosshead:events:mosshead.events"
    around.broker.lpush(queue, *[b"x" * 1_000] * 300)
    broker_url = addresses.broker_url
    if login == "publisher":  # which may only ask for the length
        allowed = [
            f"+{command}" for command in ("ping", "llen", "lpush", "sadd", "select", "client", "hello", "multi", "exec")
        ]
        around.broker.acl_setuser(
            "publisher", enabled=True, passwords="+secret", keys=["mosshead:events:*"], commands=allowed, reset=True
        )
        broker_url = f"redis://publisher:secret@{broker_url.rpartition('@')[2]}"
    contents = [str(number) for number in range(100)]
    try:
        spooled = open_spooled(broker_url=broker_url)
        spooled.publish(fresh_namespace, events(fresh_namespace, *contents))
        around.eventually(lambda: around.queued() > 300, "some of it is in the queue")
        time.sleep(0.4)
        assert around.queued() == 300 + CROWDED_WINDOW
        around.broker.ltrim(queue, 0, CROWDED_WINDOW - 1)
        around.eventually(lambda: around.queued() == 100, "all of it is in the queue")
        assert [event["content"] for event in around.take_in(100)] == contents
        around.cut()
    finally:
        around.broker.acl_deluser("publisher")


def test_unavailable_redis_is_waited_for_and_logged_once(
    open_spooled: OpenPublisher, caplog: pytest.LogCaptureFixture, around: Around, fresh_namespace: NamespacePath
) -> None:
    spooled = open_spooled(broker_url="redis://:s3cret@127.0.0.1:9/0")
    for content in ("quetzal", "coatlus"):
        started = time.monotonic()
        spooled.publish(fresh_namespace, events(fresh_namespace, content))
        assert time.monotonic() - started < 10
        around.eventually(lambda: "MOSSHEAD_BROKER_URL" in caplog.text, "it is said")
        time.sleep(0.5)
    said = [record for record in caplog.records if record.name == "mosshead"]
    assert [record.levelno for record in said] == [logging.WARNING]
    assert "MOSSHEAD_BROKER_URL" in caplog.text
    assert not any(word in caplog.text for word in ("quetzal", "coatlus", "s3cret"))
    assert around.waiting() == 2


def test_unavailable_postgres_is_waited_for(
    open_spooled: OpenPublisher,
    caplog: pytest.LogCaptureFixture,
    around: Around,
    fresh_namespace: NamespacePath,
    lost_after: LostAfter,
) -> None:
    lost_after(0.1)
    spooled = open_spooled(database_url="postgresql://me:s3cret@127.0.0.1:9/mosshead")
    spooled.publish(fresh_namespace, events(fresh_namespace, "quetzal"))
    assert len(around.taken(1)) == 1
    around.eventually(lambda: "Postgres is unavailable" in caplog.text, "it is said")
    time.sleep(0.7)
    assert (around.taken(), around.waiting()) == ([], 1), "who cannot ask does not send again"
    assert caplog.text.count("Postgres is unavailable") == 1
    assert "s3cret" not in caplog.text


def test_event_is_signed_when_it_is_shipped(
    open_spooled: OpenPublisher, around: Around, fresh_namespace: NamespacePath
) -> None:
    """Correcting a wrong key thus also fixes waiting events."""
    wrong, right = SigningKey("app", "w" * 32), SigningKey("app", "r" * 32)
    first = open_spooled(key=wrong)
    first.publish(fresh_namespace, events(fresh_namespace, "a"))
    around.taken(1)
    first.close()
    open_spooled(key=right)
    (envelope,) = around.taken(1)
    body = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    event = json.loads(open_signed(body, {"app": TenantKey(fresh_namespace.parts[0], "r" * 32)}))
    assert (event["content"], event["publisher_sequence"]) == ("a", 1)


def test_events_left_by_an_earlier_process_are_sent_when_the_next_one_opens(
    open_spooled: OpenPublisher, around: Around, fresh_namespace: NamespacePath
) -> None:
    away = open_spooled(broker_url="redis://127.0.0.1:9/0")
    away.publish(fresh_namespace, events(fresh_namespace, "a"))
    away.close()
    open_spooled()
    assert [event["content"] for event in around.taken(1)] == ["a"]


def test_closing_sends_the_last_events(
    open_spooled: OpenPublisher, around: Around, fresh_namespace: NamespacePath
) -> None:
    spooled = open_spooled()
    spooled.publish(fresh_namespace, events(fresh_namespace, *map(str, range(WINDOW))))
    spooled.close()
    assert len(around.taken()) == WINDOW
    with pytest.raises(SpoolUnavailable, match="the memory is closed"):
        spooled.publish(fresh_namespace, events(fresh_namespace, "late"))


def test_closing_does_not_wait_for_an_unavailable_server(
    open_spooled: OpenPublisher, fresh_namespace: NamespacePath
) -> None:
    spooled = open_spooled(broker_url="redis://127.0.0.1:9/0")
    spooled.publish(fresh_namespace, events(fresh_namespace, "a"))
    started = time.monotonic()
    spooled.close()
    assert time.monotonic() - started < 30


def test_one_of_two_publishers_ships_and_the_other_takes_over(
    open_spooled: OpenPublisher, around: Around, fresh_namespace: NamespacePath
) -> None:
    first, second = open_spooled(), open_spooled()
    first.publish(fresh_namespace, events(fresh_namespace, "a"))
    second.publish(fresh_namespace, events(fresh_namespace, "b"))
    found = [(event["content"], event["publisher_sequence"]) for event in around.take_in(2)]
    assert found == [("a", 1), ("b", 2)]
    around.cut()
    assert around.taken() == [], "nothing went twice"
    first.close()
    second.publish(fresh_namespace, events(fresh_namespace, "c"))
    assert [event["content"] for event in around.taken(1)] == ["c"]


def test_spool_removed_while_in_use_does_not_stop_the_next(
    spooled: SpoolPublisher, spool_file: Path, around: Around, fresh_namespace: NamespacePath
) -> None:
    spooled.publish(fresh_namespace, events(fresh_namespace, "a"))
    around.take_in(1)
    around.cut()
    for file in spool_file.parent.glob("*.spool*"):
        file.unlink()
    spooled.publish(fresh_namespace, events(fresh_namespace, "b"))
    ((publisher, newest),) = spooled.spool.published(fresh_namespace).items()
    (event,) = around.take_in(1)
    assert (event["content"], event["publisher"], event["publisher_sequence"], newest) == ("b", str(publisher), 1, 1)


def test_broken_spool_does_not_stop_a_read(
    spooled: SpoolPublisher, spool_file: Path, fresh_namespace: NamespacePath
) -> None:
    spool_file.parent.mkdir()
    spool_file.write_text("no spool " * 1000)
    assert spooled.spool.published(fresh_namespace) == {}


def test_copy_does_not_mistake_the_originals_receipt_for_its_own(
    spooled: SpoolPublisher, admin_engine: Engine, around: Around, fresh_namespace: NamespacePath
) -> None:
    """The inbox has more of this publisher's events than this spool ever sent; those waiting here are not among them."""
    spooled.publish(fresh_namespace, events(fresh_namespace, "mine"))
    (first,) = around.taken(1)
    with admin_engine.begin() as connection:
        scope = {"tenant": fresh_namespace.tenant_id, "namespace": fresh_namespace.namespace_id}
        connection.execute(
            text("insert into mosshead.lanes (tenant_id, namespace_id) values (:tenant, :namespace)"), scope
        )
        connection.execute(
            text(
                "insert into mosshead.publishers (tenant_id, namespace_id, publisher_id, received_up_to) "
                "values (:tenant, :namespace, :publisher, 5)"
            ),
            {**scope, "publisher": first["publisher"]},
        )
    (again,) = around.taken(1)
    assert again["publisher"] != first["publisher"]
    assert (again["content"], again["event_id"], around.waiting()) == ("mine", first["event_id"], 1)


def test_all_new_events_arrive_after_a_database_backup_is_restored(
    *,
    spooled: SpoolPublisher,
    admin_engine: Engine,
    around: Around,
    fresh_namespace: NamespacePath,
    caplog: pytest.LogCaptureFixture,
    lost_after: LostAfter,
) -> None:
    """Events cut since the backup will never arrive, so no event may wait for them."""
    spooled.publish(fresh_namespace, events(fresh_namespace, "gone", "with it"))
    around.take_in(2)
    around.cut()
    with admin_engine.begin() as connection:
        for table in ("messages", "events", "publishers"):
            connection.execute(
                text(f"delete from mosshead.{table} where tenant_id = :tenant"), {"tenant": fresh_namespace.tenant_id}
            )
    lost_after(0.5)
    spooled.publish(fresh_namespace, events(fresh_namespace, *map(str, range(SUSPECT_WINDOW + 5))))
    around.eventually(lambda: around.take_in() is not None and around.waiting() == 0, "the spool is cut")
    with admin_engine.begin() as connection:
        stored = connection.execute(
            text("select content from mosshead.messages where tenant_id = :tenant"),
            {"tenant": fresh_namespace.tenant_id},
        ).scalars()
        assert sorted(map(int, stored)) == list(range(SUSPECT_WINDOW + 5))
    assert (
        len(
            [
                one
                for one in caplog.messages
                if one.startswith("Postgres lost events that it had received from the spool")
            ]
        )
        == 1
    )


def test_closing_leaves_no_thread(open_spooled: OpenPublisher, fresh_namespace: NamespacePath) -> None:
    before = set(threading.enumerate())
    spooled = open_spooled()
    spooled.publish(fresh_namespace, events(fresh_namespace, "a"))
    spooled.close()
    # Closing does not wait forever: on a busy machine, the thread's current step may take longer.
    wait_until(lambda: set(threading.enumerate()) <= before, timeout=60, what="the end of the shipper's thread")


def test_gap_that_the_lane_skipped_does_not_count_as_received(
    open_spooled: OpenPublisher, around: Around, worker_engine: Engine, fresh_namespace: NamespacePath
) -> None:
    """The lane does not wait forever for an event whose process is gone; the process may still return with it."""
    spooled = open_spooled()
    spooled.publish(fresh_namespace, events(fresh_namespace, "a"))
    around.take_in(1)
    spooled.publish(fresh_namespace, events(fresh_namespace, "b"))
    around.taken(1)  # Redis no longer has it
    spooled.publish(fresh_namespace, events(fresh_namespace, "c"))
    around.take_in(1)
    spooled.close()
    lane = LaneRef(fresh_namespace.tenant_id, fresh_namespace.namespace_id)
    claimed(worker_engine, lane, gap=NONE)

    away = open_spooled(broker_url="redis://127.0.0.1:9/0")
    time.sleep(0.5)  # the shipper asks what the inbox has
    away.close()
    open_spooled()
    assert "b" in [event["content"] for event in around.take_in(1)]


def numbers_of(connection: Connection, path: NamespacePath) -> list[tuple[int, str]]:
    rows = connection.execute(
        text(
            "select publisher_sequence, payload ->> 'content' from mosshead.events where namespace_id = :id order by 1"
        ),
        {"id": path.namespace_id},
    )
    return [(number, content) for number, content in rows]


def forget_after(connection: Connection, path: NamespacePath, number: int) -> None:
    """Set the inbox back to a publisher's events up to a number, as in a failover."""
    later = "from mosshead.events where namespace_id = :id and publisher_sequence > :number"
    for statement in (
        f"delete from mosshead.messages where namespace_id = :id and message_id in (select event_id {later})",
        f"delete {later}",
        "update mosshead.publishers set received_up_to = :number where namespace_id = :id",
    ):
        connection.execute(text(statement), {"id": path.namespace_id, "number": number})


@pytest.mark.parametrize("published_since", [False, True])
def test_events_lost_in_a_failover_are_resent_under_their_numbers(
    *,
    open_spooled: OpenPublisher,
    admin_engine: Engine,
    around: Around,
    fresh_namespace: NamespacePath,
    published_since: bool,
) -> None:
    spooled = open_spooled(keep_seconds=3600)
    spooled.publish(fresh_namespace, events(fresh_namespace, *"abcde"))
    around.take_in(5)
    around.cut()
    with admin_engine.begin() as connection:
        forget_after(connection, fresh_namespace, 2)
    if published_since:
        spooled.publish(fresh_namespace, events(fresh_namespace, "f"))
    expected = [(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e"), *([(6, "f")] if published_since else [])]

    def stored() -> bool:
        around.take_in()
        with admin_engine.begin() as connection:
            return numbers_of(connection, fresh_namespace) == expected

    around.eventually(stored, "what was lost is there again")
    around.cut()


def test_received_events_leave_the_spool_after_the_configured_time(
    open_spooled: OpenPublisher, around: Around, fresh_namespace: NamespacePath
) -> None:
    spooled = open_spooled(keep_seconds=1)
    spooled.publish(fresh_namespace, events(fresh_namespace, "a"))
    around.take_in(1)
    around.eventually(lambda: spooled.spool.held().kept == 1, "it is kept")
    around.eventually(lambda: spooled.spool.held().bytes == 0, "it is cut")
