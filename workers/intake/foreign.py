"""What somebody else put into the event queue's list: made a message that kombu can read, so that it stops nothing and is kept.

Kombu reads each element of the list as a message in JSON, and a consumer ends where one is anything else; by then it is out of
Redis, and lost. So every element is read here first, and handed on in a form that kombu is known to read.
"""

import json
from base64 import b64decode, b64encode
from typing import Any
from uuid import uuid4

from kombu.transport.redis import Channel

from recollect.queue import QUEUE

CONTENT_TYPE = "application/json"
"""What the library's publisher says that its messages are."""

FOREIGN = "application/octet-stream"
"""The content type of what was no message at all: its body is the whole element."""


def read_what_others_push(channel: Channel) -> None:
    """Have a channel's consumer get everything in its list as messages. Must be called before it consumes."""
    channel.client.set_response_callback("BRPOP", _as_reply)


def as_message(element: bytes) -> bytes:
    """An element of the list as a message of ours: its body, or, where it has none that can be read, the element itself."""
    content_type, body = _read(element)
    properties = {
        "body_encoding": "base64",
        "delivery_tag": str(uuid4()),  # of two that came under one tag, only one would outlive a crash of the intake
        "delivery_info": {"exchange": "", "routing_key": QUEUE.name},  # where it goes back to, if nobody takes it
    }
    message = {
        "body": b64encode(body).decode(),
        "content-type": content_type,
        "content-encoding": "utf-8",
        "headers": {},
        "properties": properties,
    }
    return json.dumps(message).encode()


def _as_reply(reply: Any, **_: Any) -> tuple[bytes, bytes] | None:
    return (reply[0], as_message(reply[1])) if reply else None


def _read(element: bytes) -> tuple[str, bytes]:
    try:
        message = json.loads(element)
        content_type, body, encoding = message["content-type"], message["body"], message["properties"]["body_encoding"]
        # A few bytes may unpack to more than there is memory for; the library does not compress.
        if content_type == CONTENT_TYPE and encoding == "base64" and "compression" not in message["headers"]:
            return CONTENT_TYPE, b64decode(body, validate=True)
        if content_type == FOREIGN:
            return FOREIGN, b64decode(body, validate=True)
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    return FOREIGN, element
