"""Connecting: errors are reported at once, with the setting and the fix, and without a password."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import Engine, make_url, text

from db.schema.migrate import migrate
from mosshead import ConfigurationError, EmbedderMismatch, InvalidNamespace, Memory, SchemaOutdated, StoreUnavailable
from tests.given import MODEL
from workers.local import Addresses, wait_until


def test_addresses_come_from_the_environment(addresses: Addresses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSSHEAD_DATABASE_URL", addresses.database_url)
    with Memory.connect() as memory:
        assert memory.namespace("acme", uuid4().hex).entities.list() == []


def test_memory_without_a_broker_can_be_read_but_not_written(addresses: Addresses) -> None:
    with Memory.connect(database_url=addresses.database_url) as memory:
        sarah = memory.namespace("acme", uuid4().hex)
        assert not sarah.query("anything")
        assert sarah.wait(1).pending == 0
        with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_BROKER_URL is not set"):
            sarah.publish("hi")
        with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_BROKER_URL is not set"):
            memory.publish({"type": "message", "namespace": ["acme", "sarah"], "role": "user", "content": "hi"})


READS = """
import sys
from mosshead import Memory
with Memory.connect() as memory:
    sarah = memory.namespace("acme", "reads")
    sarah.context("Where does Ruth live?"), sarah.query("tea"), sarah.memories()
    sarah.messages.search("tea"), sarah.entities.list()
    print(sorted(set(sys.argv[1].split()) & set(sys.modules)))
    sarah.publish("I live in Leeds.")
print("kombu" in sys.modules)
"""


def test_reading_app_loads_nothing_that_only_publishing_and_the_command_need(
    addresses: Addresses, broker: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MOSSHEAD_DATABASE_URL", "MOSSHEAD_BROKER_URL"):
        monkeypatch.setenv(name, addresses.environment()[name])
    monkeypatch.setenv("MOSSHEAD_SPOOL_DIR", str(tmp_path))
    unwanted = (
        "agents amqp anthropic billiard celery hf_xet httpx2 huggingface_hub kombu langchain_core langgraph openai redis rich "
        "sqlalchemy.orm torch typer"
    )
    done = subprocess.run([sys.executable, "-c", READS, unwanted], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\nTrue\n"


def test_apps_own_database_is_never_read(addresses: Addresses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", addresses.database_url)
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_DATABASE_URL is not set"):
        Memory.connect()


NOWHERE = "postgresql://mosshead_reader@127.0.0.1:9/mosshead"


@pytest.fixture
def unmigrated(admin_engine: Engine) -> Iterator[str]:
    """Return a database that was not migrated."""
    name = f"scratch_{uuid4().hex}"
    with admin_engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(f"create database {name}")
        yield name
        connection.exec_driver_sql(f"drop database {name} with (force)")


def test_database_without_views_is_reported_with_the_fix(addresses: Addresses, unmigrated: str) -> None:
    url = make_url(addresses.database_url).set(database=unmigrated).render_as_string(hide_password=False)
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_DATABASE_URL: .*mosshead service migrate"):
        Memory.connect(database_url=url)


def test_app_newer_than_its_database_is_reported_by_the_read(addresses: Addresses, unmigrated: str) -> None:
    urls = (make_url(one).set(database=unmigrated) for one in (addresses.admin_url or "", addresses.database_url))
    admin_url, url = (one.render_as_string(hide_password=False) for one in urls)
    migrate(admin_url, {})
    with psycopg.connect(admin_url) as connection:  # as if a later version had added the columns
        for view, column in (("scopes", "indexed"), ("memories", "key"), ("turns", "said_at")):
            connection.execute(f"alter view mosshead_read_v1.{view} rename column {column} to none_yet")
    with Memory.connect(database_url=url) as memory:
        sarah = memory.namespace("acme", "sarah")
        assert not sarah.progress().partial
        for read in (sarah.context, sarah.query, sarah.messages.search):
            with pytest.raises(SchemaOutdated, match=r"^MOSSHEAD_DATABASE_URL: .*mosshead service migrate"):
                read("Where does she live?")


def test_login_without_read_access_is_told_which_login_has_it(addresses: Addresses) -> None:
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_DATABASE_URL: .*log in as mosshead_reader"):
        Memory.connect(database_url=addresses.ingest_url)


def test_wrong_database_is_named_without_its_password(addresses: Addresses) -> None:
    with pytest.raises(StoreUnavailable, match=r"^MOSSHEAD_DATABASE_URL: cannot connect to .*127\.0\.0\.1:9") as caught:
        Memory.connect(database_url="postgresql://me:s3cret@127.0.0.1:9/mosshead")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("url", ["mysql://me:s3cret@host/db", "host"])
def test_address_of_another_database_system_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_DATABASE_URL: not a Postgres URL") as caught:
        Memory.connect(database_url=url)
    assert "s3cret" not in str(caught.value)


def test_wrong_broker_is_refused_at_once(addresses: Addresses) -> None:
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_BROKER_URL: not a broker's URL"):
        Memory.connect(database_url=addresses.database_url, broker_url="http://x.org")


def test_embedder_other_than_the_services_is_refused(addresses: Addresses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a key that is never used")
    with pytest.raises(EmbedderMismatch, match=rf"^MOSSHEAD_EMBEDDER: this app embeds with .*the service with {MODEL}"):
        Memory.connect(database_url=addresses.database_url, embedder="openai:text-embedding-3-small")


class TestLazily:
    """An app that starts without connecting to Postgres: each read reports what is wrong until it is fixed."""

    def test_lazy_memory_connects_to_no_database(self, addresses: Addresses) -> None:
        with Memory.connect(database_url=NOWHERE, broker_url=addresses.broker_url, check=False) as memory:
            sarah = memory.namespace("acme", uuid4().hex)
            assert sarah.publish("I like coffee")
            for read in (sarah.query, sarah.context, sarah.messages.search, sarah.query):
                with pytest.raises(StoreUnavailable, match=r"^MOSSHEAD_DATABASE_URL: cannot connect to "):
                    read("What do they drink?")

    def test_embedder_other_than_the_services_is_refused_without_holding_a_connection(
        self, addresses: Addresses, admin_engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "a key that is never used")
        other, refusals = "openai:text-embedding-3-small", []
        with Memory.connect(database_url=addresses.database_url, embedder=other, check=False) as memory:
            for _ in range(2):
                with pytest.raises(EmbedderMismatch, match=rf"the service with {MODEL}") as refused:
                    memory.namespace("acme", uuid4().hex).entities.list()
                refusals.append(refused)  # keeps what it refers to

            def held() -> int:
                with admin_engine.connect() as connection:
                    asked = (
                        "select count(*) from pg_stat_activity where application_name like '%text-embedding-3-small%'"
                    )
                    return int(connection.execute(text(asked)).scalar_one())

            wait_until(lambda: not held(), timeout=30, what="the end of the connections")

    def test_database_without_views_is_reported_with_the_fix(self, addresses: Addresses, unmigrated: str) -> None:
        url = make_url(addresses.database_url).set(database=unmigrated).render_as_string(hide_password=False)
        with Memory.connect(database_url=url, check=False) as memory:
            for _ in range(2):
                with pytest.raises(SchemaOutdated, match=r"^MOSSHEAD_DATABASE_URL: .*mosshead service migrate"):
                    memory.namespace("acme", "sarah").progress()

    def test_settings_are_checked_at_once(self) -> None:
        with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_DATABASE_URL: not a Postgres URL"):
            Memory.connect(database_url="mysql://me@host/db", check=False)


def test_connection_in_use_at_the_close_is_closed_when_it_is_returned(addresses: Addresses) -> None:
    memory = Memory.connect(database_url=addresses.database_url)
    with memory.namespace("acme", uuid4().hex).session.engine.connect() as used:
        driver = used.connection.driver_connection
        memory.close()
        assert driver is not None
        assert not driver.closed
    assert driver.closed


def test_malformed_namespace_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidNamespace, match="user_id"):
        memory.namespace("acme", "{user_id}")
    assert str(memory.namespace("acme", "{user_id}", user_id="sarah").path) == "acme/sarah"


def test_error_of_a_read_repeats_nothing_the_server_said(memory: Memory, admin_engine: Engine) -> None:
    sarah = memory.namespace("acme", uuid4().hex)
    with admin_engine.begin() as connection:
        connection.execute(text("revoke select on mosshead_read_v1.messages from mosshead_reader"))
    try:
        with pytest.raises(Exception, match="permission denied") as caught:
            sarah.context("zanzibar", conversation="zanzibar")
    finally:
        with admin_engine.begin() as connection:
            connection.execute(text("grant select on mosshead_read_v1.messages to mosshead_reader"))
    assert "zanzibar" not in str(caught.value)
