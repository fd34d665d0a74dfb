"""Addresses of Postgres."""

import pytest
from psycopg.errors import InsufficientPrivilege, UndefinedTable
from sqlalchemy.exc import ProgrammingError

from mosshead.errors import ConfigurationError
from mosshead.urls import describe, lacks_rights, session_name, sqlalchemy_url


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg2", "postgres"])
def test_every_spelling_is_read_with_our_driver(scheme: str) -> None:
    url = sqlalchemy_url(f"{scheme}://me:secret@host:5432/mosshead", "X")
    assert (url.drivername, url.host, url.database, url.password) == (
        "postgresql+psycopg",
        "host",
        "mosshead",
        "secret",
    )


@pytest.mark.parametrize(
    "url", ["", "host:5432", "mysql://me:s3cret@host/db", "redis://:s3cret@host", "postgresql://h:port/db"]
)
def test_anything_else_names_the_setting_and_not_the_password(url: str) -> None:
    with pytest.raises(
        ConfigurationError, match=r"^MOSSHEAD_X_URL: not a Postgres URL; it looks like postgresql://"
    ) as caught:
        sqlalchemy_url(url, "MOSSHEAD_X_URL")
    assert "s3cret" not in str(caught.value)


def test_a_url_is_shown_without_its_password() -> None:
    assert describe(sqlalchemy_url("postgresql://me:s3cret@host/db", "X")) == "postgresql://me:***@host/db"


def test_a_login_that_lacks_the_right_is_named_and_any_other_error_is_passed_on() -> None:
    url = sqlalchemy_url("postgresql://reader:s3cret@db/memory", "MOSSHEAD_ADMIN_URL")
    told = lacks_rights(url, "MOSSHEAD_ADMIN_URL", ProgrammingError("", {}, InsufficientPrivilege("no right")))
    assert str(told).startswith(
        "MOSSHEAD_ADMIN_URL: postgresql://reader:***@db/memory is not the login of an administrator"
    )
    other = ProgrammingError("", {}, UndefinedTable("no table"))
    assert lacks_rights(url, "MOSSHEAD_ADMIN_URL", other) is other


def test_a_session_bears_its_model_by_name() -> None:
    assert session_name("text-embedding-3-small@512") == "mosshead text-embedding-3-small@512"


@pytest.mark.parametrize("long", ["sentence-transformers/paraphrase-multilingual-mpnet-base-v2", "x" * 250, "modèle"])
def test_sessions_of_two_models_bear_two_names_that_postgres_keeps_as_they_are(long: str) -> None:
    one, other = session_name(long), session_name(f"{long}@256")
    assert one != other
    assert all(name.isascii() and len(name) <= 63 for name in (one, other))
