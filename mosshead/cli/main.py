"""The `mosshead` command: its list of subcommands and its error handling."""

import sys

import typer
from rich.markup import escape

from mosshead.cli.lazy import add_lazily
from mosshead.cli.output import PlainConsole, write_any_character
from mosshead.errors import MossheadError

SERVICE = {
    "up": (
        "workers.cli.up:up",
        "Run the whole service on this machine until Ctrl-C: Postgres, Redis, intake, scheduler, workers and Flower.",
    ),
    "status": (
        "workers.cli.status:show_status",
        "Check that the service works, and show what is waiting. Exit with status 1 if it does not work.",
    ),
    "logs": ("mosshead.cli.service:logs", "Show the logs of the service running on this machine."),
    "down": ("mosshead.cli.service:down", "Stop the service running on this machine. Its data is kept."),
    "demo": (
        "workers.demo:run_demo",
        "Run a demo with a sample of three years of conversations, from publish to recall.",
    ),
    "token": ("workers.cli.tokens:token_cli", "Manage the server's access tokens."),
    "service": ("workers.cli.main:cli", "Run and operate Mosshead's service."),
}
"""Commands that need the extra ``mosshead[service]``: by name, the location and the help text of each."""

LIBRARY = {
    "publish": ("mosshead.cli.publish:publish", "Publish one message, a transcript, or a file of messages."),
    "query": ("mosshead.cli.query:query", "Find the memories most similar to a text."),
    "context": ("mosshead.cli.query:context", "Show what a model should know to answer a message."),
    "recall": ("mosshead.cli.query:recall", "Find stored messages relevant to a text."),
    "profile": ("mosshead.cli.query:profile", "Show an entity's profile."),
    "spool": (
        "mosshead.cli.publish:spool",
        "Show the events in the local spool that are not known to be in the inbox yet, by namespace.",
    ),
    "progress": ("mosshead.cli.progress:progress", "Show how many events are not received or not consolidated yet."),
    "model": ("mosshead.cli.model:model_cli", "Manage local embedding models."),
    "entities": ("mosshead.cli.entities:entities", "List the namespace's entities, ordered by number of memories."),
    "resolve": (
        "mosshead.cli.entities:resolve",
        "Resolve a name in a text to an entity, or to a question if it is ambiguous.",
    ),
    "neighbours": ("mosshead.cli.entities:neighbours", "List the entities connected to an entity, nearest first."),
    "questions": (
        "mosshead.cli.entities:questions",
        "List open questions about ambiguous mentions, with the memories that wait for the answers.",
    ),
    "clarify": (
        "mosshead.cli.entities:clarify",
        "Answer a question and link the memories that wait for it. Undo it by the event's id.",
    ),
    "merge": ("mosshead.cli.entities:merge", "Merge an entity into another. Undo it by the event's id."),
    "split": (
        "mosshead.cli.entities:split",
        "Split an entity in two. The event's id is the new entity's; undo the split by it.",
    ),
    "get": ("mosshead.cli.memories:get", "Show one memory with its sources."),
    "history": (
        "mosshead.cli.memories:history",
        "List the decisions about a memory, oldest first, with their reasons.",
    ),
    "undo": (
        "mosshead.cli.memories:undo",
        "Undo a decision. The undo is itself a decision and can be undone.",
    ),
    "export": ("mosshead.cli.memories:export", "Export everything known in a namespace as JSON Lines."),
    "erase": (
        "mosshead.cli.memories:erase",
        "Delete data permanently and print the receipt. This cannot be undone; 'mosshead forget' can.",
    ),
    "receipts": ("mosshead.cli.memories:receipts", "List a namespace's erasure receipts, newest first."),
    "import": (
        "mosshead.cli.memories:import_file",
        "Import memories or chats from an export. Importing the same file again changes nothing.",
    ),
    "remember": ("mosshead.cli.memories:remember", "Store a memory verbatim and print its id."),
    "forget": ("mosshead.cli.memories:forget", "Close memories without deleting them. Undo it by the event's id."),
    "reflect": ("mosshead.cli.memories:reflect", "Start reflection now instead of after a quiet period."),
    "serve": (
        "mosshead.cli.server:serve",
        "Serve memory over HTTP, with an OpenAPI page, and over MCP until stopped. Each request needs a token.",
    ),
    "mcp": (
        "mosshead.cli.server:serve_mcp",
        "Serve one namespace over MCP on standard input and output, for an agent on this machine.",
    ),
    "story": (
        "mosshead.cli.extras:story",
        "Tell what is known about an entity in chronological order, without an LLM.",
    ),
    "track": (
        "mosshead.cli.extras:track",
        "Track the focus of a conversation after each user turn, and resolve its pronouns.",
    ),
    "prompts": ("mosshead.cli.extras:prompts_cli", "Manage the app's versioned prompts."),
}
"""Commands that need only the library."""

COMMANDS = {**SERVICE, **LIBRARY}

cli = typer.Typer(
    name="mosshead",
    help="Long-term memory for chat apps: run the service, publish to it, and read from it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _reach_service(name: str) -> None:
    from mosshead.cli.service import reach_service

    reach_service(name)


add_lazily(cli, SERVICE, first=_reach_service)
add_lazily(cli, LIBRARY)


def main() -> None:
    """Run the command line. Print expected errors, such as a missing file, on one line, and exit with status 1."""
    write_any_character()
    try:
        cli()
    except (MossheadError, ValueError, OSError) as error:
        PlainConsole(stderr=True, soft_wrap=True, highlight=False).print(f"[red]error:[/] {escape(str(error))}")
        sys.exit(1)
