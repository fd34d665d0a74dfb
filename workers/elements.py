"""The elements of a queue's list in Redis, read without trust: whoever has a login may push anything.

Kombu reads each element as a message in JSON, and a consumer ends where one is anything else. By then it is out of Redis: a
worker that dies puts it back, and dies again. So a consumer of ours reads every element here first, and hands kombu messages that
it made itself.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

JSON = "application/json"
"""The content type of every message that the library and the service send."""


@dataclass(frozen=True, slots=True)
class Element:
    """A message as it stands in a list, its body decoded and not yet read."""

    content_type: str
    headers: Mapping[str, Any]
    body: bytes


def read_element(element: bytes) -> Element | None:
    """Read an element; None where it is no message in the form that kombu's producer writes, or is compressed."""
    try:
        message = json.loads(element)
        content_type, headers, body = message["content-type"], message["headers"], message["body"]
        # A few bytes may unpack to more than there is memory for, and nothing of ours compresses.
        if message["properties"]["body_encoding"] != "base64" or "compression" in headers:
            return None
        if isinstance(content_type, str) and isinstance(headers, dict):
            return Element(content_type, headers, b64decode(body, validate=True))
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    return None


def write_element(element: Element, *, routing_key: str) -> bytes:
    """Write a message that kombu is known to read.

    routing_key: without an exchange, the queue to which it goes back if nobody takes it.
    """
    message = {
        "body": b64encode(element.body).decode(),
        "content-type": element.content_type,
        "content-encoding": "utf-8",
        "headers": dict(element.headers),
        "properties": {
            "body_encoding": "base64",
            "delivery_tag": str(uuid4()),  # of two under one tag, only one would outlive a crash of the consumer
            "delivery_info": {"exchange": "", "routing_key": routing_key},
        },
    }
    return json.dumps(message).encode()
