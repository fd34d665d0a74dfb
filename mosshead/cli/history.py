"""`mosshead import` of a chat's export: read twice, first to check all of it, then to publish it little by little."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from rich.progress import Progress

from mosshead.api.namespace import Namespace
from mosshead.cli.output import read_file
from mosshead.errors import InvalidEvent
from mosshead.history.archive import Archive
from mosshead.history.form import CHATS, entries, recognise
from mosshead.history.mem0 import mem0_lines
from mosshead.history.message import Entry, HistoryMessage, LeftOut
from mosshead.history.whatsapp import DateOrder
from mosshead.ids import history_id
from mosshead.models.kinds import Role
from mosshead.portions import portions
from mosshead.publishing.publishers import check_events

_AT_ONCE: Final = 100
_AT_ONCE_BYTES: Final = 1 << 20
_AHEAD: Final = 200
"""So many events may wait in the namespace's lane: a live chat's message stands behind no more of an import than that."""
_LOOK_SECONDS: Final = 0.2


@dataclass(slots=True)
class HistoryReport:
    """What of an export goes in, by speaker and conversation, its span of time, and what was left out by reason."""

    form: str
    messages: int = 0
    conversations: set[str] = field(default_factory=set)
    speakers: Counter[str] = field(default_factory=Counter)
    first: datetime | None = None
    last: datetime | None = None
    left_out: Counter[str] = field(default_factory=Counter)
    published: bool = False

    def add(self, entry: Entry) -> None:
        """Count what an export gave."""
        if isinstance(entry, LeftOut):
            self.left_out[entry.reason] += 1
            return
        self.messages += 1
        self.conversations.add(entry.conversation)
        self.speakers[entry.speaker or entry.role or ""] += 1
        self.first = min(self.first or entry.occurred_at, entry.occurred_at)
        self.last = max(self.last or entry.occurred_at, entry.occurred_at)

    @property
    def text(self) -> str:
        """The report as people read it."""
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
    """The lines of an import of memories; None where the export is of chats."""
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
    """Check an export of chats as a whole, then publish it. Raises InvalidEvent before anything is published."""
    roles = _roles(speakers)
    archive = Archive(path)
    found = recognise(archive, form)
    if order is not None and order not in get_args(DateOrder):
        raise InvalidEvent(f"--date-order: one of {', '.join(get_args(DateOrder))}")
    report = HistoryReport(found.name)

    def read() -> Iterator[Entry]:
        return entries(archive, found, zone=_zone(zone), order=cast("DateOrder | None", order))

    def messages(count: bool) -> Iterator[dict[str, Any]]:
        for entry in read():
            if count:
                report.add(entry)
            if isinstance(entry, HistoryMessage):
                yield _event(namespace, found.name, entry, roles)

    for event in bar.track(messages(True), description="checking"):
        check_events(namespace.path, [{"type": "message", **event}])
    _check_speakers(report, roles)
    if not dry_run:
        task = bar.add_task("publishing", total=report.messages)
        for some in portions(
            messages(False), lambda one: len(one["content"]), most=_AT_ONCE_BYTES, most_items=_AT_ONCE
        ):
            _let_pass(namespace)
            namespace.publish_conversation(some, on_sent=lambda: bar.advance(task))
        report.published = True
    return report


def _let_pass(namespace: Namespace) -> None:
    """Wait until little of what was published still waits, so that an import does not stand before a live chat."""
    while True:
        progress = namespace.progress()
        if progress.pending + progress.not_received < _AHEAD:
            return
        time.sleep(_LOOK_SECONDS)


def _event(namespace: Namespace, form: str, one: HistoryMessage, roles: Mapping[str, str]) -> dict[str, Any]:
    role = one.role or roles.get(one.speaker or "") or Role.USER
    event = {
        "event_id": history_id(namespace.path.home_id, form, one.conversation, one.source_id),
        "role": role,
        "content": one.content,
        "conversation": one.conversation,
        "occurred_at": one.occurred_at,
    }
    # Who is the user, or the assistant, is said by the role; anybody else in a group by name.
    return event if one.speaker is None or one.speaker in roles else {**event, "speaker": one.speaker}


def _roles(speakers: Sequence[str]) -> dict[str, str]:
    found = {}
    for one in speakers:
        name, equals, role = one.rpartition("=")
        if not equals or not name or role not in {Role.USER, Role.ASSISTANT}:
            raise InvalidEvent("--speakers: a name and a role, user or assistant, such as Max=user")
        found[name] = role
    return found


def _check_speakers(report: HistoryReport, roles: Mapping[str, str]) -> None:
    if unknown := [name for name in roles if name not in report.speakers]:
        names = ", ".join(name for name, _ in report.speakers.most_common(20))
        raise InvalidEvent(f"--speakers: nobody is called {', '.join(unknown)}; in this export speak {names}")


def _zone(name: str | None) -> ZoneInfo | None:
    try:
        return None if name is None else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise InvalidEvent(f"--zone: {name} is no zone; give one such as Europe/Berlin") from None
