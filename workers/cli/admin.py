"""`mosshead service migrate` and `index`: create the schema and the indexes, with the administrator's login."""

from typing import Annotated, Literal

import typer

from config.logging import configure_logging
from config.settings import Settings, settings
from db.schema.distribute import distribute as distribute_database
from db.schema.migrate import migrate as migrate_database
from mosshead.cli.output import console
from mosshead.urls import sqlalchemy_url
from workers.cli.indexing import index_scopes, keep_indexed
from workers.cli.output import Every, until_asked_to_stop
from workers.local.addresses import Addresses


def migrate() -> None:
    """Make or update roles, tables and views, with MOSSHEAD_ADMIN_URL; safe to repeat."""
    chosen = settings()
    migrate_database(chosen.administrator(), _passwords(chosen))
    console.print("The database is up to date.")


def distribute(
    shards: Annotated[int, typer.Option(min=1, help="Number of parts per table; it cannot be changed later.")] = 32,
) -> None:
    """Distribute a migrated database over the workers of a Citus cluster, with MOSSHEAD_ADMIN_URL; safe to repeat."""
    moved = distribute_database(settings().administrator(), shards=shards)
    console.print(f"{moved} tables distributed by namespace." if moved else "The database is distributed already.")


def migrate_machine(chosen: Settings, addresses: Addresses) -> None:
    """Migrate the embedded Postgres, or the operator's own if its administrator's login is set."""
    admin_url = addresses.admin_url or chosen.admin_url
    if admin_url:
        migrate_database(admin_url, {} if addresses.admin_url else _passwords(chosen))


def index(every: Every = None) -> None:
    """Index large namespaces, with MOSSHEAD_ADMIN_URL; safe to repeat."""
    chosen = settings()
    admin_url = chosen.administrator()
    console.print(make_indexes(admin_url) or "Nothing to index.")
    if every is not None:
        configure_logging(chosen)
        keep_indexed(admin_url, until_asked_to_stop(), every=every)


def make_indexes(admin_url: str) -> str | None:
    """Create and drop the indexes that are due; return a line about what was done, None if nothing was."""
    done = index_scopes(admin_url)
    if done is None:
        return "Another process is making indexes now."
    made = sum(len(names) for _, names in done.make)
    return f"{made} indexes made, {len(done.drop)} dropped." if done.make or done.drop else None


def _passwords(chosen: Settings) -> dict[str, str | None]:
    if not chosen.database_url:
        return {}
    named = {"reader": "MOSSHEAD_DATABASE_URL", "ingest": "MOSSHEAD_INGEST_URL", "worker": "MOSSHEAD_WORKER_URL"}
    roles: tuple[Literal["reader", "ingest", "worker"], ...] = ("reader", "ingest", "worker")
    urls = {f"mosshead_{role}": sqlalchemy_url(chosen.login(role), named[role]) for role in roles}
    return {role: str(url.password) if url.password else None for role, url in urls.items()}
