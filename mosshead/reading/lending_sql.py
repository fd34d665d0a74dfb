"""What memories lend to the messages that they were taken from: one statement, over the views of version 1."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from uuid import UUID

from pgvector import HalfVector

from mosshead.embedders import Vectors
from mosshead.namespaces import NamespacePath
from mosshead.reading.indexed_sql import memories_head
from mosshead.reading.indexed_sql import parameters as of_words
from mosshead.reading.memory_scan_sql import SCANNED, SCORED, TAUGHT, of_scope
from mosshead.reading.vocabulary import Vocabulary
from mosshead.tenancy import Statement

_LENDERS = 100
"""So many memories lend, those whose own words fit best."""

_STATEMENTS = 256
"""So many are kept of those that name their namespace."""


def lending_statement(
    path: NamespacePath, *, model: str, vector: Vectors, message: str, vocabulary: Vocabulary | None = None
) -> Statement:
    """The statement, as the driver takes it, and its parameters; its rows are for `lent`. The parameters: `memories_sql`."""
    parameters = {
        "tenant_id": path.tenant_id,
        "namespace_id": path.namespace_id,
        "model": model,
        "vector": HalfVector(vector),
        "message": message,
    }
    if vocabulary is None:
        return _LENDING_SCAN, parameters
    nobody: dict[str, list[UUID]] = {"named": [], "contested": []}
    return _lending_by_index(path, model, len(vector)), {**parameters, **nobody, **of_words(vocabulary)}


def lent(rows: Iterable[Any]) -> dict[UUID, float]:
    """By message, how well the best memory fits that was taken from it, in standard deviations."""
    return {row.message_id: row.lent for row in rows}


def _lending_statement(head: str) -> str:
    """head: with the tables ``scanned`` and ``spread``. A full join is narrowed outside of its table: inside, it were a loop."""
    return f"""
    with {head},
    best as materialized (
        with one as (select owner_id, cosine, words from scanned)
        select owner_id, fit from ({SCORED}) as scored where fit > 0 order by fit desc, owner_id limit {_LENDERS}
    ),
    taken as materialized (
        select message_id, fit from best full join (
            select source.message_id, source.memory_id as owner_id from mosshead_read_v1.provenance as source
            where {of_scope("source")} and source.stance = 'for' and source.memory_id = any(array(select owner_id from best))
        ) as source using (owner_id)
    )
    select message_id, max(fit) as lent from taken where message_id is not null group by message_id
"""


_LENDING_SCAN = _lending_statement(SCANNED)


@lru_cache(_STATEMENTS)
def _lending_by_index(path: NamespacePath, model: str, dimensions: int) -> str:
    return _lending_statement(f"{TAUGHT}, {memories_head(path, model, dimensions, _LENDERS)}")
