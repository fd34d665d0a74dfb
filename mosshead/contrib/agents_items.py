"""Convert items of the OpenAI Agents SDK to messages and back; the metadata holds what the text does not."""

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
"""An item of the SDK: a message of the responses API, a tool call, its result, or reasoning."""

ITEM = "agents_item"
"""The metadata key of the item without its words."""

_WORDS = "agents_words"
"""The metadata key of the path to the words' place in the item."""

_log = logging.getLogger("mosshead")


def event_of(item: Item) -> dict[str, Any] | None:
    """Convert an item to a message; None if it cannot be stored unchanged: encrypted reasoning looks like a secret."""
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
    """Return the path of keys to an item's words."""
    for name in ("content", "output"):
        value = item.get(name)
        if isinstance(value, str):
            yield [name]
        elif isinstance(value, list):
            parts = (number for number, part in enumerate(value) if isinstance(part, Mapping) and is_text(part))
            yield from ([name, number, "text"] for number in parts if isinstance(value[number].get("text"), str))


def item_of(role: str, content: str, metadata: Mapping[str, Any]) -> Item:
    """Convert a message to an item; a message that no session of the SDK published becomes a plain one."""
    if ITEM not in metadata:
        return {"role": role, "content": content}
    item: Item = deepcopy(metadata[ITEM])
    if _WORDS in metadata:
        *path, last = metadata[_WORDS]
        reduce(getitem, path, item)[last] = content
    return item
