"""How many rows the workers' statements visit in a large namespace, in a service of many small ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, text

from db import candidates, decisions, entities, turns, undo
from db.keys import BatchRef, LaneRef
from tests.crowd_given import HELD, PATH
from tests.given import LONG, MODEL, NONE, direction
from tests.integration.db.test_migrate import administrating

LANE = LaneRef(PATH.tenant_id, PATH.namespace_id)
FACTS = 12


@contextmanager
def working(url: str) -> Iterator[Connection]:
    """Yield a worker's transaction, planned under row-level security, with its visits counted."""
    with administrating(url) as connection:
        connection.exec_driver_sql("set local role mosshead_worker")
        tenant = {"tenant_id": str(LANE.tenant_id)}
        connection.execute(text("select set_config('mosshead.tenant_id', :tenant_id, true)"), tenant)
        yield connection


def looked_at(connection: Connection, table: str) -> int:
    """Return how many index entries of a table this transaction visited."""
    entries = text(
        "select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index where indrelid = to_regclass(:table)"
    )
    return int(connection.execute(entries, {"table": f"mosshead.{table}"}).scalar_one())


_DIRTY = """
    insert into mosshead.profiles (tenant_id, namespace_id, entity_id, dirty_since, touched_at, holds)
    select :tenant_id, :namespace_id, entity_id, now(), now(), array_agg(memory_id) from mosshead.memory_entities
    where namespace_id = :namespace_id and entity_id = any(cast(:entity_ids as uuid[])) group by entity_id
"""
_CHANGED = """
    insert into mosshead.memories (tenant_id, namespace_id, memory_id, version, kind, content, salience, confidence, tier,
                                    state, valid_from, known_from)
    select :tenant_id, :namespace_id, md5('changed' || number)::uuid, 1, 'fact', 'It is dry', 0.5, 1, 'solid', 'active', now(),
           clock_timestamp()
    from generate_series(1, :changed) as number
"""
_ABOUT_OTHERS = """
    insert into mosshead.memory_entities (tenant_id, namespace_id, memory_id, entity_id, role, certainty)
    select :tenant_id, :namespace_id, md5('changed' || number)::uuid, md5('other' || number)::uuid, 'subject', 'sure'
    from generate_series(1, :changed) as number
"""
_KNOWN_BEFORE = """
    insert into mosshead.memory_entities (tenant_id, namespace_id, memory_id, entity_id, role, certainty, known_from)
    select :tenant_id, :namespace_id, md5('before' || number)::uuid, entity_id, 'subject', 'sure', now() - interval '1 day'
    from unnest(cast(:entity_ids as uuid[])) as entity_id cross join generate_series(1, :before) as number
"""


def ids(connection: Connection, column: str, table: str) -> list[UUID]:
    statement = (
        f"select {column} from mosshead.{table} where namespace_id = :namespace_id order by 1 desc limit {FACTS}"
    )
    return list(connection.execute(text(statement), {"namespace_id": LANE.namespace_id}).scalars())


@pytest.fixture
def batch(crowded: str) -> BatchRef:
    """Return a batch of some facts."""
    batch = BatchRef(LANE, uuid4())
    with administrating(crowded) as connection:
        connection.exec_driver_sql("set local session_replication_role = replica")
        candidates.store_facts(connection, batch, [{"content": "It is dry"}] * FACTS)
        candidates.store_vectors(connection, batch, MODEL, {number: direction(1) for number in range(1, FACTS + 1)})
    return batch


def test_previous_turn_is_looked_up_in_its_conversation(crowded: str) -> None:
    with working(crowded) as connection:
        asked = ids(connection, "message_id", "messages")
        before = looked_at(connection, "turns")
        found = turns.turns_before(connection, LANE, MODEL, asked)
        looked = looked_at(connection, "turns") - before
    assert found
    assert looked <= 5 * FACTS  # five per conversation


def test_memories_to_compare_facts_with_are_read_once_for_all_facts(crowded: str, batch: BatchRef) -> None:
    with working(crowded) as connection:
        of_whom = ids(connection, "distinct entity_id", "memory_entities")
        about = dict.fromkeys(range(1, FACTS + 1), of_whom)
        tables = ("embeddings", "traits", "memories")
        before = [looked_at(connection, table) for table in tables]
        found = candidates.similar_to_batch(connection, batch, MODEL, about=about, limit=5, least=0.01)
        embeddings, traits, memories = (
            looked_at(connection, table) - number for table, number in zip(tables, before, strict=True)
        )
    assert len(found) > FACTS
    assert HELD <= embeddings < 2 * HELD
    assert traits == 2 * len(of_whom)  # two memories about each
    assert memories == len({(row.fact_number, row.memory_id) for row in found})


@pytest.mark.parametrize(("changed", "before"), [(5000, 0), (FACTS, 500)], ids=["a load", "much known of each"])
def test_news_of_a_few_profiles_is_looked_up_on_the_smaller_side(crowded: str, changed: int, before: int) -> None:
    """Neither among all that an import brought, nor among all that was known of them before."""
    with working(crowded) as connection:
        of_whom = ids(connection, "distinct entity_id", "memory_entities")
        given = {**LANE.scope, "entity_ids": of_whom, "changed": changed, "before": before}
        for statement in (_DIRTY, _CHANGED, _ABOUT_OTHERS, _KNOWN_BEFORE):
            connection.execute(text(statement), given)
        due = entities.due_profiles(connection, LANE, least=NONE, most=LONG, limit=FACTS).profiles
        looked = looked_at(connection, "memory_entities")
        found = entities.news_of(connection, LANE, due, limit=10)
        looked = looked_at(connection, "memory_entities") - looked
    assert len(found) == FACTS
    assert looked <= 10 * FACTS


_LOADED = (
    """insert into mosshead.memories (tenant_id, namespace_id, memory_id, version, kind, content, salience, confidence, tier,
                                       state, valid_from, known_from, made_by)
       select :tenant_id, :namespace_id, memory_id, 1, 'fact', 'It is dry', 0.5, 1, 'solid', 'active', now(), now(), :made_by
       from unnest(cast(:memory_ids as uuid[])) as memory_id""",
    """insert into mosshead.memory_entities (tenant_id, namespace_id, memory_id, entity_id, role, certainty, made_by)
       select :tenant_id, :namespace_id, memory_id, memory_id, 'subject', 'sure', :made_by
       from unnest(cast(:memory_ids as uuid[])) as memory_id""",
    """insert into mosshead.memory_sources (tenant_id, namespace_id, memory_id, message_id, quote, made_by)
       select :tenant_id, :namespace_id, memory_id, memory_id, '', :made_by
       from unnest(cast(:memory_ids as uuid[])) as memory_id""",
)

_ENDED = """
    update mosshead.{table} set known_to = clock_timestamp(), ended_by = :undone
    where namespace_id = :namespace_id and memory_id = any(cast(:memory_ids as uuid[]))
"""


@pytest.mark.parametrize("did", ["made", "ended"])
def test_undo_of_many_memories_looks_up_each_of_them(crowded: str, did: str) -> None:
    undone, loaded = uuid4(), [uuid4() for _ in range(HELD)]
    parts = ("memory_entities", "memory_sources")
    tables = ("memories", *parts)
    given = {**LANE.scope, "memory_ids": loaded, "made_by": undone if did == "made" else None}
    with working(crowded) as connection:
        for statement in _LOADED:
            connection.execute(text(statement), given)
        for table in parts if did == "ended" else ():
            connection.execute(text(_ENDED.format(table=table)), {**given, "undone": undone})
        done = undo.Done(undone, "add", 1, in_effect=True, memories=tuple(loaded), entities=())
        before = [looked_at(connection, table) for table in tables]
        assert undo.builders(connection, LANE, done) is None
        undo.reverse(connection, LANE, done, decisions.stamp_of_event(connection, uuid4()))
        looked = {table: looked_at(connection, table) - number for table, number in zip(tables, before, strict=True)}
    assert {table: number for table, number in looked.items() if number > 40 * len(loaded)} == {}
