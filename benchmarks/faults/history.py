"""What was sent and what took effect: the two lists that a run leaves behind, and the files that hold the first.

An app writes a line before it calls ``publish`` (begun) and one after the call returned (sent). What was sent must take effect
once; what was only begun, because its process was killed meanwhile, may take effect, once at most.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Sent:
    """One event, as the process that published it saw it.

    source: the process and its spool; number: its place among the events of this source in this namespace, from 1.
    begun, done: when ``publish`` was called and when it returned, in seconds of the machine's clock; None where it never did.
    """

    event_id: UUID
    namespace: str
    source: str
    number: int
    begun: float
    done: float | None


@dataclass(frozen=True, slots=True)
class Effect:
    """One time that one event took effect, in the order in which they did: the list's order.

    publisher, sequence: as the service numbered it. at: seconds of the database's clock.
    """

    event_id: UUID
    publisher: UUID
    sequence: int
    at: float


class History:
    """The file to which one process writes what it sends; lines of several processes may share it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def begun(self, sent: Sent) -> None:
        """Note an event that is about to be published."""
        self._write(
            {
                "event_id": str(sent.event_id),
                "namespace": sent.namespace,
                "source": sent.source,
                "number": sent.number,
                "begun": sent.begun,
            }
        )

    def done(self, event_id: UUID, at: float) -> None:
        """Note that its ``publish`` returned."""
        self._write({"event_id": str(event_id), "done": at})

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _write(self, line: dict[str, object]) -> None:
        # One write for each line: what the kernel took outlives the process, whole.
        os.write(self._file, json.dumps(line).encode() + b"\n")


class Histories:
    """Reads the files of several processes, while they are written: each line once."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._read_up_to = dict.fromkeys(paths, 0)
        self._events: dict[UUID, Sent] = {}

    def sent(self, since: float = 0.0) -> list[Sent]:
        """All that was begun since a time, in the order in which it was begun within each source and namespace."""
        for path in self._read_up_to:
            for line in self._new_lines(path):
                self._note(json.loads(line))
        return [one for one in self._events.values() if one.begun >= since]

    def _new_lines(self, path: Path) -> list[bytes]:
        if not path.exists():
            return []
        with path.open("rb") as file:
            file.seek(self._read_up_to[path])
            lines = file.read()
        whole = lines.rfind(b"\n") + 1
        self._read_up_to[path] += whole
        return lines[:whole].splitlines()

    def _note(self, line: dict[str, Any]) -> None:
        event_id = UUID(line["event_id"])
        if "done" in line:
            self._events[event_id] = replace(self._events[event_id], done=line["done"])
        else:
            named = (line["namespace"], line["source"], line["number"], line["begun"])
            self._events[event_id] = Sent(event_id, *named, done=None)
