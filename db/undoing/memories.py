"""How the memories that a decision made or changed become again what they were, with their vectors. See `db.undoing.rows`."""

from typing import Final

from sqlalchemy import text

from db.memories import IMAGE
from db.undoing.rows import alike, of_lane, told_by

_SAME_MEMORY = f"{of_lane('now')} and now.memory_id = made.memory_id"
_MADE_MEMORIES = f"{of_lane('made')} and made.memory_id = any(cast(:memories as uuid[])) and made.made_by = :undone"

# The version before the decision says again what it said; a memory that the decision made is withdrawn.
_REVERSE_MEMORIES = text(f"""
    with now as (
        update mosshead.memories as now set known_to = :at, ended_by = :decision_id from mosshead.memories as made
        where {_MADE_MEMORIES} and {_SAME_MEMORY} and now.known_to is null
        returning now.*
    )
    insert into mosshead.memories (tenant_id, namespace_id, memory_id, version, known_from, made_by, {", ".join(IMAGE)})
    select now.tenant_id, now.namespace_id, now.memory_id, now.version + 1, :at, :decision_id, {
    ", ".join(
        f"case when before.memory_id is not null then before.{column} else "
        + ("'withdrawn'" if column == "state" else f"now.{column}")
        + " end"
        for column in IMAGE
    )
}
    from now left join mosshead.memories as before
      on before.tenant_id = now.tenant_id and before.namespace_id = now.namespace_id and before.memory_id = now.memory_id
     and before.ended_by = :undone
""")

_REVERSED = f"""
    mosshead.memories as after join mosshead.memories as until
      on until.tenant_id = after.tenant_id and until.namespace_id = after.namespace_id and until.memory_id = after.memory_id
     and until.ended_by = :decision_id
    where {of_lane("after")} and after.memory_id = any(cast(:memories as uuid[])) and after.made_by = :decision_id
      and (after.content, after.state) is distinct from (until.content, until.state)
"""

_RETIRE_VECTORS = text(f"""
    update mosshead.embeddings as vector set owner_kind = 'past_memory'
    where {of_lane("vector")} and vector.owner_kind = 'memory' and vector.owner_id in (select after.memory_id from {_REVERSED})
""")

_RESTORE_VECTORS = text(f"""
    insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding)
    select distinct on (after.memory_id, vector.model)
           after.tenant_id, after.namespace_id, vector.model, 'memory', after.memory_id, after.version, vector.embedding
    from (select after.* from {_REVERSED} and after.state = 'active') as after
    join mosshead.memories as before
      on before.tenant_id = after.tenant_id and before.namespace_id = after.namespace_id
     and before.memory_id = after.memory_id and before.ended_by = :undone
    join mosshead.embeddings as vector
      on vector.tenant_id = after.tenant_id and vector.namespace_id = after.namespace_id
     and vector.owner_kind = 'past_memory' and vector.owner_id = after.memory_id and vector.version <= before.version
    where {told_by("vector", "after")}
    order by after.memory_id, vector.model, vector.version desc
""")

MEMORIES_MOVED_ON: Final = f"""
    (select 1 from mosshead.memories as made where {_MADE_MEMORIES} and not exists (
        select from mosshead.memories as now
        where {_SAME_MEMORY} and now.known_to is null and {alike(IMAGE, "now", "made")}))
"""
"""Finds a memory that is not as the decision left it."""

REVERSE_MEMORIES: Final = (_REVERSE_MEMORIES, _RETIRE_VECTORS, _RESTORE_VECTORS)
"""To be run in this order."""
