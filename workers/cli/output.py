"""What the operator's commands print: tables and times for a person; text from outside, without what a terminal would obey."""

import json
import signal
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Annotated, Any, TypeVar

import psycopg
import structlog
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db.engine import check_login, open_engine
from db.keys import LaneRef
from db.namespaces import path_of
from mosshead.cli.output import UNFOLDED
from mosshead.errors import StoreUnavailable
from mosshead.store.connection import tenant_transaction
from workers.dependencies import WORKER_URL
from workers.failures import describe

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

Every = Annotated[
    float | None,
    typer.Option(min=1, help="Look again after so many seconds, until stopped; without it, once.", show_default=False),
]

console = Console(emoji=False)


def print_json(found: Mapping[str, Any]) -> None:
    """One object on one line."""
    print(json.dumps(found))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, nothing: str) -> None:
    """A table whose first column is never broken, and no column for a pipe; ``nothing`` where it has no rows."""
    if not rows:
        console.print(nothing)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for place, column in enumerate(columns):
        table.add_column(column, no_wrap=place == 0)
    for row in rows:
        table.add_row(*map(_cell, row))
    (console if console.is_terminal else Console(width=UNFOLDED, emoji=False)).print(table)


def say(what: str) -> None:
    """A line for a person, all of which is taken as text."""
    console.print(escape(printable(what)), soft_wrap=True)


def print_fields(fields: Mapping[str, object]) -> None:
    """Names and values, one to a line, without those that have none."""
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in fields.items():
        if value is not None:
            table.add_row(name, _cell(value))
    console.print(table)


def duration(seconds: float | None) -> str | None:
    """A time as a person says it: ``0.4 s``, ``12 s``, ``3 min``, ``5 h``, ``2 d``."""
    if seconds is None:
        return None
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{max(seconds, 0):.1f} s"


def printable(text: str) -> str:
    """Text from outside, with its control characters spelt out: a terminal would take them for commands."""
    return "".join(one if one.isprintable() or one in "\n\t" else f"\\x{ord(one):02x}" for one in text)


def path_text(path: Sequence[str] | None) -> str:
    """The name of a namespace, as the command `mosshead` takes it; a dash for nobody's."""
    return "/".join(path) if path else "-"


def _cell(value: object) -> str:
    return escape(printable(str(value))) if value is not None else ""


@contextmanager
def logged_in(settings: Settings) -> Iterator[Engine]:
    """An engine for the block. Raises ConfigurationError or StoreUnavailable where the login will not do."""
    engine = open_engine(settings.login("worker"), setting=WORKER_URL)
    try:
        check_login(engine, setting=WORKER_URL)
        yield engine
    finally:
        engine.dispose()


def paths_of(engine: Engine, lanes: Collection[LaneRef]) -> Mapping[LaneRef, tuple[str, ...] | None]:
    """The names of lanes, which each tenant alone may see; None for what is no namespace."""
    paths = {}
    for tenant_id in {lane.tenant_id for lane in lanes}:
        with tenant_transaction(engine, tenant_id) as connection:
            for lane in {one for one in lanes if one.tenant_id == tenant_id}:
                paths[lane] = path_of(connection, lane)
    return paths


_TICK_SECONDS = 0.5

_log = structlog.get_logger()

T = TypeVar("T")


def repeat(work: Callable[[], object], stopped: Callable[[], bool], *, every: float, interrupted: str) -> None:
    """Do some work again and again until ``stopped``. every: seconds from the end of one to the next; the first comes then.

    Where Postgres is away, the next finds it back; interrupted: the log's event then.
    """
    due = time.monotonic() + every
    while not stopped():
        if time.monotonic() < due:
            time.sleep(min(_TICK_SECONDS, every))
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
        nonlocal asked
        asked = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)
    return lambda: asked
