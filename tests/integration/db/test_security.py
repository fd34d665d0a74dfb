"""Who may see and do what: enforced by Postgres, and checked for any table a migration may add."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError, ProgrammingError

from db.engine import check_login, open_engine
from mosshead.errors import ConfigurationError, StoreUnavailable
from mosshead.store.connection import tenant_transaction
from mosshead.urls import sqlalchemy_url
from tests.pages import Block, blocks
from workers.local import Addresses

WITHOUT_POLICY = {"lanes", "batches", "publishers", "dead_letters", "scopes", "generations"}
"""Tables of a tenant that hold only ids, times, numbers and reasons: the scheduler and operators work across tenants."""

OF_NOBODY = {"alembic_version", "breakers", "llm_manners", "models", "refused_tasks", "workers"}
"""Tables that belong to no tenant and hold no content."""

_PLAIN: dict[str, Any] = {
    "uuid": "cast(:row as uuid)",
    "text": "'x'",
    "text[]": "'{x}'",
    "uuid[]": "'{}'",
    "jsonb": "'{}'",
    "bytea": "'x'",
    "halfvec": "'[1]'",
    "tsvector": "'x'",
    "timestamp with time zone": "now()",
    "integer": "1",
    "bigint": "1",
    "real": "1",
    "boolean": "false",
}
_CHECKED = {
    ("batches", "stage"): "'extract'",
    ("dead_letters", "origin"): "'stage'",
    ("embeddings", "owner_kind"): "'memory'",
    ("erasures", "scope"): "'everything'",
    ("decisions", "action"): "'add'",
    ("api_tokens", "scopes"): "'{read}'",
    ("memories", "tier"): "'solid'",
    ("memories", "state"): "'active'",
    ("memory_entities", "role"): "'subject'",
    ("memory_entities", "certainty"): "'sure'",
    ("memory_edges", "kind"): "'similar'",
    ("questions", "role"): "'subject'",
    ("prompts", "optimizer"): "'off'",
    ("prompts", "syntax"): "'format'",
    ("traits", "owner_kind"): "'memory'",
}


def tables_of_tenants(connection: Connection) -> list[Any]:
    """Return every table that has a tenant, with whether row-level security is on and forced."""
    return list(
        connection.execute(
            text("""
                select relname, relrowsecurity, relforcerowsecurity from pg_class
                where relnamespace = 'mosshead'::regnamespace and relkind in ('r', 'p')
                  and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'tenant_id')
                order by relname
            """)
        )
    )


def fill(connection: Connection, table: str, tenant_id: UUID, row: UUID) -> None:
    """Insert one row of a tenant, with a value in every required column."""
    columns = connection.execute(
        text("""
            select attname as name, format_type(atttypid, null) as type from pg_attribute
            where attrelid = to_regclass('mosshead.' || quote_ident(:table)) and attnum > 0 and not attisdropped
              and attnotnull and attgenerated = '' and attidentity = '' and (not atthasdef or attname = 'state')
        """),
        {"table": table},
    ).all()
    values = {one.name: _CHECKED.get((table, one.name)) or _PLAIN[one.type] for one in columns}
    if table == "events":
        values["state"] = "'received'"
    values["tenant_id"] = "cast(:tenant as uuid)"
    names = ", ".join(f'"{name}"' for name in values)
    statement = f'insert into mosshead."{table}" ({names}) values ({", ".join(values.values())})'
    connection.execute(text(statement), {"tenant": tenant_id, "row": row})


@pytest.fixture(scope="module")
def crowded(admin_engine: Engine) -> UUID:
    """Return a tenant with a row in every table that has a tenant."""
    tenant_id, row = uuid4(), uuid4()
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("set local session_replication_role = replica")  # foreign keys are not the point
        for table in tables_of_tenants(connection):
            fill(connection, table.relname, tenant_id, row)
    return tenant_id


def counts(connection: Connection, relations: list[str]) -> dict[str, int]:
    return {
        name: int(connection.execute(text(f"select count(*) from {name} where tenant_id is not null")).scalar_one())
        for name in relations
    }


def relations(connection: Connection, schema: str) -> list[str]:
    """Return the tables or views of a schema that have a tenant."""
    found = connection.execute(
        text("""
            select format('%I.%I', nspname, relname) from pg_class join pg_namespace on pg_namespace.oid = relnamespace
            where nspname = :schema and relkind in ('r', 'p', 'v')
              and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'tenant_id')
            order by 1
        """),
        {"schema": schema},
    )
    return list(found.scalars())


def test_every_tenant_table_has_forced_row_level_security(admin_engine: Engine) -> None:
    with admin_engine.connect() as connection:
        tables = tables_of_tenants(connection)

    assert {table.relname for table in tables if not table.relrowsecurity} == WITHOUT_POLICY
    assert {table.relname for table in tables if not table.relforcerowsecurity} == WITHOUT_POLICY
    assert len(tables) > 20
    assert "refused" in {table.relname for table in tables if table.relforcerowsecurity}


def test_every_other_table_is_known_to_hold_no_content(admin_engine: Engine) -> None:
    with admin_engine.connect() as connection:
        of_tenants = {table.relname for table in tables_of_tenants(connection)}
        statement = text(
            "select relname from pg_class where relnamespace = 'mosshead'::regnamespace and relkind in ('r', 'p')"
        )
        assert set(connection.execute(statement).scalars()) - of_tenants == OF_NOBODY


def test_tenant_sees_only_its_own_rows(admin_engine: Engine, worker_engine: Engine, crowded: UUID) -> None:
    with admin_engine.connect() as connection:
        tables = [name for name in relations(connection, "mosshead") if name.split(".")[1] not in WITHOUT_POLICY]
    with tenant_transaction(worker_engine, crowded) as connection:
        assert counts(connection, tables) == dict.fromkeys(tables, 1)
    with tenant_transaction(worker_engine, uuid4()) as connection:
        assert counts(connection, tables) == dict.fromkeys(tables, 0)
    with worker_engine.begin() as connection:
        assert counts(connection, tables) == dict.fromkeys(tables, 0)


def test_reader_sees_only_its_own_tenant_through_the_views(
    admin_engine: Engine, reader_engine: Engine, crowded: UUID
) -> None:
    with admin_engine.connect() as connection:
        views = relations(connection, "mosshead_read_v1")
    with tenant_transaction(reader_engine, crowded) as connection:
        assert counts(connection, views) == dict.fromkeys(views, 1)
    with tenant_transaction(reader_engine, uuid4()) as connection:
        assert counts(connection, views) == dict.fromkeys(views, 0)
    with reader_engine.begin() as connection:
        assert counts(connection, views) == dict.fromkeys(views, 0)


def test_row_cannot_be_written_for_another_tenant(worker_engine: Engine) -> None:
    with (
        tenant_transaction(worker_engine, uuid4()) as connection,
        pytest.raises(DBAPIError, match="row-level security"),
    ):
        connection.execute(text("insert into mosshead.tenants (tenant_id, name) values (gen_random_uuid(), 'other')"))


def test_pooled_connection_forgets_its_tenant(addresses: Addresses) -> None:
    engine = create_engine(sqlalchemy_url(addresses.worker_url, "MOSSHEAD_WORKER_URL"), pool_size=1, max_overflow=0)
    with tenant_transaction(engine, uuid4()) as connection:
        first = connection.execute(text("select pg_backend_pid()")).scalar_one()
    with engine.begin() as connection:
        assert connection.execute(text("select pg_backend_pid()")).scalar_one() == first
        assert connection.execute(text("select mosshead.current_tenant()")).scalar_one() is None
    engine.dispose()


def privileges(engine: Engine, role: str) -> set[tuple[str, str]]:
    """Return a role's privileges on the tables and views of Mosshead, as (schema, privilege)."""
    with engine.connect() as connection:
        rows = connection.execute(
            text("""
                select nspname, privilege from pg_class join pg_namespace on pg_namespace.oid = relnamespace
                cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate']) as privilege
                where nspname like 'mosshead%' and relkind in ('r', 'p', 'v')
                  and has_table_privilege(cast(:role as name), pg_class.oid, privilege)
            """),
            {"role": role},
        )
        return {(row.nspname, row.privilege) for row in rows}


def functions(engine: Engine, role: str) -> set[str]:
    """Return the functions of Mosshead that a role may call, where it may use their schema."""
    with engine.connect() as connection:
        rows = connection.execute(
            text("""
                select format('%s.%s', nspname, proname) as name
                from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
                where nspname like 'mosshead%' and has_schema_privilege(cast(:role as name), nspname, 'usage')
                  and has_function_privilege(cast(:role as name), pg_proc.oid, 'execute')
            """),
            {"role": role},
        )
        return {row.name for row in rows}


def test_reader_may_only_select_from_the_views(admin_engine: Engine) -> None:
    assert privileges(admin_engine, "mosshead_reader") == {("mosshead_read_v1", "select")}
    assert functions(admin_engine, "mosshead_reader") == {
        "mosshead_read_v1.holding",
        "mosshead_read_v1.has_api_tokens",
    }


def test_intake_may_only_publish_and_refuse(admin_engine: Engine) -> None:
    assert privileges(admin_engine, "mosshead_ingest") == set()
    assert functions(admin_engine, "mosshead_ingest") == {"mosshead_write_v1.publish", "mosshead_write_v1.refuse"}


def test_worker_may_call_only_what_it_writes_with_and_what_republishes_a_dead_letter(admin_engine: Engine) -> None:
    assert functions(admin_engine, "mosshead_worker") == {
        "mosshead.bind",
        "mosshead.claim",
        "mosshead.count_scope",
        "mosshead.count_words",
        "mosshead.current_tenant",
        "mosshead.derived_id",
        "mosshead.hint",
        "mosshead.lanes_with_events",
        "mosshead.lanes_without_events",
        "mosshead.lock_due",
        "mosshead.made_at",
        "mosshead.move_watermark",
        "mosshead.name_key",
        "mosshead.precedes",
        "mosshead.refresh_traits",
        "mosshead.set_tenant",
        "mosshead.settle_watermarks",
        "mosshead.take_to_erase",
        "mosshead.term",
        "mosshead.terms",
        "mosshead.usage_within",
        "mosshead.waiting_events",
        "mosshead.word_occurrences",
        "mosshead_read_v1.holding",
        "mosshead_write_v1.publish",
    }


def test_word_lookup_role_may_only_look_up_words(admin_engine: Engine) -> None:
    assert privileges(admin_engine, "mosshead_words") == {("mosshead", "select")}
    assert functions(admin_engine, "mosshead_words") == {"mosshead.current_tenant"}
    with admin_engine.connect() as connection:
        tables = connection.execute(
            text("""
            select relname from pg_class
            where has_table_privilege('mosshead_words', oid, 'select')
              and relnamespace = 'mosshead'::regnamespace and relkind = 'r'
        """)
        ).scalars()
        assert set(tables) == {"embeddings", "turns"}
        logins = text("select rolcanlogin from pg_roles where rolname = 'mosshead_words'")
        assert connection.execute(logins).scalar_one() is False


def test_no_role_inherits_the_word_lookup_role(admin_engine: Engine) -> None:
    with admin_engine.connect() as connection:
        inheriting = connection.execute(
            text("""
            select rolname from pg_roles
            where pg_has_role(rolname, 'mosshead_words', 'usage') and not rolsuper and rolname <> 'mosshead_words'
        """)
        ).scalars()
        assert set(inheriting) == set()


@pytest.mark.parametrize(
    "statement",
    [
        "select * from mosshead.memories",
        "select mosshead_write_v1.publish('[]')",
        "select mosshead_write_v1.refuse('[]')",
        "select * from mosshead.dead_letters",
        "delete from mosshead_read_v1.memories",
        "create table mine ()",
    ],
)
def test_reader_is_refused_other_statements(reader_engine: Engine, statement: str) -> None:
    with reader_engine.begin() as connection:
        connection.exec_driver_sql("set transaction read write")
        with pytest.raises(ProgrammingError, match="permission denied"):
            connection.exec_driver_sql(statement)


def test_readers_transaction_is_read_only_by_default(reader_engine: Engine) -> None:
    with reader_engine.begin() as connection:
        assert connection.exec_driver_sql("show transaction_read_only").scalar_one() == "on"


@pytest.fixture(scope="module")
def roles(admin_engine: Engine) -> Iterator[None]:
    """Create logins that no service should have."""
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("create role an_owner login in role mosshead_owner")
        connection.exec_driver_sql("create role a_bypass login bypassrls")
        connection.exec_driver_sql("create role a_stranger login")
        for beyond in ("owner", "words", "backup"):
            connection.exec_driver_sql(
                f"create role becomes_{beyond} login in role mosshead_worker, mosshead_{beyond} noinherit"
            )
    yield
    with admin_engine.begin() as connection:
        connection.exec_driver_sql(
            "drop role an_owner, a_bypass, a_stranger, becomes_owner, becomes_words, becomes_backup"
        )


@pytest.mark.usefixtures("roles")
@pytest.mark.parametrize(
    ("login", "why"),
    [
        ("postgres", "is a superuser"),
        ("an_owner", "owns the tables"),
        ("a_bypass", "bypasses row-level security"),
        ("a_stranger", "no Mosshead schema"),
        ("becomes_owner", "owns the tables"),
        ("becomes_words", "is a member of mosshead_words"),
        ("becomes_backup", "is a member of mosshead_backup"),
    ],
)
def test_login_with_too_many_or_too_few_rights_is_refused(addresses: Addresses, login: str, why: str) -> None:
    url = sqlalchemy_url(addresses.worker_url, "MOSSHEAD_WORKER_URL").set(username=login)
    engine = open_engine(url.render_as_string(hide_password=False), setting="MOSSHEAD_WORKER_URL")

    with pytest.raises(ConfigurationError, match=f"^MOSSHEAD_WORKER_URL: .*{why}"):
        check_login(engine, setting="MOSSHEAD_WORKER_URL")
    engine.dispose()


def test_logins_of_the_service_are_accepted(worker_engine: Engine, ingest_engine: Engine) -> None:
    check_login(worker_engine, setting="MOSSHEAD_WORKER_URL")
    check_login(ingest_engine, setting="MOSSHEAD_INGEST_URL")


def test_unreachable_database_is_named_without_its_password() -> None:
    engine = open_engine("postgresql://worker:s3cret@127.0.0.1:9/mosshead", setting="MOSSHEAD_WORKER_URL")

    with pytest.raises(StoreUnavailable, match=r"^MOSSHEAD_WORKER_URL: cannot connect to \S*127\.0\.0\.1:9") as caught:
        check_login(engine, setting="MOSSHEAD_WORKER_URL")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("block", blocks("sql"), ids=lambda block: f"{block.page.stem}-{block.number}")
def test_sql_of_the_docs_runs(block: Block, admin_engine: Engine, reader_engine: Engine) -> None:
    """Queries of memories run as the reader; role set-up runs as the superuser and is undone."""
    if block.body.startswith("begin;"):
        with reader_engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql(block.body.replace("…", str(uuid4())))
        return
    with admin_engine.connect() as connection, connection.begin() as transaction:
        connection.exec_driver_sql("create role your_role")
        connection.exec_driver_sql(block.body)
        transaction.rollback()
