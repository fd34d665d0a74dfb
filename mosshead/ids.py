"""Ids: time-ordered ones, and those derived from the app's own names.

The latter are version 5 UUIDs (RFC 9562, 5.5), by `NamespacePath.home_id`.
"""

import os
import time
from typing import Literal
from uuid import UUID, uuid5


def uuid7() -> UUID:
    """Return a version 7 UUID (RFC 9562, 5.7), which keeps records of similar time close in a btree. Python 3.14 has its own."""
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds & (1 << 48) - 1) << 80 | random
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0b11 << 62) | 0b10 << 62
    return UUID(int=value)


def document_id(home_id: UUID, schema_name: str) -> UUID:
    """Return the id of a namespace's document for a schema; there is one each."""
    return uuid5(home_id, f"document\x1f{schema_name}")


def imported_id(home_id: UUID, kind: Literal["entity", "memory"], key: str) -> UUID:
    """Return the id of something imported under the app's own name: the same name always gives the same id."""
    return uuid5(home_id, f"{kind}\x1f{key}")


def remembered_id(home_id: UUID, event_id: UUID) -> UUID:
    """Return the id of the memory that a ``remember`` event creates, known to its publisher at once."""
    return uuid5(home_id, f"remembered\x1f{event_id}")


def history_id(home_id: UUID, form: str, source_id: str) -> UUID:
    """Return the event id of an imported message: importing it again gives the same id."""
    return uuid5(home_id, f"history\x1f{form}\x1f{source_id}")
