"""Embedding models: one of them is active."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, text

from db import embedding_models
from tests.given import MODEL


@pytest.fixture
def connection(admin_engine: Engine) -> Iterator[Connection]:
    """Yield a transaction that is rolled back: the model is the same for the whole database."""
    with admin_engine.connect() as connection:
        yield connection
        connection.rollback()


def test_first_model_becomes_active_and_is_returned_for_the_next(connection: Connection) -> None:
    connection.execute(text("update mosshead.models set active = false"))

    for name, dimensions in (("one", 256), ("one", 256), ("two", 512), ("one", 512)):
        assert embedding_models.set_active_model(connection, name, dimensions) == ("one", 256, "active")


def test_model_of_the_service_stays(connection: Connection) -> None:
    for name in ("another", MODEL):
        assert embedding_models.set_active_model(connection, name, 384) == (MODEL, 384, "active")
