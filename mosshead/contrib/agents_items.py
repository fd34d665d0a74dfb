"""Items of the OpenAI Agents SDK as messages of a conversation, and back: what the text does not say is in the metadata."""

import logging
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import reduce
from operator import getitem
from typing import Any

from mosshead.contrib.openai_client.apis import storable, tool_call
from mosshead.events.envelope import MAX_METADATA_BYTES
from mosshead.models.kinds import Role
from mosshead.redaction import redact_json
from mosshead.text import is_text

Item = dict[str, Any]
"""As the SDK has it: a message of the responses API, a call of a tool, what it returned, a thought."""

ITEM = "agents_item"
"""Of a message's metadata: the item without its words."""

_WORDS = "agents_words"
"""The keys that lead to the words' place in it."""

_log = logging.getLogger("mosshead")


def event_of(item: Item) -> dict[str, Any] | None:
    """An item as a message; None for one that cannot be kept as it is, such as encrypted thoughts, which read as secrets."""
    kind = item.get("type", "message")
    event: dict[str, Any] = {"type": "message", "role": Role.TOOL, "content": ""}
    if kind == "message" and item.get("role") in _ROLES:
        event["role"] = _ROLES[item["role"]]
    elif kind == "function_call":
        call = tool_call(item.get("call_id"), item.get("name"), item.get("arguments"))
        event |= {"role": Role.ASSISTANT, "content": None, "tool_calls": [call]}
    elif kind == "function_call_output":
        event["tool_call_id"] = item.get("call_id")
    places: list[list[Any]] = list(_words_in(item))
    metadata: dict[str, Any] = {ITEM: item}
    if len(places) == 1:
        *path, last = places[0]
        metadata = {ITEM: deepcopy(item), _WORDS: places[0]}
        holder = reduce(getitem, path, metadata[ITEM])
        event["content"], holder[last] = storable(holder[last]), ""
    elif places:
        event["content"] = storable("\n".join(str(reduce(getitem, place, item)) for place in places))
    silent = not places and kind != "function_call"
    if len(str(metadata)) > MAX_METADATA_BYTES or (silent and redact_json(metadata) != metadata):
        _log.warning("an item of type %s is not kept: it is too large, or reads as a secret", kind)
        return None
    return event | {"metadata": metadata}


_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "developer": Role.SYSTEM}


def _words_in(item: Any) -> Iterator[list[Any]]:
    """Where an item's words stand: the keys that lead there."""
    for name in ("content", "output"):
        value = item.get(name)
        if isinstance(value, str):
            yield [name]
        elif isinstance(value, list):
            parts = (number for number, part in enumerate(value) if isinstance(part, Mapping) and is_text(part))
            yield from ([name, number, "text"] for number in parts if isinstance(value[number].get("text"), str))


def item_of(role: str, content: str, metadata: Mapping[str, Any]) -> Item:
    """A message as an item; one that no session of the SDK published as a plain message."""
    if ITEM not in metadata:
        return {"role": role, "content": content}
    item: Item = deepcopy(metadata[ITEM])
    if _WORDS in metadata:
        *path, last = metadata[_WORDS]
        reduce(getitem, path, item)[last] = content
    return item
