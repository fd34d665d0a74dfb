"""A chat's messages as memory takes them: what is asked, what was said before, what is new. Pure, and tolerant of any shape."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mosshead import contents
from mosshead.events.envelope import MAX_CONTENT_BYTES
from mosshead.kinds import SPEAKING

HISTORY = 50
"""So many of the earlier messages count as known to the model, and are not repeated among the notes."""

Message = dict[str, Any]
"""A message as the chat completion API has it."""

NOTHING: tuple[Message, ...] = ()
"""No message."""

_NEW = frozenset({"user", "tool"})


@dataclass(frozen=True, slots=True)
class Asked:
    """What a call asks.

    text: the last message of the user. history: what was said before it, as ``{role, content}``, the latest `HISTORY`.
    new: what came after the last answer, as it is to be published.
    """

    text: str = ""
    history: tuple[Message, ...] = ()
    new: tuple[Message, ...] = ()


def asked(messages: Sequence[Message]) -> Asked:
    """What a list of messages asks. Whole histories are sent with each call: what follows the last answer is new."""
    roles = [message.get("role") for message in messages]
    said = _last(roles, "user")
    answered = _last(roles, "assistant")
    spoken = [
        {"role": role, "content": text}
        for role, message in zip(roles[: max(said, 0)], messages, strict=False)
        if role in SPEAKING and (text := text_of(message.get("content")))
    ]
    return Asked(
        text=text_of(messages[said].get("content")) if said >= 0 else "",
        history=tuple(spoken[-HISTORY:]),
        new=tuple(_published(messages[answered + 1 :])),
    )


def answer(texts: Iterable[str | None], tool_calls: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """An assistant's message of some texts and calls of tools, as it is to be published; none where there is neither."""
    content = storable("\n".join(text for text in texts if text))
    if not content and not tool_calls:
        return NOTHING
    message: Message = {"role": "assistant", "content": content or None}
    if tool_calls:
        message["tool_calls"] = [dict(call) for call in tool_calls]
    return (message,)


def tool_call(call_id: object, name: object, arguments: object) -> Message:
    """A call of a tool, as the chat completion API has it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def plain(item: object) -> Message:
    """A message as a dict: it may be one, or the object in which the openai package gave an answer. Of anything else, empty."""
    if isinstance(item, Mapping):
        return dict(item)
    dump = getattr(item, "model_dump", None)
    # What `parse` made of an answer is none of the declared type, of which pydantic would warn at each call.
    dumped = dump(exclude_none=True, warnings=False) if callable(dump) else {}
    return dumped if isinstance(dumped, dict) else {}


def text_of(content: object) -> str:
    """What a message says in words: its content, or the parts of it that are text, in the words of either API."""
    return contents.text_of([plain(part) for part in content] if isinstance(content, list | tuple) else content) or ""


def storable(text: str) -> str:
    """A text as an event can hold it: half surrogate pairs and NUL are "?", and what is beyond an event's size is cut off."""
    whole = text.replace("\x00", "?").encode("utf-8", "replace")
    return whole[:MAX_CONTENT_BYTES].decode("utf-8", "ignore")


def _published(messages: Iterable[Message]) -> Iterable[Message]:
    for message in messages:
        text = storable(text_of(message.get("content")))
        if not text or message.get("role") not in _NEW:
            continue
        kept = {name: message[name] for name in ("name", "tool_call_id") if isinstance(message.get(name), str)}
        yield {"role": message["role"], "content": text, **kept}


def _last(roles: Sequence[object], role: str) -> int:
    """Where a role was last; -1 for nowhere."""
    return max((place for place, one in enumerate(roles) if one == role), default=-1)
