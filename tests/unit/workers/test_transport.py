"""Which task messages, broadcasts and replies are accepted, and what is kept of them."""

import base64
import json
from typing import Any
from uuid import uuid4

import pytest
from celery.events.dispatcher import EventDispatcher
from hypothesis import given
from hypothesis import strategies as st
from kombu.connection import Connection
from kombu.transport.virtual import Message

from workers.celery_app import app
from workers.transport import (
    JSON,
    QUEUES,
    Element,
    RefusedTask,
    home_of,
    read_answer,
    read_broadcast,
    read_task,
    write_element,
)

IDS = [str(uuid4()) for _ in range(3)]

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def as_sent(stage: str, ids: list[str]) -> bytes:
    """Return the element Celery's own producer writes for a hint."""
    made = app.amqp.as_task_v2(str(uuid4()), f"mosshead.{stage}", args=ids, kwargs={}, argsrepr=repr(ids))
    return write_element(Element(JSON, made.headers, json.dumps(made.body).encode()), routing_key=QUEUES[stage])


def read(element: bytes | RefusedTask) -> Message:
    """Read an element as kombu does."""
    assert isinstance(element, bytes)
    with Connection("memory://") as connection, connection.channel() as channel:
        return Message(json.loads(element), channel=channel, accept={JSON})


@pytest.mark.parametrize("stage", list(QUEUES))
def test_task_of_a_stage_is_rebuilt_with_only_its_ids(stage: str) -> None:
    message = read(read_task(as_sent(stage, IDS)))

    assert message.payload == [IDS, {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}]
    assert message.headers["task"] == f"mosshead.{stage}"
    assert message.delivery_info["routing_key"] == QUEUES[stage]
    assert isinstance(read_task(read_task(as_sent(stage, IDS))), bytes), "also when it is put back"  # type: ignore[arg-type]


@pytest.mark.parametrize("stage", list(QUEUES))
def test_task_with_one_id_too_few_is_refused(stage: str) -> None:
    assert read_task(as_sent(stage, IDS[:2])) == RefusedTask("wrong arguments")


def test_refused_task_is_named_only_where_its_name_looks_like_ours() -> None:
    for name, named in (("mosshead.next_version", "mosshead.next_version"), ("mosshead.what was said!", None)):
        element = as_sent("embed", IDS).replace(b"mosshead.embed", name.encode())
        assert read_task(element) == RefusedTask("unknown task", named)


@given(element=st.binary() | _JSON.map(lambda value: json.dumps(value).encode()))
def test_no_element_raises_and_none_is_accepted(element: bytes) -> None:
    assert isinstance(read_task(element), RefusedTask)
    assert isinstance(read_answer(element), RefusedTask)
    assert isinstance(read_broadcast(element, control=True), RefusedTask)
    assert isinstance(read_broadcast(element, control=False), RefusedTask)


@given(
    changes=st.dictionaries(st.sampled_from(["body", "content-type", "headers", "properties"]), _JSON),
    headers=st.dictionaries(
        st.sampled_from(["task", "id", "eta", "expires", "timelimit", "retries", "root_id"]), _JSON
    ),
    body=_JSON,
)
def test_half_right_task_raises_nothing_and_an_accepted_one_can_be_read(changes: Any, headers: Any, body: Any) -> None:
    sent = json.loads(as_sent("extract", IDS))
    for message in (
        {**sent, **changes},
        {**sent, "headers": {**sent["headers"], **headers}},
        {**sent, "body": base64.b64encode(json.dumps(body).encode()).decode()},
    ):
        taken = read_task(json.dumps(message).encode())
        assert isinstance(taken, RefusedTask) or read(taken).payload[0] == IDS


@given(entry=st.binary() | _JSON.map(lambda value: json.dumps(value).encode()))
def test_unacknowledged_tasks_are_returned_to_a_list_of_the_consumer(entry: bytes) -> None:
    queue, element = home_of(entry, ("extract", "embed"))
    assert queue in {"extract", "embed"}
    assert isinstance(element, bytes)


def test_unacknowledged_task_is_returned_to_its_own_list() -> None:
    sent = json.loads(as_sent("embed", IDS))
    assert home_of(json.dumps([sent, "embed", "embed"]).encode(), ("extract", "embed")) == (
        "embed",
        json.dumps(sent).encode(),
    )


def event(**changes: Any) -> bytes:
    fields = {
        "type": "worker-heartbeat",
        "hostname": "celery@here",
        "clock": 1,
        "timestamp": 1.5,
        "utcoffset": 0,
        "pid": 7,
    }
    body = {name: value for name, value in {**fields, **changes}.items() if value is not ...}
    return write_element(Element(JSON, {}, json.dumps(body).encode()), routing_key="")


@pytest.mark.parametrize(
    "changes",
    [
        {"type": ...},
        {"type": ["task-sent"]},
        {"hostname": None},
        {"hostname": "h" * 1_000},
        {"clock": "1"},
        {"clock": 2**64},
        {"clock": -1},
        {"timestamp": "now"},
        {"timestamp": 10**400},
        {"pid": {}},
        {"active": "many"},
        {"type": "task-sent", "uuid": ["x"]},
        {"type": "task-succeeded", "uuid": IDS[0], "runtime": "long"},
    ],
)
def test_event_with_a_field_of_another_type_is_refused(changes: Any) -> None:
    assert isinstance(read_broadcast(event(), control=False), bytes)
    assert read_broadcast(event(**changes), control=False) == RefusedTask("not an event")


def test_fields_by_which_events_are_judged_are_those_that_celery_sends() -> None:
    sent: list[dict[str, Any]] = []
    with Connection("memory://") as connection:
        dispatcher = EventDispatcher(connection, hostname="celery@here", app=app, enabled=False)
        dispatcher._publish = lambda fields, *_args, **_kwargs: sent.append(fields)
        dispatcher.publish("worker-heartbeat", {"freq": 2.0, "active": 0}, None)
        dispatcher.publish("task-received", {"uuid": IDS[0], "name": "mosshead.embed", "eta": None}, None)
    assert len(sent) == 2
    for one in sent:
        element = write_element(Element(JSON, {}, json.dumps(one).encode()), routing_key="")
        assert isinstance(read_broadcast(element, control=False), bytes)
