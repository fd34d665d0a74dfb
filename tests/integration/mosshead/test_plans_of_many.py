"""Plans in a service of many small namespaces and few large ones: rows with a key are looked up by it.

Statements are planned once for all namespaces. For the average one, of five rows, a full scan is as cheap as a look-up.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine

from mosshead.search import vectors
from mosshead.store import memories
from mosshead.store.connection import Sql
from mosshead.urls import sqlalchemy_url
from tests.crowd_given import PATH
from tests.given import MODEL, direction, generic_plan
from tests.integration.mosshead.test_plans import parts, statements
from tests.machine_given import scratch_database

ALL = {"turns_side_by_side", "turns_at_large"}
"""The indexes that scan all messages of a namespace."""

_BY_VALUE = re.compile(r"\b(memory_id|message_id|owner_id|entity_id) = |= COALESCE\(")
"""A searched id; row-level security lets it reach an index only through a subquery."""

_AVERAGE = """
    do $$
    declare
        name text;
    begin
        for name in select replace(stxname, '_scope', '') from pg_statistic_ext where stxnamespace = 'mosshead'::regnamespace loop
            execute format('alter table mosshead.%I alter column namespace_id reset (n_distinct)', name);
            execute format('alter table mosshead.%I alter column tenant_id reset (n_distinct)', name);
            execute format('drop statistics mosshead.%I', name || '_scope');
            execute format('analyze mosshead.%I', name);
        end loop;
    end
    $$;
    drop index mosshead.messages_of_conversation
"""
"""Undoes the planner hints of `db/schema/sql/statistics.sql`."""

_VECTOR_ITSELF = re.compile(r"(turns|traits|embeddings)(_\d+)?\.(embedding|with_before|terms)")


def asked() -> Iterator[tuple[str, Sql]]:
    """Return the statements of a read."""
    wanted = vectors.SearchTarget(model=MODEL, vector=direction(1), limit=10, threshold=None)
    yield from statements(PATH)
    yield "nearest by a scan", vectors.exact(PATH, wanted)
    yield "nearest by an index", vectors.by_index(PATH, wanted)
    yield "latest messages", memories.latest_messages_statement(PATH, "chat 1", 6)


def by_value(connection: Connection, statement: str) -> list[Any]:
    """Return the steps that read a namespace's rows one by one to find those with an id."""
    nodes = [part for part in parts(generic_plan(connection, statement)) if "Scan" in part["Node Type"]]
    return [
        (node.get("Index Name") or node["Relation Name"], node["Filter"])
        for node in nodes
        if "Relation Name" in node and _BY_VALUE.search(node.get("Filter", ""))
    ]


def compared(connection: Connection, statement: str) -> list[Any]:
    """Return the steps that compare each row of one side with each of the other to match ids."""
    nodes = parts(generic_plan(connection, statement))
    return [node["Join Filter"] for node in nodes if _BY_VALUE.search(node.get("Join Filter", ""))]


@pytest.fixture(scope="module")
def crowded(admin_engine: Engine, filled: str) -> Iterator[Engine]:
    """Return a database of many namespaces."""
    with scratch_database(admin_engine, template=filled) as url:
        engine = create_engine(sqlalchemy_url(url, "MOSSHEAD_ADMIN_URL"))
        yield engine
        engine.dispose()


@contextmanager
def planning(engine: Engine, *changes: str) -> Iterator[Connection]:
    """Yield a reader's transaction, planned under row-level security. changes: statements to run first; all is rolled back."""
    with engine.connect() as connection:
        for statements in changes:
            connection.connection.cursor().execute(statements)
        connection.exec_driver_sql("set local role mosshead_reader")
        yield connection


def test_rows_with_a_key_are_looked_up_by_it(crowded: Engine) -> None:
    with planning(crowded) as connection:
        found = {name: by_value(connection, sql.text) for name, sql in asked()}
    assert {name: nodes for name, nodes in found.items() if nodes} == {}


def test_row_with_an_id_is_not_searched_among_all_others(crowded: Engine) -> None:
    with planning(crowded) as connection:
        found = {name: compared(connection, sql.text) for name, sql in asked()}
    assert {name: nodes for name, nodes in found.items() if nodes} == {}


def test_rows_are_sorted_without_their_vectors(crowded: Engine) -> None:
    """Sorted with their vectors, the memories of 500 namesakes did not fit into memory and took longer than all else."""
    ordering = {"Sort", "Incremental Sort", "Hash", "Aggregate", "Materialize"}
    found = {}
    with planning(crowded) as connection:
        for name, sql in asked():
            nodes = (part for part in parts(generic_plan(connection, sql.text)) if part["Node Type"] in ordering)
            found[name] = [node["Output"] for node in nodes if any(map(_VECTOR_ITSELF.fullmatch, node["Output"]))]
    assert {name: outputs for name, outputs in found.items() if outputs} == {}


def test_common_memories_of_namesakes_and_others_are_found_by_a_join(crowded: Engine) -> None:
    """For three and three entities of a thousand memories, a loop compared three million: half a second. The plan was chance."""
    found = {"evidence": "shared", "tracking by a scan": "held"}
    with planning(crowded) as connection:
        plans = {table: generic_plan(connection, dict(asked())[name].text) for name, table in found.items()}
    for table, plan in plans.items():
        (one,) = (part for part in parts(plan) if part.get("Subplan Name") == f"CTE {table}")
        assert [part["Join Type"] for part in parts(one) if "Join Type" in part] == ["Full"]


@pytest.mark.parametrize("how", ["a scan", "an index"])
def test_memories_are_fetched_only_for_the_nearest(crowded: Engine, how: str) -> None:
    sql = dict(asked())[f"nearest by {how}"]
    with planning(crowded) as connection:
        found = [part for part in parts(generic_plan(connection, sql.text)) if part.get("Relation Name") == "memories"]
    assert ["memory_id = ANY" in part.get("Index Cond", "") for part in found][:1] == [True]
    assert all("memory_id = " in part.get("Index Cond", "") for part in found)  # the others contradict one of them


def test_latest_messages_of_a_conversation_are_searched_only_in_it(crowded: Engine) -> None:
    sql = dict(asked())["latest messages"]
    with planning(crowded) as connection:
        found = [part for part in parts(generic_plan(connection, sql.text)) if part.get("Relation Name") == "messages"]
    assert [part["Index Name"] for part in found] == ["messages_of_conversation"]
    assert "conversation_id" in found[0]["Index Cond"]


def test_average_namespace_would_be_read_whole(crowded: Engine) -> None:
    """The converse: otherwise the test above proves nothing."""
    with planning(crowded, _AVERAGE) as connection:
        found = {name: by_value(connection, sql.text) for name, sql in asked()}
    looked = {name for name, nodes in found.items() if nodes}
    assert {"messages by a scan", "memories by a scan", "nearest by a scan"} <= looked


def test_messages_of_a_time_are_read_by_their_keys_or_else_scanned(crowded: Engine) -> None:
    sql = dict(asked())["messages in time by indexes"]
    with planning(crowded) as connection:
        plan = generic_plan(connection, sql.text)
    spans = [part for part in parts(plan) if part.get("Index Name") == "messages_in_time"]
    assert len(spans) == 2
    assert all(part["Index Cond"].count("occurred_at") == 2 for part in spans)
    (scan,) = (part for part in parts(plan) if part.get("Subplan Name") == "CTE scan")
    by_key, scanned = (part for part in scan["Plans"] if "InitPlan" not in part.get("Subplan Name", ""))
    assert {part.get("Index Name") for part in parts(by_key)} & ALL == set()
    halves = [part for part in scanned["Plans"] if part.get("One-Time Filter", "").startswith("(NOT (InitPlan")]
    assert {part.get("Index Name") for half in halves for part in parts(half)} >= ALL
