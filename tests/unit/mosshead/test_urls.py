"""Addresses of Postgres."""

import pytest
from psycopg import OperationalError
from psycopg.errors import InsufficientPrivilege, UndefinedTable
from sqlalchemy.exc import ProgrammingError

from mosshead.errors import ConfigurationError
from mosshead.urls import describe, first_reason, lacks_rights, primary_of, session_name, sqlalchemy_url


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


@pytest.mark.parametrize(
    ("hosts", "host", "port"),
    [
        ("h1:5432,h2:5433", "h1,h2", "5432,5433"),
        ("h1,h2:5433", "h1,h2", ",5433"),
        ("[::1]:5432,10.0.0.2", "::1,10.0.0.2", "5432,"),
        ("%2Frun%2Fa,%2Frun%2Fb", "/run/a,/run/b", ","),
    ],
)
def test_several_hosts_reach_the_driver_as_libpq_has_them(hosts: str, host: str, port: str) -> None:
    url = sqlalchemy_url(f"postgresql://me:s%40cret@{hosts}/db?sslmode=verify-full&sslrootcert=/ca.pem", "X")
    _, connecting = url.get_dialect()().create_connect_args(url)
    assert connecting == {
        "user": "me",
        "password": "s@cret",
        "dbname": "db",
        "host": host,
        "port": port,
        "target_session_attrs": "primary",
        "sslmode": "verify-full",
        "sslrootcert": "/ca.pem",
    }


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("postgresql://h1,h2/db", "primary"),
        ("postgresql://h1,h2/db?target_session_attrs=read-write", "primary"),
        ("postgresql://h1,h2/db?target_session_attrs=prefer-standby", "prefer-standby"),
        ("postgresql:///db?host=/a,/b", "primary"),
        ("postgresql:///db?host=h1:5432&host=h2:5433", "primary"),
        ("postgresql://h1/db", None),
    ],
)
def test_of_several_hosts_the_primary_is_wanted_unless_the_url_says_otherwise(given: str, taken: str | None) -> None:
    url = sqlalchemy_url(given, "X")
    assert url.query.get("target_session_attrs") == taken
    assert primary_of(url).query.get("target_session_attrs") == (taken and "primary")


@pytest.mark.parametrize("hosts", ["h1:port,h2", "h1,,h2", "h1,", "h1:5432,h2:x"])
def test_several_hosts_that_cannot_be_read_name_the_setting_and_the_form(hosts: str) -> None:
    with pytest.raises(
        ConfigurationError, match=r"^MOSSHEAD_X_URL: not a Postgres URL; .* postgresql://USER:PASSWORD@HOST1:5432,HOST2"
    ) as caught:
        sqlalchemy_url(f"postgresql://me:s3cret@{hosts}/db", "MOSSHEAD_X_URL")
    assert "s3cret" not in str(caught.value)


def test_a_target_that_libpq_does_not_know_names_those_that_it_does() -> None:
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_X_URL: target_session_attrs is one of any, read-write, "):
        sqlalchemy_url("postgresql://h1,h2/db?target_session_attrs=master", "MOSSHEAD_X_URL")


def test_of_several_hosts_the_error_says_why_each_failed() -> None:
    said = "last\nMultiple connection attempts failed. All failures were:\n- host: 'a': refused\n- host: 'b': standby"
    assert first_reason(OperationalError(said)) == "host: 'a': refused; host: 'b': standby"
    assert first_reason(OperationalError("refused\nIs it running?")) == "refused"


def test_a_url_is_shown_without_its_password() -> None:
    several = sqlalchemy_url("postgresql://me:s3cret@h1:5432,h2:5433/db", "X")
    assert describe(several) == "postgresql://me:***@/db?host=h1,h2&port=5432,5433&target_session_attrs=primary"
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
