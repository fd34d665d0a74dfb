"""The entries of an export: a message, or an omitted entry with its reason."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from mosshead.errors import InvalidEvent


@dataclass(frozen=True, slots=True)
class HistoryMessage:
    """A message of an export.

    where: its place, for errors: the file, and the conversation, line or message in it.
    source_id: identifies it among all exports of its format, so that a second import gives the same message.
    role: as in the format; None in a chat between people, where speaker names the person.
    more: further fields of its event, if the format has them.
    """

    where: str
    source_id: str
    conversation: str | None
    content: str
    occurred_at: datetime
    role: str | None = None
    speaker: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OmittedEntry:
    """An entry that is not a message to remember. reason: without its text."""

    reason: str


Entry = HistoryMessage | OmittedEntry


@contextmanager
def faults_at(where: str, app: str) -> Iterator[None]:
    """Turn errors about unexpected data into InvalidEvent with the place."""
    try:
        yield
    except InvalidEvent:
        raise
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        raise InvalidEvent(f"{where}: not in the format of {app}'s exports; download it again") from None


def joined_id(*parts: object) -> str:
    """Join the values that identify a message to a source_id."""
    return "\x1f".join(map(str, parts))


def in_zone(said: datetime, zone: tzinfo | None) -> datetime:
    """Return a time with a zone. zone: for a time without one; None for this machine's."""
    if said.tzinfo is not None:
        return said
    return said.replace(tzinfo=zone) if zone else said.astimezone()
