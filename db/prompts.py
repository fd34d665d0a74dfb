"""Prompts in versions, and the feedback that waits to improve them. A version is never changed; the latest counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row

from db.decisions import Stamp
from db.keys import LaneRef, VersionConflict, insert
from mosshead.models.prompts import OptimizerOrOff, Syntax
from mosshead.store.connection import OF_NAMESPACE, Sql


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptVersion:
    """A row of a prompt's version; the table explains its columns."""

    name: str
    version: int
    template: str
    syntax: Syntax
    optimizer: OptimizerOrOff
    instructions: str
    when_to_update: str
    made_by: str
    reason: str
    restores: int | None = None


def find(connection: Connection, lane: LaneRef, name: str, version: int | None = None) -> PromptVersion | None:
    """Return a prompt, current or at a version; None if there is none."""
    row = Sql(f"""
        select {_COLUMNS} from mosshead.prompts
        where {OF_NAMESPACE} and name = %(name)s and version = coalesce(%(version)s::integer, version)
        order by version desc limit 1
    """).row(connection, lane.scope, name=name, version=version)
    return None if row is None else PromptVersion(**row._asdict())


def add_version(connection: Connection, lane: LaneRef, new: PromptVersion, stamp: Stamp) -> None:
    """Add the next version of a prompt. Raises VersionConflict if the one before it is no longer the latest."""
    columns = {name: getattr(new, name) for name in PromptVersion.__dataclass_fields__}
    # Two successors of one version have the same key: the second waits for the first, and then has nothing to do.
    added = Sql(f"""
        insert into mosshead.prompts (tenant_id, namespace_id, {_COLUMNS}, made_at, decision_id)
        select %(tenant_id)s, %(namespace_id)s, {", ".join(f"%({name})s" for name in columns)}, %(at)s, %(decision_id)s
        where %(version)s::integer - 1 = (
            select coalesce(max(version), 0) from mosshead.prompts where {OF_NAMESPACE} and name = %(name)s)
        on conflict do nothing
    """).changes(connection, lane.scope | stamp.columns, **columns)
    if not added:
        raise VersionConflict


def keep_feedback(connection: Connection, lane: LaneRef, name: str, **given: Any) -> int:
    """Store feedback on a prompt; return how much waits for it now. Safe to repeat.

    given: feedback_id, messages (each with its role and content), comment, score, given_at.
    """
    insert(connection, "prompt_feedback", [{**lane.scope, "name": name, **given}], conflict="do nothing")
    return Sql(f"""
        select count(*) from mosshead.prompt_feedback where {_WAITS}
    """).number(connection, lane.scope, name=name)


def waiting_feedback(connection: Connection, lane: LaneRef, name: str, *, limit: int) -> Sequence[Row[Any]]:
    """Return the waiting feedback on a prompt, in the order given. Columns: feedback_id, messages, comment, score."""
    return Sql(f"""
        select feedback_id, messages, comment, score from mosshead.prompt_feedback where {_WAITS}
        order by position limit %(limit)s
    """).rows(connection, lane.scope, name=name, limit=limit)


def use_feedback(
    connection: Connection, lane: LaneRef, feedback_ids: Sequence[UUID], stamp: Stamp, *, version: int | None
) -> None:
    """Mark feedback as used, with the version it led to, if any."""
    Sql(f"""
        update mosshead.prompt_feedback set used_at = %(at)s, used_by = %(decision_id)s, version = %(version)s where {_NAMED}
    """).run(connection, lane.scope | stamp.columns, feedback_ids=list(feedback_ids), version=version)


def try_again(connection: Connection, lane: LaneRef, feedback_ids: Sequence[UUID], stamp: Stamp, *, most: int) -> None:
    """Keep feedback waiting after a try without a usable result; after too many tries it counts as used."""
    Sql(f"""
        update mosshead.prompt_feedback set
            tries = tries + 1,
            used_at = case when tries + 1 >= %(most)s then %(at)s::timestamptz end,
            used_by = case when tries + 1 >= %(most)s then %(decision_id)s::uuid end
        where {_NAMED}
    """).run(connection, lane.scope | stamp.columns, feedback_ids=list(feedback_ids), most=most)


_COLUMNS = ", ".join(PromptVersion.__dataclass_fields__)
_WAITS = f"{OF_NAMESPACE} and name = %(name)s and used_at is null"
_NAMED = f"{OF_NAMESPACE} and feedback_id = any(%(feedback_ids)s::uuid[]) and used_at is null"
