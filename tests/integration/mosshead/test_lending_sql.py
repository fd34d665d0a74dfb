"""Scores that memories lend to their source messages: the best memory's fit, whichever way it is found."""

from collections.abc import Collection, Mapping
from uuid import UUID, uuid5

import pytest
from sqlalchemy import Engine

from db import memories
from mosshead.paths import NamespacePath
from mosshead.search import memories as memories_sql
from mosshead.search import messages as lending_sql
from mosshead.search import scans
from mosshead.search.weights import MemoryWeights
from mosshead.store.connection import in_one_trip
from tests.given import MODEL, Publishing, Remembering, direction, index_own
from workers.cli.indexing import index_scopes

QUESTION = "Where does the heron nest?"
CONTENTS = ("A heron nests by the lock", "The heron sleeps", "Trams are green", "It rained", "It snowed", "Boats float")


@pytest.fixture
def said(ingest_engine: Engine, fresh_namespace: NamespacePath) -> list[UUID]:
    """Return three messages."""
    publishing = Publishing(ingest_engine, fresh_namespace)
    events = [publishing.message(f"said {number}") for number in range(3)]
    publishing.send(*events)
    return [UUID(event["event_id"]) for event in events]


@pytest.fixture
def known(remembering: Remembering) -> list[UUID]:
    """Return memories, the first of which are nearest to the question."""
    return [remembering.memory(one, direction(1, place / 2)) for place, one in enumerate(CONTENTS)]


def from_messages(remembering: Remembering, sources: Mapping[UUID, Collection[UUID]], **given: str) -> None:
    with remembering.stamped() as (connection, stamp):
        for memory_id, messages in sources.items():
            quotes = dict.fromkeys(messages, "so")
            memories.add_sources(connection, remembering.lane, memory_id, quotes, stamp, **given)  # type: ignore[arg-type]


def lent(engine: Engine, path: NamespacePath) -> dict[UUID, float]:
    known = scans.vocabularies(
        in_one_trip(engine, path.tenant_id, [scans.vocabulary_statement(path, MODEL, QUESTION)])[0]
    )
    statement = lending_sql.lending_statement(
        path, model=MODEL, vector=direction(1), message=QUESTION, vocabulary=known.get("memories")
    )
    return lending_sql.lent(in_one_trip(engine, path.tenant_id, [statement])[0])


def fits(engine: Engine, path: NamespacePath) -> dict[UUID, float]:
    """Return how well each memory's own words fit, as a context scores it."""
    statement = memories_sql.statement_for(path, model=MODEL, vector=direction(1), message=QUESTION)
    found = memories_sql.scanned(in_one_trip(engine, path.tenant_id, [statement])[0])
    return {
        one.memory.id: found.cosine.normalised(one.cosine) + MemoryWeights().words * found.words.normalised(one.words)
        for one in found.memories
    }


def test_message_gets_the_score_of_its_best_memory(
    remembering: Remembering, reader_engine: Engine, fresh_namespace: NamespacePath, said: list[UUID], known: list[UUID]
) -> None:
    from_messages(remembering, {known[0]: said[:1], known[1]: said[:2], known[-1]: said[2:]})
    fit = fits(reader_engine, fresh_namespace)
    assert fit[known[0]] > fit[known[1]] > 0 > fit[known[-1]]

    assert lent(reader_engine, fresh_namespace) == pytest.approx({said[0]: fit[known[0]], said[1]: fit[known[1]]})


def test_contradicting_source_gets_nothing(
    remembering: Remembering, reader_engine: Engine, fresh_namespace: NamespacePath, said: list[UUID], known: list[UUID]
) -> None:
    from_messages(remembering, {known[0]: said[:1]}, stance="against")
    assert lent(reader_engine, fresh_namespace) == {}


def test_another_namespace_lends_nothing(
    remembering: Remembering, reader_engine: Engine, fresh_namespace: NamespacePath, said: list[UUID], known: list[UUID]
) -> None:
    from_messages(remembering, {known[0]: said[:1]})
    assert lent(reader_engine, NamespacePath.of((*fresh_namespace.parts, str(uuid5(said[0], "other"))))) == {}


def test_indexed_search_lends_to_the_same_messages(
    *,
    remembering: Remembering,
    reader_engine: Engine,
    fresh_namespace: NamespacePath,
    said: list[UUID],
    known: list[UUID],
    admin_url: str,
) -> None:
    from_messages(remembering, {known[0]: said[:1], known[1]: said[:2], known[-1]: said[2:]})
    exact = lent(reader_engine, fresh_namespace)
    try:
        index_own(admin_url, fresh_namespace.tenant_id, outgrown=len(CONTENTS) - 1)
        indexed = lent(reader_engine, fresh_namespace)
    finally:
        index_scopes(admin_url)

    assert indexed == pytest.approx(exact, abs=0.05)  # all of so few are in the sample; lengths in words count as equal
