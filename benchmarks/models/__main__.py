"""Scores an LLM on the data of other benchmarks, and counts what was refused of its answers and what they cost.

    OPENAI_BASE_URL=http://127.0.0.1:11434/v1 MOSSHEAD_LLM_MODEL=NAME python -m benchmarks.models
        --data tests/data/extraction --data tests/data/locomo --data tests/data/entities/nurse_and_choir
        [--messages 60] [--price-in 0.15] [--price-out 0.60] [--memories FILE] [--patience SECONDS] [--json]

The model is the one that OPENAI_BASE_URL, OPENAI_API_KEY and MOSSHEAD_LLM_MODEL name. --data: what `benchmarks.extraction`,
`.locomo` or `.entities` takes, or a file of messages such as examples/sample.jsonl, of which nothing is scored; told by its
content. Cases go through the service's stages in this process, all else through a whole service.
--messages: so many of each data at most, for a model that is slow; MOSSHEAD_LLM_TIMEOUT,
MOSSHEAD_STAGE_SECONDS and MOSSHEAD_BATCH_MESSAGES give it its time. --price-in, --price-out: of a million tokens. --memories: a
file for every memory, with what was said in its sources, a JSON object to the line. --patience: for one batch of a case, or for
a conversation.
Prints one JSON object last. How its figures are counted: docs/benchmarks.md.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from benchmarks.extraction.providers import NoModel, Provider, environment_of
from benchmarks.locomo.conversations import DataError
from benchmarks.models.data import read_data
from benchmarks.models.outcome import Price
from benchmarks.models.report import table
from benchmarks.models.running import Run
from config.settings import Settings


def main(
    *,
    data: Annotated[list[Path], typer.Option(help="What another benchmark takes; may be repeated.", exists=True)],
    messages: Annotated[int | None, typer.Option(min=1, help="So many of each data at most.")] = None,
    price_in: Annotated[float, typer.Option(min=0, help="Of a million tokens that are sent.")] = 0.0,
    price_out: Annotated[float, typer.Option(min=0, help="Of a million tokens that are answered.")] = 0.0,
    memories: Annotated[Path | None, typer.Option(help="Write every memory and its sources to this file.")] = None,
    patience: Annotated[
        float, typer.Option(min=1, help="Seconds to wait for a batch, or for a conversation.")
    ] = 3600.0,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Take each of the data through the service with the model, and score what came of it."""
    console = Console(stderr=True, quiet=json_only)
    price = Price(price_in, price_out)
    try:
        given = {str(path): read_data(path, messages) for path in data}
        with environment_of(Provider.OPENAI, ()) as environment:
            run = Run(environment, patience, console)
            measured = [run.measure(name, one) for name, one in given.items()]
    except DataError as error:
        raise typer.BadParameter(f"--data: {error}") from None
    except NoModel as skipped:
        Console(stderr=True).print(str(skipped))
        return
    model = environment.get("MOSSHEAD_LLM_MODEL", Settings().llm_model)
    for one in measured:
        console.print(table(one, price, model=model))
    if memories is not None:
        _write(memories, [memory for one in measured for memory in one.memories])
    print(json.dumps({"model": model, "data": {one.data: one.as_json(price) for one in measured}}))


def _write(file: Path, memories: Sequence[Mapping[str, Any]]) -> None:
    lines = (json.dumps(memory, ensure_ascii=False) for memory in memories)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
