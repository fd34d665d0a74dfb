"""The command that brings memories from elsewhere."""

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from mosshead.cli.shell import In, Json, open_namespace, print_answer, read_file
from mosshead.errors import WaitTimeout
from mosshead.namespace import Namespace

import_cli = typer.Typer()

_LOOK_SECONDS = 0.5


@import_cli.command("import")
def import_file(
    namespace: In,
    file: Annotated[Path, typer.Argument(help="JSON Lines of entities and memories; docs/import.md shows each.")],
    wait: Annotated[float, typer.Option(help="Seconds to wait until all of it is known.")] = 0.0,
    json_output: Json = False,
) -> None:
    """Bring entities and memories from elsewhere, or from an export. The same file twice changes nothing."""
    with open_namespace(namespace) as opened, Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("publishing", total=None)
        brought = opened.import_records(
            read_file(file).split("\n"),
            on_sent=lambda sent, of: bar.update(task, completed=sent, total=of),
        )
        if wait:
            _wait(opened, wait, bar)
    skipped = "".join(f"; {count:,} of type {kind} skipped" for kind, count in brought.skipped.items())
    said = f"{brought.entities:,} entities and {brought.memories:,} memories published{skipped}"
    print_answer(json_output, {"imported": brought}, said)


def _wait(opened: Namespace, seconds: float, bar: Progress) -> None:
    """Wait, and show meanwhile how many events are still to take effect. Raises WaitTimeout."""
    deadline = time.monotonic() + seconds
    task = bar.add_task("events to go", total=None)
    while True:
        try:
            opened.wait(timeout=min(_LOOK_SECONDS, max(0.0, deadline - time.monotonic())))
        except WaitTimeout:
            if time.monotonic() >= deadline:
                raise
            progress = opened.progress()
            bar.update(task, description=f"{progress.pending + progress.not_received:,} events to go")
        else:
            return
