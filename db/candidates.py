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

from db.keys import OF_BATCH, BatchRef

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One candidate fact, with what the stages so far have added. fact: JSON of the pipeline's Fact."""

    number: int
    fact: Mapping[str, Any]
    salience: float | None
    factors: Mapping[str, Any]
    vector: Vector | None


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """What was proposed as a fact and not taken. why: the reason's name. fact: JSON of as much of it as the log keeps."""

    why: str
    fact: Mapping[str, Any]


def store_facts(
    connection: Connection,
    batch: BatchRef,
    facts: Sequence[Mapping[str, Any]],
    *,
    refused: Sequence[RefusedRow] = (),
    formed_by: str = "rules",
) -> None:
    """Keep what extract found, numbered from 1, and who found it; replaces what an earlier attempt stored.

    refused: what it did not take, for consolidate to log. formed_by: "rules", or the model's name.
    """
    connection.execute(_CLEAR, batch.scope)
    connection.execute(_FORMED_BY, {**batch.scope, "formed_by": formed_by})
    found = [(fact, None) for fact in facts] + [(one.fact, one.why) for one in refused]
    rows = [
        {**batch.scope, "number": number, "fact": fact, "refused": why} for number, (fact, why) in enumerate(found, 1)
    ]
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


def refused_of_batch(connection: Connection, batch: BatchRef) -> list[RefusedRow]:
    """What was proposed for a batch and not taken, in order."""
    return [RefusedRow(why=row.refused, fact=row.fact) for row in connection.execute(_REFUSED, batch.scope)]


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


def of_other_models(connection: Connection, batch: BatchRef, model: str) -> dict[int, str]:
    """By number, what the facts of a batch say whose embeddings another model made, or none."""
    rows = connection.execute(_OF_OTHERS, {**batch.scope, "model": model})
    return {row.number: row.content for row in rows}


def store_vectors(connection: Connection, batch: BatchRef, model: str, vectors: Mapping[int, Vector]) -> None:
    """Add the embeddings, by fact number."""
    rows = [
        {**batch.scope, "number": number, "model": model, "vector": HalfVector(vector).to_text()}
        for number, vector in vectors.items()
    ]
    if rows:
        connection.execute(_SET_VECTOR, rows)


_CLEAR = text(f"delete from mosshead.candidate_facts where {OF_BATCH}")

_FORMED_BY = text(f"update mosshead.batches set formed_by = :formed_by where {OF_BATCH}")

_STORE = text("""
    insert into mosshead.candidate_facts (tenant_id, namespace_id, batch_id, number, fact, refused)
    values (:tenant_id, :namespace_id, :batch_id, :number, :fact, :refused)
""").bindparams(bindparam("fact", type_=JSONB))

_FACTS = text(f"""
    select number, fact, salience, factors, cast(embedding as text) as vector from mosshead.candidate_facts
    where {OF_BATCH} and refused is null order by number
""")

_OF_OTHERS = text(f"""
    select number, fact ->> 'content' as content from mosshead.candidate_facts
    where {OF_BATCH} and refused is null and model is distinct from :model order by number
""")

_REFUSED = text(f"""
    select refused, fact from mosshead.candidate_facts where {OF_BATCH} and refused is not null order by number
""")

_SET_SALIENCE = text(f"""
    update mosshead.candidate_facts set salience = :salience, factors = :factors where {OF_BATCH} and number = :number
""").bindparams(bindparam("factors", type_=JSONB))

_SET_VECTOR = text(f"""
    update mosshead.candidate_facts set model = :model, embedding = cast(:vector as halfvec)
    where {OF_BATCH} and number = :number
""")
