"""To the eighth version and back: a document keeps what it says, and gains versions."""

from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from tests.integration.db.test_migrate import EVENTS, administrating, empty_database, rows, run, schema

__all__ = ["empty_database"]

_DOCUMENT = """
    insert into mosshead.documents (tenant_id, namespace_id, document_id, schema_name, body)
    select tenant_id, namespace_id, gen_random_uuid(), 'UserProfile', '{"name": "Ann"}' from mosshead.lanes
"""
_EDITED = """
    insert into mosshead.documents (tenant_id, namespace_id, document_id, schema_name, body, version)
    select tenant_id, namespace_id, document_id, schema_name, '{"name": "Annie"}', 2 from mosshead.documents
"""
_DECIDED = """
    with batch as (
        insert into mosshead.batches (tenant_id, namespace_id, batch_id, stage)
        select tenant_id, namespace_id, gen_random_uuid(), 'done' from mosshead.lanes returning *
    )
    insert into mosshead.decisions
        (tenant_id, namespace_id, decision_id, batch_id, action, target_id, candidates, decided_by, reason)
    select tenant_id, namespace_id, gen_random_uuid(), batch_id, action, target_id, '[]', 'app', 'x' from batch
    cross join (values ('document', gen_random_uuid()), ('undo', gen_random_uuid()), ('undo', null), ('add', null))
        as one (action, target_id)
"""


def test_up_keeps_what_a_document_says_and_down_keeps_its_latest_version(empty_database: str) -> None:
    migrate(empty_database, {}, "0007")
    seventh = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        connection.execute(text(_DOCUMENT))
    before = rows(empty_database, "select document_id, body ->> 'name', version, updated_at from mosshead.documents")

    migrate(empty_database, {})
    latest = schema(empty_database)
    now = "select document_id, body ->> 'name', version, known_from from mosshead.documents where known_to is null"
    assert rows(empty_database, now) == before
    assert rows(empty_database, "select profiles::text, episodes from mosshead.namespaces") == {("[]", False)}
    with administrating(empty_database) as connection:
        connection.execute(text("update mosshead.documents set known_to = now()"))
        connection.execute(text(_EDITED))
        connection.execute(text(_DECIDED))
        edit = "update mosshead.events set type = 'edit_document' where payload ->> 'content' = 'a1'"
        connection.execute(text(edit))

    run(empty_database, command.downgrade, "0007")
    assert schema(empty_database) == seventh
    assert rows(empty_database, "select body ->> 'name', version from mosshead.documents") == {("Annie", 2)}
    assert rows(empty_database, "select action, count(*) from mosshead.decisions group by action") == {
        ("undo", 1),
        ("add", 1),
    }
    assert rows(empty_database, "select reason from mosshead.dead_letters") == {("undone with the migration",)}
    assert rows(empty_database, "select pending from mosshead.lanes") == {(6,)}
    migrate(empty_database, {})
    assert schema(empty_database) == latest
