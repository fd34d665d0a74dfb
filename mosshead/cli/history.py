"""The commands that look back: a memory and what was decided about it, an export, and the undo of a decision."""

from typing import Annotated

import typer
from rich.markup import escape

from mosshead.cli.shell import AsOf, In, Json, console, in_utc, new_table, open_namespace, print_answer
from mosshead.decisions import Decision

history_cli = typer.Typer()

MemoryId = Annotated[str, typer.Argument(help="A memory's id.")]


@history_cli.command()
def get(namespace: In, memory_id: MemoryId, as_of: AsOf = None, json_output: Json = False) -> None:
    """One memory, with the words that it was taken from."""
    with open_namespace(namespace) as opened:
        found = opened.get(memory_id, as_of=as_of)
    state = [] if found.state == "active" else [f"  [yellow]{found.state}[/]"]
    quotes = (f"  {_sign(source.stance)} {source.message_id}: {escape(source.quote)}" for source in found.sources)
    print_answer(json_output, {"memory": found}, escape(found.content), *state, *quotes)


@history_cli.command()
def history(namespace: In, memory_id: MemoryId, json_output: Json = False) -> None:
    """What was decided about a memory, in order, and why."""
    with open_namespace(namespace) as opened:
        found = opened.decisions(memory_id)
    shown = new_table("when (UTC)", "action", "decided by", "fact", "reason", "decision")
    for one in found:
        when, fact = in_utc(one.decided_at, "seconds"), escape(str(one.fact.get("content", "")))
        shown.add_row(when, one.action, escape(one.decided_by), fact, escape(_outcome(one)), str(one.id))
    print_answer(json_output, {"decisions": found}, shown)


@history_cli.command()
def undo(
    namespace: In,
    decision_id: Annotated[str, typer.Argument(help="A decision's id, as 'mosshead history' shows it.")],
    wait: Annotated[float, typer.Option(help="Seconds to wait until it is carried out.")] = 0.0,
    json_output: Json = False,
) -> None:
    """Take back what a decision did; the undo is a decision too, and can be undone."""
    with open_namespace(namespace) as opened:
        event_id = opened.undo(decision_id)
        if wait:
            opened.wait(timeout=wait)
    print_answer(json_output, {"event_id": event_id}, f"published: {event_id}")


@history_cli.command()
def export(
    namespace: In,
    as_of: AsOf = None,
    seconds: Annotated[float, typer.Option(min=1, help="Seconds that reading it may take.")] = 600.0,
) -> None:
    """All that is known of a namespace, as JSON Lines."""
    with open_namespace(namespace, read_seconds=seconds) as opened:
        for line in opened.export(as_of=as_of):
            console.out(line, highlight=False)


def _sign(stance: str) -> str:
    return "+" if stance == "for" else "-"


def _outcome(decision: Decision) -> str:
    if decision.refused is not None:
        return f"{decision.reason} (refused: {decision.refused})"
    return decision.reason if decision.in_effect else f"{decision.reason} (taken back)"
