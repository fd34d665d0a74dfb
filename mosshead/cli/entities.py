"""Commands about entities: list, resolve, merge and split them, and follow the graph."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from mosshead.cli.options import AsOf, Conversation, In, Wait, print_published
from mosshead.cli.output import Json, json_lines, print_answer, table
from mosshead.models.questions import Question
from mosshead.store.entities import Neighbour


def entities(namespace: In, json_output: Json = False) -> None:
    """List the namespace's entities, ordered by number of memories."""
    found = namespace.entities.list()
    columns = ("memories", "type", "name", "known as", "what tells it apart", "part of")
    rows = (
        (one.memories, one.entity_type, one.name, ", ".join(one.aliases), one.description, one.parent) for one in found
    )
    print_answer(json_output, {"entities": found}, table(columns, rows))


def resolve(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    text: Annotated[str, typer.Argument(help="The text.")],
    mention: Annotated[
        str | None, typer.Option(help="A name in the text; by default one is found, ambiguous names first.")
    ] = None,
    history: Annotated[
        Path | None, typer.Option(help="A JSON Lines file of the preceding turns: {role, content}.")
    ] = None,
    conversation: Conversation = None,
    json_output: Json = False,
) -> None:
    """Resolve a name in a text to an entity, or to a question if it is ambiguous."""
    before = list(json_lines(history)) if history is not None else []
    found = namespace.resolve(text, mention=mention, history=before, conversation=conversation)
    columns = ("score", "name", "what tells it apart", "id")
    rows = [(f"{one.score:.2f}", one.name, one.description, one.entity_id) for one in found.candidates]
    told = found.question.text if found.question else f"{found.mention or 'nobody'}: {found.status}"
    print_answer(json_output, {"resolved": found}, escape(told), *([table(columns, rows)] if rows else []))


def neighbours(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    entity: Annotated[str, typer.Argument(help="A name, an alias or an id.")],
    depth: Annotated[int, typer.Option(help="Maximum number of edges away, up to 4.")] = 2,
    fan_out: Annotated[int, typer.Option(help="Maximum number of edges followed per entity, up to 200.")] = 20,
    as_of: AsOf = None,
    json_output: Json = False,
) -> None:
    """List the entities connected to an entity, nearest first."""
    found = namespace.entities.neighbours(entity, depth=depth, fan_out=fan_out, as_of=as_of)
    columns = ("distance", "entity", "type", "edge", "memory")
    rows = ((one.distance, one.name, one.entity_type, _edge(one), one.memory_id) for one in found)
    print_answer(json_output, {"neighbours": found}, table(columns, rows))


def questions(namespace: In, json_output: Json = False) -> None:
    """List open questions about ambiguous mentions, with the memories that wait for the answers."""
    found = namespace.entities.questions()
    print_answer(json_output, {"questions": found}, *(line for one in found for line in _lines(one)))


def clarify(
    namespace: In,
    question_id: Annotated[str, typer.Argument(help="A question's id, as 'mosshead questions' shows it.")],
    entity_id: Annotated[
        str | None, typer.Argument(help="The id of the entity meant; omit it for a new entity.")
    ] = None,
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Answer a question and link the memories that wait for it. Undo it by the event's id."""
    print_published(namespace, namespace.entities.clarify(question_id, entity_id), wait, as_json=json_output)


def merge(
    namespace: In,
    entity_id: Annotated[str, typer.Argument(help="The id of the entity to merge.")],
    into: Annotated[str, typer.Argument(help="The id of the entity that stays.")],
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Merge an entity into another. Undo it by the event's id."""
    print_published(namespace, namespace.entities.merge(entity_id, into), wait, as_json=json_output)


def split(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    entity_id: Annotated[str, typer.Argument(help="The id of the entity to split.")],
    memories: Annotated[list[str], typer.Argument(help="The ids of the memories to move to the new entity.")],
    name: Annotated[str | None, typer.Option(help="The new entity's name; by default the old one's.")] = None,
    alias: Annotated[list[str] | None, typer.Option(help="An alias of the new entity; may be repeated.")] = None,
    description: Annotated[str | None, typer.Option(help="A description of the new entity.")] = None,
    wait: Wait = 0.0,
    json_output: Json = False,
) -> None:
    """Split an entity in two. The event's id is the new entity's; undo the split by it."""
    event_id = namespace.entities.split(entity_id, memories, name=name, aliases=alias or (), description=description)
    print_published(namespace, event_id, wait, as_json=json_output)


def _edge(one: Neighbour) -> str:
    return f"{one.predicate} ->" if one.direction == "out" else f"<- {one.predicate}"


def _lines(question: Question) -> Iterator[str]:
    yield f"[yellow]{escape(question.text)}[/]  {question.id}"
    yield from (f"  waits: {escape(memory)}" for memory in question.memories)
    yield from (f"  {one.entity_id}  {escape(one.description)}" for one in question.candidates)
