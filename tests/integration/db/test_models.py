"""The models that vectors are made with: one of them is active."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, text

from db import models
from tests.given import MODEL


@pytest.fixture
def connection(admin_engine: Engine) -> Iterator[Connection]:
    """In a transaction that is rolled back: the model is the whole database's."""
    with admin_engine.connect() as connection:
        yield connection
        connection.rollback()


def test_the_first_one_becomes_active_and_the_next_one_is_told_of_it(connection: Connection) -> None:
    connection.execute(text("update recollect.models set active = false"))

    assert models.set_active_model(connection, "one", 256) is None
    assert models.set_active_model(connection, "one", 256) is None
    assert models.set_active_model(connection, "two", 512) == "one"


def test_the_model_of_the_service_stays(connection: Connection) -> None:
    assert models.set_active_model(connection, "another", 384) == MODEL
    assert models.set_active_model(connection, MODEL, 384) is None
