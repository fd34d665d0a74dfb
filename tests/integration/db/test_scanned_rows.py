"""Scanned rows: any size can be written, and those that fit are in an index that includes all of their columns."""

import json
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, create_engine, text

from mosshead.urls import sqlalchemy_url
from tests.given import event
from tests.machine_given import TEMPLATE, scratch_database

_VECTOR = "(select array_agg(random()) from generate_series(1, :dimensions))::vector::halfvec"
_WORDS = "(select array_to_tsvector(array_agg('w' || one)) from generate_series(1, :words) as one)"
_ROW = {
    "embeddings": f"""
        insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, embedding, version)
        select tenant_id, namespace_id, :model, 'memory', gen_random_uuid(), {_VECTOR}, 1 from mosshead.lanes
    """,
    "turns": f"""
        insert into mosshead.turns
            (tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, embedding, with_before, words)
        select tenant_id, namespace_id, :model, message_id, repeat('c', 100), now(), 'user', {_VECTOR}, {_VECTOR}, {_WORDS}
        from mosshead.messages limit 1
    """,
    "traits": f"""
        insert into mosshead.traits (tenant_id, namespace_id, entity_id, model, owner_kind, owner_id, embedding, words)
        select tenant_id, namespace_id, gen_random_uuid(), :model, 'memory', gen_random_uuid(), {_VECTOR},
               (select array_to_tsvector(array_agg(chr(20000 + one))) from generate_series(1, :words) as one)
        from mosshead.lanes
    """,
}
_LARGEST = 82
"""Words of one three-byte letter, which leave most room beside the text: quotes and blanks are not stored, lengths are."""


@pytest.fixture(scope="module")
def two_messages(admin_engine: Engine) -> Iterator[Engine]:
    """Yield a database with two messages."""
    events = json.dumps([event(content=said) for said in ("I like tea", "I like figs")])
    with scratch_database(admin_engine, template=TEMPLATE) as url:
        engine = create_engine(sqlalchemy_url(url, "MOSSHEAD_ADMIN_URL"))
        with engine.begin() as connection:
            connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": events})
        yield engine
        engine.dispose()


@pytest.fixture
def database(two_messages: Engine) -> Iterator[Connection]:
    """The same, in a transaction that is rolled back."""
    with two_messages.connect() as connection:
        yield connection


@pytest.mark.parametrize(
    ("table", "dimensions", "words", "compact"),
    [
        ("embeddings", 768, 0, True),
        ("embeddings", 4000, 0, False),
        ("turns", 768, 84, True),
        ("turns", 769, 1, False),
        ("turns", 384, 85, False),
        ("turns", 4000, 9_000, False),
        ("traits", 768, _LARGEST, True),
        ("traits", 768, _LARGEST + 2, False),
        ("traits", 769, 1, False),
        ("traits", 4000, 2000, False),
    ],
)
def test_scanned_row_of_any_size_can_be_written(
    database: Connection, table: str, dimensions: int, words: int, compact: bool
) -> None:
    database.execute(text("insert into mosshead.models values (:model, 2)"), {"model": "m" * 200})
    database.execute(text(_ROW[table]), {"model": "m" * 200, "dimensions": dimensions, "words": words})
    found = database.exec_driver_sql(f"select compact from mosshead.{table}")
    assert set(found.scalars()) == {compact}


def test_vectors_and_words_of_scanned_rows_are_stored_inline(database: Connection) -> None:
    """However long the vector, up to the size of a page: a scan would have to look up each value that is stored elsewhere."""
    for statement in _LONG_VECTORS:
        database.exec_driver_sql(statement)
    for column in ("embeddings.embedding", "turns.embedding", "turns.with_before", "turns.words"):
        table, name = column.split(".")
        found = database.exec_driver_sql(f"select pg_column_toast_chunk_id({name}) from mosshead.{table}").scalars()
        assert set(found) == {None}, column


# Vectors of 1,536 numbers, one next to another, with 60 words.
_LONG_VECTORS = (
    """
    create temporary table given as
        select array_agg(random())::vector(1536)::halfvec as vector,
               (select to_tsvector('simple', string_agg('word' || one, ' ')) from generate_series(1, 60) as one) as words
        from generate_series(1, 1536)
    """,
    "insert into mosshead.models (model, dimensions, active) values ('m', 1536, true)",
    """
    insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, embedding)
    select tenant_id, namespace_id, 'm', 'profile', gen_random_uuid(), vector from mosshead.lanes, given
    """,
    """
    insert into mosshead.turns
        (tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, embedding, with_before, words)
    select tenant_id, namespace_id, 'm', message_id, '', now(), role, vector, vector, words from mosshead.messages, given
    """,
)


def test_messages_of_a_namespace_without_memories_count_in_its_scope(database: Connection) -> None:
    database.exec_driver_sql("insert into mosshead.models values ('m', 2)")
    database.exec_driver_sql("""
        insert into mosshead.turns
            (tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, embedding, with_before, words)
        select tenant_id, namespace_id, 'm', message_id, 'c', now(), 'user', '[1,0]', '[1,0]', '' from mosshead.messages
    """)
    counted = database.exec_driver_sql("select memories, indexed, turns, turns_indexed from mosshead.scopes").all()
    assert [tuple(row) for row in counted] == [(0, False, 2, False)]
