"""Commands that publish events and show the local spool."""

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
from mosshead.cli.options import Conversation, In
from mosshead.cli.output import Json, json_lines, print_answer, read_file, table
from mosshead.publishing.spool import Spool, SpoolContents


def publish(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    text: Annotated[str | None, typer.Argument(help="One message.")] = None,
    role: Annotated[str, typer.Option(help="The author's role: user, assistant, system or tool.")] = "user",
    conversation: Conversation = None,
    transcript: Annotated[Path | None, typer.Option(help='A file of "User: …" and "Assistant: …" lines.')] = None,
    messages: Annotated[
        Path | None, typer.Option(help="A file of JSON Lines: {role, content, conversation, …}.")
    ] = None,
    wait: Annotated[float, typer.Option(help="Seconds to wait until the events are consolidated.")] = 0.0,
    json_output: Json = False,
) -> None:
    """Publish one message, a transcript, or a file of messages."""
    if sum(source is not None for source in (text, transcript, messages)) != 1:
        raise typer.BadParameter("pass exactly one of TEXT, --transcript and --messages")
    if text is not None:
        ids = [namespace.publish(text, role=role, conversation=conversation)]
    elif transcript is not None:
        ids = namespace.publish_conversation(read_file(transcript), conversation=conversation)
    else:
        ids = _publish_file(namespace, messages, conversation) if messages else []
    if wait:
        namespace.wait(timeout=wait)
    print_answer(json_output, {"event_ids": ids}, f"{len(ids)} event{'' if len(ids) == 1 else 's'} published")


def _publish_file(namespace: Namespace, path: Path, conversation: str | None) -> list[UUID]:
    records = list(json_lines(path))
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("publishing", total=len(records))
        return namespace.publish_conversation(records, conversation=conversation, on_sent=lambda: bar.advance(task))


def spool(json_output: Json = False) -> None:
    """Show the events in the local spool that are not known to be in the inbox yet, by namespace."""
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


def _held_in(path: Path) -> SpoolContents:
    with closing(Spool(path, most_bytes=0)) as other:
        return other.held()


def _amount(held: SpoolContents) -> str:
    since = f", the oldest from {_time(held.oldest)}" if held.oldest is not None else ""
    kept = f"; {held.kept:,} received and kept" if held.kept else ""
    return f"{held.events:,} event{'' if held.events == 1 else 's'}, {held.bytes:,} bytes{since}{kept}"


def _plain_held(held: SpoolContents) -> dict[str, Any]:
    return {
        "events": held.events,
        "kept": held.kept,
        "bytes": held.bytes,
        "oldest": _time(held.oldest) if held.oldest is not None else None,
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
