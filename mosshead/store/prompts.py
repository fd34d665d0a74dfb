"""The read side's SQL about prompts: their versions and decisions.

As in `mosshead.store.memories`, functions take a connection inside a transaction that has set its tenant, and never commit.
"""

from sqlalchemy import Connection

from mosshead.models.memories import Decision
from mosshead.models.prompts import StoredPrompt
from mosshead.paths import NamespacePath
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace
from mosshead.store.decisions import decisions_where


def latest(connection: Connection, path: NamespacePath, *, name: str | None = None) -> list[StoredPrompt]:
    """Return the latest version of every prompt, or of one, by name."""
    rows = Sql(f"""
        select {_COLUMNS}, (
            select count(*) from mosshead_read_v1.prompt_feedback as feedback
            where {of_namespace("feedback")} and feedback.name = prompt.name
              and feedback.used_at is null) as feedback_waiting
        from (
            select distinct on (name) * from mosshead_read_v1.prompts
            where {OF_NAMESPACE} and name = coalesce(%(name)s::text, name)
            order by name, version desc
        ) as prompt
        order by prompt.name
    """).run(connection, path.ids, name=name)
    return [StoredPrompt(**row._asdict()) for row in rows]


def versions(connection: Connection, path: NamespacePath, name: str) -> list[StoredPrompt]:
    """Return every version of a prompt, oldest first."""
    rows = Sql(f"""
        select {_COLUMNS}, 0 as feedback_waiting from mosshead_read_v1.prompts
        where {OF_NAMESPACE} and name = %(name)s order by version
    """).run(connection, path.ids, name=name)
    return [StoredPrompt(**row._asdict()) for row in rows]


def decisions(connection: Connection, path: NamespacePath, name: str) -> list[Decision]:
    """Return the decisions about a prompt, in order."""
    actions = "action in ('set_prompt', 'roll_back_prompt', 'optimize_prompt')"
    return decisions_where(connection, path, f"fact ->> 'name' = %(name)s and {actions} order by position", name=name)


_COLUMNS = """
    name, template as text, version, made_by, reason, made_at as at, syntax, optimizer, instructions, when_to_update, restores
"""
