"""Candidate facts: what the stages of a batch hand on to each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.expression import bindparam

from db.refs import BatchRef

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One candidate fact, with what the stages so far have added. fact: JSON of the pipeline's Fact."""

    number: int
    fact: Mapping[str, Any]
    salience: float | None
    factors: Mapping[str, Any]
    vector: Vector | None


def store_facts(
    connection: Connection, batch: BatchRef, facts: Sequence[Mapping[str, Any]], *, formed_by: str = "rules"
) -> None:
    """Keep what extract found, numbered from 1, and who found it; replaces what an earlier attempt stored.

    formed_by: "rules", or the model's name.
    """
    connection.execute(_CLEAR, batch.scope)
    connection.execute(_FORMED_BY, {**batch.scope, "formed_by": formed_by})
    rows = [{**batch.scope, "number": number, "fact": fact} for number, fact in enumerate(facts, 1)]
    if rows:
        connection.execute(_STORE, rows)


def facts_of_batch(connection: Connection, batch: BatchRef) -> list[CandidateRow]:
    """A batch's candidate facts, in order."""
    return [
        CandidateRow(
            number=row.number,
            fact=row.fact,
            salience=row.salience,
            factors=row.factors or {},
            vector=HalfVector.from_text(row.vector).to_numpy().astype(np.float32) if row.vector else None,
        )
        for row in connection.execute(_FACTS, batch.scope)
    ]


def store_salience(
    connection: Connection, batch: BatchRef, scores: Mapping[int, tuple[float, Mapping[str, Any]]]
) -> None:
    """Add the salience (0 to 10) and its factors, by fact number."""
    rows = [
        {**batch.scope, "number": number, "salience": value, "factors": dict(factors)}
        for number, (value, factors) in scores.items()
    ]
    if rows:
        connection.execute(_SET_SALIENCE, rows)


def store_vectors(connection: Connection, batch: BatchRef, model: str, vectors: Mapping[int, Vector]) -> None:
    """Add the embeddings, by fact number."""
    rows = [
        {**batch.scope, "number": number, "model": model, "vector": HalfVector(vector).to_text()}
        for number, vector in vectors.items()
    ]
    if rows:
        connection.execute(_SET_VECTOR, rows)


_BATCH = "tenant_id = :tenant_id and namespace_id = :namespace_id and batch_id = :batch_id"

_CLEAR = text(f"delete from recollect.candidate_facts where {_BATCH}")

_FORMED_BY = text(f"update recollect.batches set formed_by = :formed_by where {_BATCH}")

_STORE = text("""
    insert into recollect.candidate_facts (tenant_id, namespace_id, batch_id, number, fact)
    values (:tenant_id, :namespace_id, :batch_id, :number, :fact)
""").bindparams(bindparam("fact", type_=JSONB))

_FACTS = text(f"""
    select number, fact, salience, factors, cast(embedding as text) as vector from recollect.candidate_facts
    where {_BATCH} order by number
""")

_SET_SALIENCE = text(f"""
    update recollect.candidate_facts set salience = :salience, factors = :factors where {_BATCH} and number = :number
""").bindparams(bindparam("factors", type_=JSONB))

_SET_VECTOR = text(f"""
    update recollect.candidate_facts set model = :model, embedding = cast(:vector as halfvec)
    where {_BATCH} and number = :number
""")
