"""To the version with summaries and back: what was still to be summed up is given up, and nothing else."""

from uuid import uuid4

from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from tests.integration.db.test_migrate import EVENTS, administrating, empty_database, rows, run, schema

__all__ = ["empty_database"]

_BEFORE = "0009"
_THIS = "0010"

_ROWS = """
    insert into mosshead.summaries (tenant_id, namespace_id, conversation_id, content)
    select tenant_id, namespace_id, 'c', 'User likes figs.' from mosshead.lanes;
    insert into mosshead.reflections (tenant_id, namespace_id, kind, subject, dirty_since)
    select tenant_id, namespace_id, kind, 'c', now() from mosshead.lanes cross join (values ('summary'), ('gist')) as of (kind);
    insert into mosshead.events (tenant_id, namespace_id, event_id, publisher_id, publisher_sequence, type, payload, occurred_at)
    select tenant_id, namespace_id, :event, :event, 1, 'summarise', '{}', now() from mosshead.lanes;
"""


def test_up_and_down_and_up_again(empty_database: str) -> None:
    migrate(empty_database, {}, _BEFORE)
    before = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        messages = connection.execute(text("select count(*) from mosshead.events")).scalar_one()
    migrate(empty_database, {}, _THIS)
    after = schema(empty_database)
    event = uuid4()
    with administrating(empty_database) as connection:
        for statement in _ROWS.split(";\n")[:-1]:
            connection.execute(text(statement), {"event": event} if ":event" in statement else {})

    run(empty_database, command.downgrade, _BEFORE)

    assert schema(empty_database) == before
    assert rows(empty_database, "select kind from mosshead.reflections") == {("gist",)}
    assert rows(empty_database, "select letter_id, reason from mosshead.dead_letters") == {
        (event, "undone with the migration")
    }
    assert rows(empty_database, "select sum(pending) from mosshead.lanes") == {(messages,)}
    migrate(empty_database, {}, _THIS)
    assert schema(empty_database) == after
