"""ChatGPT's `conversations.json`: each conversation is a tree of nodes, with one branch shown last."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from mosshead.errors import InvalidEvent
from mosshead.history.archive import Archive
from mosshead.history.json_stream import JsonStream
from mosshead.history.message import Entry, HistoryMessage, OmittedEntry, faults_at, joined_id
from mosshead.patterns import lazy_pattern

_CITATION = lazy_pattern("\ue200[^\ue201]*\ue201|【[^】]*†[^】]*】")


def chatgpt_messages(archive: Archive, name: str) -> Iterator[Entry]:
    """Yield a file's messages, conversation by conversation. Raises InvalidEvent, which names the invalid conversation."""
    with archive.text(name) as source:
        for number, one in enumerate(JsonStream(source, archive.named(name)).items(), 1):
            where = f"{archive.named(name)}, conversation {number}"
            if not isinstance(one, Mapping) or not isinstance(one.get("mapping"), Mapping):
                raise InvalidEvent(f"{where}: has no mapping; is it an export of ChatGPT?")
            with faults_at(where, "ChatGPT"):
                yield from _conversation(one, where)


def _conversation(one: Mapping[str, Any], where: str) -> Iterator[Entry]:
    mapping = one["mapping"]
    branch = _branch(mapping, one.get("current_node"))
    key = str(one.get("conversation_id") or one.get("id") or next(iter(branch), ""))
    told = set(branch)
    moment, latest = one.get("create_time"), 0.0
    for node in mapping:
        message = _message(mapping, node)
        if message is not None and node not in told and _role(message) in {"user", "assistant"}:
            yield OmittedEntry("on a branch that was edited away")
    for node in branch:
        message = _message(mapping, node)
        if message is None:
            continue
        if isinstance(at := message.get("create_time"), int | float):
            moment = latest = max(at, latest)  # an answer comes after its message
        reason, content = _content(message)
        if reason:
            yield OmittedEntry(reason)
            continue
        place = f"{where}, node {node}"
        source_id = joined_id(key, message.get("id") or node)
        yield HistoryMessage(place, source_id, key, content, _time(moment, place), role=_role(message))


def _time(moment: Any, where: str) -> datetime:
    try:
        return datetime.fromtimestamp(moment, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        raise InvalidEvent(f"{where}: neither it nor its conversation has a valid create_time") from None


def _branch(mapping: Mapping[str, Any], current: object) -> list[str]:
    """Return the branch from the root to the current node, or else to the latest leaf."""
    if current not in mapping:
        leaves = [key for key in mapping if not _node(mapping, key).get("children")]
        current = max(leaves, key=lambda key: (_message(mapping, key) or {}).get("create_time") or 0, default=None)
    found: dict[str, None] = {}
    while isinstance(current, str) and current in mapping and current not in found:
        found[current] = None
        current = _node(mapping, current).get("parent")
    return list(found)[::-1]


def _node(mapping: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return _object(mapping[key])


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _message(mapping: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    message = _node(mapping, key).get("message")
    return message if isinstance(message, Mapping) else None


def _role(message: Mapping[str, Any]) -> str | None:
    return _object(message.get("author")).get("role")


def _content(message: Mapping[str, Any]) -> tuple[str, str]:
    """Return why a message is omitted, or its content."""
    content = _object(message.get("content"))
    if (role := _role(message)) not in {"user", "assistant"}:
        return f"of the role {role if role in {'system', 'tool'} else 'unknown'}", ""
    if _object(message.get("metadata")).get("is_visually_hidden_from_conversation"):
        return "hidden in ChatGPT", ""
    if message.get("recipient") not in {None, "all"}:
        return "a tool call", ""
    if content.get("content_type") not in {"text", "multimodal_text"}:
        return "thoughts, code or settings", ""
    parts = content.get("parts") or []
    said = [part if isinstance(part, str) else _spoken(part) for part in parts]
    text = _CITATION.sub("", "\n".join(part for part in said if part)).strip()
    return ("" if text else "without text", text)


def _spoken(part: object) -> str:
    spoken = _object(part)
    return str(spoken.get("text") or "") if spoken.get("content_type") == "audio_transcription" else ""
