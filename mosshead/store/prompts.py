"""The SQL of the read side about prompts: their versions, and what was decided about them.

As in `mosshead.store.memories`, functions take a connection inside a transaction that has set its tenant, and never commit.
"""

from typing import Any

from sqlalchemy import Connection, Row, text

from mosshead.models.memories import Decision
from mosshead.models.prompts import StoredPrompt
from mosshead.paths import NamespacePath
from mosshead.store.memories import decision_of, decisions_statement


def latest(connection: Connection, path: NamespacePath, *, name: str | None = None) -> list[StoredPrompt]:
    """The latest version of every prompt, or of one, by name."""
    return [_prompt(row) for row in connection.execute(_LATEST, {**path.ids, "name": name})]


def versions(connection: Connection, path: NamespacePath, name: str) -> list[StoredPrompt]:
    """Every version of a prompt, the first in front."""
    return [_prompt(row) for row in connection.execute(_VERSIONS, {**path.ids, "name": name})]


def decisions(connection: Connection, path: NamespacePath, name: str) -> list[Decision]:
    """What was decided about a prompt, in order."""
    return [decision_of(row) for row in connection.execute(_DECISIONS, {**path.ids, "name": name})]


def _prompt(row: Row[Any]) -> StoredPrompt:
    return StoredPrompt(
        name=row.name,
        text=row.template,
        version=row.version,
        made_by=row.made_by,
        reason=row.reason,
        at=row.made_at,
        syntax=row.syntax,
        optimizer=row.optimizer,
        instructions=row.instructions,
        when_to_update=row.when_to_update,
        restores=row.restores,
        feedback_waiting=row.waiting,
    )


_COLUMNS = (
    "name, template, version, made_by, reason, made_at, syntax, optimizer, instructions, when_to_update, restores"
)

_LATEST = text(f"""
    select {_COLUMNS}, (
        select count(*) from mosshead_read_v1.prompt_feedback as feedback
        where feedback.tenant_id = :tenant_id and feedback.namespace_id = :namespace_id and feedback.name = prompt.name
          and feedback.used_at is null) as waiting
    from (
        select distinct on (name) * from mosshead_read_v1.prompts
        where tenant_id = :tenant_id and namespace_id = :namespace_id and name = coalesce(cast(:name as text), name)
        order by name, version desc
    ) as prompt
    order by prompt.name
""")

_VERSIONS = text(f"""
    select {_COLUMNS}, 0 as waiting from mosshead_read_v1.prompts
    where tenant_id = :tenant_id and namespace_id = :namespace_id and name = :name order by version
""")

_DECISIONS = decisions_statement("""
    fact ->> 'name' = :name and action in ('set_prompt', 'roll_back_prompt', 'optimize_prompt') order by position
""")
