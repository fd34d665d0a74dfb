"""Read conversations in the formats that apps use: a transcript, or a list of messages as in providers' APIs."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mosshead.errors import InvalidEvent
from mosshead.fencing import strip_fences
from mosshead.models.kinds import Role
from mosshead.text import UNSTORABLE, is_text, text_of

_SPEAKERS = {
    **dict.fromkeys(("user", "human", "you"), Role.USER),
    **dict.fromkeys(("assistant", "ai", "bot"), Role.ASSISTANT),
    "system": Role.SYSTEM,
    "tool": Role.TOOL,
}
_MORE = ("conversation", "sequence", "metadata", "tool_calls", "tool_call_id", "event_id", "injected")
_ROLES_OF_APIS = {"developer": Role.SYSTEM.value, "function": Role.TOOL.value}
_MOST_OF_A_PART = 2_000
"""Maximum characters of a string in a non-text part, such as a picture's address; a longer one is the picture itself."""

_log = logging.getLogger("mosshead")
_SILENT = ("system", "developer", "tool", "function")
_FIELDS = frozenset({"role", "content", "speaker", "name", "occurred_at", *_MORE})
_OF_ANSWERS = frozenset({"annotations", "audio", "function_call", "refusal"})
"""Further fields of a chat completion answer, which contain nothing to remember."""


def spoken(history: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a history's user and assistant messages, without prompts, notes and tool results. Raises InvalidEvent."""
    said = (strip_fences(text_of(turn.content) or "") for turn in turns(history) if turn.role not in _SILENT)
    return [text for text in said if text]


@dataclass(frozen=True, slots=True)
class TranscriptTurn:
    """One message of a conversation, before it becomes an event; fields as in MessageEvent. more: optional ones."""

    role: str
    content: Any
    speaker: str | None = None
    occurred_at: datetime | str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fields(self) -> dict[str, Any]:
        """Return the fields of its event, without the time."""
        return {"role": self.role, "content": self.content, "speaker": self.speaker, **self.more}


def turns(
    conversation: str | Sequence[Mapping[str, Any]], speakers: Mapping[str, str] | None = None
) -> list[TranscriptTurn]:
    """Return the turns of a transcript ("User: … / Assistant: …") or of a list of ``{role, content}``.

    speakers: the role of each named speaker of a transcript, such as ``{"Sarah": "user", "Bo": "assistant"}``.
    Raises InvalidEvent, which names the invalid line or message.
    """
    if isinstance(conversation, str):
        return _transcript(conversation, {name.casefold(): _role(role) for name, role in (speakers or {}).items()})
    return [_message(number, message) for number, message in enumerate(conversation)]


def in_event_form(message: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the fields of a message from any API to those of its event.

    The roles developer and function become system and tool. A content of None becomes empty. Embedded pictures, sounds and files
    are replaced by a note of their size. A NUL character or half a surrogate pair becomes "?", which is logged with its count.
    Raises InvalidEvent if the message is nested too deeply.
    """
    fields: dict[str, Any]
    try:
        fields, replaced = _storable(message)
    except RecursionError:
        raise InvalidEvent("event not accepted: event: nested too deeply") from None
    if replaced:
        _log.warning(
            "message: replaced %d characters that cannot be stored (NUL, half a surrogate pair) by '?'", replaced
        )
    if isinstance(role := fields.get("role"), str):
        fields["role"] = _ROLES_OF_APIS.get(role, role)
    content = fields.get("content")
    if isinstance(content, list | tuple):
        fields["content"] = [
            part if not isinstance(part, Mapping) or is_text(part) else _noted(part) for part in content
        ]
    elif content is None and "content" in fields and not fields.get("tool_calls"):
        fields["content"] = ""
    return fields


def _storable(value: Any) -> tuple[Any, int]:
    """Replace each character that Postgres cannot store by "?"; return the value and their number."""
    if isinstance(value, str):
        return UNSTORABLE.subn("?", value)
    if isinstance(value, Mapping):
        pairs = [(_storable(name), _storable(inner)) for name, inner in value.items()]
        return {name[0]: inner[0] for name, inner in pairs}, sum(name[1] + inner[1] for name, inner in pairs)
    if isinstance(value, list | tuple):
        items = [_storable(inner) for inner in value]
        return [item for item, _ in items], sum(count for _, count in items)
    return value, 0


def _noted(value: Any) -> Any:
    """Return a part of a message without its embedded data, such as a data URL or base64; a note states the size."""
    if isinstance(value, str) and len(value) > _MOST_OF_A_PART:
        kind = value.partition(",")[0] if value.startswith("data:") and "," in value[:_MOST_OF_A_PART] else ""
        return f"{kind}[{len(value):,} characters left out]"
    if isinstance(value, Mapping):
        return {name: _noted(inner) for name, inner in value.items()}
    return [_noted(inner) for inner in value] if isinstance(value, list) else value


def _role(role: str) -> Role:
    if role not in set(Role):
        raise InvalidEvent(f"speakers: a speaker's role must be one of {', '.join(Role)}")
    return Role(role)


def _transcript(transcript: str, named: Mapping[str, Role]) -> list[TranscriptTurn]:
    known = {**_SPEAKERS, **named}
    found: list[tuple[Role, str | None, list[str]]] = []
    for number, line in enumerate(transcript.splitlines(), 1):
        # A speaker before a colon starts a turn; "http://" and "10:30" do not, and "Note: …" is not a speaker.
        name, colon, said = line.partition(":")
        name = name.strip()
        role = known.get(name.casefold()) if colon and not said[:1].strip() else None
        if role is not None:
            found.append((role, name if name.casefold() in named else None, [said.strip()]))
        elif found:
            found[-1][2].append(line)
        elif line.strip():
            raise InvalidEvent(
                f"transcript, line {number}: does not start with a known speaker; write 'User: …' or 'Assistant: …', "
                "or assign roles with speakers={'Sarah': 'user'}"
            )
    return [TranscriptTurn(role, "\n".join(lines).strip(), speaker) for role, speaker, lines in found]


def _message(number: int, message: Mapping[str, Any]) -> TranscriptTurn:
    field = f"messages[{number}]"
    if not isinstance(message, Mapping):
        raise InvalidEvent(f"{field}: must be an object such as {{'role': 'user', 'content': '…'}}")
    missing = [name for name in ("role", "content") if name not in message]
    if missing:
        raise InvalidEvent(
            f"{field}.{missing[0]}: missing; a message is an object such as {{'role': 'user', 'content': '…'}}"
        )
    unknown = sorted(set(message) - _FIELDS - _OF_ANSWERS)
    if unknown:
        raise InvalidEvent(f"{field}.{unknown[0]}: not a field of a message; omit it, or put it into metadata")
    more = {name: message[name] for name in _MORE if message.get(name) is not None}
    return TranscriptTurn(
        role=message["role"],
        content=message["content"],
        speaker=message.get("speaker") or message.get("name"),
        occurred_at=message.get("occurred_at"),
        more=more,
    )
