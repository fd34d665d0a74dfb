"""`python -m workers console`: serve the console by itself, beside a service that runs elsewhere."""

from typing import Annotated

import typer

from config.logging import configure_logging
from config.settings import settings
from mosshead import Memory
from workers.cli.terminal import console
from workers.console.login import login_of

LOOPBACK = "127.0.0.1"


def run_console(
    address: Annotated[
        str,
        typer.Option(
            help="The address to listen on. It speaks plain HTTP: leave it on the loopback, or put TLS before it."
        ),
    ] = LOOPBACK,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            help="The address of a proxy before it, as it connects. Failed logins then count by its X-Forwarded-For."
        ),
    ] = None,
) -> None:
    """Serve a page on this machine that shows what is remembered, and why, until stopped."""
    # Tornado, which the other commands have no use for.
    from workers.console.serving import serve  # noqa: PLC0415

    chosen = settings()
    configure_logging(chosen)
    login = login_of(chosen.console_auth)
    # Published to the queue itself: whoever clicks sees at once where it does not answer, and no spool is left behind.
    with Memory.connect(
        database_url=chosen.login("reader"), broker_url=chosen.broker(), embedder=chosen.embedder, publish="direct"
    ) as memory:
        serve(
            memory,
            login,
            address=address,
            port=chosen.console_port,
            proxies=proxy or (),
            on_listening=lambda port: console.print(f"The console is at http://{address}:{port}", soft_wrap=True),
        )
