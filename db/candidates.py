"""Candidate facts: what the stages of a batch hand on to each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pgvector import HalfVector
from psycopg.types.json import Jsonb
from sqlalchemy import Connection

from db.keys import OF_BATCH, BatchRef, insert
from mosshead.embeddings.protocol import Vector
from mosshead.store.connection import Sql


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One candidate fact, with what the stages so far have added. fact: JSON of the pipeline's Fact."""

    number: int
    fact: Mapping[str, Any]
    salience: float | None
    factors: Mapping[str, Any]
    vector: "Vector | None"


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
    Sql(f"""
        delete from mosshead.candidate_facts where {OF_BATCH};
        update mosshead.batches set formed_by = :formed_by where {OF_BATCH}
    """).run(connection, batch.scope, formed_by=formed_by)
    found = [(fact, None) for fact in facts] + [(one.fact, one.why) for one in refused]
    rows = [
        {**batch.scope, "number": number, "fact": fact, "refused": why} for number, (fact, why) in enumerate(found, 1)
    ]
    insert(connection, "candidate_facts", rows)


def facts_of_batch(connection: Connection, batch: BatchRef) -> list[CandidateRow]:
    """A batch's candidate facts, in order."""
    rows = Sql(f"""
        select number, fact, salience, factors, cast(embedding as text) as vector from mosshead.candidate_facts
        where {OF_BATCH} and refused is null order by number
    """).run(connection, batch.scope)
    return [CandidateRow(row.number, row.fact, row.salience, row.factors or {}, vector_of(row.vector)) for row in rows]


def vector_of(written: str | None) -> "Vector | None":
    """A vector that a statement gives as text."""
    return HalfVector.from_text(written).to_numpy().astype(np.float32) if written else None


def refused_of_batch(connection: Connection, batch: BatchRef) -> list[RefusedRow]:
    """What was proposed for a batch and not taken, in order."""
    rows = Sql(f"""
        select refused, fact from mosshead.candidate_facts where {OF_BATCH} and refused is not null order by number
    """).run(connection, batch.scope)
    return [RefusedRow(why=row.refused, fact=row.fact) for row in rows]


def store_salience(
    connection: Connection, batch: BatchRef, scores: Mapping[int, tuple[float, Mapping[str, Any]]]
) -> None:
    """Add the salience (0 to 10) and its factors, by fact number."""
    rows = [
        {**batch.scope, "number": number, "salience": value, "factors": Jsonb(dict(factors))}
        for number, (value, factors) in scores.items()
    ]
    Sql(f"""
        update mosshead.candidate_facts set salience = :salience, factors = :factors where {OF_BATCH} and number = :number
    """).run_each(connection, rows)


def of_other_models(connection: Connection, batch: BatchRef, model: str) -> dict[int, str]:
    """By number, what the facts of a batch say whose embeddings another model made, or none."""
    return Sql(f"""
        select number, fact ->> 'content' as content from mosshead.candidate_facts
        where {OF_BATCH} and refused is null and model is distinct from :model order by number
    """).pairs(connection, batch.scope, model=model)


def store_vectors(connection: Connection, batch: BatchRef, model: str, vectors: Mapping[int, Vector]) -> None:
    """Add the embeddings, by fact number."""
    rows = [
        {**batch.scope, "number": number, "model": model, "vector": HalfVector(vector).to_text()}
        for number, vector in vectors.items()
    ]
    Sql(f"""
        update mosshead.candidate_facts set model = :model, embedding = cast(:vector as halfvec)
        where {OF_BATCH} and number = :number
    """).run_each(connection, rows)
