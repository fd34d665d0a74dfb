"""Telegram's `result.json`: one chat or all of an account. A message's text is a string or a list of pieces."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any

from mosshead.errors import InvalidEvent
from mosshead.history.archive import Archive
from mosshead.history.json_stream import JsonStream
from mosshead.history.message import Entry, HistoryMessage, OmittedEntry, faults_at, in_zone, joined_id


def telegram_messages(archive: Archive, name: str, zone: tzinfo | None) -> Iterator[Entry]:
    """Yield a file's messages. zone: of old exports, which have only the computer's local time; None for this machine's."""
    with archive.text(name) as source:
        yield from _chats(JsonStream(source, archive.named(name)), archive.named(name), zone)


def _chats(stream: JsonStream, where: str, zone: tzinfo | None) -> Iterator[Entry]:
    head: dict[str, Any] = {}
    for key in stream.members():
        if key == "messages":
            if "id" not in head:
                raise InvalidEvent(f"{where}: a chat's messages come before its id; export it again as JSON")
            for number, one in enumerate(stream.items(), 1):
                place = f"{where}, chat {head['id']}, message {number}"
                with faults_at(place, "Telegram"):
                    yield _entry(one, head, place, zone)
        elif key in {"chats", "left_chats"} and stream.peek() == "{":
            yield from _chats(stream, where, zone)
        elif key == "list" and stream.peek() == "[":
            for _ in stream.places():
                yield from _chats(stream, where, zone)
        else:
            head[key] = stream.value()


def _entry(one: Any, chat: Mapping[str, Any], where: str, zone: tzinfo | None) -> Entry:
    if not isinstance(one, Mapping) or "id" not in one:
        raise InvalidEvent(f"{where}: has no id; is it an export of Telegram?")
    if one.get("type") != "message":
        return OmittedEntry("a notice of the app")
    if one.get("forwarded_from") or "forwarded_from_id" in one:
        return OmittedEntry("forwarded: somebody else's words")
    text = _text(one.get("text")).strip()
    if not text:
        return OmittedEntry("without text")
    speaker = str(one.get("from") or one.get("from_id") or "Deleted Account")
    named = f"{chat.get('name') or chat.get('type') or 'chat'} ({chat['id']})"
    return HistoryMessage(
        where, joined_id(chat["id"], one["id"]), named[:200], text, _time(one, where, zone), speaker=speaker[:200]
    )


def _text(text: Any) -> str:
    if isinstance(text, list):
        return "".join(_text(piece.get("text") if isinstance(piece, Mapping) else piece) for piece in text)
    return text if isinstance(text, str) else ""


def _time(one: Mapping[str, Any], where: str, zone: tzinfo | None) -> datetime:
    try:
        if one.get("date_unixtime"):
            return datetime.fromtimestamp(int(one["date_unixtime"]), UTC)
        return in_zone(datetime.fromisoformat(str(one.get("date"))), zone)
    except (ValueError, OverflowError, OSError):
        raise InvalidEvent(f"{where}: has neither date_unixtime nor date") from None
