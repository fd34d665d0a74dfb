"""The commands about who is who: what is open, and its answer; entities that are one, or two."""

from collections.abc import Iterator
from typing import Annotated
from uuid import UUID

import typer
from rich.markup import escape

from mosshead.asking import Question
from mosshead.cli.shell import In, Json, open_namespace, print_answer
from mosshead.namespace import Namespace

identity_cli = typer.Typer()

Wait = Annotated[float, typer.Option(help="Seconds to wait until it is carried out.")]


@identity_cli.command()
def questions(namespace: In, json_output: Json = False) -> None:
    """Whom a mention means, where the words left it open; with what waits for the answer."""
    with open_namespace(namespace) as opened:
        found = opened.questions()
    print_answer(json_output, {"questions": found}, *(line for one in found for line in _lines(one)))


@identity_cli.command()
def clarify(
    namespace: In,
    question_id: Annotated[str, typer.Argument(help="A question's id, as 'mosshead questions' shows it.")],
    entity_id: Annotated[str | None, typer.Argument(help="Who is meant, by id; left out: somebody new.")] = None,
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Answer a question: what waits for it is linked, and the answer is kept. The event's id undoes it."""
    with open_namespace(namespace) as opened:
        _finish(opened, opened.clarify(question_id, entity_id), wait, as_json=json_output)


@identity_cli.command()
def merge(
    namespace: In,
    entity_id: Annotated[str, typer.Argument(help="Who is somebody else, by id.")],
    into: Annotated[str, typer.Argument(help="Who they are, by id.")],
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Say that two entities are one. The event's id undoes it."""
    with open_namespace(namespace) as opened:
        _finish(opened, opened.merge(entity_id, into), wait, as_json=json_output)


@identity_cli.command()
def split(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    entity_id: Annotated[str, typer.Argument(help="Who is two, by id.")],
    memories: Annotated[list[str], typer.Argument(help="The ids of the memories that are about the other.")],
    name: Annotated[str | None, typer.Option(help="The other's name; the same by default.")] = None,
    alias: Annotated[list[str] | None, typer.Option(help="Another name of the other's; may be repeated.")] = None,
    description: Annotated[str | None, typer.Option(help="What tells the other apart.")] = None,
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Say that one entity is two. The event's id is the new entity's, and undoes it."""
    with open_namespace(namespace) as opened:
        event_id = opened.split(entity_id, memories, name=name, aliases=alias or (), description=description)
        _finish(opened, event_id, wait, as_json=json_output)


def _lines(question: Question) -> Iterator[str]:
    yield f"[yellow]{escape(question.text)}[/]  {question.id}"
    yield from (f"  waits: {escape(memory)}" for memory in question.memories)
    yield from (f"  {one.entity_id}  {escape(one.description)}" for one in question.candidates)


def _finish(opened: Namespace, event_id: UUID, wait: float, *, as_json: bool) -> None:
    if wait:
        opened.wait(timeout=wait)
    print_answer(as_json, {"event_id": event_id}, f"published: {event_id}")
