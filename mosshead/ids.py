"""Ids: those that sort by the time at which they were made, and those of what an app has a name for.

The latter are UUIDs of version 5 (RFC 9562, 5.5), by `NamespacePath.home_id`.
"""

import os
import time
from typing import Literal
from uuid import UUID, uuid5


def uuid7() -> UUID:
    """A UUID of version 7 (RFC 9562, 5.7), whose neighbours in time are neighbours in a btree. Python has it from 3.14."""
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds & (1 << 48) - 1) << 80 | random
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0b11 << 62) | 0b10 << 62
    return UUID(int=value)


def document_id(home_id: UUID, schema_name: str) -> UUID:
    """The id of a namespace's document of a schema: there is one of each."""
    return uuid5(home_id, f"document\x1f{schema_name}")


def imported_id(home_id: UUID, kind: Literal["entity", "memory"], key: str) -> UUID:
    """The id of what is imported under an app's own name for it: the same name is the same thing, however often it comes."""
    return uuid5(home_id, f"{kind}\x1f{key}")


def remembered_id(home_id: UUID, event_id: UUID) -> UUID:
    """The id of the memory that an event ``remember`` makes, which its publisher knows at once."""
    return uuid5(home_id, f"remembered\x1f{event_id}")


def history_id(home_id: UUID, form: str, source_id: str) -> UUID:
    """The id of the event of an export's message: the same message is the same event, however often it is imported."""
    return uuid5(home_id, f"history\x1f{form}\x1f{source_id}")
