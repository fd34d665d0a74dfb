"""The command itself: what it can do, and how it ends."""

import sys

import typer
from rich.markup import escape

from mosshead.cli.lazy import add_lazily
from mosshead.cli.output import PlainConsole, write_any_character
from mosshead.errors import MossheadError

SERVICE = {
    "up": (
        "workers.cli.up:up",
        "Run all of it on this machine: Postgres, Redis, intake, scheduler, workers and Flower, until Ctrl-C.",
    ),
    "status": (
        "workers.cli.status:show_status",
        "Whether the service can work, and what waits; exit status 1 where it cannot.",
    ),
    "logs": ("mosshead.cli.service:logs", "Show what the service that runs on this machine has logged."),
    "down": ("mosshead.cli.service:down", "Stop the service that runs on this machine; its data stays."),
    "demo": (
        "workers.demo:run_demo",
        "Show the whole way once: a sample of three years of conversations, from publish to recall.",
    ),
    "token": ("workers.cli.tokens:token_cli", "Tokens for the server: who may come in, and what they may do."),
    "service": ("workers.cli.main:cli", "The service of Mosshead: everything that runs outside the chat app."),
}
"""The commands that need the extra ``mosshead[service]``: by name, where each is, and the first paragraph of its help."""

LIBRARY = {
    "publish": ("mosshead.cli.publish:publish", "Publish one message, a transcript, or a file of messages."),
    "query": ("mosshead.cli.query:query", "The memories most similar to a text."),
    "context": ("mosshead.cli.query:context", "What a model should know to answer a message."),
    "recall": ("mosshead.cli.query:recall", "What was said that answers to a text, word for word."),
    "profile": ("mosshead.cli.query:profile", "What is known of one entity."),
    "spool": (
        "mosshead.cli.publish:spool",
        "What was published here and is not known to be in the inbox: where it waits, how much, and for whom.",
    ),
    "progress": ("mosshead.cli.progress:progress", "How many events are still to be received and to take effect."),
    "model": ("mosshead.cli.model:model_cli", "The local embedding models."),
    "entities": ("mosshead.cli.entities:entities", "Whom and what the memories are about."),
    "resolve": (
        "mosshead.cli.entities:resolve",
        "Whom a name in a text means: somebody, a question which of several, or nobody known.",
    ),
    "neighbours": ("mosshead.cli.entities:neighbours", "What is related to an entity, and to that, the nearest first."),
    "questions": (
        "mosshead.cli.entities:questions",
        "Whom a mention means, where the words left it open; with what waits for the answer.",
    ),
    "clarify": (
        "mosshead.cli.entities:clarify",
        "Answer a question: what waits for it is linked, and the answer is kept. The event's id undoes it.",
    ),
    "merge": ("mosshead.cli.entities:merge", "Say that two entities are one. The event's id undoes it."),
    "split": (
        "mosshead.cli.entities:split",
        "Say that one entity is two. The event's id is the new entity's, and undoes it.",
    ),
    "get": ("mosshead.cli.memories:get", "One memory, with the words that it was taken from."),
    "history": ("mosshead.cli.memories:history", "What was decided about a memory, in order, and why."),
    "undo": (
        "mosshead.cli.memories:undo",
        "Take back what a decision did; the undo is a decision too, and can be undone.",
    ),
    "export": ("mosshead.cli.memories:export", "All that is known of a namespace, as JSON Lines."),
    "erase": (
        "mosshead.cli.memories:erase",
        "Delete for good, with what rests on it; prints the receipt. It cannot be undone: 'mosshead forget' can.",
    ),
    "receipts": ("mosshead.cli.memories:receipts", "What was ever erased in a namespace, the latest first."),
    "import": (
        "mosshead.cli.memories:import_file",
        "Bring memories or chats from elsewhere, or from an export. The same file twice changes nothing.",
    ),
    "remember": ("mosshead.cli.memories:remember", "Put a memory down as it is; prints its id."),
    "forget": ("mosshead.cli.memories:forget", "Close memories; nothing is removed, and the event's id undoes it."),
    "reflect": ("mosshead.cli.memories:reflect", "Have what was said thought over now, instead of after a quiet time."),
    "serve": (
        "mosshead.cli.server:serve",
        "Serve memory over HTTP, with an OpenAPI page, and over MCP, until stopped. Each request needs a token.",
    ),
    "mcp": (
        "mosshead.cli.server:serve_mcp",
        "Serve one namespace over MCP on standard input and output, for an agent on this machine.",
    ),
    "story": (
        "mosshead.cli.extras:story",
        "What is known of somebody or something, in the order of time: a chronicle, without an LLM.",
    ),
    "track": (
        "mosshead.cli.extras:track",
        "What a conversation is about after each turn of the user, and whom its pronouns mean.",
    ),
    "prompts": ("mosshead.cli.extras:prompts_cli", "The prompts that the app keeps here, in versions."),
}
"""Those that need the library alone."""

COMMANDS = {**SERVICE, **LIBRARY}

cli = typer.Typer(
    name="mosshead",
    help="The long-term memory of chat apps: run its service here, publish to it, read from it.",
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
    """Run the command line; what Mosshead raises on purpose becomes one line, as does a missing file, and exit status 1."""
    write_any_character()
    try:
        cli()
    except (MossheadError, ValueError, OSError) as error:
        PlainConsole(stderr=True, soft_wrap=True, highlight=False).print(f"[red]error:[/] {escape(str(error))}")
        sys.exit(1)
