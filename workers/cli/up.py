"""`python -m workers up`: all of the service on this machine."""

import shlex
from contextlib import suppress
from threading import Thread
from typing import Annotated

import typer
from rich.markup import escape

from config.logging import configure_logging
from config.settings import Settings, settings
from mosshead.cli.output import console
from workers.cli.admin import make_indexes, migrate_machine
from workers.cli.indexing import keep_indexed
from workers.local import CONSOLE, Addresses, processes, servers


def up(
    with_console: Annotated[bool, typer.Option("--console", help="Serve the console, too: docs/console.md.")] = False,
) -> None:
    """Run all of it on this machine: Postgres, Redis, intake, scheduler, workers and Flower, until Ctrl-C."""
    chosen = settings()
    configure_logging(chosen)
    # Ctrl-C while it still starts is no error either; what was started is stopped on the way out.
    with suppress(KeyboardInterrupt), servers(chosen) as addresses:
        migrate_machine(chosen, addresses)
        if addresses.admin_url and (done := make_indexes(addresses.admin_url)):
            console.print(done)
        with processes(addresses, also=CONSOLE if with_console else {}) as running:
            if addresses.admin_url:  # what outgrows a scan from now on; it ends with this process
                Thread(target=keep_indexed, args=(addresses.admin_url, lambda: False), daemon=True).start()
            _say_where(chosen, addresses, with_console=with_console)
            running.wait()
    console.print(f"Mosshead is down; the data stays in {chosen.data_dir}", soft_wrap=True)


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
