"""`mosshead progress`: show how many of a namespace's events are not consolidated yet."""

import math
import time
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from mosshead.api.namespace import Namespace
from mosshead.cli.options import In
from mosshead.cli.output import Json, print_answer
from mosshead.errors import WaitTimeout

_LOOK_SECONDS = 0.5


def progress(
    namespace: In,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Show progress bars until all events are consolidated, or Ctrl-C.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Show how many events are not received or not consolidated yet."""
    if follow:
        with Progress(console=Console(stderr=True), transient=True) as bar:
            follow_progress(namespace, bar)
    found = namespace.progress()
    left = f"{found.not_received:,} events to be received, {found.pending:,} received and to take effect"
    at_work = "; profiles or reflections are at work" if found.at_work and not found.partial else ""
    print_answer(json_output, {"progress": found}, f"{left}{at_work}")


def follow_progress(namespace: Namespace, bar: Progress, seconds: float = math.inf) -> None:
    """Show progress bars until nothing is left to consolidate. Raises WaitTimeout after ``seconds``."""
    deadline = time.monotonic() + seconds
    received, effective = bar.add_task("received", total=None), bar.add_task("in effect", total=None)
    while True:
        try:
            namespace.wait(timeout=max(0.0, min(_LOOK_SECONDS, deadline - time.monotonic())))
        except WaitTimeout:
            if time.monotonic() >= deadline:
                raise
            found = namespace.progress()
            _show_left(bar, received, found.not_received)
            _show_left(bar, effective, found.not_received + found.pending)
        else:
            return


def _show_left(bar: Progress, task: TaskID, left: int) -> None:
    """Update a bar. Its total is the most that was ever left, since earlier events are unknown."""
    total = max(left, int(bar.tasks[task].total or 0))
    bar.update(task, total=total, completed=total - left)
