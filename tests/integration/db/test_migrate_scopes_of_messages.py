"""To the fifteenth version and back: messages are counted, and have indexes by themselves."""

import pytest
from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from tests.integration.db.test_migrate import EVENTS, administrating, empty_database, rows, run, schema

__all__ = ["empty_database"]

_SCOPE = """
    insert into mosshead.scopes (tenant_id, namespace_id, model, memories, indexed)
    select tenant_id, namespace_id, 'm', 30000, :indexed from mosshead.messages limit 1
"""
_TURNS = """
    insert into mosshead.turns
        (tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, embedding, with_before, words)
    select tenant_id, namespace_id, 'm', message_id, 'c', now(), 'user', '[1,0]', '[1,0]', '' from mosshead.messages
"""
_SCOPES = "select memories, indexed, turns, turns_indexed from mosshead.scopes"


@pytest.mark.parametrize("indexed", [True, False])
def test_up_counts_what_is_there_and_down_brings_the_shape_back(empty_database: str, indexed: bool) -> None:
    migrate(empty_database, {}, "0014")
    fourteenth = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        connection.exec_driver_sql("insert into mosshead.models values ('m', 2)")
        connection.execute(text(_SCOPE), {"indexed": indexed})
        connection.exec_driver_sql(_TURNS)
    ((said,),) = rows(empty_database, "select count(*) from mosshead.turns")

    migrate(empty_database, {}, "0015")
    assert rows(empty_database, _SCOPES) == {(30_000, indexed, said, indexed)}
    with administrating(empty_database) as connection:
        connection.exec_driver_sql("update mosshead.scopes set indexed = true, turns_indexed = false")
    run(empty_database, command.downgrade, "0014")
    assert rows(empty_database, "select memories, indexed from mosshead.scopes") == {(30_000, False)}
    assert schema(empty_database) == fourteenth


def test_a_namespace_without_memories_is_counted_too(empty_database: str) -> None:
    migrate(empty_database, {}, "0014")
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        connection.exec_driver_sql("insert into mosshead.models values ('m', 2)")
        connection.exec_driver_sql(_TURNS)
    ((said,),) = rows(empty_database, "select count(*) from mosshead.turns")
    migrate(empty_database, {}, "0015")
    assert rows(empty_database, _SCOPES) == {(0, False, said, False)}
