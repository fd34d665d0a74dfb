"""What the operator's commands share: how they print, and go on until they are stopped."""

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
    """A table whose first column is never broken; ``nothing`` where it has no rows."""
    made = plain_table(columns, rows)
    made.columns[0].no_wrap = True
    return made if made.rows else nothing


def fields(rows: Iterable[tuple[str, object, bool]]) -> Table:
    """Names and values, one to a line, without those that have none.

    rows: name, value, and whether to show it in red.
    """
    made = Table(show_header=False, box=None, pad_edge=False)
    for name, value, bad in rows:
        if value is not None:
            made.add_row(name, escape(str(value)), style="red" if bad else None)
    return made


def say(what: str) -> None:
    """A line for a person, all of which is taken as text."""
    console.print(escape(what), soft_wrap=True)


def duration(seconds: float | None) -> str | None:
    """A time as a person says it: ``0.4 s``, ``12 s``, ``3 min``, ``5 h``, ``2 d``."""
    if seconds is None:
        return None
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{max(seconds, 0):.1f} s"


def path_text(path: Sequence[str] | None) -> str:
    """The name of a namespace, as the command `mosshead` takes it; a dash for nobody's."""
    return "/".join(path) if path else "-"


def tenant_id_of(name: str) -> UUID:
    """The id of a tenant. Raises InvalidNamespace where nothing can be named so."""
    return NamespacePath.of((name, "-")).tenant_id


_log = structlog.get_logger()

T = TypeVar("T")


def repeat(work: Callable[[], object], stopped: Callable[[], bool], *, every: float, interrupted: str) -> None:
    """Do some work again and again until ``stopped``. every: seconds from the end of one to the next; the first comes then.

    Where Postgres is away, the next finds it back; interrupted: the log's event then.
    """
    due = time.monotonic() + every
    while not stopped():
        if time.monotonic() < due:
            time.sleep(min(0.5, every))
            continue
        tried(work, interrupted=interrupted)
        due = time.monotonic() + every


def tried(work: Callable[[], T], *, interrupted: str) -> T | None:
    """Do some work that is done again later; where Postgres is away, says so in the log and returns None."""
    try:
        return work()
    except (StoreUnavailable, DBAPIError, psycopg.Error) as error:
        _log.warning(interrupted, error=describe(error))
        return None


def until_asked_to_stop() -> Callable[[], bool]:
    """Whether somebody pressed Ctrl-C, or told this process to end; from now on neither ends it by itself."""
    asked = False

    def ask(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked  # not an Event: its lock may be held by the handler that this one interrupts
        asked = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)
    return lambda: asked
