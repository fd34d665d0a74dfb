"""The SQL of the read side about prompts: their versions, and what was decided about them.

As in `mosshead.store.memories`, functions take a connection inside a transaction that has set its tenant, and never commit.
"""

from sqlalchemy import Connection, text

from mosshead.models.memories import Decision
from mosshead.models.prompts import StoredPrompt
from mosshead.paths import NamespacePath
from mosshead.store.memories import decision_of, decisions_statement


def latest(connection: Connection, path: NamespacePath, *, name: str | None = None) -> list[StoredPrompt]:
    """The latest version of every prompt, or of one, by name."""
    return [StoredPrompt(**row._asdict()) for row in connection.execute(_LATEST, {**path.ids, "name": name})]


def versions(connection: Connection, path: NamespacePath, name: str) -> list[StoredPrompt]:
    """Every version of a prompt, the first in front."""
    return [StoredPrompt(**row._asdict()) for row in connection.execute(_VERSIONS, {**path.ids, "name": name})]


def decisions(connection: Connection, path: NamespacePath, name: str) -> list[Decision]:
    """What was decided about a prompt, in order."""
    return [decision_of(row) for row in connection.execute(_DECISIONS, {**path.ids, "name": name})]


_COLUMNS = """
    name, template as text, version, made_by, reason, made_at as at, syntax, optimizer, instructions, when_to_update, restores
"""

_LATEST = text(f"""
    select {_COLUMNS}, (
        select count(*) from mosshead_read_v1.prompt_feedback as feedback
        where feedback.tenant_id = :tenant_id and feedback.namespace_id = :namespace_id and feedback.name = prompt.name
          and feedback.used_at is null) as feedback_waiting
    from (
        select distinct on (name) * from mosshead_read_v1.prompts
        where tenant_id = :tenant_id and namespace_id = :namespace_id and name = coalesce(cast(:name as text), name)
        order by name, version desc
    ) as prompt
    order by prompt.name
""")

_VERSIONS = text(f"""
    select {_COLUMNS}, 0 as feedback_waiting from mosshead_read_v1.prompts
    where tenant_id = :tenant_id and namespace_id = :namespace_id and name = :name order by version
""")

_DECISIONS = decisions_statement("""
    fact ->> 'name' = :name and action in ('set_prompt', 'roll_back_prompt', 'optimize_prompt') order by position
""")
