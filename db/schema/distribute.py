"""`mosshead service distribute`: spread a migrated database over the workers of a Citus cluster, by namespace."""

from typing import Any, Final

from sqlalchemy import Connection

from db.engine import ADMIN_URL, admin_engine
from db.schema.revision import IN_DATABASE, NEWEST
from db.schema.roles import OWNER, WORDS
from mosshead.errors import ConfigurationError
from mosshead.store.connection import Sql

_REFERENCE: Final = ("models", "tenants", "budgets", "api_tokens")
"""Tables without a namespace that others refer to or a policy guards: each worker has a copy. The coordinator keeps the rest."""

_FIRST: Final = "mosshead.lanes"
"""All others are colocated with it, so one worker has all rows of a namespace."""

_READ: Final = ("lanes", "publishers", "scopes")
"""Tables without a policy whose rows a reader sees through views. On the workers it reads the tables themselves."""

_SETTINGS: Final = {
    "statement_timeout": "0",
    # Several tables distributed in one transaction refer to the same reference table.
    "citus.multi_shard_modify_mode": "sequential",
    # Our triggers touch only rows of their own namespace, which are on the same worker.
    "citus.enable_unsafe_triggers": "on",
}


def distribute(admin_url: str, *, shards: int) -> int:
    """Distribute a migrated database; safe to repeat. Returns how many tables were moved.

    admin_url: of a superuser on the coordinator. shards: into how many parts each table is split, for good.
    Raises StoreUnavailable if Postgres does not answer, and ConfigurationError if it is not a coordinator with workers or the
    database is not migrated.
    """
    with admin_engine(admin_url) as engine, engine.begin() as connection:
        _check(connection)
        for setting, value in {**_SETTINGS, "citus.shard_count": str(shards)}.items():
            Sql("select set_config(%(name)s, %(value)s, true)").run(connection, name=setting, value=value)
        moved = _undistributed(connection)
        if moved:
            _let_log_in(connection)
            keys = _foreign_keys(connection)
            for table, name, _ in keys:
                connection.exec_driver_sql(f"alter table {table} drop constraint {name}")
            for table in _REFERENCE:
                Sql("select create_reference_table(%(table)s)").run(connection, table=f"mosshead.{table}")
            for table in moved:
                Sql("select create_distributed_table(%(table)s, 'namespace_id', colocate_with => %(beside)s)").run(
                    connection, table=table, beside="none" if table == _FIRST else _FIRST
                )
            for table, name, definition in keys:
                connection.exec_driver_sql(f"alter table {table} add constraint {name} {definition}")
            _share_functions(connection)
            _let_read(connection)
        return len(moved)


def _check(connection: Connection) -> None:
    if not Sql("select from pg_extension where extname = 'citus'").exists(connection):
        raise ConfigurationError(
            f"{ADMIN_URL}: this database has no Citus; create the extension and add the workers first"
        )
    if not Sql("select from pg_dist_node where shouldhaveshards").exists(connection):
        raise ConfigurationError(f"{ADMIN_URL}: this Citus has no workers; add them with citus_add_node first")
    if Sql(f"select {IN_DATABASE}").value(connection) != NEWEST:
        raise ConfigurationError(f"{ADMIN_URL}: this database is not migrated; run 'mosshead service migrate' first")


def _undistributed(connection: Connection) -> list[str]:
    return Sql("""
        select 'mosshead.' || relname from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'namespace_id'
        where relnamespace = 'mosshead'::regnamespace and relkind = 'r'
          and not exists (select from pg_dist_partition where logicalrelid = pg_class.oid and partmethod = 'h')
        order by relname = 'lanes' desc, relname
    """).scalars(connection)


def _foreign_keys(connection: Connection) -> list[Any]:
    return Sql("""
        select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
        where contype = 'f' and connamespace = 'mosshead'::regnamespace order by conname
    """).rows(connection)


def _let_log_in(connection: Connection) -> None:
    """Let the coordinator connect to the workers as the owner of a function or a view. They have no passwords for anyone else."""
    for role in (OWNER, WORDS):
        connection.exec_driver_sql(f"alter role {role} login")
    for role in ("mosshead_reader", "mosshead_worker", "mosshead_ingest", OWNER, WORDS):
        connection.exec_driver_sql(f"alter role {role} set citus.propagate_set_commands = 'local'")


def _share_functions(connection: Connection) -> None:
    """Create the functions on the workers, where policies, generated columns and triggers call them."""
    # Citus has no generic plans: it needs the parameters to choose a worker.
    connection.exec_driver_sql("alter function mosshead.refresh_traits reset plan_cache_mode")
    names = Sql("""
        select oid::regprocedure::text from pg_proc
        where pronamespace = 'mosshead'::regnamespace and not pg_proc.oid in (select objid from pg_dist_object)
        order by oid
    """).scalars(connection)
    for name in names:
        Sql("select create_distributed_function(%(name)s)").run(connection, name=name)


def _let_read(connection: Connection) -> None:
    """Grant readers the tables behind the views: workers check the caller's rights, not those of the view's owner.

    Policies restrict what they see.
    """
    connection.exec_driver_sql("grant usage on schema mosshead to mosshead_reader")
    # To Citus an identity column is a plain default, which needs a right on its sequence.
    connection.exec_driver_sql("grant usage on all sequences in schema mosshead to mosshead_worker")
    tables = Sql("""
        select distinct refobjid::regclass::text from pg_depend
        join pg_rewrite on pg_rewrite.oid = objid join pg_class as view on view.oid = ev_class
        join pg_class as read on read.oid = refobjid and read.relkind = 'r' and read.relnamespace = 'mosshead'::regnamespace
        where pg_depend.classid = 'pg_rewrite'::regclass and view.relnamespace = 'mosshead_read_v1'::regnamespace
    """).scalars(connection)
    for table in tables:
        connection.exec_driver_sql(f"grant select on {table} to mosshead_reader")
    for table in _READ:
        connection.exec_driver_sql(f"alter table mosshead.{table} enable row level security")
        connection.exec_driver_sql(
            f"create policy of_service on mosshead.{table} to {OWNER}, mosshead_worker using (true)"
        )
        connection.exec_driver_sql(
            f"create policy of_reader on mosshead.{table} for select to mosshead_reader "
            "using (tenant_id = mosshead.current_tenant())"
        )
