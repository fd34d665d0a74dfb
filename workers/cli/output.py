"""Helpers of the operator's commands: printing, and repeating until they are stopped."""

import signal
import time
from collections.abc import Callable, Iterable, Sequence
from types import FrameType
from typing import Annotated, TypeVar
from uuid import UUID

import psycopg
import structlog
import typer
from rich.markup import escape
from rich.table import Table
from sqlalchemy.exc import DBAPIError

from mosshead.cli.output import console
from mosshead.cli.output import table as plain_table
from mosshead.errors import StoreUnavailable
from mosshead.paths import NamespacePath
from workers.failures import describe

Every = Annotated[
    float | None,
    typer.Option(min=1, help="Repeat every N seconds until stopped. By default, run once.", show_default=False),
]


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, nothing: str) -> Table | str:
    """Build a table whose first column is never wrapped; return ``nothing`` if it has no rows."""
    made = plain_table(columns, rows)
    made.columns[0].no_wrap = True
    return made if made.rows else nothing


def fields(rows: Iterable[tuple[str, object, bool]]) -> Table:
    """List names and values, one per line, leaving out empty values.

    rows: name, value, and whether to show it in red.
    """
    made = Table(show_header=False, box=None, pad_edge=False)
    for name, value, bad in rows:
        if value is not None:
            made.add_row(name, escape(str(value)), style="red" if bad else None)
    return made


def say(what: str) -> None:
    """Print a line for people, without interpreting markup."""
    console.print(escape(what), soft_wrap=True)


def duration(seconds: float | None) -> str | None:
    """Format a duration for people: ``0.4 s``, ``12 s``, ``3 min``, ``5 h``, ``2 d``."""
    if seconds is None:
        return None
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{max(seconds, 0):.1f} s"


def path_text(path: Sequence[str] | None) -> str:
    """Format a namespace's path as the command `mosshead` takes it; a dash if there is none."""
    return "/".join(path) if path else "-"


def tenant_id_of(name: str) -> UUID:
    """Return the id of a tenant. Raises InvalidNamespace if the name is not valid."""
    return NamespacePath.of((name, "-")).tenant_id


_log = structlog.get_logger()

T = TypeVar("T")


def repeat(work: Callable[[], object], stopped: Callable[[], bool], *, every: float, interrupted: str) -> None:
    """Repeat some work until ``stopped``. every: seconds to wait before each run. interrupted:

    the log event if Postgres is away; the next run tries again.
    """
    due = time.monotonic() + every
    while not stopped():
        if time.monotonic() < due:
            time.sleep(min(0.5, every))
            continue
        tried(work, interrupted=interrupted)
        due = time.monotonic() + every


def tried(work: Callable[[], T], *, interrupted: str) -> T | None:
    """Do some work that is repeated later. If Postgres is away, log it and return None."""
    try:
        return work()
    except (StoreUnavailable, DBAPIError, psycopg.Error) as error:
        _log.warning(interrupted, error=describe(error))
        return None


def until_asked_to_stop() -> Callable[[], bool]:
    """Return a check for Ctrl-C or a termination signal; from now on neither ends the process by itself."""
    asked = False

    def ask(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked  # not an Event: its lock may be held by the handler that this one interrupts
        asked = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)
    return lambda: asked
