"""What somebody else pushed onto the event queue: made a message that kombu can read, so that it stops nothing and is kept."""

from typing import Any

from kombu.transport.redis import Channel

from mosshead.publishing.queue import QUEUE
from workers.elements import JSON as CONTENT_TYPE
from workers.elements import Element, read_element, write_element

FOREIGN = "application/octet-stream"
"""The content type of what was no message at all: its body is the whole element."""

__all__ = ["CONTENT_TYPE", "FOREIGN", "as_message", "read_what_others_push"]


def read_what_others_push(channel: Channel) -> None:
    """Have a channel's consumer get everything in its list as messages. Must be called before it consumes."""
    channel.client.set_response_callback("BRPOP", _as_reply)


def as_message(element: bytes) -> bytes:
    """An element of the list as a message of ours: its body, or, where it has none that can be read, the element itself."""
    read = read_element(element)
    content_type, body = FOREIGN, element
    if read is not None and read.content_type in {CONTENT_TYPE, FOREIGN}:
        content_type, body = read.content_type, read.body
    return write_element(Element(content_type, {}, body), routing_key=QUEUE.name)


def _as_reply(reply: Any, **_: Any) -> tuple[bytes, bytes] | None:
    return (reply[0], as_message(reply[1])) if reply else None
