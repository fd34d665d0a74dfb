"""Commands for prompts, stories and the focus of a conversation."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.text import Text

from mosshead.cli.options import Conversation, In, Wait, print_published
from mosshead.cli.output import Json, in_utc, json_lines, print_answer, read_file, spelt_out, table
from mosshead.contrib.prompts import Prompts
from mosshead.events.transcripts import turns
from mosshead.models.memories import Entity
from mosshead.serialization import to_json

if TYPE_CHECKING:
    from mosshead.contrib.focus import TrackedTurn

prompts_cli = typer.Typer(help="Manage the app's versioned prompts.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The prompt's name.")]


@prompts_cli.command("list")
def list_prompts(namespace: In, json_output: Json = False) -> None:
    """List the current version of every prompt."""
    found = Prompts(namespace).all()
    columns = ("name", "version", "since (UTC)", "made by", "feedback waiting", "reason")
    rows = ((one.name, one.version, in_utc(one.at), one.made_by, one.feedback_waiting, one.reason) for one in found)
    print_answer(json_output, {"prompts": found}, table(columns, rows))


@prompts_cli.command()
def show(
    namespace: In,
    name: Name,
    version: Annotated[int | None, typer.Option(help="Version; the latest by default.")] = None,
    json_output: Json = False,
) -> None:
    """Show the text of a prompt."""
    found = Prompts(namespace).get(name, version=version)
    print_answer(json_output, {"prompt": found}, Text(spelt_out(found.text)))


@prompts_cli.command()
def versions(namespace: In, name: Name, json_output: Json = False) -> None:
    """List the versions of a prompt, oldest first."""
    found = Prompts(namespace).versions(name)
    rows = ((one.version, in_utc(one.at), one.made_by, one.reason) for one in found)
    print_answer(json_output, {"versions": found}, table(("version", "since (UTC)", "made by", "reason"), rows))


@prompts_cli.command()
def diff(
    namespace: In,
    name: Name,
    old: Annotated[int, typer.Argument(help="The old version.")],
    new: Annotated[int, typer.Argument(help="The new version.")],
    json_output: Json = False,
) -> None:
    """Show the changes between two versions of a prompt."""
    found = Prompts(namespace).diff(name, old, new)
    print_answer(json_output, {"diff": found}, Text(spelt_out(found)))


@prompts_cli.command()
def rollback(
    namespace: In,
    name: Name,
    to: Annotated[int, typer.Argument(help="The version to restore.")],
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Restore an earlier text as a new version."""
    print_published(namespace, Prompts(namespace).roll_back(name, to=to), wait, as_json=json_output)


def story(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    request: Annotated[str, typer.Argument(help='What to tell, such as "what happened with WOBS in 2023?".')],
    conversation: Conversation = None,
    budget: Annotated[int, typer.Option(help="Maximum number of tokens of evidence.")] = 2000,
    explain: Annotated[bool, typer.Option(help="Show the evidence with its ids and how it was found.")] = False,
    json_output: Json = False,
) -> None:
    """Tell what is known about an entity in chronological order, without an LLM."""
    from mosshead.contrib.stories import tell_story

    told = tell_story(namespace, request, conversation=conversation, budget=budget, on_timeout="raise")
    columns = ("number", "when", "found by", "id", "memory or message")
    rows = ((one.number, one.when, ", ".join(one.found_by), one.id, one.shown) for one in told.evidence)
    sentences = [{"text": one.text, "evidence": one.numbers} for one in told.sentences]
    answer = {**to_json(told), "sentences": sentences}
    remarks = [one.text for one in told.questions] or ([told.reason] if told.reason else [])
    shown = [table(columns, rows) if explain else escape(told.text)] if told.sentences else []
    print_answer(json_output, answer, *shown, *(f"[yellow]{escape(one)}[/]" for one in remarks))


def track(
    namespace: In,
    conversation: Annotated[
        str | None, typer.Option("--conversation", "-c", help="Use the latest stored messages of this conversation.")
    ] = None,
    transcript: Annotated[Path | None, typer.Option(help='A file of "User: …" and "Assistant: …" lines.')] = None,
    messages: Annotated[Path | None, typer.Option(help="A file of JSON Lines: {role, content}.")] = None,
    json_output: Json = False,
) -> None:
    """Track the focus of a conversation after each user turn, and resolve its pronouns."""
    if sum(source is not None for source in (conversation, transcript, messages)) != 1:
        raise typer.BadParameter("pass exactly one of --conversation, --transcript and --messages")
    history = _history(transcript, messages)
    from mosshead.contrib.focus import track_conversation

    found = track_conversation(namespace, history, conversation=conversation)
    columns = ("turn", "scene", "topic", "mentions", "references")
    answer = {"turns": found.turns, "state": found.state.to_json()}
    print_answer(json_output, answer, table(columns, map(_row, found.turns)))


def _history(transcript: Path | None, messages: Path | None) -> list[dict[str, Any]]:
    if transcript is not None:
        return [{"role": turn.role, "content": turn.content} for turn in turns(read_file(transcript))]
    return list(json_lines(messages)) if messages is not None else []


def _row(turn: "TrackedTurn") -> tuple[object, ...]:
    layers = (_names([one.entity for one in layer]) for layer in (turn.scene, turn.topic, turn.mentions))
    return (turn.place, *layers, "; ".join(f"{one.text}: {_names(one.entities)}" for one in turn.references))


def _names(entities: Sequence[Entity]) -> str:
    """Join entity names, using the longest form: "Peter" alone may be ambiguous."""
    return ", ".join(max((one.name, *one.aliases), key=len) for one in entities)
