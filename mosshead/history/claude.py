"""Claude's `conversations.json`: each conversation has `chat_messages`, whose content is blocks."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from mosshead.errors import InvalidEvent
from mosshead.history.archive import Archive
from mosshead.history.json_stream import JsonStream
from mosshead.history.message import Entry, HistoryMessage, OmittedEntry, faults_at, joined_id
from mosshead.patterns import lazy_pattern

_UNSUPPORTED = lazy_pattern(r"```\s*This block is not supported on your current device yet\.\s*```")


def claude_messages(archive: Archive, name: str) -> Iterator[Entry]:
    """Yield a file's messages, conversation by conversation. Raises InvalidEvent, which names the invalid conversation."""
    with archive.text(name) as source:
        for number, one in enumerate(JsonStream(source, archive.named(name)).items(), 1):
            where = f"{archive.named(name)}, conversation {number}"
            if not isinstance(one, Mapping) or not isinstance(one.get("chat_messages"), list):
                raise InvalidEvent(f"{where}: has no chat_messages; is it an export of Claude?")
            with faults_at(where, "Claude"):
                yield from _conversation(one, where)


def _conversation(one: Mapping[str, Any], where: str) -> Iterator[Entry]:
    messages = [message for message in one["chat_messages"] if isinstance(message, Mapping)]
    branch = _branch(messages)
    for number, message in enumerate(messages, 1):
        sender = {"human": "user", "assistant": "assistant"}.get(str(message.get("sender")))
        content = _text(message)
        if message.get("uuid") not in branch:
            yield OmittedEntry("on a branch that was edited away")
        elif sender is None:
            yield OmittedEntry("of an unknown sender")
        elif not content:
            yield OmittedEntry("without text")
        else:
            place, key = f"{where}, message {number}", str(one.get("uuid") or messages[0].get("uuid"))
            source_id = joined_id(key, message.get("uuid"))
            yield HistoryMessage(place, source_id, key, content, _time(message, place), role=sender)


def _branch(messages: Sequence[Mapping[str, Any]]) -> set[object]:
    """Return the last message and its ancestors; all messages if they have no parents."""
    above = {message.get("uuid"): message.get("parent_message_uuid") for message in messages}
    if not any(parent in above for parent in above.values() if parent):
        return set(above)
    found: set[object] = set()
    current: object = messages[-1].get("uuid")
    while current in above and current not in found:
        found.add(current)
        current = above[current]
    return found


def _text(message: Mapping[str, Any]) -> str:
    blocks = message.get("content")
    if not isinstance(blocks, list) or not blocks:
        return _UNSUPPORTED.sub("", str(message.get("text") or "")).strip()
    said = (one.get("text") for one in blocks if isinstance(one, Mapping) and one.get("type") == "text")
    return "\n".join(text for text in said if isinstance(text, str)).strip()


def _time(message: Mapping[str, Any], where: str) -> datetime:
    try:
        at = datetime.fromisoformat(str(message.get("created_at")))
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise InvalidEvent(f"{where}: created_at is not a time with a zone")
    return at
