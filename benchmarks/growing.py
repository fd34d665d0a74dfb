"""What a namespace's size costs those that work on it: consolidation by the real workers, and `track`.

    python -m benchmarks.growing [--rows 130000] [--messages 100] [--rounds 3] [--json]

The tables are filled as for `benchmarks.reading`, with so many memories in all: namespaces of 100, 1,000, 10,000 and
100,000, as far as these allow, among thousands of small ones. Then conversations are published into each in turn, and into one of
which nothing is known, through the real queue, by the offline rules, and a conversation of 20 turns is tracked there. Profiles
are not refreshed meanwhile. Prints one JSON object last:
`{"sizes": {n: {"ms_per_message", "times_empty", "formed", "track_ms"}}}`.
"""

import json
import statistics
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated, Any, Final, LiteralString

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.reading.database import quarter_of_memory
from benchmarks.reading.layout import layout
from benchmarks.reading.loading import load
from benchmarks.rig import Rig, rig
from benchmarks.sentences import sentences
from mosshead import Namespace
from mosshead.contrib.focus import track_conversation
from mosshead.embeddings import MiniLM
from workers.cli.indexing import index_scopes

_EMPTY = 0
_TURNS = 20
_WITHIN_SECONDS = 600.0
_SHOWN = ("ms_per_message", "times_empty", "formed", "track_ms")
_KNOWN: Final[LiteralString] = "select count(distinct memory_id) from mosshead.memories where namespace_id = %s"
_NOT_MEANWHILE = {
    "MOSSHEAD_PROFILE_DEBOUNCE_SECONDS": "86400",
    "MOSSHEAD_PROFILE_DEBOUNCE_MOST_SECONDS": "86400",
}


@dataclass(slots=True)
class Worked:
    """What was done in a namespace of one size. seconds, tracking: of each round; messages: in each round; formed: memories."""

    messages: int
    formed: int = 0
    seconds: list[float] = field(default_factory=list)
    tracking: list[float] = field(default_factory=list)

    @property
    def ms_per_message(self) -> float:
        """From the first publish of a round to the last effect, the median of the rounds."""
        return 1000 * statistics.median(self.seconds) / self.messages


def figures(worked: Mapping[int, Worked]) -> dict[str, Any]:
    """All sizes beside that of which nothing was known, as JSON."""
    of_empty = worked[_EMPTY].ms_per_message
    return {
        "sizes": {
            str(size): {
                "ms_per_message": round(one.ms_per_message, 1),
                "times_empty": round(one.ms_per_message / of_empty, 2),
                "formed": one.formed,
                "track_ms": round(1000 * statistics.median(one.tracking), 1),
            }
            for size, one in worked.items()
        }
    }


def main(
    *,
    rows: Annotated[int, typer.Option(help="Memories in the table.", min=10_000)] = 130_000,
    messages: Annotated[int, typer.Option(help="Messages of each conversation.", min=_TURNS)] = 100,
    rounds: Annotated[int, typer.Option(help="Conversations in each namespace.", min=1)] = 3,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Load, work, and report."""
    console = Console(stderr=True, quiet=json_only)
    of = layout(rows)
    buffers = {"shared_buffers": quarter_of_memory()}
    with (
        rig(concurrency=1, pause=None, settings=_NOT_MEANWHILE, postgres=buffers) as service,
        service.memory() as memory,
    ):
        assert service.addresses.admin_url is not None
        console.print(f"loading {of.rows:,} memories of {len(of.spaces):,} namespaces")
        load(service.addresses.admin_url, of, MiniLM())
        index_scopes(service.addresses.admin_url)
        service.warm_up(memory)
        spaces = {_EMPTY: memory.namespace("growing", "empty")}
        spaces |= {size: memory.namespace(*space.path.parts) for size, space in of.measured.items()}
        worked = {size: Worked(messages) for size in spaces}
        for number in range(rounds):
            for size, namespace in spaces.items():
                console.print(f"round {number + 1}: a namespace of {size:,}")
                _work(service, namespace, worked[size], number)
                worked[size].tracking.append(_tracked(namespace, number))
    found = figures(worked)
    console.print(_table(found))
    print(json.dumps(found))


def _work(service: Rig, namespace: Namespace, worked: Worked, number: int) -> None:
    said = list(_said(f"{namespace.path}/{number}", worked.messages))
    events, known = service.received() + worked.messages + 1, _known(service, namespace)  # one says that it is over
    started = time.monotonic()
    namespace.publish_conversation(said, conversation=f"growing {number}", ended=True)
    service.await_done(events, within=_WITHIN_SECONDS)
    worked.seconds.append(time.monotonic() - started)
    worked.formed += _known(service, namespace) - known


def _tracked(namespace: Namespace, number: int) -> float:
    """Seconds of tracking a conversation once more: its embeddings are remembered by then, and the statements prepared."""
    turns = list(_said(f"{namespace.path}/tracked {number}", _TURNS))
    track_conversation(namespace, turns)
    started = time.monotonic()
    track_conversation(namespace, turns)
    return time.monotonic() - started


def _said(seed: str, count: int) -> Iterator[dict[str, str]]:
    return ({"role": "user", "content": one} for one in islice(sentences(f"growing/{seed}"), count))


def _known(service: Rig, namespace: Namespace) -> int:
    """How many memories a namespace has, whatever became of them."""
    return int(service.rows(_KNOWN, namespace.path.namespace_id)[0][0])


def _table(found: Mapping[str, Any]) -> Table:
    table = Table("memories", *_SHOWN, title="conversations published into namespaces of several sizes")
    for size, one in found["sizes"].items():
        table.add_row(size, *(str(one[name]) for name in _SHOWN))
    return table


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
