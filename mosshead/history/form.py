"""Detect the format of an export by its content."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from mosshead.errors import InvalidEvent
from mosshead.history.archive import Archive
from mosshead.history.chatgpt import chatgpt_messages
from mosshead.history.claude import claude_messages
from mosshead.history.json_stream import JsonStream
from mosshead.history.jsonl import jsonl_messages
from mosshead.history.message import Entry
from mosshead.history.slack import DAY, slack_messages
from mosshead.history.telegram import telegram_messages
from mosshead.history.whatsapp import HEADER, DateOrder, whatsapp_messages
from mosshead.serialization import json_object

CHATS: Final = ("chatgpt", "claude", "jsonl", "slack", "telegram", "whatsapp")
FORMS: Final = (*CHATS, "mem0", "records")
_HEAD: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class HistoryForm:
    """The format of an export, and its files. name: one of FORMS; records are lines of an import."""

    name: str
    files: tuple[str, ...]


def recognise(archive: Archive, form: str | None = None) -> HistoryForm:
    """Return the format of an export. form: the format, if known. Raises InvalidEvent if it is unknown."""
    if form is not None and form not in FORMS:
        raise InvalidEvent(f"--format: one of {', '.join(FORMS)}")
    if form in {None, "slack"} and any(map(DAY.match, archive.names)):
        return HistoryForm("slack", ())
    single = len(archive.names) == 1
    found: dict[str, list[str]] = {}
    for name in archive.names:
        base = name.rpartition("/")[2]
        if single or base.startswith("conversations") or base == "result.json" or base.endswith((".txt", ".jsonl")):
            found.setdefault(form or _form_of(archive, name) or "", []).append(name)
    known = [one for one in found if one]
    if len(known) != 1:
        what = f"holds {' and '.join(known)}; import" if known else "not a known export;"
        fix = "them one by one" if known else f"--format says which of {', '.join(FORMS)} it is"
        raise InvalidEvent(f"{archive.path.name}: {what} {fix}")
    return HistoryForm(known[0], tuple(found[known[0]]))


def entries(
    archive: Archive, form: HistoryForm, *, zone: tzinfo | None = None, order: DateOrder | None = None
) -> Iterator[Entry]:
    """Yield the entries of a chat export, in its order. zone, order: of times and dates if the format does not specify them."""
    if form.name == "slack":
        yield from slack_messages(archive)
    for name in form.files:
        match form.name:
            case "chatgpt":
                yield from chatgpt_messages(archive, name)
            case "claude":
                yield from claude_messages(archive, name)
            case "jsonl":
                yield from jsonl_messages(archive, name, zone)
            case "telegram":
                yield from telegram_messages(archive, name, zone)
            case "whatsapp":
                yield from whatsapp_messages(archive, name, zone, order)


def _form_of(archive: Archive, name: str) -> str | None:
    with archive.text(name) as source:
        head = source.readline(_HEAD)
        if HEADER.match(head):
            return "whatsapp"
        first = json_object(head)
        if first is not None and first.get("type") in {"entity", "memory", "relation", "edge", "document", "prompt"}:
            return "records"
        if first is not None and {"role", "content"} <= first.keys():
            return "jsonl"
        if not head.lstrip().startswith(("[", "{")) and head.strip():
            return None
    with archive.text(name) as source:
        try:
            return _json_form(JsonStream(source, archive.named(name)))
        except InvalidEvent:
            if name.endswith(".json"):
                raise
            return "records"  # the check of an import then lists the faults by line


def _json_form(stream: JsonStream) -> str | None:
    if stream.peek() == "[":
        first = next(stream.items(), None)
        keys = {"mapping": "chatgpt", "chat_messages": "claude", "memory": "mem0"}
        return next((form for key, form in keys.items() if isinstance(first, dict) and key in first), None)
    for key in stream.members():
        if key in {"messages", "chats"}:
            return "telegram"
        if key == "results":
            return "mem0"
        stream.value()
    return "records"
