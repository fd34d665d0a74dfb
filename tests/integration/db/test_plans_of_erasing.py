"""How an erasure runs in a large namespace that Postgres plans as a small one: without nested loops over its rows.

Statements are planned for the average namespace. A nested loop is fast for a few rows and takes minutes for many.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, event, text

from db.decisions import Stamp
from db.erasure.memories import Retold, versions_of
from db.erasure.scopes import (
    CONVERSATION,
    ErasureScope,
    erase_part,
    of_conversation,
    of_entity,
    of_memories,
    run_counted,
)
from db.unlearn import unlearn
from tests.given import MODEL
from tests.integration.db.test_migrate import administrating
from tests.integration.db.test_rows_looked_at import LANE
from tests.integration.mosshead.test_plans import parts
from tests.machine_given import TEMPLATE, name_of, scratch_database

HELD = 200
"""Memories of the large namespace, each from its own message; half of them are also repeated in another message."""

OFTEN = 30
"""How many times one statement may visit a row; a nested loop visits each row once per other row."""

LEAST_FOR_EACH_PAIR = HELD**3 / 40
"""The visits of a doubly nested loop."""

# The other statements look up some entities or memories by key; where all seem small, which index they use is chance.
_LOOKED_UP_ONCE = re.compile(
    r"(update|delete from) mosshead\.(decisions|events|turns|memory_entities|relations|questions) as"
)


def _id(kind: str, number: str = "number") -> str:
    """Return the SQL for a row's id, made of its kind and number. The same ids are used in all namespaces."""
    return f"md5('{kind}' || ({number}))::uuid"


_NEXT = "number % count + 1"
"""The position of the next row; the first follows the last."""

_VECTOR = "(select array_agg(1)::vector::halfvec from generate_series(1, 384))"

_ROWS = (
    f"""
    insert into mosshead.events (tenant_id, namespace_id, event_id, publisher_id, publisher_sequence, type, payload, occurred_at,
                                  state, batch_id, place, conversation_id)
    select tenant_id, namespace_id, {_id("message")}, {_id("publisher", "1")}, number, 'message', '{{"type": "message"}}', now(),
           'done', {_id("batch", "number / 10")}, number, 'chat ' || number % 2 from space
    """,
    f"""
    insert into mosshead.events (tenant_id, namespace_id, event_id, publisher_id, publisher_sequence, type, payload, occurred_at,
                                  state)
    select tenant_id, namespace_id, {_id("decision")}, {_id("publisher", "2")}, number, kind.kind, jsonb_build_object(
               'type', kind.kind, 'memories', jsonb_build_array(jsonb_build_object('id', 'memory ' || number)),
               'entities', jsonb_build_array(jsonb_build_object('key', 'entity ' || number))), now(), 'done'
    from space cross join lateral (select (array['import', 'clarify', 'remember', 'split'])[number % 4 + 1] as kind) as kind
    """,
    f"""
    insert into mosshead.messages (tenant_id, namespace_id, message_id, conversation_id, role, content, occurred_at)
    select tenant_id, namespace_id, {_id("message")}, 'chat ' || number % 2, 'user', 'It is dry', now() from space
    """,
    f"""
    insert into mosshead.turns (tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, embedding,
                                 with_before, words)
    select tenant_id, namespace_id, :model, {_id("message")}, 'chat ' || number % 2, now(), 'user', {_VECTOR}, {_VECTOR}, ''
    from space
    """,
    f"""
    insert into mosshead.memories (tenant_id, namespace_id, memory_id, version, kind, content, salience, confidence, tier, state,
                                    valid_from, known_from, known_to, made_by, ended_by, key)
    select tenant_id, namespace_id, {_id("memory")}, version, 'fact', 'Ada ' || number || ' is dry', 0.5, 1, 'solid', 'active',
           now(), now() - interval '1 day', case version when 1 then now() end, {_id("decision")},
           case version when 1 then {_id("decision", _NEXT)} end, 'memory ' || number
    from space cross join generate_series(1, 2) as version
    """,
    f"""
    insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding, words)
    select tenant_id, namespace_id, :model, case version when 1 then 'past_memory' else 'memory' end, {_id("memory")}, version,
           {_VECTOR}, '' from space cross join generate_series(1, 2) as version
    """,
    f"""
    insert into mosshead.decisions (tenant_id, namespace_id, decision_id, batch_id, action, memory_id, fact, candidates,
                                     decided_by, prompt_version, reason, entities)
    select tenant_id, namespace_id, {_id("decision")}, {_id("batch", "number / 10")},
           (array['add', 'clarify', 'update', 'split'])[number % 4 + 1], {_id("memory")},
           jsonb_build_object('content', 'It is dry', 'sources', jsonb_build_array(number % 10 + 1),
               'entity_id', {_id("entity")}, 'mentions', jsonb_build_array(jsonb_build_object('name', 'Ada ' || number))),
           jsonb_build_array(jsonb_build_object('memory_id', {_id("memory", _NEXT)})), 'a model', 1, 'so it is',
           array[{_id("entity")}] from space
    """,
    f"""
    insert into mosshead.decisions (tenant_id, namespace_id, decision_id, batch_id, action, fact, candidates, decided_by, reason)
    select tenant_id, namespace_id, {_id("merge")}, {_id("merge")}, 'merge',
           jsonb_build_object('entity_id', {_id("merged")}, 'into', {_id("entity")}), '[]', 'app', 'the app said so'
    from space where number % 20 = 0
    """,
    f"""
    insert into mosshead.decision_memories (tenant_id, namespace_id, memory_id, decision_id, changed)
    select tenant_id, namespace_id, {_id("memory")}, {_id("decision", "made")}, true
    from space cross join lateral (values (number), ({_NEXT})) as one (made)
    """,
    f"""
    insert into mosshead.memory_sources (tenant_id, namespace_id, memory_id, message_id, quote, made_by)
    select tenant_id, namespace_id, {_id("memory")}, {_id("message", "source")}, 'It is dry', {_id("decision")}
    from space cross join lateral (
        values (number), (case when number % 4 < 2 then {_NEXT} end)) as one (source) where source is not null
    """,
    f"""
    insert into mosshead.memory_edges (tenant_id, namespace_id, from_id, to_id, kind, known_from, made_by)
    select tenant_id, namespace_id, {_id("memory")}, {_id("memory", _NEXT)}, 'similar', now(), {_id("decision")} from space
    """,
    f"""
    insert into mosshead.entities (tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, made_by,
                                    known_from, known_to, ended_by)
    select tenant_id, namespace_id, {_id("entity")}, 'Ada ' || number, 'person', 'who is dry', {_id("entity", _NEXT)},
           {_id("decision")}, now() - age * interval '1 day', case age when 1 then now() end,
           case age when 1 then {_id("decision", _NEXT)} end from space cross join generate_series(0, 1) as age
    """,
    f"""
    insert into mosshead.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised, made_by)
    select tenant_id, namespace_id, {_id("entity")}, 'Ada ' || word, 'ada ' || word, made
    from space cross join lateral (
        values (number::text, {_id("decision")}), ('old ' || number, {_id("merge")})) as one (word, made)
    """,
    f"""
    insert into mosshead.memory_entities (tenant_id, namespace_id, memory_id, entity_id, role, certainty, made_by)
    select tenant_id, namespace_id, {_id("memory")}, {_id("entity", "of")}, 'about', 'sure', {_id("decision")}
    from space cross join lateral (values (number), ({_NEXT})) as one (of)
    """,
    f"""
    insert into mosshead.relations (tenant_id, namespace_id, relation_id, subject_id, predicate, object_id, memory_id,
                                     valid_from, made_by)
    select tenant_id, namespace_id, {_id("relation")}, {_id("entity")}, 'knows', {_id("entity", _NEXT)}, {_id("memory")}, now(),
           {_id("decision")} from space
    """,
    f"""
    insert into mosshead.questions (tenant_id, namespace_id, question_id, text, candidates, mention, memory_id, role, message_id,
                                     made_by)
    select tenant_id, namespace_id, {_id("question")}, 'Which Ada?', array[{_id("entity")}, {_id("entity", _NEXT)}], 'Ada',
           {_id("memory")}, 'about', {_id("message")}, {_id("decision")} from space
    """,
    f"""
    insert into mosshead.examples (tenant_id, namespace_id, example_id, mention, text, entity_id, others, message_id, known_from)
    select tenant_id, namespace_id, {_id("example")}, 'Ada', 'Ada is dry', {_id("entity")}, array[{_id("entity", _NEXT)}],
           {_id("message")}, now() from space
    """,
    f"""
    insert into mosshead.profiles (tenant_id, namespace_id, entity_id, summary)
    select tenant_id, namespace_id, {_id("entity")}, 'Ada is dry' from space
    """,
)

_CLOSED = text("""
    update mosshead.memories set known_to = :at, ended_by = made_by
    where tenant_id = :tenant_id and namespace_id = :namespace_id and memory_id = any(cast(:memories as uuid[]))
""")

_MANY = "select md5('tenant' || number / 3)::uuid, md5('namespace' || number)::uuid, 5 from generate_series(1, 600) as number"
_ONE = "select cast(:tenant_id as uuid), cast(:namespace_id as uuid), cast(:held as integer)"


def fill(connection: Connection, namespaces: str) -> None:
    """Insert rows of some namespaces, given as the tenant's id and the count of each kind."""
    connection.exec_driver_sql("set local session_replication_role = replica")
    connection.execute(
        text(f"""
            create temporary table space on commit drop as
            select tenant_id, namespace_id, number, count
            from ({namespaces}) as of_one (tenant_id, namespace_id, count) cross join generate_series(1, count) as number
        """),
        {**LANE.scope, "held": HELD} if namespaces is _ONE else {},
    )
    connection.execute(
        text("insert into mosshead.models values (:model, 384, true) on conflict do nothing"), {"model": MODEL}
    )
    for statement in _ROWS:
        connection.execute(text(statement), {"model": MODEL} if ":model" in statement else {})
    connection.exec_driver_sql("drop table space; set local session_replication_role = origin")


@pytest.fixture(scope="module")
def small_ones(admin_engine: Engine) -> Iterator[str]:
    """Yield the name of a template database with many small namespaces, analysed by Postgres."""
    with scratch_database(admin_engine, template=TEMPLATE) as url:
        with administrating(url) as connection:
            fill(connection, _MANY)
            connection.exec_driver_sql("analyze")
        yield name_of(url)


@pytest.fixture(scope="module", params=["never analysed", "analysed while all were small"])
def large(admin_engine: Engine, request: pytest.FixtureRequest) -> Iterator[Connection]:
    """Yield a worker's transaction in a database that gained a large namespace since it was last analysed, if ever."""
    template = TEMPLATE if request.param == "never analysed" else request.getfixturevalue("small_ones")
    with scratch_database(admin_engine, template=template) as url, administrating(url) as connection:
        fill(connection, _ONE)
        connection.exec_driver_sql("set local role mosshead_worker")
        tenant = {"tenant_id": str(LANE.tenant_id)}
        connection.execute(text("select set_config('mosshead.tenant_id', :tenant_id, true)"), tenant)
        yield connection


@pytest.fixture
def grown(large: Connection) -> Iterator[Connection]:
    """The same, rolled back after each test."""
    with large.begin_nested() as to_here:
        yield large
        to_here.rollback()


_COUNTED = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter", "Rows Removed by Index Recheck")


def looks(plan: dict[str, Any]) -> float:
    """Return how many rows the plan's busiest step visited."""
    found: list[float] = [node["Actual Loops"] * sum(node.get(name, 0) for name in _COUNTED) for node in parts(plan)]
    return max(found)


@contextmanager
def looking(connection: Connection) -> Iterator[list[tuple[float, str]]]:
    """Yield the statements of the block, each with the number of rows its busiest step visited."""
    found: list[tuple[float, str]] = []

    def explain(_: Any, cursor: Any, statement: str, parameters: Any, *__: Any) -> None:
        if statement.startswith("set "):
            return
        with cursor.connection.cursor() as explaining:
            explaining.execute("savepoint as_it_was")
            explaining.execute(f"explain (analyze, timing off, format json) {statement}", parameters)
            ((plan,),) = explaining.fetchone()
            explaining.execute("rollback to as_it_was")
        found.append((looks(plan["Plan"]), statement))

    event.listen(connection, "before_cursor_execute", explain)
    yield found
    event.remove(connection, "before_cursor_execute", explain)


STAMP = Stamp(UUID(int=1), datetime(2026, 3, 9, tzinfo=UTC))


def numbered(connection: Connection, kind: str) -> list[UUID]:
    """Return the ids of a kind, in order."""
    ids = text(f"select {_id(kind)} from generate_series(1, :held) as number order by number")
    return list(connection.execute(ids, {"held": HELD}).scalars())


def erase(connection: Connection, part: ErasureScope) -> None:
    """Erase as a worker does; half of the remaining versions say something else."""
    versions = versions_of(connection, LANE, part.repeated, part.messages)
    told = Retold(
        gone=[one.key for one in versions if one.erased and one.key[1] == 1],
        anew={one.key: {**one.says, "content": "It is wet"} for one in versions if one.key[1] == 2},
    )
    erase_part(connection, LANE, replace(part, retold=told), STAMP)


def erase_a_conversation(connection: Connection) -> None:
    part = of_conversation(connection, LANE, STAMP.decision_id, "chat 0")
    assert len(part.messages) == HELD / 2
    assert len(part.repeated) == HELD / 2
    assert len(part.memories) == HELD / 4
    erase(connection, part)
    wanted = {"erasure_id": STAMP.decision_id, "conversation": "chat 0", "kinds": ["summary"]}
    run_counted(connection, CONVERSATION, {**LANE.scope, **wanted})


def erase_memories(connection: Connection) -> None:
    erase(connection, of_memories(connection, LANE, numbered(connection, "memory")[::2]))


def erase_entities(connection: Connection) -> None:
    """Erase many entities, one of which many were merged into."""
    of_entity(connection, LANE, numbered(connection, "entity")[0])
    part = of_memories(connection, LANE, numbered(connection, "memory")[: HELD // 2])
    erase(connection, replace(part, entities=frozenset(numbered(connection, "entity")[: HELD // 2])))


def forget(connection: Connection) -> None:
    memories = numbered(connection, "memory")[::2]
    connection.execute(_CLOSED, {**LANE.scope, "memories": memories, "at": STAMP.at})
    unlearn(connection, LANE, memories, STAMP)


@pytest.mark.parametrize("doing", [erase_a_conversation, erase_memories, erase_entities, forget])
def test_erasure_of_many_rows_uses_no_nested_loop(grown: Connection, doing: Callable[[Connection], None]) -> None:
    with looking(grown) as looked:
        doing(grown)
    assert looked
    assert [(rows, one) for rows, one in looked if rows > OFTEN * HELD and _LOOKED_UP_ONCE.search(one)] == []
    assert [(rows, one) for rows, one in looked if rows > LEAST_FOR_EACH_PAIR] == []
