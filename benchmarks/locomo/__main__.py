"""Scores which messages are found for questions about long conversations.

    python -m benchmarks.locomo --data DIR [--facts] [--json]

--data: a folder with ``locomo-*.json`` files in the layout of LoCoMo (snap-research/LoCoMo; CC BY-NC 4.0, so bring your own);
tests/data/locomo has a small one. Each conversation is published into a namespace of a service that is started for it (local
embeddings) and removed afterwards, and each question is asked by `Namespace.messages.search` and `Namespace.context`.
--facts: with an LLM that finds the facts which the data hold; by default without an LLM.
Prints one JSON object last. How the figures are counted: docs/benchmarks.md.
"""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.locomo.conversations import DataError, read_conversations
from benchmarks.locomo.report import as_json, table
from benchmarks.locomo.running import run


def main(
    *,
    data: Annotated[Path, typer.Option(help="A folder with locomo-*.json.", exists=True, file_okay=False)],
    facts: Annotated[bool, typer.Option("--facts", help="With an LLM that finds the data's own facts.")] = False,
    fill: Annotated[bool, typer.Option("--fill", help="With contexts that fill their budget.")] = False,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Publish the conversations, ask their questions, and score what was found."""
    console = Console(stderr=True, quiet=json_only)
    try:
        conversations = read_conversations(data)
    except DataError as error:
        raise typer.BadParameter(f"--data: {error}") from None
    measured = run(conversations, facts=facts, console=console, fill=fill)
    console.print(table(measured))
    print(json.dumps(as_json(measured)))


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
