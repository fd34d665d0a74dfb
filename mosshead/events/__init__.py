"""Events, version 1: the one way to write. The contract between the apps that publish and the service that consumes.

An event is JSON. A new type of event, or a new optional field, is an addition to version 1; anything else is a version 2, and the
service then takes both. docs/reference/events.md shows each type.
"""

from mosshead.events.commands import Command, Erase
from mosshead.events.envelope import MAX_EVENT_BYTES, ConversationEnded, MessageEvent, faults_of, parse_event

__all__ = [
    "MAX_EVENT_BYTES",
    "AnyEvent",
    "Command",
    "ConversationEnded",
    "MessageEvent",
    "faults_of",
    "parse_event",
]

AnyEvent = MessageEvent | ConversationEnded | Command | Erase
