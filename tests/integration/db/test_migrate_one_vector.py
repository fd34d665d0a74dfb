"""To the fourteenth version and back: messages are scanned by one vector, and whatever its size a row can be written."""

import pytest
from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from tests.integration.db.test_migrate import EVENTS, administrating, empty_database, rows, run, schema

__all__ = ["empty_database"]

_VECTOR = "(select array_agg(random()) from generate_series(1, :dimensions))::vector::halfvec"
_TURN = f"""
    insert into mosshead.turns
        (tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, embedding, with_before, words)
    select tenant_id, namespace_id, :model, message_id, repeat('c', 100), now(), 'user', {_VECTOR}, {_VECTOR},
           (select array_to_tsvector(array_agg('w' || one)) from generate_series(1, :words) as one)
    from mosshead.messages limit 1
"""
_SCOPE = """
    insert into mosshead.scopes (tenant_id, namespace_id, model, memories)
    select tenant_id, namespace_id, model, 1 from mosshead.turns
"""
_INDEXES = "select indexname from pg_indexes where schemaname = 'mosshead' and indexname like '%\\_of\\_scope\\_%'"
_INDEXED = "select indexed from mosshead.scopes"


def write(url: str, *, dimensions: int, words: int) -> None:
    with administrating(url) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        connection.execute(text("insert into mosshead.models values (:model, 2)"), {"model": "m" * 200})
        connection.execute(text(_TURN), {"model": "m" * 200, "dimensions": dimensions, "words": words})


def index(url: str) -> None:
    """As if the scope were large."""
    with administrating(url) as connection:
        connection.exec_driver_sql("create index turns_before_of_scope_a on mosshead.turns (said_at)")
        connection.exec_driver_sql("update mosshead.scopes set indexed = true")


@pytest.mark.parametrize(
    ("dimensions", "words", "compact"),
    [(768, 84, True), (769, 1, False), (384, 85, False), (4000, 9_000, False)],
)
def test_whatever_its_size_a_row_can_be_written(
    empty_database: str, dimensions: int, words: int, compact: bool
) -> None:
    migrate(empty_database, {}, "0014")
    write(empty_database, dimensions=dimensions, words=words)
    assert rows(empty_database, "select compact from mosshead.turns") == {(compact,)}


def test_up_measures_what_is_there_anew_and_down_brings_the_shape_back(empty_database: str) -> None:
    migrate(empty_database, {}, "0013")
    thirteenth = schema(empty_database)
    write(empty_database, dimensions=768, words=1)
    with administrating(empty_database) as connection:
        connection.exec_driver_sql(_SCOPE)
        connection.exec_driver_sql("create index sample_of_scope_a on mosshead.embeddings (owner_id)")
    index(empty_database)
    assert rows(empty_database, "select compact from mosshead.turns") == {(False,)}

    migrate(empty_database, {}, "0014")
    assert rows(empty_database, "select compact from mosshead.turns") == {(True,)}
    assert rows(empty_database, _INDEXES) == {("sample_of_scope_a",)}
    assert rows(empty_database, _INDEXED) == {(False,)}

    index(empty_database)
    run(empty_database, command.downgrade, "0013")
    assert rows(empty_database, "select compact from mosshead.turns") == {(False,)}
    assert rows(empty_database, _INDEXES) == {("sample_of_scope_a",)}
    assert rows(empty_database, _INDEXED) == {(False,)}
    with administrating(empty_database) as connection:
        connection.exec_driver_sql("drop index mosshead.sample_of_scope_a")
    assert schema(empty_database) == thirteenth
