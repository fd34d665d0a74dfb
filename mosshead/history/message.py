"""What an export gives, one by one: a message, or something that is left out with the reason."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from mosshead.errors import InvalidEvent


@dataclass(frozen=True, slots=True)
class HistoryMessage:
    """A message of an export.

    where: its place, for errors: the file, and the conversation, the line or the message in it.
    source_id: names it among all exports of its form, so that a second import is the same message.
    role: as the form gives it; None in a chat between people, where speaker names the person.
    more: further fields of its event, where the form has them.
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
    """Something of an export that is no message to remember. reason: in words without its text."""

    reason: str


Entry = HistoryMessage | OmittedEntry


@contextmanager
def faults_at(where: str, app: str) -> Iterator[None]:
    """Refuse what is not as the app's exports have it, with its place. Raises InvalidEvent."""
    try:
        yield
    except InvalidEvent:
        raise
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        raise InvalidEvent(f"{where}: not as an export of {app} has it; download it again") from None


def joined_id(*parts: object) -> str:
    """A source_id of what names a message together."""
    return "\x1f".join(map(str, parts))


def in_zone(said: datetime, zone: tzinfo | None) -> datetime:
    """A time with its zone. zone: of one that has none; None for this machine's."""
    if said.tzinfo is not None:
        return said
    return said.replace(tzinfo=zone) if zone else said.astimezone()
