"""`python -m workers`: the service's command line."""

import shlex
import sys
from contextlib import suppress
from threading import Thread
from typing import Annotated, Literal

import typer
from rich.markup import escape

from config.logging import configure_logging
from config.settings import Settings, settings
from db.schema.migrate import migrate as migrate_database
from mosshead.cli.output import Json, PlainConsole, console, write_any_character
from mosshead.errors import ConfigurationError, MossheadError
from mosshead.urls import sqlalchemy_url
from workers.cli.dead_letters import dead_cli, lanes_cli
from workers.cli.indexing import index_scopes, keep_indexed
from workers.cli.models import models_cli
from workers.cli.output import Every, until_asked_to_stop
from workers.cli.replay import replay_cli
from workers.cli.status import show_status
from workers.cli.usage import budget_cli, show_usage
from workers.console.server import run_console
from workers.demo import run_demo
from workers.erasure.rewrite import rewrite as rewrite_files
from workers.intake import run_intake
from workers.local import CONSOLE, Addresses, processes, servers
from workers.scheduler import run_scheduler

cli = typer.Typer(
    name="python -m workers",
    help="The service of Mosshead: everything that runs outside the chat app.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
cli.add_typer(dead_cli, name="dead")
cli.add_typer(lanes_cli, name="lanes")
cli.add_typer(budget_cli, name="budget")
cli.add_typer(models_cli, name="models")
cli.add_typer(replay_cli, name="replay")


def main() -> None:
    """Run the command line; what Mosshead raises on purpose becomes one line, and exit status 1."""
    write_any_character()
    try:
        cli()
    except MossheadError as error:
        PlainConsole(stderr=True, soft_wrap=True, highlight=False).print(f"[red]error:[/] {escape(str(error))}")
        sys.exit(1)


@cli.command()
def up(
    with_console: Annotated[bool, typer.Option("--console", help="Serve the console, too: docs/console.md.")] = False,
) -> None:
    """Run all of it on this machine: Postgres, Redis, intake, scheduler, workers and Flower, until Ctrl-C."""
    chosen = settings()
    configure_logging(chosen)
    # Ctrl-C while it still starts is no error either; what was started is stopped on the way out.
    with suppress(KeyboardInterrupt), servers(chosen) as addresses:
        migrate_machine(chosen, addresses)
        if addresses.admin_url and (done := _index(addresses.admin_url)):
            console.print(done)
        with processes(addresses, also=CONSOLE if with_console else {}) as running:
            if addresses.admin_url:  # what outgrows a scan from now on; it ends with this process
                Thread(target=keep_indexed, args=(addresses.admin_url, lambda: False), daemon=True).start()
            _say_where(chosen, addresses, with_console=with_console)
            running.wait()
    console.print(f"Mosshead is down; the data stays in {chosen.data_dir}", soft_wrap=True)


@cli.command()
def demo(
    keep: Annotated[bool, typer.Option(help="Keep the data folder for a look at it afterwards.")] = False,
    json_output: Json = False,
) -> None:
    """Show the whole way once: a sample of three years of conversations, from publish to recall."""
    run_demo(settings(), migrate_machine, keep=keep, json_output=json_output)


@cli.command()
def intake() -> None:
    """Take events from the queue into the inbox, until stopped."""
    configure_logging(settings())
    run_intake(settings(), until_asked_to_stop())


@cli.command()
def sweep() -> None:
    """Claim what is due and tell the workers, until stopped."""
    configure_logging(settings())
    run_scheduler(settings(), until_asked_to_stop())


@cli.command()
def migrate() -> None:
    """Make or update roles, tables and views, with MOSSHEAD_ADMIN_URL; safe to repeat."""
    chosen = settings()
    migrate_database(_admin_url(chosen), _passwords(chosen))
    console.print("The database is up to date.")


@cli.command()
def index(every: Every = None) -> None:
    """Index large namespaces, with MOSSHEAD_ADMIN_URL; safe to repeat."""
    chosen = settings()
    admin_url = _admin_url(chosen)
    console.print(_index(admin_url) or "There is nothing to index.")
    if every is not None:
        configure_logging(chosen)
        keep_indexed(admin_url, until_asked_to_stop(), every=every)


@cli.command()
def rewrite(
    tables_only: Annotated[bool, typer.Option("--tables-only", help="Leave the files of Redis alone.")] = False,
) -> None:
    """Take what was erased out of the files of Redis and, with MOSSHEAD_ADMIN_URL, out of those of the tables.

    Nobody reads or writes a table meanwhile.
    """
    chosen = settings()
    admin_url = _admin_url(chosen)
    marked = rewrite_files(admin_url, None if tables_only else chosen.broker(), lambda name: console.print(f"{name} …"))
    if not marked:
        console.print("Nothing was erased since the tables were last rewritten.")
        return
    whose = "the tables" if tables_only else "the tables and of Redis"
    console.print(f"{marked:,} erasure{'s are' if marked > 1 else ' is'} in no file of {whose} any more.")
    left = "Redis's files, " if tables_only else ""
    console.print(
        f"Not reached, and yours: {left}replicas, backups, and the write-ahead log of Postgres until it is recycled; see "
        "docs/erasure.md.",
        soft_wrap=True,
    )


cli.command("status")(show_status)
cli.command("usage")(show_usage)
cli.command("console")(run_console)


def migrate_machine(chosen: Settings, addresses: Addresses) -> None:
    """Migrate the embedded Postgres, or the operator's own where its administrator's login is given."""
    admin_url = addresses.admin_url or chosen.admin_url
    if admin_url:
        migrate_database(admin_url, {} if addresses.admin_url else _passwords(chosen))


def _index(admin_url: str) -> str | None:
    done = index_scopes(admin_url)
    if done is None:
        return "Another is making indexes at this moment."
    made = sum(len(names) for _, names in done.make)
    return f"{made} indexes made, {len(done.drop)} dropped." if done.make or done.drop else None


def _admin_url(chosen: Settings) -> str:
    if not chosen.admin_url:
        raise ConfigurationError(
            "MOSSHEAD_ADMIN_URL is not set. Set it to a login that may create roles and the extension vector, such as "
            "postgresql://postgres:PASSWORD@HOST:5432/mosshead"
        )
    return chosen.admin_url


def _passwords(chosen: Settings) -> dict[str, str | None]:
    if not chosen.database_url:
        return {}
    named = {"reader": "MOSSHEAD_DATABASE_URL", "ingest": "MOSSHEAD_INGEST_URL", "worker": "MOSSHEAD_WORKER_URL"}
    roles: tuple[Literal["reader", "ingest", "worker"], ...] = ("reader", "ingest", "worker")
    urls = {f"mosshead_{role}": sqlalchemy_url(chosen.login(role), named[role]) for role in roles}
    return {role: str(url.password) if url.password else None for role, url in urls.items()}


def _say_where(chosen: Settings, addresses: Addresses, *, with_console: bool) -> None:
    how = f"facts by {chosen.llm_model}" if chosen.uses_llm else "facts by the offline rules (no OPENAI_API_KEY)"
    console.print(f"[bold]Mosshead is up[/], {how}. Ctrl-C stops it.", soft_wrap=True)
    console.print(
        f"Flower   {addresses.flower_url}  (user {addresses.flower_user}, password {addresses.flower_password})",
        soft_wrap=True,
    )
    if with_console:
        console.print(f"Console  {addresses.console_url}  (the same login)")
    console.print("For an app or the command [bold]mosshead[/] in another shell:")
    console.print(
        f"  set -a; . {escape(shlex.quote(str(addresses.data_dir / 'mosshead.env')))}; set +a", soft_wrap=True
    )
