"""Plans of a read's statements for all parameters: they are planned once for all namespaces, for few rows."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from mosshead.contrib.focus import knowledge
from mosshead.entities import evidence, lookup
from mosshead.entities.disambiguation import Telling
from mosshead.paths import NamespacePath
from mosshead.search import memories, messages
from mosshead.search.scans import SearchTerm, Vocabulary
from mosshead.store import memories as stored
from mosshead.store.connection import Sql
from tests.given import MODEL, Remembering, direction, generic_plan

FEW = {"closest", "extent", "spread"}
"""Tables of a statement that have one row, or eight at most."""

NINE = datetime(2025, 3, 9, 9, tzinfo=UTC)
VOCABULARY = Vocabulary(rows=100_000, words=(SearchTerm(lexeme="heron", holders=10, term=1),))


def statements(path: NamespacePath) -> Iterator[tuple[str, Sql]]:
    asked: dict[str, Any] = {"model": MODEL, "vector": direction(1), "message": "Where is it?"}
    telling = Telling(text="one", words=("Tomatoes",), scene_words=("article",))
    vectors = np.stack([direction(1), direction(0, 1)])
    yield "names", lookup.statement_for(path, ["ada"])
    yield "ahead", stored.messages_ahead_statement(path, 5)
    yield "evidence", evidence.statement_for(path, model=MODEL, asked=telling, vector=direction(1))
    for how in ("a scan", "an index"):
        yield (
            f"tracking by {how}",
            knowledge.statement_for(
                path, model=MODEL, vectors=vectors, bearers=[], entity_ids=[], indexed=how == "an index"
            ),
        )
    for how, vocabulary in (("a scan", None), ("indexes", VOCABULARY)):
        yield f"memories by {how}", memories.statement_for(path, **asked, vocabulary=vocabulary)
        yield f"messages by {how}", messages.statement_for(path, **asked, each=40, vocabulary=vocabulary)
        some = messages.Among(since=NINE)
        yield (
            f"messages in time by {how}",
            messages.statement_for(path, **asked, among=some, each=40, vocabulary=vocabulary),
        )
        yield f"lending by {how}", messages.lending_statement(path, **asked, vocabulary=vocabulary)


def parts(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return a node of a plan and all nodes below it."""
    yield node
    for part in node.get("Plans", ()):
        yield from parts(part)


@pytest.mark.parametrize("name", [name for name, _ in statements(NamespacePath.of(("acme", "sarah")))])
def test_no_step_visits_all_found_rows_for_each_of_them(
    name: str, remembering: Remembering, fresh_namespace: NamespacePath
) -> None:
    """With 500 namesakes that would be a quarter of a million visits, more than all other work."""
    sql = dict(statements(fresh_namespace))[name].text
    with remembering.transaction() as connection:
        plan = generic_plan(connection, sql)
    inner = [
        loop["Plans"]
        for loop in parts(plan)
        if loop["Node Type"] == "Nested Loop" and loop["Plans"][1]["Node Type"] == "CTE Scan"
    ]
    sides = [{part.get("CTE Name") for part in parts} for parts in inner]
    assert [names for names in sides if names.isdisjoint(FEW)] == []


@pytest.mark.parametrize("how", ["a scan", "indexes"])
def test_contradictions_are_looked_up_once_and_not_for_each_memory(
    how: str, remembering: Remembering, fresh_namespace: NamespacePath
) -> None:
    """When planned with few edges stored, each of 40 memories went through all memories and edges."""
    with remembering.transaction() as connection:
        plan = generic_plan(connection, dict(statements(fresh_namespace))[f"memories by {how}"].text)
    for_each = [part for part in parts(plan) if part.get("Parent Relationship") == "SubPlan"]
    read = {part.get("Relation Name") for one in for_each for part in parts(one)}
    assert read.isdisjoint({"memories", "memory_edges"})
