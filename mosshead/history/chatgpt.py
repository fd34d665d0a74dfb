"""ChatGPT's `conversations.json`: each conversation is a tree of nodes, of which one branch was on the screen last."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from mosshead.errors import InvalidEvent
from mosshead.history.archive import Archive
from mosshead.history.json_stream import JsonStream
from mosshead.history.message import Entry, HistoryMessage, LeftOut
from mosshead.patterns import lazy_pattern

_CITATION = lazy_pattern("\ue200[^\ue201]*\ue201|【[^】]*†[^】]*】")


def chatgpt_messages(archive: Archive, name: str) -> Iterator[Entry]:
    """The messages of a file, conversation by conversation. Raises InvalidEvent, which names the conversation at fault."""
    with archive.text(name) as source:
        for number, one in enumerate(JsonStream(source, archive.named(name)).items(), 1):
            where = f"{archive.named(name)}, conversation {number}"
            if not isinstance(one, Mapping) or not isinstance(one.get("mapping"), Mapping):
                raise InvalidEvent(f"{where}: has no mapping; is it an export of ChatGPT?")
            yield from _conversation(one, where)


def _conversation(one: Mapping[str, Any], where: str) -> Iterator[Entry]:
    mapping = one["mapping"]
    key = str(one.get("conversation_id") or one.get("id") or "")
    branch = _branch(mapping, one.get("current_node"))
    told = set(branch)
    moment = one.get("create_time")
    for node in mapping:
        message = _message(mapping, node)
        if message is not None and node not in told and _role(message) in {"user", "assistant"}:
            yield LeftOut("on a branch that was edited away")
    for node in branch:
        message = _message(mapping, node)
        if message is None:
            continue
        moment = message.get("create_time") or moment
        reason, content = _content(message)
        if reason:
            yield LeftOut(reason)
            continue
        if not isinstance(moment, int | float):
            raise InvalidEvent(f"{where}, node {node}: has no create_time, nor has its conversation")
        source_id = str(message.get("id") or node)
        at = datetime.fromtimestamp(moment, UTC)
        yield HistoryMessage(key or source_id, source_id, content, at, role=_role(message))


def _branch(mapping: Mapping[str, Any], current: object) -> list[str]:
    """From the root to the current node; without one, to the leaf that was written last."""
    if current not in mapping:
        leaves = [key for key, node in mapping.items() if isinstance(node, Mapping) and not node.get("children")]
        current = max(leaves, key=lambda key: (_message(mapping, key) or {}).get("create_time") or 0, default=None)
    found: dict[str, None] = {}
    while isinstance(current, str) and current in mapping and current not in found:
        found[current] = None
        current = (mapping[current] or {}).get("parent")
    return list(found)[::-1]


def _message(mapping: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    message = (mapping[key] or {}).get("message")
    return message if isinstance(message, Mapping) else None


def _role(message: Mapping[str, Any]) -> str | None:
    return (message.get("author") or {}).get("role")


def _content(message: Mapping[str, Any]) -> tuple[str, str]:
    """Why a message is left out, or what it says."""
    content = message.get("content") or {}
    if (role := _role(message)) not in {"user", "assistant"}:
        return f"of the role {role if role in {'system', 'tool'} else 'unknown'}", ""
    if (message.get("metadata") or {}).get("is_visually_hidden_from_conversation"):
        return "hidden in ChatGPT", ""
    if message.get("recipient") not in {None, "all"}:
        return "a call of a tool", ""
    if content.get("content_type") not in {"text", "multimodal_text"}:
        return "thoughts, code or settings", ""
    parts = content.get("parts") or []
    said = [part if isinstance(part, str) else _spoken(part) for part in parts]
    text = _CITATION.sub("", "\n".join(part for part in said if part)).strip()
    return ("" if text else "without text", text)


def _spoken(part: object) -> str:
    spoken = isinstance(part, Mapping) and part.get("content_type") == "audio_transcription"
    return str(part.get("text") or "") if spoken and isinstance(part, Mapping) else ""
