"""`python -m workers`: the service's command line."""

import sys

import typer
from rich.markup import escape

from mosshead.cli.lazy import add_lazily
from mosshead.cli.output import PlainConsole, write_any_character
from mosshead.errors import MossheadError

COMMANDS = {
    "up": (
        "workers.cli.up:up",
        "Run the whole service on this machine until Ctrl-C: Postgres, Redis, intake, scheduler, workers and Flower.",
    ),
    "demo": (
        "workers.demo:run_demo",
        "Run a demo with a sample of three years of conversations, from publish to recall.",
    ),
    "intake": ("workers.cli.services:intake", "Take events from the queue into the inbox, until stopped."),
    "sweep": ("workers.cli.services:sweep", "Claim what is due and tell the workers, until stopped."),
    "migrate": (
        "workers.cli.admin:migrate",
        "Make or update roles, tables and views, with MOSSHEAD_ADMIN_URL; safe to repeat.",
    ),
    "distribute": (
        "workers.cli.admin:distribute",
        "Distribute a migrated database over the workers of a Citus cluster, with MOSSHEAD_ADMIN_URL; safe to repeat.",
    ),
    "index": ("workers.cli.admin:index", "Index large namespaces, with MOSSHEAD_ADMIN_URL; safe to repeat."),
    "rewrite": (
        "workers.erasure.rewrite:rewrite",
        "Remove erased content from the files of Redis and, with MOSSHEAD_ADMIN_URL, of the tables.",
    ),
    "status": (
        "workers.cli.status:show_status",
        "Check that the service works, and show what is waiting. Exit with status 1 if it does not work.",
    ),
    "usage": ("workers.cli.usage:show_usage", "Show how often the LLM was called, and what that cost in tokens."),
    "console": (
        "workers.console.server:run_console",
        "Serve a page on this machine that shows what is remembered, and why, until stopped.",
    ),
    "dead": ("workers.cli.dead_letters:dead_cli", "Dead letters: events that were given up, with their reasons."),
    "lanes": ("workers.cli.dead_letters:lanes_cli", "Lanes: each namespace's events, in their order."),
    "budget": (
        "workers.cli.usage:budget_cli",
        "Budgets: tokens of the LLM that a tenant may spend within 24 hours.",
    ),
    "models": (
        "workers.cli.models:models_cli",
        "Embedding models: list them, and switch to another while the service runs (docs/how-to/models.md).",
    ),
    "replay": (
        "workers.cli.replay:replay_cli",
        "Replay a namespace with another LLM or instructions, compare the results, and switch over (docs/how-to/replay.md).",
    ),
}
"""For each command, its import path and the first paragraph of its help."""

cli = typer.Typer(
    name="python -m workers",
    help="Run and operate Mosshead's service.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
add_lazily(cli, COMMANDS)


def main() -> None:
    """Run the command line; an error of Mosshead's own becomes one line and exit status 1."""
    write_any_character()
    try:
        cli()
    except MossheadError as error:
        PlainConsole(stderr=True, soft_wrap=True, highlight=False).print(f"[red]error:[/] {escape(str(error))}")
        sys.exit(1)
