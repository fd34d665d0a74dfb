"""To the seventh version and back: what is there is weighed and counted, and whatever its size a row can be written."""

from uuid import UUID

import pytest
from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from tests.integration.db.test_migrate import EVENTS, administrating, empty_database, rows, run, schema

__all__ = ["empty_database"]

MEMORY, PAST = UUID(int=1), UUID(int=2)

_KNOWN = f"""
    insert into mosshead.models (model, dimensions, active) values ('m', 2, true);
    insert into mosshead.memories
        (tenant_id, namespace_id, memory_id, version, kind, content, salience, confidence, tier, state, valid_from)
    select tenant_id, namespace_id, memory_id, 1, 'fact', 'Tea and tea and figs', 5, 0.9, 'solid', 'active', now()
    from mosshead.lanes cross join (values (uuid '{MEMORY}'), (uuid '{PAST}')) as one (memory_id);
    insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding)
    select tenant_id, namespace_id, 'm', owner_kind, owner_id, 1, '[1,0]'
    from mosshead.lanes
    cross join (values ('memory', uuid '{MEMORY}'), ('past_memory', uuid '{PAST}')) as one (owner_kind, owner_id);
    insert into mosshead.scopes as scope (tenant_id, namespace_id, model, memories)
    select tenant_id, namespace_id, 'm', 1 from mosshead.lanes
    on conflict (tenant_id, namespace_id, model) do update set indexed = true;
    insert into mosshead.turns
        (tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, embedding, with_before, words)
    select tenant_id, namespace_id, 'm', message_id, '', now(), 'user', '[1,0]', '[1,0]', to_tsvector('english', 'Figs')
    from mosshead.messages limit 1
"""
_VOCABULARY = "select scanned, lexeme, holders, occurrences from mosshead.vocabulary"

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
        select tenant_id, namespace_id, :model, message_id, repeat('c', :conversation), now(), 'user', {_VECTOR}, {_VECTOR},
               {_WORDS}
        from mosshead.messages limit 1
    """,
}


def test_up_weighs_and_counts_what_is_there_and_down_brings_the_shape_back(empty_database: str) -> None:
    migrate(empty_database, {}, "0010")
    sixth = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        connection.exec_driver_sql(_KNOWN)

    migrate(empty_database, {}, "0011")
    seventh = schema(empty_database)
    assert rows(empty_database, _VOCABULARY) == {
        ("memories", "", 1, 3),
        ("memories", "fig", 1, 0),
        ("memories", "tea", 1, 0),
        ("turns", "", 1, 1),
        ("turns", "fig", 1, 0),
    }
    weights = "select owner_kind, (terms <#> terms)::numeric(8, 4), compact from mosshead.embeddings"
    assert {
        (kind, None if found is None else float(found), fits) for kind, found, fits in rows(empty_database, weights)
    } == {
        ("memory", -2.8906, True),  # once 1, and twice 1.375
        ("past_memory", None, True),
    }
    assert rows(empty_database, "select distinct indexed from mosshead.scopes") == {(False,)}

    run(empty_database, command.downgrade, "0010")
    assert schema(empty_database) == sixth
    migrate(empty_database, {}, "0011")
    assert schema(empty_database) == seventh


@pytest.mark.parametrize(
    ("table", "dimensions", "words", "compact"),
    [
        ("embeddings", 768, 0, True),
        ("embeddings", 4000, 0, False),
        ("turns", 384, 84, True),
        ("turns", 384, 85, False),
        ("turns", 4000, 9_000, False),
    ],
)
def test_whatever_its_size_a_row_can_be_written(
    empty_database: str, table: str, dimensions: int, words: int, compact: bool
) -> None:
    migrate(empty_database, {}, "0011")
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        connection.execute(text("insert into mosshead.models values (:model, 2)"), {"model": "m" * 200})
        given = {"model": "m" * 200, "dimensions": dimensions, "words": words, "conversation": 100}
        connection.execute(text(_ROW[table]), given)
    assert rows(empty_database, f"select compact from mosshead.{table}") == {(compact,)}
