"""The command that goes from entity to entity."""

from typing import Annotated

import typer
from rich.markup import escape

from mosshead.cli.shell import AsOf, In, Json, new_table, open_namespace, print_answer

graph_cli = typer.Typer()


@graph_cli.command()
def neighbours(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    entity: Annotated[str, typer.Argument(help="A name, an alias or an id.")],
    depth: Annotated[int, typer.Option(help="How many edges away at most, up to 4.")] = 2,
    fan_out: Annotated[int, typer.Option(help="How many edges of each entity are followed, up to 200.")] = 20,
    as_of: AsOf = None,
    json_output: Json = False,
) -> None:
    """What is related to an entity, and to that, the nearest first."""
    with open_namespace(namespace) as opened:
        found = opened.neighbours(entity, depth=depth, fan_out=fan_out, as_of=as_of)
    table = new_table("distance", "entity", "type", "edge", "memory")
    for one in found:
        edge = f"{one.predicate} ->" if one.direction == "out" else f"<- {one.predicate}"
        said_by = str(one.memory_id) if one.memory_id else ""
        table.add_row(str(one.distance), escape(one.name), one.entity_type, escape(edge), said_by)
    print_answer(json_output, {"neighbours": found}, table)
