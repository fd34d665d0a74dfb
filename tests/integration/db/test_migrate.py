"""Migrations: repeatable, safe at once, and reversible. Each test has a database of its own on the shared server."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, make_url, text

import db.migrate
from db import inbox, leases
from db.engine import check_login, open_engine
from db.keys import BatchRef, LaneRef
from db.migrate import migrate
from db.roles import OWNER
from mosshead.errors import ConfigurationError, StoreUnavailable
from mosshead.urls import sqlalchemy_url
from tests.given import event, until_blocked
from workers.local import Addresses


@pytest.fixture
def empty_database(admin_engine: Engine) -> Iterator[str]:
    """The administrator's address of a new database."""
    name = f"scratch_{uuid4().hex}"
    with admin_engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(f"create database {name}")
        yield admin_engine.url.set(drivername="postgresql", database=name).render_as_string(hide_password=False)
        connection.exec_driver_sql(f"drop database {name} with (force)")


def columns(url: str) -> set[tuple[Any, ...]]:
    """The columns of all tables and views."""
    return rows(
        url,
        "select table_schema, table_name, column_name, data_type from information_schema.columns "
        "where table_schema ~ 'mosshead'",
    )


def schema(url: str) -> set[tuple[Any, ...]]:
    """All that a migration makes: columns, policies, functions, indexes, and who may use what."""
    return columns(url) | rows(
        url,
        "select schemaname, tablename, policyname, qual from pg_policies",
        "select proname, prosrc, proacl::text from pg_proc where pronamespace::regnamespace::text ~ 'mosshead'",
        "select indexname, indexdef, '' from pg_indexes where schemaname = 'mosshead'",
        "select relname, relacl::text, relrowsecurity, relforcerowsecurity from pg_class "
        "where relnamespace::regnamespace::text ~ 'mosshead' and relkind in ('r', 'v')",
    )


def rows(url: str, *statements: str) -> set[tuple[Any, ...]]:
    """What some statements find."""
    engine = create_engine(sqlalchemy_url(url, "MOSSHEAD_ADMIN_URL"))
    with engine.connect() as connection:
        found = {tuple(row) for statement in statements for row in connection.execute(text(statement))}
    engine.dispose()
    return found


def run(url: str, direction: Any, revision: str) -> None:
    """An Alembic command as the owner, on a connection of its own."""
    engine = create_engine(sqlalchemy_url(url, "MOSSHEAD_ADMIN_URL"))
    config = Config()
    config.set_main_option("script_location", str(Path(db.migrate.__file__).parent / "migrations"))
    with engine.begin() as connection:
        connection.exec_driver_sql(f"set local role {OWNER}")
        config.attributes["connection"] = connection
        direction(config, revision)
    engine.dispose()


def test_a_second_migration_changes_nothing(empty_database: str) -> None:
    migrate(empty_database, {})
    first = schema(empty_database)
    migrate(empty_database, {})

    assert len(first) > 200
    assert schema(empty_database) == first


def test_a_backup_may_read_all_that_pg_dump_asks_for(empty_database: str) -> None:
    migrate(empty_database, {})
    unseen = """
        select relname from pg_class where relnamespace = 'mosshead'::regnamespace and case relkind
            when 'r' then not has_table_privilege('mosshead_backup', oid, 'select')
            when 'S' then not has_sequence_privilege('mosshead_backup', oid, 'select') end
    """
    assert rows(empty_database, "select rolname from pg_roles where rolname = 'mosshead_backup' and rolbypassrls")
    assert rows(empty_database, unseen) == set()


def test_two_migrations_at_once_take_turns(empty_database: str) -> None:
    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(migrate, empty_database, {}) for _ in range(2)]:
            done.result(timeout=60)

    assert schema(empty_database)


def test_a_read_that_waits_for_a_migration_that_waits_for_it_gives_way(empty_database: str) -> None:
    migrate(empty_database, {}, "0010")
    with (
        psycopg.connect(empty_database) as reading,
        watched(empty_database) as engine,
        ThreadPoolExecutor(1) as threads,
    ):
        reading.execute("select from mosshead.turns")
        migrating = threads.submit(migrate, empty_database, {})
        until_blocked(engine, "")  # it has written the other table anew, and comes to this one
        with pytest.raises(psycopg.errors.DeadlockDetected):
            reading.execute("select from mosshead.embeddings")
        reading.rollback()
        migrating.result(timeout=60)


def test_what_a_statement_may_take_by_default_ends_no_migration(empty_database: str) -> None:
    migrate(empty_database, {}, "0010")
    with administrating(empty_database) as connection:
        for limit in ("statement_timeout", "lock_timeout"):
            connection.exec_driver_sql(f"alter database {make_url(empty_database).database} set {limit} = 200")
    with (
        psycopg.connect(empty_database, options="-c statement_timeout=0 -c lock_timeout=0") as reading,
        watched(empty_database) as engine,
        ThreadPoolExecutor(1) as threads,
    ):
        reading.execute("select from mosshead.turns")
        migrating = threads.submit(migrate, empty_database, {})
        until_blocked(engine, "")
        time.sleep(0.5)
        reading.rollback()
        migrating.result(timeout=60)


def test_the_service_refuses_a_database_that_is_older_than_its_code(
    empty_database: str, worker_engine: Engine, ingest_engine: Engine
) -> None:
    def check(engine: Engine) -> None:
        there = engine.url.set(database=make_url(empty_database).database)
        own = open_engine(there.render_as_string(hide_password=False), setting="MOSSHEAD_URL")
        try:
            check_login(own, setting="MOSSHEAD_URL")
        finally:
            own.dispose()

    migrate(empty_database, {}, "0015")
    for engine in (worker_engine, ingest_engine):
        with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_URL: .* earlier version \(0015\)"):
            check(engine)
    migrate(empty_database, {})
    for engine in (worker_engine, ingest_engine):
        check(engine)

    with administrating(empty_database) as connection:
        connection.exec_driver_sql("comment on schema mosshead is '9999'")
    check(worker_engine)  # of a version that is still to come, with which this one goes on


def test_down_takes_everything_away_and_up_brings_it_back(empty_database: str) -> None:
    migrate(empty_database, {})
    before = schema(empty_database)
    run(empty_database, command.downgrade, "base")

    assert {table for _, table, *_ in columns(empty_database)} == {"alembic_version"}
    migrate(empty_database, {})
    assert schema(empty_database) == before


class TestTheSecondMigration:
    """From a database of the first version, with work under way."""

    @pytest.fixture
    def first(self, empty_database: str) -> str:
        """A namespace with seven events of two publishers: one in effect, three in a batch, one dead, two that wait."""
        migrate(empty_database, {}, "0001")
        with administrating(empty_database) as connection:
            connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
            connection.exec_driver_sql(f"""
                update mosshead.events set state = 'done' where payload ->> 'content' = 'a1';
                update mosshead.events set state = 'dead', reason = 'extract: ValueError' where payload ->> 'content' = 'b1';
                update mosshead.events set batch_id = '{BATCH}' where payload ->> 'content' in ('a2', 'b2', 'a3');
                update mosshead.lanes set batch_id = '{BATCH}';
                insert into mosshead.batches (tenant_id, namespace_id, batch_id, stage)
                select tenant_id, namespace_id, '{BATCH}', 'embed' from mosshead.lanes
            """)
        return empty_database

    def test_counts_what_waits_and_tells_of_what_died(self, first: str) -> None:
        migrate(first, {})
        assert rows(first, "select pending from mosshead.lanes") == {(5,)}
        assert rows(first, "select origin, reason, times from mosshead.dead_letters") == {
            ("stage", "extract: ValueError", 1)
        }
        assert (
            rows(
                first,
                "select letter_id from mosshead.dead_letters except select event_id from mosshead.events where state = 'dead'",
            )
            == set()
        )

    def test_reads_the_apps_order_out_of_what_came(self, first: str) -> None:
        migrate(first, {})
        assert rows(first, "select payload ->> 'content', conversation_id, sequence from mosshead.events") == {
            ("a1", "c", 1), ("a2", "c", 3), ("a3", None, None), ("a4", None, None),
            ("b1", "c", 2), ("b2", "c", 4), ("b3", None, None),
        }  # fmt: skip

    def test_keeps_the_order_of_a_batch_that_is_under_way(self, first: str) -> None:
        migrate(first, {})
        assert rows(first, "select payload ->> 'content', place from mosshead.events where batch_id is not null") == {
            ("b2", 1),
            ("a2", 2),
            ("a3", 3),  # it came first, and waited for the one before it
        }

    def test_goes_on_with_what_was_under_way(self, first: str) -> None:
        migrate(first, {})
        with administrating(first) as connection:
            lane = LaneRef(*connection.execute(text("select tenant_id, namespace_id from mosshead.lanes")).one())
            batch = BatchRef(lane, BATCH)
            for stage in ("embed", "consolidate", "refresh_profiles"):
                lease = leases.take(connection, batch, stage, owner="a task", lasting=timedelta(hours=1))
                assert lease is not None
                if stage == "consolidate":
                    inbox.mark_done(connection, batch)
                leases.advance(connection, lease)
            connection.execute(text("update mosshead.lanes set ready_at = now()"))
            waiting = inbox.waiting_events(connection, lane, gap=timedelta(0), limit=10)
        assert sorted(row["number"] for row in waiting) == [3, 4]
        assert rows(first, "select pending from mosshead.lanes") == {(2,)}

    def test_down_and_up_again_loses_no_event_that_is_not_given_up(self, first: str) -> None:
        before = schema(first), rows(first, EVERY_EVENT)
        migrate(first, {})
        between = schema(first)
        with administrating(first) as connection:
            connection.exec_driver_sql("""
                update mosshead.events set state = 'discarded' where state = 'dead';
                update mosshead.batches set stage = 'split'
            """)
        run(first, command.downgrade, "0001")

        assert (schema(first), rows(first, EVERY_EVENT)) == before, "what is discarded counts as dead"
        assert rows(first, "select count(*) from mosshead.batches") == {(0,)}
        migrate(first, {})
        assert schema(first) == between
        assert rows(first, "select pending from mosshead.lanes") == {(5,)}
        assert rows(first, EVERY_EVENT) == before[1]


class TestTheThirdMigration:
    """From a database of the second version, with a memory of two versions about somebody."""

    @pytest.fixture
    def second(self, empty_database: str) -> str:
        migrate(empty_database, {}, "0002")
        with administrating(empty_database) as connection:
            connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
            connection.exec_driver_sql(_A_MEMORY)
        return empty_database

    def test_what_there_is_was_known_since_it_was_made(self, second: str) -> None:
        migrate(second, {})
        since = """
            select 'source', known_from, known_to from mosshead.memory_sources
            union all select 'link', known_from, known_to from mosshead.memory_entities
            union all select 'relation', known_from, known_to from mosshead.relations
            union all select 'entity', known_from, known_to from mosshead.entities
            union all select 'alias', known_from, known_to from mosshead.entity_aliases
        """
        found = rows(second, since)
        assert {name for name, *_ in found} == {"source", "link", "relation", "entity", "alias"}
        assert {(known_from.year, known_to) for _, known_from, known_to in found} == {(2026, None)}
        assert rows(second, "select memory_id, changed from mosshead.decision_memories") == {(MEMORY, False)}

    def test_down_again_keeps_what_is_known_now(self, second: str) -> None:
        before = (
            schema(second),
            {table: rows(second, f"select to_jsonb(one)::text from mosshead.{table} as one") for table in _KEPT},
        )
        migrate(second, {})
        with administrating(second) as connection:
            connection.exec_driver_sql("""
                insert into mosshead.memory_sources (tenant_id, namespace_id, memory_id, message_id, quote, stance)
                select tenant_id, namespace_id, memory_id, memory_id, 'not so', 'against' from mosshead.memory_sources;
                insert into mosshead.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised, known_to)
                select tenant_id, namespace_id, entity_id, 'Pete', 'pete', now() from mosshead.entity_aliases;
                insert into mosshead.decisions
                    (tenant_id, namespace_id, decision_id, batch_id, action, candidates, decided_by, reason)
                select tenant_id, namespace_id, gen_random_uuid(), batch_id, 'undo', '[]', 'app', 'x' from mosshead.decisions
            """)
        run(second, command.downgrade, "0002")

        after = (
            schema(second),
            {table: rows(second, f"select to_jsonb(one)::text from mosshead.{table} as one") for table in _KEPT},
        )
        assert after == before


MEMORY = UUID(int=9)

_KEPT = ("memory_sources", "memory_entities", "relations", "entity_aliases", "entities")

_A_MEMORY = f"""
    insert into mosshead.models (model, dimensions, active) values ('m', 1, true);
    insert into mosshead.memories (tenant_id, namespace_id, memory_id, version, kind, content, salience, confidence, tier,
        state, valid_from, known_from, known_to)
    select tenant_id, namespace_id, '{MEMORY}', version, 'fact', 'x', 1, 1, 'solid', 'active', now(), '2026-01-01',
        case version when 1 then timestamptz '2026-02-01' end
    from mosshead.lanes cross join generate_series(1, 2) as version;
    insert into mosshead.memory_sources (tenant_id, namespace_id, memory_id, message_id, quote)
    select tenant_id, namespace_id, '{MEMORY}', '{UUID(int=1)}', 'x' from mosshead.lanes;
    insert into mosshead.entities (tenant_id, namespace_id, entity_id, name, entity_type, created_at)
    select tenant_id, namespace_id, '{UUID(int=2)}', 'Peter', 'person', '2026-01-01' from mosshead.lanes;
    insert into mosshead.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised)
    select tenant_id, namespace_id, '{UUID(int=2)}', 'Peter', 'peter' from mosshead.lanes;
    insert into mosshead.memory_entities (tenant_id, namespace_id, memory_id, entity_id, role, certainty)
    select tenant_id, namespace_id, '{MEMORY}', '{UUID(int=2)}', 'subject', 'sure' from mosshead.lanes;
    insert into mosshead.relations (tenant_id, namespace_id, relation_id, subject_id, predicate, object_id, memory_id,
        valid_from)
    select tenant_id, namespace_id, '{UUID(int=3)}', '{UUID(int=2)}', 'knows', '{UUID(int=2)}', '{MEMORY}', now()
    from mosshead.lanes;
    insert into mosshead.decisions
        (tenant_id, namespace_id, decision_id, batch_id, action, memory_id, fact, candidates, decided_by, reason)
    select tenant_id, namespace_id, '{UUID(int=4)}', '{UUID(int=5)}', 'add', '{MEMORY}', '{{}}', '[]', 'rules', 'x'
    from mosshead.lanes;
"""

BATCH = UUID(int=7)

EVERY_EVENT = "select event_id, publisher_id, publisher_sequence, state, payload::text from mosshead.events"


def _events() -> str:
    """Of two publishers, in the order of their arrival."""
    publishers = {"a": str(uuid4()), "b": str(uuid4())}
    turns: dict[str, dict[str, Any]] = {
        said: {"conversation": "c", "sequence": turn} for turn, said in enumerate(("a1", "b1", "a2", "b2"), 1)
    }
    return json.dumps(
        [
            event(content=said, publisher=publishers[said[0]], publisher_sequence=int(said[1]), **turns.get(said, {}))
            for said in ("a1", "b1", "a3", "b2", "a2", "a4", "b3")
        ]
    )


EVENTS = _events()


@contextmanager
def administrating(url: str) -> Iterator[Connection]:
    """A transaction of the administrator, who sees every tenant."""
    engine = create_engine(sqlalchemy_url(url, "MOSSHEAD_ADMIN_URL"))
    with engine.begin() as connection:
        yield connection
    engine.dispose()


@contextmanager
def watched(url: str) -> Iterator[Engine]:
    """An engine of the administrator's, without limits, to look at what others do in a database."""
    engine = create_engine(
        sqlalchemy_url(url, "MOSSHEAD_ADMIN_URL"), connect_args={"options": "-c statement_timeout=0"}
    )
    yield engine
    engine.dispose()


def test_a_password_is_set_whatever_its_characters(empty_database: str, admin_engine: Engine) -> None:
    def stored() -> str | None:
        with admin_engine.connect() as connection:
            statement = text("select rolpassword from pg_authid where rolname = 'mosshead_admin'")
            return connection.execute(statement).scalar_one()  # type: ignore[no-any-return]

    migrate(empty_database, {"mosshead_admin": 'it\'s % :odd "word"', "mosshead_reader": None})
    first = stored()
    assert first is not None
    assert first.startswith("SCRAM-SHA-256")

    migrate(empty_database, {})
    assert stored() == first


def test_a_server_that_logs_statements_does_not_see_the_password(
    empty_database: str, admin_engine: Engine, addresses: Addresses
) -> None:
    with admin_engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        name = empty_database.partition("?")[0].rpartition("/")[2]
        connection.exec_driver_sql(f"alter database {name} set log_statement = 'ddl'")
    migrate(empty_database, {"mosshead_admin": "s3cret-of-the-day"})
    logged = (addresses.data_dir / "logs" / "postgres.log").read_text()

    assert 'alter role "mosshead_admin" password \'SCRAM-SHA-256$' in logged
    assert "s3cret-of-the-day" not in logged


def test_a_database_of_a_later_version_is_told_so_and_stays_as_it_is(empty_database: str) -> None:
    """As after a deployment that was rolled back."""
    migrate(empty_database, {})
    with administrating(empty_database) as connection:
        connection.exec_driver_sql("update mosshead.alembic_version set version_num = '9999'")
        connection.exec_driver_sql("comment on schema mosshead is '9999'")
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_ADMIN_URL: the database is of a later version \(9999\)"):
        migrate(empty_database, {})


def test_a_postgres_that_is_too_old_is_told_so(addresses: Addresses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(db.migrate, "_OLDEST_POSTGRES", 99)
    assert addresses.admin_url is not None
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_ADMIN_URL: this is Postgres 18; Mosshead needs 99"):
        migrate(addresses.admin_url, {})


def test_a_postgres_that_may_only_be_read_is_told_so(addresses: Addresses) -> None:
    assert addresses.admin_url is not None
    url = make_url(addresses.admin_url).update_query_dict({"options": "-c default_transaction_read_only=on"})
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_ADMIN_URL: this Postgres may only be read"):
        migrate(url.render_as_string(hide_password=False), {})


def test_a_wrong_address_is_named_without_its_password() -> None:
    with pytest.raises(StoreUnavailable, match=r"^MOSSHEAD_ADMIN_URL: cannot connect to \S*127\.0\.0\.1:9") as caught:
        migrate("postgresql://postgres:s3cret@127.0.0.1:9/mosshead", {})
    assert "s3cret" not in str(caught.value)
