"""Values as jsonb parameters."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from sqlalchemy import Engine

from db.keys import as_jsonb
from mosshead.store.connection import Sql

ID = UUID("019f0000-0000-7000-8000-000000000000")
AT = datetime(2026, 7, 26, 9, 30, tzinfo=UTC)


def test_ids_and_times_are_text(worker_engine: Engine) -> None:
    value = {"id": ID, "at": AT, "parts": ("a", 1, None)}
    with worker_engine.begin() as connection:
        stored = Sql("select cast(%(value)s as jsonb)").value(connection, value=as_jsonb(value))
    assert stored == {"id": str(ID), "at": str(AT), "parts": ["a", 1, None]}


@pytest.mark.parametrize("value", [{1, 2}, object(), b"bytes", AT.date()], ids=["set", "object", "bytes", "date"])
def test_value_without_a_json_form_is_refused(worker_engine: Engine, value: object) -> None:
    with worker_engine.begin() as connection, pytest.raises(TypeError, match="neither JSON"):
        Sql("select cast(%(value)s as jsonb)").value(connection, value=as_jsonb([value]))


def test_number_that_is_not_finite_is_refused(worker_engine: Engine) -> None:
    with worker_engine.begin() as connection, pytest.raises(ValueError, match="not JSON compliant"):
        Sql("select cast(%(value)s as jsonb)").value(connection, value=as_jsonb([float("nan")]))
