"""To the seventh version and back: reflections, with work under way."""

from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from tests.integration.db.test_migrate import EVENTS, administrating, empty_database, rows, run, schema

__all__ = ["empty_database"]


def test_down_ends_what_was_to_reflect_and_up_brings_the_shape_back(empty_database: str) -> None:
    migrate(empty_database, {}, "0006")
    sixth = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})

    migrate(empty_database, {}, "0007")
    seventh = schema(empty_database)
    assert rows(empty_database, "select reflections_due_at from mosshead.lanes") == {(None,)}
    with administrating(empty_database) as connection:
        connection.execute(
            text("""
                insert into mosshead.batches (tenant_id, namespace_id, batch_id, stage)
                select tenant_id, namespace_id, gen_random_uuid(), 'reflect' from mosshead.lanes
            """)
        )
    run(empty_database, command.downgrade, "0006")
    assert schema(empty_database) == sixth
    assert rows(empty_database, "select stage from mosshead.batches") == {("refresh_profiles",)}
    migrate(empty_database, {}, "0007")
    assert schema(empty_database) == seventh
