"""Slack's export: a folder per channel with a file per day, and `users.json`."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from re import Match
from typing import Any, Final

from mosshead.errors import InvalidEvent
from mosshead.history.archive import Archive
from mosshead.history.message import Entry, HistoryMessage, OmittedEntry, faults_at, joined_id
from mosshead.patterns import lazy_pattern

DAY = lazy_pattern(r"(?:^|.*/)([^/]+)/\d{4}-\d\d-\d\d\.json$")
"""The name of a day's file, with its channel."""

_SAID: Final = frozenset({None, "thread_broadcast", "me_message", "file_share"})
_MARK = lazy_pattern(r"<([^<>|]*)(?:\|([^<>]*))?>")


def slack_messages(archive: Archive) -> Iterator[Entry]:
    """Yield the messages of all channels, day by day. Raises InvalidEvent, which names the file and the invalid message."""
    users = _users(archive)
    for name in archive.names:
        if not (day := DAY.match(name)):
            continue
        messages = _read(archive, name)
        for number, one in enumerate(messages, 1):
            where = f"{archive.named(name)}, message {number}"
            with faults_at(where, "Slack"):
                yield _entry(one, day.group(1), users, where)


def _read(archive: Archive, name: str) -> list[Any]:
    with archive.text(name) as source:
        try:
            found = json.load(source)
        except (json.JSONDecodeError, RecursionError):
            found = None
    if not isinstance(found, list):
        raise InvalidEvent(f"{archive.named(name)}: not a JSON array; download the export again")
    return found


def _users(archive: Archive) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in archive.names:
        if name.rpartition("/")[2] == "users.json":
            for number, one in enumerate(_read(archive, name), 1):
                with faults_at(f"{archive.named(name)}, user {number}", "Slack"):
                    profile = one.get("profile") or {}
                    names = (
                        one.get("real_name"),
                        profile.get("real_name"),
                        profile.get("display_name"),
                        one.get("name"),
                    )
                    found[str(one.get("id"))] = next((str(name) for name in names if name), str(one.get("id")))
    return found


def _entry(one: Any, channel: str, users: Mapping[str, str], where: str) -> Entry:
    if not isinstance(one, Mapping) or not one.get("ts"):
        raise InvalidEvent(f"{where}: has no ts; is it an export of Slack?")
    if one.get("bot_id") or one.get("subtype") == "bot_message":
        return OmittedEntry("of a bot")
    if one.get("subtype") == "tombstone" or one.get("hidden"):
        return OmittedEntry("deleted")
    if one.get("subtype") not in _SAID or one.get("type") != "message":
        return OmittedEntry("a notice of the app")
    text = _text(str(one.get("text") or ""), users).strip()
    if not text:
        return OmittedEntry("without text")
    user = str(one.get("user") or "unknown")
    profile = one.get("user_profile") or {}
    speaker = users.get(user) or str(profile.get("real_name") or user)
    try:
        at = datetime.fromtimestamp(float(one["ts"]), UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidEvent(f"{where}: ts is not a time") from None
    return HistoryMessage(where, joined_id(channel, one["ts"]), f"#{channel}"[:200], text, at, speaker=speaker[:200])


def _text(text: str, users: Mapping[str, str]) -> str:
    def plain(mark: Match[str]) -> str:
        target, label = mark.group(1), mark.group(2)
        if target.startswith("@"):
            return f"@{users.get(target[1:]) or label or target[1:]}"
        if label and target.startswith("!date^"):
            return label
        if target[:1] in {"#", "!"}:
            return f"{'#' if target[0] == '#' else '@'}{(label or target[1:]).lstrip('@#')}"
        return label if label and (target.startswith("mailto:") or label in target) else target

    # Typed signs are escaped, so marks are replaced first.
    return _MARK.sub(plain, text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
