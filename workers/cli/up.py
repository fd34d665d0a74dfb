"""`mosshead up`: run the whole service on this machine."""

import os
import shlex
import shutil
import signal
import sys
from contextlib import ExitStack, suppress
from threading import Thread
from typing import Annotated

import typer
from rich.markup import escape

from config.logging import configure_logging
from config.settings import Settings, settings
from mosshead.announcement import announced, user_folder
from mosshead.cli.output import console
from mosshead.embedded import spawn_service
from mosshead.errors import MossheadError
from workers.local import CONSOLE, Addresses, check, processes, servers

_LEFT_OUT = ("flower",)
"""Left out when an app starts the service: people only watch a service that they started themselves."""


def up(
    with_console: Annotated[
        bool, typer.Option("--console", help="Serve the console, too: docs/how-to/console.md.")
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", "-d", help="Return once it is up; 'mosshead down' stops it.")
    ] = False,
    to_logs: Annotated[
        bool, typer.Option("--logs", help="Log to the files that 'mosshead logs' shows instead of the terminal.")
    ] = False,
    attached: Annotated[bool, typer.Option(hidden=True, help="Stop when standard input ends.")] = False,
    temporary: Annotated[bool, typer.Option(hidden=True, help="Delete the data folder at the end.")] = False,
) -> None:
    """Run the whole service on this machine until Ctrl-C: Postgres, Redis, intake, scheduler, workers and Flower."""
    chosen = settings()
    check(chosen)
    # Slow imports: errors in the settings should show up before them.
    from mosshead.embeddings.local.files import provide_model
    from workers.cli.admin import make_indexes, migrate_machine
    from workers.cli.indexing import keep_indexed

    provide_model(chosen.embedder)
    if detach:
        _, found = spawn_service(chosen.data_dir, ["--console"] if with_console else [])
        console.print(
            f"Mosshead is up (pid {found.pid}). 'mosshead logs up' shows its addresses, 'mosshead down' stops it."
        )
        return
    configure_logging(chosen)
    # Ctrl-C during the start is not an error; what was started is stopped on the way out.
    with ExitStack() as announcements, suppress(KeyboardInterrupt), servers(chosen) as addresses:
        if attached:
            Thread(target=_stop_with_input, daemon=True).start()
        migrate_machine(chosen, addresses)
        if addresses.admin_url and (done := make_indexes(addresses.admin_url)):
            console.print(done)
        also, left_out = (CONSOLE if with_console else {}), (_LEFT_OUT if attached else ())
        with processes(addresses, to_logs=to_logs, also=also, left_out=left_out) as running:
            if addresses.admin_url:  # indexes namespaces that grow; ends with this process
                Thread(target=keep_indexed, args=(addresses.admin_url, lambda: False), daemon=True).start()
            for folder in (addresses.data_dir, *([] if attached else [user_folder()])):
                announcements.enter_context(announced(folder, addresses.data_dir, addresses.environment()))
            _say_where(chosen, addresses, with_console=with_console)
            if not attached:  # in its own thread: Ctrl-C ends the wait, and code that reads a status may swallow it
                Thread(target=_say_english_only, args=(chosen, addresses), daemon=True).start()
            running.wait()
    if temporary:
        shutil.rmtree(chosen.data_dir, ignore_errors=True)
        return
    console.print(f"Mosshead is down; the data stays in {chosen.data_dir}", soft_wrap=True)


def _stop_with_input() -> None:
    """Stop when standard input ends: the parent process holds the other end, and closes it however it ends."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


def _say_where(chosen: Settings, addresses: Addresses, *, with_console: bool) -> None:
    how = f"facts by {chosen.llm_model}" if chosen.uses_llm else "facts by the offline rules (no OPENAI_API_KEY)"
    console.print(f"[bold]Mosshead is up[/], {how}. Ctrl-C stops it.", soft_wrap=True)
    console.print(
        f"Flower   {addresses.flower_url}  (user {addresses.flower_user}, password {addresses.flower_password})",
        soft_wrap=True,
    )
    if with_console:
        console.print(f"Console  {addresses.console_url}  (the same login)")
    console.print("Your apps and the command [bold]mosshead[/] find it by themselves. For other programs:")
    console.print(
        f"  set -a; . {escape(shlex.quote(str(addresses.data_dir / 'mosshead.env')))}; set +a", soft_wrap=True
    )


def _say_english_only(chosen: Settings, addresses: Addresses) -> None:
    from workers.cli.status import read_status

    own = chosen.model_copy(update={"worker_url": addresses.worker_url, "broker_url": addresses.broker_url})
    with suppress(MossheadError):  # 'mosshead status' reports the problem again
        for hint in read_status(own).english_only:
            console.print(f"Most messages of the last day are not in English; {escape(hint)}.", soft_wrap=True)
