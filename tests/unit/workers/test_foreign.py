"""Whatever is in the event queue's list, kombu reads it as a message."""

import base64
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kombu.connection import Connection
from kombu.transport.virtual import Message
from kombu.utils.json import loads

from workers.transport import FOREIGN, JSON, as_message


def read(element: bytes) -> Message:
    """Read an element as kombu does."""
    with Connection("memory://") as connection, connection.channel() as channel:
        return Message(loads(as_message(element)), channel=channel)


def published(body: bytes, /, **changes: Any) -> bytes:
    """Return a list element as kombu's producer writes it, with some fields changed."""
    properties: Mapping[str, Any] = {
        "delivery_mode": 2,
        "delivery_info": {"exchange": "mosshead.events", "routing_key": "mosshead.events"},
        "priority": 0,
        "body_encoding": "base64",
        "delivery_tag": "1",
    }
    message = {
        "body": base64.b64encode(body).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {},
        "properties": properties,
    }
    return json.dumps({**message, **changes}).encode()


def test_message_of_the_library_keeps_its_body() -> None:
    message = read(published(b'{"type": "message"}'))

    assert (message.content_type, message.body) == (JSON, b'{"type": "message"}')


@pytest.mark.parametrize(
    "element",
    [
        b"zanzibar",
        b"\xff\xfe\x00",
        b"",
        b"[" * 100_000,
        b'["zanzibar"]',
        b'{"body": "zanzibar"}',
        b'{"__type__": "uuid", "__value__": 7}',
        published(b"x", body="not base64"),
        published(b"x", body={"an": "object"}),
        published(b"x", properties={}),
        published(b"x", headers=None),
        published(b"x", headers={"compression": "application/x-gzip"}),
        published(b"x", **{"content-type": "application/x-python-serialize"}),
    ],
    ids=lambda element: element[:40],
)
def test_anything_else_becomes_a_message_that_contains_it(element: bytes) -> None:
    message = read(element)

    assert (message.content_type, message.body) == (FOREIGN, element)


def test_redelivered_element_is_still_foreign() -> None:
    """A dying intake leaves it with kombu, which returns it in the form it was passed on."""
    again = read(as_message(b"zanzibar"))

    assert (again.content_type, again.body) == (FOREIGN, b"zanzibar")


def test_each_message_is_acknowledged_separately() -> None:
    element = published(b"x")

    assert read(element).delivery_tag != read(element).delivery_tag


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(element=st.binary() | _JSON.map(lambda value: json.dumps(value).encode()))
def test_no_element_stops_the_consumer(element: bytes) -> None:
    assert read(element).body == element


@given(changes=st.dictionaries(st.sampled_from(["body", "content-type", "headers", "properties"]), _JSON))
def test_half_right_message_does_not_stop_it_either(changes: dict[str, Any]) -> None:
    element = published(b"x", **changes)

    assert read(element).body in {element, b"x"} or changes.keys() & {"body"}
