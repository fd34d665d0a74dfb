"""The scan of a namespace's memories, as SQL over the views of version 1: the head of the statements that rest on it."""

from mosshead.reading.weights import MemoryWeights
from mosshead.reading.words_sql import asked, bm25, cosine, spread_of

_W = MemoryWeights()


def of_scope(alias: str) -> str:
    """The condition that a row is of the namespace."""
    return f"{alias}.tenant_id = %(tenant_id)s and {alias}.namespace_id = %(namespace_id)s"


SURE = f"{of_scope('link')} and link.certainty = 'sure'"
NOW = "memory.known_to is null and memory.state = 'active'"

_ROWS = f"""
    select vector.owner_id, vector.embedding, vector.terms, vector.length from mosshead_read_v1.embeddings as vector
    where {of_scope("vector")} and vector.model = %(model)s and vector.owner_kind = 'memory'
"""
SCANNED = f"""
    {asked("memories")},
    scanned as materialized (
        select owner_id, {cosine("embedding")} as cosine, {bm25("terms", "length")} as words
        from ({_ROWS} and vector.compact union all {_ROWS} and not vector.compact) as vector
    ),
    spread as materialized (select {spread_of("cosine")}, {spread_of("words")} from scanned)"""
"""The scan, and all scores that it gives, by memory, and how they lie. Each half of it has an index of its own."""

SCORED = f"""
    select one.*, coalesce((one.cosine - spread.cosine_mean) / nullif(spread.cosine_deviation, 0), 0)
        + {_W.words} * coalesce((one.words - spread.words_mean) / nullif(spread.words_deviation, 0), 0) as fit
    from one cross join spread"""
"""The rows of ``one``, and how well the own words of each fit, in standard deviations."""

ABOUT = f"""
    about as materialized (
        select link.entity_id, link.memory_id as owner_id from mosshead_read_v1.memory_entities as link
        where {SURE} and link.entity_id = any(cast(%(named)s as uuid[]) || cast(%(contested)s as uuid[]))
    )"""
TAUGHT = f"""
    taught as materialized (
        select memory_id as owner_id from mosshead_read_v1.memories as memory
        where {of_scope("memory")} and memory.kind = 'process' and {NOW}
    )"""
"""What may be called for however it scores: what is known of whom the message may mean, and the processes."""
