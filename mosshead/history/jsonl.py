"""Plain chats as JSON Lines: each line is a message as in `publish`, with its time."""

from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Any

from mosshead.errors import InvalidEvent
from mosshead.events.transcripts import turns
from mosshead.history.archive import Archive
from mosshead.history.message import Entry, HistoryMessage, OmittedEntry, in_zone, joined_id
from mosshead.serialization import json_object
from mosshead.text import text_of

_IDS = ("id", "message_id")
_MORE = ("event_id", "sequence", "metadata")


def jsonl_messages(archive: Archive, name: str, zone: tzinfo | None) -> Iterator[Entry]:
    """Yield a file's messages. zone: of times without one; None for this machine's. Raises InvalidEvent, which names the line.

    A line with an event_id is that event, as in an export. A line without any id is identified by its conversation, time, speaker
    and text.
    """
    with archive.text(name) as source:
        for number, line in enumerate(source, 1):
            if line.strip():
                yield _entry(json_object(line), f"{archive.named(name)}, line {number}", zone)


def _entry(one: dict[str, Any] | None, where: str, zone: tzinfo | None) -> Entry:
    if one is None:
        raise InvalidEvent(f"{where}: not a JSON object; put each message on its own line")
    given = next((str(one[name]) for name in _IDS if one.get(name)), None)
    try:
        (turn,) = turns([{name: value for name, value in one.items() if name not in _IDS}])
    except InvalidEvent as error:
        raise InvalidEvent(f"{where}: {str(error).removeprefix('messages[0].')}") from None
    at = _time(one.get("occurred_at"), where, zone)
    text = (text_of(turn.content) or "").strip()
    if not text:
        return OmittedEntry("without text")
    conversation = turn.more.get("conversation")
    return HistoryMessage(
        where=where,
        source_id=given or joined_id(conversation, at.isoformat(), turn.role, turn.speaker, text),
        conversation=conversation,
        content=text,
        occurred_at=at,
        role=turn.role,
        speaker=turn.speaker,
        more={name: turn.more[name] for name in _MORE if name in turn.more},
    )


def _time(given: object, where: str, zone: tzinfo | None) -> datetime:
    if given is None:
        raise InvalidEvent(
            f"{where}: occurred_at: missing; to publish current messages, use 'mosshead publish --messages'"
        )
    try:
        return in_zone(datetime.fromisoformat(str(given)), zone)
    except ValueError:
        raise InvalidEvent(f"{where}: occurred_at: not a time; write one such as 2024-05-01T10:00:00+02:00") from None
