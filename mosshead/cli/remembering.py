"""The commands that write memories by hand, and have what was said thought over."""

from typing import Annotated
from uuid import UUID

import typer

from mosshead.cli.shell import In, Json, open_namespace, print_answer
from mosshead.kinds import MemoryKind
from mosshead.namespace import Namespace

remembering_cli = typer.Typer()

Wait = Annotated[float, typer.Option(help="Seconds to wait until it is carried out.")]


@remembering_cli.command()
def remember(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    content: Annotated[str, typer.Argument(help="What to remember, in the third person.")],
    kind: Annotated[str, typer.Option(help=f"One of {', '.join(MemoryKind)}.")] = MemoryKind.FACT,
    about: Annotated[list[str] | None, typer.Option(help="A name of whom it is about; may be repeated.")] = None,
    replaces: Annotated[str | None, typer.Option(help="The id of the memory that it stands for from here on.")] = None,
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Put a memory down as it is; prints its id."""
    with open_namespace(namespace) as opened:
        memory_id = opened.remember(content, kind=kind, about=about, replaces=replaces)
        _finish(opened, "memory_id", memory_id, wait, as_json=json_output)


@remembering_cli.command()
def forget(
    namespace: In,
    memories: Annotated[list[str], typer.Argument(help="The ids of the memories to close.")],
    reason: Annotated[str | None, typer.Option(help="For the decision log.")] = None,
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Close memories; nothing is removed, and the event's id undoes it."""
    with open_namespace(namespace) as opened:
        _finish(opened, "event_id", opened.forget(memories, reason=reason), wait, as_json=json_output)


@remembering_cli.command()
def reflect(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    kind: Annotated[str | None, typer.Option(help="That kind of reflection alone.")] = None,
    subject: Annotated[str | None, typer.Option(help="That one of the kind alone.")] = None,
    conversation: Annotated[str | None, typer.Option("--conversation", "-c", help="What was said there alone.")] = None,
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Have what was said thought over now, instead of after a quiet time."""
    with open_namespace(namespace) as opened:
        event_id = opened.reflect(kind=kind, subject=subject, conversation=conversation)
        _finish(opened, "event_id", event_id, wait, as_json=json_output)


def _finish(opened: Namespace, name: str, made: UUID, wait: float, *, as_json: bool) -> None:
    if wait:
        opened.wait(timeout=wait)
    print_answer(as_json, {name: made}, f"published: {made}")
