"""What the operator's commands share: how they print, log in, go over many namespaces, and go on until they are stopped."""

import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Annotated, TypeVar
from uuid import UUID

import psycopg
import structlog
import typer
from rich.markup import escape
from rich.table import Table
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db import namespaces
from db.dead_letters import DeadLetter, LaneState
from db.engine import check_login, open_engine
from db.keys import LaneRef
from mosshead.cli.output import console
from mosshead.cli.output import table as plain_table
from mosshead.errors import StoreUnavailable
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from workers.dependencies import WORKER_URL
from workers.failures import describe, is_of_all

Every = Annotated[
    float | None,
    typer.Option(min=1, help="Look again after so many seconds, until stopped; without it, once.", show_default=False),
]


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, nothing: str) -> Table | str:
    """A table whose first column is never broken; ``nothing`` where it has no rows."""
    made = plain_table(columns, ([None if one is None else printable(str(one)) for one in row] for row in rows))
    made.columns[0].no_wrap = True
    return made if made.rows else nothing


def fields(rows: Iterable[tuple[str, object, bool]]) -> Table:
    """Names and values, one to a line, without those that have none; the last of each says whether it is bad, and so red."""
    made = Table(show_header=False, box=None, pad_edge=False)
    for name, value, bad in rows:
        if value is not None:
            made.add_row(name, _cell(value), style="red" if bad else None)
    return made


def say(what: str) -> None:
    """A line for a person, all of which is taken as text."""
    console.print(plain(what), soft_wrap=True)


def plain(text: str) -> str:
    """Text from outside, none of which is markup or would be obeyed by a terminal."""
    return escape(printable(text))


def printable(text: str) -> str:
    """Text from outside, with its control characters spelt out: a terminal would take them for commands."""
    return "".join(one if one.isprintable() or one in "\n\t" else f"\\x{ord(one):02x}" for one in text)


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


def _cell(value: object) -> str:
    return plain(str(value)) if value is not None else ""


def tenant_id_of(name: str) -> UUID:
    """The id of a tenant. Raises InvalidNamespace where nothing can be named so."""
    return NamespacePath.of((name, "-")).tenant_id


@contextmanager
def logged_in(settings: Settings) -> Iterator[Engine]:
    """An engine for the block. Raises ConfigurationError or StoreUnavailable where the login will not do."""
    engine = open_engine(settings.login("worker"), setting=WORKER_URL)
    try:
        check_login(engine, setting=WORKER_URL)
        yield engine
    finally:
        engine.dispose()


def paths_of(engine: Engine, found: Iterable[DeadLetter | LaneState]) -> Mapping[LaneRef, tuple[str, ...] | None]:
    """The names of the lanes of some, which each tenant alone may see; None for what is no namespace."""
    paths = {}
    for lane in {one.lane for one in found}:
        with tenant_transaction(engine, lane.tenant_id) as connection:
            paths[lane] = namespaces.path_of(connection, lane)
    return paths


_log = structlog.get_logger()

T = TypeVar("T")
R = TypeVar("R")


def each(items: Iterable[T], work: Callable[[T], R], *, lane: Callable[[T], LaneRef]) -> list[R]:
    """The results of some work for each, in turn: one that fails keeps none of the others from its turn.

    What Postgres refuses of one is logged with its lane, and the last such error is raised once all had their turn. What would be
    the same for each is raised at once.
    """
    results: list[R] = []
    failed: Exception | None = None
    for one in items:
        try:
            results.append(work(one))
        except (DBAPIError, psycopg.Error) as error:
            if is_of_all(error):
                raise
            failed = error
            _log.error("namespace_left_out", namespace_id=str(lane(one).namespace_id), error=describe(error))
    if failed is not None:
        raise failed
    return results


def each_tenant(engine: Engine, tenants: Sequence[UUID] | None = None) -> Iterator[tuple[UUID, Connection]]:
    """Some tenants, or all that ever published, each with a transaction of its own."""
    if tenants is None:
        with engine.begin() as connection:
            tenants = namespaces.tenants(connection)
    for tenant_id in tenants:
        with tenant_transaction(engine, tenant_id) as connection:
            yield tenant_id, connection


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
        nonlocal asked
        asked = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)
    return lambda: asked
