"""The turns that an app passes with a message: redact them, and find who asks."""

from collections.abc import Mapping, Sequence
from typing import Any

from mosshead.events.transcripts import spoken
from mosshead.models.kinds import Role
from mosshead.redaction.redact import redact
from mosshead.text import readable


def redact_history(history: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Redact the texts of a history as for storage."""
    return tuple(redact(readable("history", content)) for content in spoken(list(history))) if history else ()


def asking_speaker(speaker: object, history: Sequence[Mapping[str, Any]]) -> str | None:
    """Return who asks: the given name, or that of the history's last user message. Raises ValueError if it is not text."""
    if speaker is None:
        users = [one for one in history if isinstance(one, Mapping) and one.get("role") == Role.USER]
        named = users[-1].get("speaker") or users[-1].get("name") if users else None
        speaker = named if isinstance(named, str) else None
    return None if speaker is None else redact(readable("speaker", speaker))
