"""The turns that an app hands in with a message: what they say, without secrets, and who asks."""

from collections.abc import Mapping, Sequence
from typing import Any

from mosshead.events.transcripts import spoken
from mosshead.models.kinds import Role
from mosshead.redaction.redact import redact
from mosshead.text import readable


def redact_history(history: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The texts of a history, as they are stored."""
    return tuple(redact(readable("history", content)) for content in spoken(list(history))) if history else ()


def asking_speaker(speaker: object, history: Sequence[Mapping[str, Any]]) -> str | None:
    """The name of whoever asks: as given, or that of the history's last user message. Raises ValueError for what is no text."""
    if speaker is None:
        users = [one for one in history if isinstance(one, Mapping) and one.get("role") == Role.USER]
        named = users[-1].get("speaker") or users[-1].get("name") if users else None
        speaker = named if isinstance(named, str) else None
    return None if speaker is None else redact(readable("speaker", speaker))
