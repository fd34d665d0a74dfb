"""`mosshead import` for chat exports: check the whole export, then publish it in chronological order in small portions."""

import sys
import time
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Final, cast, get_args
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from rich.progress import Progress

from mosshead.api.namespace import Namespace
from mosshead.cli.output import read_file
from mosshead.errors import InvalidEvent
from mosshead.events.envelope import MAX_CONTENT_BYTES
from mosshead.history.archive import Archive
from mosshead.history.form import CHATS, entries, recognise
from mosshead.history.mem0 import mem0_lines
from mosshead.history.message import Entry, HistoryMessage, OmittedEntry
from mosshead.history.whatsapp import DateOrder
from mosshead.ids import history_id
from mosshead.models.kinds import Role
from mosshead.paths import NamespacePath
from mosshead.portions import portions
from mosshead.publishing.publishers import CheckedEvent, check_events, publish_checked

_AT_ONCE: Final = 28
_AT_ONCE_BYTES: Final = 20 << 10
"""Less than one batch of the service by default, so that a message of a live chat still fits in."""
_ID_LENGTH: Final = 36
_LOOK_SECONDS: Final = 0.2


@dataclass(slots=True)
class HistoryReport:
    """Counts of an import: messages, conversations, speakers, time span, and omitted entries by reason."""

    form: str
    messages: int = 0
    conversations: set[str | None] = field(default_factory=set)
    speakers: Counter[str] = field(default_factory=Counter)
    first: datetime | None = None
    last: datetime | None = None
    left_out: Counter[str] = field(default_factory=Counter)
    published: bool = False

    def add(self, entry: Entry) -> None:
        """Count one entry of the export."""
        if isinstance(entry, OmittedEntry):
            self.left_out[entry.reason] += 1
            return
        self.messages += 1
        self.conversations.add(entry.conversation)
        self.speakers[entry.speaker or entry.role or ""] += 1
        self.first = min(self.first or entry.occurred_at, entry.occurred_at)
        self.last = max(self.last or entry.occurred_at, entry.occurred_at)

    @property
    def text(self) -> str:
        """Return the report as text."""
        span = ""
        if self.first and self.last:
            span = f", {self.first.astimezone(UTC):%Y-%m-%d} to {self.last.astimezone(UTC):%Y-%m-%d}"
        done = "published" if self.published else "would be published"
        lines = [
            f"{self.form}: {self.messages:,} messages of {len(self.conversations):,} conversations{span} {done}",
            *(f"  {name}: {count:,}" for name, count in self.speakers.most_common(20)),
            *(f"  left out, {reason}: {count:,}" for reason, count in self.left_out.most_common()),
        ]
        return "\n".join(lines)


def lines_of(path: Path, form: str | None) -> Iterable[str] | None:
    """Return the lines of a memory export, or None if it is a chat export."""
    archive = Archive(path)
    found = recognise(archive, form)
    if found.name in CHATS:
        return None
    return mem0_lines(archive, found.files[0]) if found.name == "mem0" else read_file(path).split("\n")


def import_history(
    namespace: Namespace,
    path: Path,
    form: str | None,
    speakers: Sequence[str],
    *,
    zone: str | None,
    order: str | None,
    dry_run: bool,
    bar: Progress,
) -> HistoryReport:
    """Check a whole chat export, then publish it in chronological order. Raises InvalidEvent before publishing anything."""
    roles = _roles(speakers)
    archive = Archive(path)
    found = recognise(archive, form)
    if order is not None and order not in get_args(DateOrder):
        raise InvalidEvent(f"--date-order: one of {', '.join(get_args(DateOrder))}")
    said = entries(archive, found, zone=_zone(zone), order=cast("DateOrder | None", order))
    report = HistoryReport(found.name)
    with TemporaryFile("w+b") as file:
        checked = CheckedHistory(file)
        for entry in bar.track(said, description="checking"):
            report.add(entry := _fitting(entry))
            if isinstance(entry, HistoryMessage):
                event = _checked(namespace, found.name, entry, roles)
                if not dry_run:
                    checked.add(event, entry)
        _check_speakers(report, roles)
        if not dry_run:
            _publish(namespace, checked, report.messages, bar)
            report.published = True
    return report


class CheckedHistory:
    """Checked events in a temporary file, readable in chronological order: exports may list the newest conversation first."""

    def __init__(self, file: BinaryIO) -> None:
        """file: an empty file that nothing else reads or writes."""
        self._file = file
        self._times, self._places = array("d"), array("q")

    def add(self, event: CheckedEvent, of: HistoryMessage) -> None:
        """Store an event under the time of its message."""
        self._times.append(of.occurred_at.timestamp())
        self._places.append(self._file.tell())
        self._file.write(f"{event.event_id}{event.body}\n".encode())

    def by_time(self, path: NamespacePath) -> Iterator[CheckedEvent]:
        """Yield the events in chronological order; events of the same time stay in the order of the export."""
        for number in sorted(range(len(self._times)), key=self._times.__getitem__):
            self._file.seek(self._places[number])
            line = self._file.readline().decode()
            yield CheckedEvent(UUID(line[:_ID_LENGTH]), path, line[_ID_LENGTH:].rstrip("\n"))


def _publish(namespace: Namespace, checked: CheckedHistory, messages: int, bar: Progress) -> None:
    """Publish less than a batch at a time, the next when only one is left: one batch is running, and one waits behind it.

    A message of a live chat takes effect with the second of the two.
    """
    task, session, before = bar.add_task("publishing", total=messages), namespace.session, sys.maxsize
    for some in portions(
        checked.by_time(namespace.path), lambda one: len(one.body), most=_AT_ONCE_BYTES, most_items=_AT_ONCE
    ):
        while (waiting := _waiting(namespace)) > before:
            bar.update(task, description=f"publishing; {waiting:,} events waiting")
            time.sleep(_LOOK_SECONDS)
        publish_checked(session.publisher, session.path, some, on_sent=lambda: bar.advance(task))
        before = len(some)


def _waiting(namespace: Namespace) -> int:
    """Return how many events of the namespace are not consolidated yet."""
    progress = namespace.progress()
    return progress.pending + progress.not_received


def _fitting(entry: Entry) -> Entry:
    """Omit a message that is too long to publish, since users cannot shorten it in an export."""
    too_long = isinstance(entry, HistoryMessage) and len(entry.content.encode(errors="replace")) > MAX_CONTENT_BYTES
    return OmittedEntry(f"longer than {MAX_CONTENT_BYTES:,} bytes") if too_long else entry


def _checked(namespace: Namespace, form: str, one: HistoryMessage, roles: Mapping[str, str]) -> CheckedEvent:
    event = {
        "type": "message",
        "event_id": history_id(namespace.path.home_id, form, one.source_id),
        "role": one.role or roles.get(one.speaker or "") or Role.USER,
        "content": one.content,
        "conversation": one.conversation,
        "occurred_at": one.occurred_at,
        "imported": True,
        **one.more,
    }
    if one.speaker not in roles:  # the role identifies the user and the assistant; other group members need a name
        event["speaker"] = one.speaker
    try:
        (checked,) = check_events(namespace.path, [event])
    except InvalidEvent as error:
        raise InvalidEvent(f"{one.where}: {error}") from None
    return checked


def _roles(speakers: Sequence[str]) -> dict[str, str]:
    found = {}
    for one in speakers:
        name, equals, role = one.rpartition("=")
        if not equals or not name or role not in {Role.USER, Role.ASSISTANT}:
            raise InvalidEvent("--speakers: pass a name and a role (user or assistant), such as Max=user")
        found[name] = role
    return found


def _check_speakers(report: HistoryReport, roles: Mapping[str, str]) -> None:
    if unknown := [name for name in roles if name not in report.speakers]:
        names = ", ".join(name for name, _ in report.speakers.most_common(20))
        raise InvalidEvent(
            f"--speakers: no speaker is called {', '.join(unknown)}; the speakers in this export are {names}"
        )


def _zone(name: str | None) -> ZoneInfo | None:
    try:
        return None if name is None else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise InvalidEvent(f"--zone: {name} is not a time zone; pass one such as Europe/Berlin") from None
