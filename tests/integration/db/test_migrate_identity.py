"""Down from the fourth version: what the third does not know of who is who goes, and nothing else."""

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

_TOLD = f"""
    update mosshead.events set type = 'merge' where payload ->> 'content' = 'a1';
    insert into mosshead.decisions
        (tenant_id, namespace_id, decision_id, batch_id, action, undoes, candidates, decided_by, reason)
    select tenant_id, namespace_id, id, '{UUID(int=9)}', action, undoes, '[]', 'app', 'x'
    from mosshead.lanes cross join (values
        (uuid '{UUID(int=1)}', 'merge', null), (uuid '{UUID(int=2)}', 'undo', uuid '{UUID(int=1)}'),
        (uuid '{UUID(int=3)}', 'undo', uuid '{UUID(int=2)}'), (uuid '{UUID(int=4)}', 'undo', uuid '{UUID(int=5)}')
    ) as told (id, action, undoes);
    insert into mosshead.questions
        (tenant_id, namespace_id, question_id, memory_id, text, mention, role, message_id)
    select tenant_id, namespace_id, '{UUID(int=6)}', '{UUID(int=7)}', 'x', 'Peter', 'subject', '{UUID(int=8)}'
    from mosshead.lanes
"""


def test_down_gives_up_what_was_told_and_up_again_brings_the_shape_back(empty_database: str) -> None:
    migrate(empty_database, {}, "0003")
    third = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
    migrate(empty_database, {})
    fourth = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.exec_driver_sql(_TOLD)
    run(empty_database, command.downgrade, "0003")

    assert schema(empty_database) == third
    assert rows(empty_database, "select decision_id from mosshead.decisions") == {(UUID(int=4),)}
    assert rows(empty_database, "select count(*) from mosshead.questions") == {(0,)}
    dead = "select reason from mosshead.dead_letters"
    assert rows(empty_database, dead) == {("undone with the migration",)}
    assert rows(empty_database, "select pending from mosshead.lanes") == {(6,)}
    migrate(empty_database, {})
    assert schema(empty_database) == fourth
