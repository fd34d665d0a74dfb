"""To the version in which two models may live side by side, and back."""

import psycopg
from alembic import command

from db.migrate import migrate
from mosshead.store import memories
from tests.integration.db.test_migrate import administrating, empty_database, rows, run, schema

__all__ = ["empty_database"]

_BEFORE = "0020"
_THIS = "0021"
_MODELS = "insert into mosshead.models (model, dimensions, active) values ('one', 384, true), ('older', 256, false)"


def live_models(url: str) -> list[str]:
    """As the library finds them."""
    with psycopg.connect(url) as connection:
        return memories.live_models(connection)


def test_up_and_down_and_up_again(empty_database: str) -> None:
    migrate(empty_database, {}, _BEFORE)
    before = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.exec_driver_sql(_MODELS)
        connection.exec_driver_sql("insert into mosshead.workers (worker, slots) values ('celery@old', 2)")
    assert live_models(empty_database) == ["one"]

    migrate(empty_database, {}, _THIS)
    after = schema(empty_database)

    assert rows(empty_database, "select model, active, ready from mosshead_read_v1.models") == {
        ("one", True, True),
        ("older", False, False),
    }
    assert live_models(empty_database) == ["one"]
    assert rows(empty_database, "select worker, model from mosshead.workers") == {("celery@old", None)}
    run(empty_database, command.downgrade, _BEFORE)
    assert schema(empty_database) == before
    migrate(empty_database, {}, _THIS)
    assert schema(empty_database) == after
