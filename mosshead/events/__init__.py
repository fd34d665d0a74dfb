"""Events, version 1: the only way to write, and the contract between publishing apps and the consuming service.

An event is JSON. New types and new optional fields extend version 1; any other change makes a version 2, and the service then
accepts both. docs/reference/events.md shows each type.
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
