"""To the version in which a namespace can be replayed beside itself, and back."""

import json
from uuid import uuid4

from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from mosshead.paths import NamespacePath
from tests.given import event
from tests.integration.db.test_migrate import administrating, empty_database, rows, run, schema

__all__ = ["empty_database"]

_BEFORE = "0021"
_THIS = "0022"
_REPLAY = """
    insert into mosshead.namespaces (tenant_id, namespace_id, path, replay_of)
    select tenant_id, :replay, path || array['(replay)'], namespace_id from mosshead.namespaces
"""


def test_up_and_down_and_up_again(empty_database: str) -> None:
    migrate(empty_database, {}, _BEFORE)
    before = schema(empty_database)
    path = NamespacePath.of(("acme", "sarah"))
    with administrating(empty_database) as connection:
        connection.execute(
            text("select mosshead_write_v1.publish(cast(:events as jsonb))"),
            {"events": json.dumps([event(path.parts)])},
        )

    migrate(empty_database, {}, _THIS)
    after = schema(empty_database)

    with administrating(empty_database) as connection:
        connection.execute(text(_REPLAY), {"replay": uuid4()})
    assert rows(empty_database, "select array_to_string(path, '/') from mosshead.namespaces") == {
        ("acme/sarah",),
        ("acme/sarah/(replay)",),
    }
    run(empty_database, command.downgrade, _BEFORE)
    assert schema(empty_database) == before
    migrate(empty_database, {}, _THIS)
    assert schema(empty_database) == after
