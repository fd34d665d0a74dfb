"""The decision log: what consolidation decided, what it saw, and which memories each decision concerns.

A row that a decision makes or ends has the decision's id and time; `db.undo` uses them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from db.keys import OF_BATCH, BatchRef, insert
from mosshead.ids import uuid7
from mosshead.store.connection import Sql


@dataclass(frozen=True, slots=True)
class Stamp:
    """The mark on every row that a decision makes or ends."""

    decision_id: UUID
    at: datetime

    @property
    def columns(self) -> dict[str, Any]:
        """Return the parameters of statements that make or end rows."""
        return {"decision_id": self.decision_id, "at": self.at}

    @property
    def begun(self) -> dict[str, Any]:
        """Return the columns that mark a row as made by this decision."""
        return {"known_from": self.at, "made_by": self.decision_id}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedDecision:
    """A row of the log; the table explains the columns.

    changed: the memories that it made or changed, or whose dependent rows it changed. concerned: those that it compared a fact
    with.
    """

    stamp: Stamp
    action: str
    reason: str
    decided_by: str
    memory_id: UUID | None = None
    target_id: UUID | None = None
    target_version: int | None = None
    fact: Mapping[str, Any] | None = None
    candidates: Sequence[Mapping[str, Any]] = ()
    prompt_version: int | None = None
    refused: str | None = None
    undoes: UUID | None = None
    in_effect: bool = True
    entities: Sequence[UUID] = ()
    hidden: Sequence[UUID] = ()
    changed: frozenset[UUID] = frozenset()
    concerned: frozenset[UUID] = frozenset()


def by_app(
    stamp: Stamp, action: str, *, reason: str = "the app said so", refused: str | None = None, **given: Any
) -> LoggedDecision:
    """Build the row of an app's own action, which has no effect if refused. given: other fields of the row."""
    in_effect = {"in_effect": refused is None, **given}
    return LoggedDecision(stamp=stamp, action=action, reason=reason, decided_by="app", refused=refused, **in_effect)


def stamps(connection: Connection, number: int) -> list[Stamp]:
    """Return an id and a time for each of several decisions in one transaction, in order and a microsecond apart."""
    first = Sql("select clock_timestamp()").value(connection)
    return [Stamp(uuid7(), first + timedelta(microseconds=place)) for place in range(number)]


def stamp_of_event(connection: Connection, event_id: UUID) -> Stamp:
    """Return the stamp of a command: its decision has the event's id, so that the publisher can undo it."""
    return Stamp(event_id, Sql("select clock_timestamp()").value(connection))


def log(connection: Connection, batch: BatchRef, decisions: Iterable[LoggedDecision]) -> None:
    """Write rows to the log, in order."""
    logged = list(decisions)
    # Read separately: on Citus the coordinator must number the rows, whichever worker holds them.
    batch_row = f"batch_row as materialized (select formed_by from mosshead.batches where {OF_BATCH})"
    formed_by = "case when one.decided_by <> 'app' then (select formed_by from batch_row) end"
    columns = [name for name in LoggedDecision.__slots__ if name not in {"stamp", "changed", "concerned"}]
    rows = [
        {**batch.scope, "decision_id": one.stamp.decision_id, "decided_at": one.stamp.at}
        | {name: getattr(one, name) for name in columns}
        for one in logged
    ]
    insert(connection, "decisions", rows, given=batch_row, extracted_by=formed_by)
    concerned = [
        {**batch.lane.scope, "decision_id": one.stamp.decision_id, "memory_id": key, "changed": key in one.changed}
        for one in logged
        for key in sorted(one.changed | one.concerned)
    ]
    insert(connection, "decision_memories", concerned)
