"""Scores who is meant, what is in focus, and what reaches the context, on a world in which many bear one name.

    python -m benchmarks.entities --data tests/data/entities/nurse_and_choir [--budgets 130,260] [--peters 500] [--json]

--data: a folder; the format: tests/data/entities/README.md. Its entities and memories are imported under other names into a
namespace of a service that is started for it (local embeddings, no LLM) and removed afterwards. Asked is the public face alone.
--expansions: also ask with what somebody wrote down of the memories, as an LLM would: JSON Lines of {"id", "phrases"}.
--peters: also ask the same in a crowd with so many bearers of the world's commonest name, and in one with 50, and time it;
--entities and --memories: how large the larger crowd is.
Prints one JSON object last. How the figures are counted: docs/benchmarks.md.
"""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.entities.crowd import Size
from benchmarks.entities.expansions import read_expansions
from benchmarks.entities.report import as_json, tables
from benchmarks.entities.runs import run
from benchmarks.entities.scaling import FEW
from benchmarks.entities.world import WorldError, read_world
from benchmarks.rig import rig


def main(
    *,
    data: Annotated[Path, typer.Option(help="A folder with a world.", exists=True, file_okay=False)],
    budgets: Annotated[str, typer.Option(help="Tokens of contexts, with commas between.")] = "130,260",
    peters: Annotated[int, typer.Option(help="Bearers of the commonest name in a crowd; 0 for no crowd.", min=0)] = 0,
    entities: Annotated[int, typer.Option(help="All who are in the crowd.", min=1)] = 10_000,
    memories: Annotated[int, typer.Option(help="All that is known in the crowd.", min=1)] = 100_000,
    expansions: Annotated[Path | None, typer.Option(help="A file of expansions.", exists=True, dir_okay=False)] = None,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Load a world, ask about it, and score the answers."""
    console = Console(stderr=True, quiet=json_only)
    tokens = _budgets(budgets)
    if 0 < peters <= FEW:
        raise typer.BadParameter(f"--peters: {peters}: give more than {FEW}, which the crowd is held against, or 0")
    try:
        world = read_world(data)
        phrases = read_expansions(expansions) if expansions else {}
    except WorldError as error:
        raise typer.BadParameter(f"--data or --expansions: {error}") from None
    size = Size(bearers=peters, entities=entities, memories=memories) if peters else None
    with rig(concurrency=1, pause=None) as service:
        scores = run(world, service, budgets=tokens, size=size, phrases=phrases, console=console)
    for table in tables(scores):
        console.print(table)
    print(json.dumps(as_json(scores)))


def _budgets(given: str) -> list[int]:
    try:
        return [int(one) for one in given.split(",")]
    except ValueError:
        raise typer.BadParameter(f"--budgets: {given!r}: give whole numbers with commas between, as 130,260") from None


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
