"""How long a read takes in a large table, beside the least that it could take in the same run.

    python -m benchmarks.reading [--rows 1000000] [--rounds 200] [--json]

A Postgres is started, filled and removed. Namespaces of 100, 1,000, 10,000 and 100,000 memories are asked, as far as the rows
allow, with a new text every time, so that no cache answers; the largest has its index. Then threads share one `Memory`.
Prints one JSON object last. docs/benchmarks.md tells how the figures are counted.
"""

import gc
import json
import time
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.reading.database import database
from benchmarks.reading.floors import Bare
from benchmarks.reading.layout import Space, layout
from benchmarks.reading.loading import Known, load
from benchmarks.reading.measuring import Sized, measure
from benchmarks.reading.report import Report, tables
from benchmarks.reading.side_by_side import together
from benchmarks.sentences import sentences
from db.search_indexes import OUTGROWN
from mosshead import Memory
from mosshead.embeddings import MiniLM
from workers.cli.indexing import index_scopes

_THREADS = (1, 8)
_READ_SECONDS = 60.0
"""Long: what is slow here is to be seen as slow, and not as late."""


def main(
    *,
    rows: Annotated[
        int, typer.Option(help="Memories in the table; a million load in some minutes.", min=10_000)
    ] = 1_000_000,
    rounds: Annotated[int, typer.Option(help="Reads of each kind for each size.", min=10)] = 200,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Load, measure and report."""
    console = Console(stderr=True, quiet=json_only)
    of = layout(rows)
    with database(MiniLM()) as addresses:
        assert addresses.admin_url is not None
        console.print(f"loading {of.rows:,} memories of {len(of.spaces)} namespaces")
        started = time.monotonic()
        known = load(addresses.admin_url, of, MiniLM())
        loading = time.monotonic() - started
        index_scopes(addresses.admin_url)
        with Memory.connect(database_url=addresses.database_url, read_timeout=_READ_SECONDS) as memory:
            memory.warm_up()
            gc.collect()
            gc.freeze()  # as docs/how-to/publish.md has an app do it
            texts = _new_texts()
            bare = Bare(addresses.admin_url, MiniLM().name)
            sizes = [
                _asked(space, known[space.number], texts, rounds, memory=memory, bare=bare, console=console)
                for space in of.measured.values()
            ]
            bare.close()
            shared = [together(memory, of.shared, texts, threads=threads, reads=2 * rounds) for threads in _THREADS]
    figures = Report(rows=of.rows, loading=loading, sizes=sizes, together=shared).as_json()
    for table in tables(figures):
        console.print(table)
    print(json.dumps(figures))


def _asked(
    space: Space, known: Known, texts: Iterator[str], rounds: int, *, memory: Memory, bare: Bare, console: Console
) -> Sized:
    console.print(f"asking a namespace of {space.memories:,}")
    indexed = space.memories > OUTGROWN
    return measure(
        space,
        known,
        texts,
        memory=memory,
        embedder=MiniLM(),
        bare=bare,
        rounds=max(10, rounds // 5) if indexed else rounds,  # each of its exact searches takes long
        indexed=indexed,
    )


def _new_texts() -> Iterator[str]:
    """Each is another than all before it."""
    seen: set[str] = set()
    for number, text in enumerate(sentences("reading/asked")):
        new = text if text not in seen else f"{text} Number {number}?"
        seen.add(new)
        yield new


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
