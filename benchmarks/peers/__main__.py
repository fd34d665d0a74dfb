"""Mosshead beside mem0 and langmem: one conversation, one embedder, one Postgres, and one model that is never wrong.

    make peers                                                    # once: .venv-peers from requirements-peers.lock
    python -m benchmarks.peers [--data locomo.json] [--llm-ms 500] [--json]

--data: a file of LoCoMo (snap-research/LoCoMo; CC BY-NC 4.0, so bring your own), or a folder with one; else a small
conversation of the project's own. Each system is told the conversation and then asked its questions. Whatever asks the LLM gets
the facts that the data hold, in the same words, after --llm-ms. Prints one JSON object last. What is measured, and how the
peers are set up: docs/explanation/peers.md.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.peers.conversation import Conversation, DataError, data_file, read_conversation
from benchmarks.peers.conversing import SystemFailed
from benchmarks.peers.scoring import Row
from benchmarks.peers.systems import PeersMissing, check_peers, run
from workers.local.processes import ROOT

_SMALL = Path(__file__).with_name("small.json")
_PEERS = ROOT / ".venv-peers" / "bin" / "python"


def main(
    *,
    data: Annotated[Path, typer.Option(help="A file of LoCoMo, or its folder.", exists=True)] = _SMALL,
    conversation: Annotated[str | None, typer.Option(help="By its sample_id; the first by default.")] = None,
    sessions: Annotated[int | None, typer.Option(min=1, help="The first so many; all by default.")] = None,
    llm_ms: Annotated[float, typer.Option(min=0, help="What an answer of the LLM takes.")] = 500.0,
    python: Annotated[Path, typer.Option(help="The interpreter of the peers' environment.")] = _PEERS,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Tell one conversation to each system, ask its questions, and compare."""
    console = Console(stderr=True, quiet=json_only)
    try:
        told = read_conversation(data_file(data), conversation, sessions)
        check_peers(python)
    except DataError as error:
        raise typer.BadParameter(f"--data: {error}") from None
    except PeersMissing as error:
        raise typer.BadParameter(str(error)) from None
    try:
        rows = run(told, python=python, llm_seconds=llm_ms / 1000, on_start=lambda name: console.print(f"{name} …"))
    except SystemFailed as error:
        sys.exit(f"no figures: {error}")
    console.print(_table(told, rows, llm_ms))
    print(json.dumps({name: asdict(row) for name, row in rows.items()}))


def _table(told: Conversation, rows: dict[str, Row], llm_ms: float) -> Table:
    title = (
        f"{told.name}: {told.messages} messages in {len(told.sessions)} sessions, {len(told.facts)} facts, "
        f"{len(told.questions)} questions; an answer of the LLM takes {llm_ms:g} ms"
    )
    table = Table("", title=title)
    for column in (
        "blocking ms\na message",
        "LLM\ncalls",
        "prompt\ntokens",
        "embedding\ncalls",
        "search\np50 ms",
        "recall\n@10",
    ):
        table.add_column(column, justify="right")
    for name, row in rows.items():
        calls = (f"{row.llm_calls:,}", f"{row.prompt_tokens:,}", f"{row.embedding_calls:,}")
        table.add_row(
            name, f"{row.blocking_ms_per_message:.2f}", *calls, f"{row.search_p50_ms:.1f}", f"{row.recall_at_10:.3f}"
        )
    return table


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
