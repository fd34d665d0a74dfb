"""All texts of an event, redacted; its ids, times and numbers stay as they are."""

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from recollect.events import AnyEvent, parse_event
from recollect.redaction.redact import redact

_NO_TEXTS = frozenset(
    "version type event_id namespace publisher publisher_sequence conversation occurred_at role sequence "
    "tool_call_id injected "
    "decision_id".split()
)
"""Fields of an event that name or order it. Redacted, they would name something else."""

_IDS = frozenset({"id", "type", "tool_call_id", "tool_use_id"})
"""The same inside tool calls and parts of a content."""

_SAYS_WHAT_IT_IS = re.compile(
    r"[\w.\-]*(?:passw(?:or)?d|passwd|pwd|passphrase|passcode|secret|key|credential|pin|pincode|cvv|cvc|otp|ssn|"
    r"token|authorization)s?",
    re.IGNORECASE,
)

_QUOTES_NOT = re.compile(r"[\"'`\n]")


def redact_event(event: AnyEvent) -> AnyEvent:
    """A checked event with its texts redacted: content, speaker, tool calls, metadata, instructions.

    Raises InvalidEvent where it does not fit any more: a mark can be longer than the secret that it stands for.
    """
    texts = {name: getattr(event, name) for name in event.__class__.model_fields.keys() - _NO_TEXTS}
    changed = {name: redacted for name, value in texts.items() if (redacted := redact_json(value)) != value}
    return parse_event({**event.model_dump(), **changed}) if changed else event


def redact_fields(event: Mapping[str, Any]) -> dict[str, Any]:
    """The same for a JSON object that came from outside, whatever its fields are."""
    return {name: value if name in _NO_TEXTS else redact_json(value, name=name) for name, value in event.items()}


def redact_json(value: Any, *, name: str = "") -> Any:
    """JSON with every text in it redacted, at any depth. name: of the field that holds it, which may say that it is a secret."""
    # By a list of what is left to do, rather than by recursion: what comes from outside may be nested deeper than a stack is.
    whole = [value]
    left: list[tuple[Any, Any, str]] = [(whole, 0, name)]
    while left:
        holder, key, name = left.pop()
        value = holder[key].model_dump() if isinstance(holder[key], BaseModel) else holder[key]
        if isinstance(value, Mapping):
            holder[key] = inner = dict(value)
            left += [(inner, one, str(one)) for one in inner if not (one in _IDS and isinstance(inner[one], str))]
        elif isinstance(value, list | tuple):
            holder[key] = items = list(value)
            left += [(items, place, name) for place in range(len(items))]
        elif isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            redacted = _redact_named(str(value), name)
            holder[key] = value if redacted == str(value) else redacted
    return whole[0]


def _redact_named(text: str, name: str) -> str:
    inner = _from_json(text)
    if inner is not None:
        redacted = redact_json(inner)
        return text if redacted == inner else json.dumps(redacted, ensure_ascii=False)
    if not _SAYS_WHAT_IT_IS.fullmatch(name):
        return redact(text)
    # As it would stand in a setting: a password has no look of its own.
    quote = "" if _QUOTES_NOT.search(text) else '"'
    before = f"{name}: {quote}"
    return redact(f"{before}{redact(text)}{quote}").removeprefix(before).removesuffix(quote)


def _from_json(text: str) -> Any | None:
    """What a text says as JSON, as the arguments of a tool's call do; None where it is no object and no list."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
