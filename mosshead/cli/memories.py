"""Commands about memories: write, forget, erase, import, export, inspect and undo."""

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from mosshead.api.namespace import Namespace
from mosshead.cli.options import AsOf, In, Wait, print_published
from mosshead.cli.output import Json, console, in_utc, print_answer, table
from mosshead.cli.progress import follow_progress
from mosshead.deadline import ends_within
from mosshead.errors import InvalidEvent
from mosshead.history.mem0 import mem0_dump
from mosshead.models.kinds import MemoryKind
from mosshead.models.memories import Decision
from mosshead.store.export import export_messages

if TYPE_CHECKING:
    from mosshead.publishing.imports import Imported

MemoryId = Annotated[str, typer.Argument(help="A memory's id.")]


def get(namespace: In, memory_id: MemoryId, as_of: AsOf = None, json_output: Json = False) -> None:
    """Show one memory with its sources."""
    found = namespace.get(memory_id, as_of=as_of)
    state = [] if found.state == "active" else [f"  [yellow]{found.state}[/]"]
    signs = {"for": "+", "against": "-"}
    quotes = (f"  {signs[one.stance]} {one.message_id}: {escape(one.quote)}" for one in found.sources)
    print_answer(json_output, {"memory": found}, escape(found.content), *state, *quotes)


def history(namespace: In, memory_id: MemoryId, json_output: Json = False) -> None:
    """List the decisions about a memory, oldest first, with their reasons."""
    found = namespace.decisions.for_memory(memory_id)
    columns = ("when (UTC)", "action", "decided by", "fact", "reason", "decision")
    rows = (
        (in_utc(one.decided_at, "seconds"), one.action, one.decided_by, one.fact.get("content"), _outcome(one), one.id)
        for one in found
    )
    print_answer(json_output, {"decisions": found}, table(columns, rows))


def undo(
    namespace: In,
    decision_id: Annotated[str, typer.Argument(help="A decision's id, as 'mosshead history' shows it.")],
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Undo a decision. The undo is itself a decision and can be undone."""
    print_published(namespace, namespace.undo(decision_id), wait, as_json=json_output)


class ExportForm(StrEnum):
    """What an export contains: the memories, in the form of docs/how-to/import-and-export.md or of Mem0, or the messages."""

    RECORDS = "records"
    JSONL = "jsonl"
    MEM0 = "mem0"


def export(
    namespace: In,
    as_of: AsOf = None,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds allowed for reading.")] = 600.0,
    form: Annotated[
        ExportForm,
        typer.Option(
            "--format", help="records: memories and entities; jsonl: messages; mem0: memories in Mem0's format."
        ),
    ] = ExportForm.RECORDS,
) -> None:
    """Export everything known in a namespace as JSON Lines."""
    if form is ExportForm.JSONL and as_of is not None:
        raise InvalidEvent("--as-of: does not apply to messages; omit it, or export records or mem0")
    with ends_within(namespace.session.engine, timeout):
        said = form is ExportForm.JSONL
        lines = namespace.session.fetch(export_messages) if said else list(namespace.export(as_of=as_of))
    if form is ExportForm.MEM0:
        lines = [mem0_dump(lines, namespace.path.parts[-1])]
    for line in lines:
        console.out(line, highlight=False)


def _outcome(decision: Decision) -> str:
    if decision.refused is not None:
        return f"{decision.reason} (refused: {decision.refused})"
    return decision.reason if decision.in_effect else f"{decision.reason} (undone)"


def erase(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    memories: Annotated[list[str] | None, typer.Argument(help="The ids of memories.")] = None,
    conversation: Annotated[
        str | None,
        typer.Option(
            "--conversation", "-c", help="A conversation's messages, with everything derived from them alone."
        ),
    ] = None,
    entity: Annotated[str | None, typer.Option(help="The id of an entity, with everything known about it.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="The whole namespace.")] = False,
    message: Annotated[
        str | None, typer.Option(help="The id of a message, with everything derived from it alone.")
    ] = None,
    replacement: Annotated[str | None, typer.Option("--with", help="Publish the message again with this text.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    wait: Annotated[float, typer.Option(help="Seconds to wait for the receipt.")] = 30.0,
    json_output: Json = False,
) -> None:
    """Delete data permanently and print the receipt. This cannot be undone; 'mosshead forget' can."""
    if not (yes or (console.is_terminal and typer.confirm("This deletes data permanently. Continue?"))):
        raise InvalidEvent("nothing was erased; answer y, or pass --yes")
    if message is None:
        if replacement is not None:
            raise InvalidEvent("--with: needs --message")
        erasure_id = namespace.erase(memories or (), conversation=conversation, entity=entity, everything=everything)
    else:
        if memories or conversation or entity or everything:
            raise InvalidEvent("--message: cannot be combined with other things to erase")
        one = namespace.messages
        erasure_id = one.erase(message) if replacement is None else one.replace(message, replacement).erasure_id
    if wait:
        namespace.wait(timeout=wait)
    receipt = namespace.erasures.get(erasure_id)
    if receipt is None:
        print_answer(json_output, {"event_id": erasure_id}, f"published: {erasure_id}")
    else:
        rows = (f"  {count} of {table}" for table, count in receipt.rows.items())
        final = f"  final at {in_utc(receipt.final_at)} (UTC)"
        print_answer(json_output, {"receipt": receipt}, f"erased: {erasure_id}", *rows, final)


def receipts(namespace: In, json_output: Json = False) -> None:
    """List a namespace's erasure receipts, newest first."""
    found = namespace.erasures.list()
    columns = ("erased (UTC)", "scope", "rows", "late events dropped", "gone from disk", "receipt")
    rows = (
        (
            in_utc(one.erased_at),
            one.scope,
            sum(one.rows.values()),
            one.late,
            in_utc(one.rewritten_at) if one.rewritten_at else "not yet",
            one.id,
        )
        for one in found
    )
    print_answer(json_output, {"receipts": found}, table(columns, rows))


def import_file(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    file: Annotated[
        Path,
        typer.Argument(help="An export: a file, folder or zip; docs/how-to/import-and-export.md lists the formats."),
    ],
    wait: Annotated[float, typer.Option(help="Seconds to wait until everything is consolidated.")] = 0.0,
    form: Annotated[str | None, typer.Option("--format", help="The export's format; detected by default.")] = None,
    speakers: Annotated[
        list[str] | None, typer.Option(help="The role of a speaker in a chat: Max=user; may be repeated.")
    ] = None,
    zone: Annotated[
        str | None, typer.Option(help="The zone of times without one, such as Europe/Berlin; local by default.")
    ] = None,
    date_order: Annotated[
        str | None, typer.Option(help="The order of WhatsApp dates: day, month or year first.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be imported, and publish nothing.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Import memories or chats from an export. Importing the same file again changes nothing."""
    from mosshead.cli.history import import_history, lines_of

    with Progress(console=Console(stderr=True), transient=True) as bar:
        report: object
        lines = lines_of(file, form)
        if lines is None:
            history = report = import_history(
                namespace, file, form, speakers or (), zone=zone, order=date_order, dry_run=dry_run, bar=bar
            )
            said = history.text
        else:
            brought = report = _import_records(namespace, lines, bar, dry_run=dry_run)
            skipped = "".join(f"; {count:,} of type {kind} skipped" for kind, count in brought.skipped.items())
            done = "would be published" if dry_run else "published"
            said = f"{brought.entities:,} entities and {brought.memories:,} memories {done}{skipped}"
        if wait and not dry_run:
            follow_progress(namespace, bar, wait)
    print_answer(json_output, {"imported": report}, said)


def _import_records(namespace: Namespace, lines: Iterable[str], bar: Progress, *, dry_run: bool) -> "Imported":
    if dry_run:
        from mosshead.publishing.imports import Imported, check_lines
        from mosshead.store.entities import known_keys

        return Imported.of(check_lines(lines, lambda keys: namespace.session.fetch(known_keys, keys)), ())
    task = bar.add_task("publishing", total=None)
    return namespace.import_records(lines, on_sent=lambda sent, of: bar.update(task, completed=sent, total=of))


def remember(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    content: Annotated[str, typer.Argument(help="What to remember, in the third person.")],
    kind: Annotated[str, typer.Option(help=f"One of {', '.join(MemoryKind)}.")] = MemoryKind.FACT,
    about: Annotated[list[str] | None, typer.Option(help="The name of an entity it is about; may be repeated.")] = None,
    replaces: Annotated[str | None, typer.Option(help="The id of the memory that it replaces.")] = None,
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Store a memory verbatim and print its id."""
    memory_id = namespace.remember(content, kind=kind, about=about, replaces=replaces)
    print_published(namespace, memory_id, wait, as_json=json_output, name="memory_id")


def forget(
    namespace: In,
    memories: Annotated[list[str], typer.Argument(help="The ids of the memories to close.")],
    reason: Annotated[str | None, typer.Option(help="A note for the decision log.")] = None,
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Close memories without deleting them. Undo it by the event's id."""
    print_published(namespace, namespace.forget(memories, reason=reason), wait, as_json=json_output)


def reflect(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    kind: Annotated[str | None, typer.Option(help="Run only this kind of reflection.")] = None,
    subject: Annotated[str | None, typer.Option(help="Reflect only on this subject.")] = None,
    conversation: Annotated[
        str | None, typer.Option("--conversation", "-c", help="Reflect only on this conversation.")
    ] = None,
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Start reflection now instead of after a quiet period."""
    event_id = namespace.reflect(kind=kind, subject=subject, conversation=conversation)
    print_published(namespace, event_id, wait, as_json=json_output)
