"""What an export gives, one by one: a message, or something that is left out with the reason."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class HistoryMessage:
    """A message of an export.

    source_id: names it within its form and conversation, so that a second import is the same message.
    role: as the form gives it; None in a chat between people, where speaker names the person.
    """

    conversation: str
    source_id: str
    content: str
    occurred_at: datetime
    role: str | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something of an export that is no message to remember. reason: in words without its text."""

    reason: str


Entry = HistoryMessage | LeftOut
