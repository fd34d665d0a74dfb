"""The commands that tell who is who: the entities of a namespace, and whom a name means."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from mosshead.cli.shell import In, Json, json_lines, new_table, open_namespace, print_answer

entity_cli = typer.Typer()


@entity_cli.command()
def entities(namespace: In, json_output: Json = False) -> None:
    """Whom and what the memories are about."""
    with open_namespace(namespace) as opened:
        found = opened.entities()
    table = new_table("memories", "type", "name", "known as", "what tells it apart", "part of")
    for one in found:
        known_as = escape(", ".join(one.aliases))
        apart = escape(one.description or "")
        table.add_row(str(one.memories), one.entity_type, escape(one.name), known_as, apart, escape(one.parent or ""))
    print_answer(json_output, {"entities": found}, table)


@entity_cli.command()
def resolve(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    text: Annotated[str, typer.Argument(help="What is said.")],
    mention: Annotated[
        str | None, typer.Option(help="The name in it; else one that several bear is looked for.")
    ] = None,
    history: Annotated[
        Path | None, typer.Option(help="A file of the turns before, JSON Lines: {role, content}.")
    ] = None,
    conversation: Annotated[str | None, typer.Option("--conversation", "-c")] = None,
    json_output: Json = False,
) -> None:
    """Whom a name in a text means: somebody, a question which of several, or nobody known."""
    before = list(json_lines(history)) if history is not None else []
    with open_namespace(namespace) as opened:
        found = opened.resolve(text, mention=mention, history=before, conversation=conversation)
    table = new_table("score", "name", "what tells it apart", "id")
    for one in found.candidates:
        table.add_row(f"{one.score:.2f}", escape(one.name), escape(one.description), str(one.entity_id))
    told = found.question.text if found.question else f"{found.mention or 'nobody'}: {found.status}"
    print_answer(json_output, {"resolved": found}, escape(told), *([table] if found.candidates else []))
