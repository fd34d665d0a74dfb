"""Prompts come with their migration and go with it: what the version before does not know is given up, and nothing else."""

from uuid import UUID

from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from tests.integration.db.test_migrate import EVENTS, administrating, empty_database, rows, run, schema

__all__ = ["empty_database"]

_BEFORE = "0008"
_TOLD = f"""
    update mosshead.events set type = 'set_prompt' where payload ->> 'content' = 'a1';
    insert into mosshead.decisions
        (tenant_id, namespace_id, decision_id, batch_id, action, candidates, decided_by, reason, undoes)
    select tenant_id, namespace_id, id, '{UUID(int=9)}', action, '[]', 'app', 'x', undoes
    from mosshead.lanes cross join (values
        (uuid '{UUID(int=1)}', 'set_prompt', null), (uuid '{UUID(int=2)}', 'undo', uuid '{UUID(int=1)}'),
        (uuid '{UUID(int=3)}', 'add', null)
    ) as told (id, action, undoes);
    insert into mosshead.reflections (tenant_id, namespace_id, kind, subject, dirty_since, due_at)
    select tenant_id, namespace_id, kind, 'x', now(), now()
    from mosshead.lanes cross join unnest(array['prompt', 'gist']) as kind;
    update mosshead.lanes set reflections_due_at = now() - interval '1 hour';
    insert into mosshead.prompts
        (tenant_id, namespace_id, name, version, template, syntax, optimizer, instructions, when_to_update, made_by, reason,
         made_at, decision_id)
    select tenant_id, namespace_id, 'support', 1, 'Help.', 'format', 'off', '', '', 'app', 'x', now(), '{UUID(int=1)}'
    from mosshead.lanes
"""


def test_down_gives_up_prompts_and_up_again_brings_the_shape_back(empty_database: str) -> None:
    migrate(empty_database, {}, _BEFORE)
    before = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
    migrate(empty_database, {})
    after = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.exec_driver_sql(_TOLD)
    run(empty_database, command.downgrade, _BEFORE)

    assert schema(empty_database) == before
    assert rows(empty_database, "select decision_id from mosshead.decisions") == {(UUID(int=3),)}
    assert rows(empty_database, "select kind from mosshead.reflections") == {("gist",)}
    assert rows(empty_database, "select reflections_due_at > now() - interval '1 minute' from mosshead.lanes") == {
        (True,)
    }
    assert rows(empty_database, "select reason from mosshead.dead_letters") == {("undone with the migration",)}
    migrate(empty_database, {})
    assert schema(empty_database) == after
    assert rows(empty_database, "select count(*) from mosshead.prompts") == {(0,)}
