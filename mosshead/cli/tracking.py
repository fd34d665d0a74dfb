"""The command that shows what a conversation has in focus."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from mosshead.cli.shell import In, Json, json_lines, new_table, open_namespace, print_answer, read_file
from mosshead.results import Entity
from mosshead.tracking.tracked import InFocus
from mosshead.transcript import turns

tracking_cli = typer.Typer()


@tracking_cli.command()
def track(
    namespace: In,
    conversation: Annotated[
        str | None, typer.Option("--conversation", "-c", help="Its latest stored messages.")
    ] = None,
    transcript: Annotated[Path | None, typer.Option(help='A file of "User: …" and "Assistant: …" lines.')] = None,
    messages: Annotated[Path | None, typer.Option(help="A file of JSON Lines: {role, content}.")] = None,
    json_output: Json = False,
) -> None:
    """What a conversation is about after each turn of the user, and whom its pronouns mean."""
    if sum(source is not None for source in (conversation, transcript, messages)) != 1:
        raise typer.BadParameter("give exactly one of --conversation, --transcript and --messages")
    history = _history(transcript, messages)
    with open_namespace(namespace) as opened:
        found = opened.track(history, conversation=conversation)
    shown = new_table("turn", "scene", "topic", "mentions", "references")
    for turn in found.turns:
        references = (f"{one.text}: {_names(one.entities)}" for one in turn.references)
        layers = (_names(_entities(layer)) for layer in (turn.scene, turn.topic, turn.mentions))
        shown.add_row(str(turn.place), *map(escape, layers), escape("; ".join(references)))
    print_answer(json_output, {"turns": found.turns, "state": found.state.to_json()}, shown)


def _history(transcript: Path | None, messages: Path | None) -> list[dict[str, Any]]:
    if transcript is not None:
        return [{"role": turn.role, "content": turn.content} for turn in turns(read_file(transcript))]
    return list(json_lines(messages)) if messages is not None else []


def _entities(layer: Sequence[InFocus]) -> list[Entity]:
    return [one.entity for one in layer]


def _names(entities: Sequence[Entity]) -> str:
    """Full names where there are any: "Peter" alone would not say which."""
    return ", ".join(max((one.name, *one.aliases), key=len) for one in entities)
