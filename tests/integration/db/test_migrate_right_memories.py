"""To the fifth version and back: what stands there already gets its words and its count, and no other vector is touched."""

from uuid import UUID

from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from tests.integration.db.test_migrate import (
    EVENTS,
    administrating,
    empty_database,
    rows,
    run,
    schema,
)

__all__ = ["empty_database"]

MEMORY, ENTITY = UUID(int=1), UUID(int=2)

_KNOWN = f"""
    insert into mosshead.models (model, dimensions, active) values ('m', 2, true);
    insert into mosshead.memories
        (tenant_id, namespace_id, memory_id, version, kind, content, salience, confidence, tier, state, valid_from, known_to)
    select tenant_id, namespace_id, '{MEMORY}', version, 'fact', content, 5, 0.9, 'solid', 'active', now(), ended
    from mosshead.lanes cross join (values (1, 'User likes tea', now()), (2, 'User likes green tea', null))
        as said (version, content, ended);
    insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding)
    select tenant_id, namespace_id, 'm', owner_kind, owner_id, version, '[1,0]'
    from mosshead.lanes cross join (values
        ('past_memory', uuid '{MEMORY}', 1), ('memory', uuid '{MEMORY}', 2), ('profile', uuid '{ENTITY}', 1)
    ) as vector (owner_kind, owner_id, version);
    insert into mosshead.memory_entities (tenant_id, namespace_id, memory_id, entity_id, role, certainty)
    select tenant_id, namespace_id, '{MEMORY}', '{ENTITY}', 'subject', 'sure' from mosshead.lanes
"""
_WORDS = "select owner_kind, version, words::text, length from mosshead.embeddings"
_TRAITS = "select entity_id, owner_id, words::text, embedding::text, ctid::text from mosshead.traits"


def test_up_fills_in_and_counts_and_down_brings_the_shape_back(empty_database: str) -> None:
    migrate(empty_database, {}, "0004")
    fourth = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        connection.exec_driver_sql(_KNOWN)
    traits = rows(empty_database, _TRAITS)
    assert len(traits) == 1

    migrate(empty_database, {})
    fifth = schema(empty_database)
    assert rows(empty_database, _WORDS) == {
        ("past_memory", 1, None, None),
        ("memory", 2, "'green':3 'like':2 'tea':4 'user':1", 4),
        ("profile", 1, None, None),
    }
    assert rows(empty_database, "select model, memories, indexed from mosshead.scopes") == {("m", 1, False)}
    assert rows(empty_database, _TRAITS) == traits
    triggers = "select tgname from pg_trigger where tgrelid = 'mosshead.embeddings'::regclass and tgenabled <> 'O'"
    assert rows(empty_database, triggers) == set()

    with administrating(empty_database) as connection:
        connection.exec_driver_sql(
            "create index embeddings_of_scope_1 on mosshead.embeddings (owner_id) where owner_kind = 'memory'"
        )
    run(empty_database, command.downgrade, "0004")
    assert schema(empty_database) == fourth
    assert rows(empty_database, "select count(*) from mosshead.embeddings") == {(3,)}
    migrate(empty_database, {})
    assert schema(empty_database) == fifth


def test_a_vector_and_its_words_stand_in_the_row_itself(empty_database: str) -> None:
    """However long the vector, up to what a page holds: a scan would look up each that stands elsewhere."""
    migrate(empty_database, {})
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        connection.exec_driver_sql(_MESSAGE_AND_MEMORY)
    for table in ("embeddings", "turns"):
        toast = f"select pg_relation_size(reltoastrelid) from pg_class where oid = 'mosshead.{table}'::regclass"
        assert rows(empty_database, toast) == {(0,)}, table


# Vectors of 1,536 numbers, one of them with another, and 60 words beside them.
_MESSAGE_AND_MEMORY = f"""
    create temporary table given as
        select array_agg(random())::vector(1536)::halfvec as vector,
               (select to_tsvector('simple', string_agg('word' || one, ' ')) from generate_series(1, 60) as one) as words
        from generate_series(1, 1536);
    insert into mosshead.models (model, dimensions, active) values ('m', 1536, true);
    insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, embedding)
    select tenant_id, namespace_id, 'm', 'profile', '{ENTITY}', vector from mosshead.lanes, given;
    insert into mosshead.turns
        (tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, embedding, with_before, words)
    select tenant_id, namespace_id, 'm', message_id, '', now(), role, vector, vector, words from mosshead.messages, given
"""
