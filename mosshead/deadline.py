"""How long a read may take: a deadline that the app keeps, for of a server that hangs no promise is kept.

    with ends_within(engine, seconds):      one deadline for all that a call does
        …                                   its trips to Postgres (`store.connection`), and the embedding endpoint's answer

No thread keeps the time. psycopg's connections wait in one method, and `BoundedConnection` bounds that. What is left to others:
the look-up of a host's name, and the local model, which takes milliseconds. In an event loop, asyncio keeps the time of a whole
read (`mosshead.bridge`), and whatever it awaits is cancelled.
"""

import asyncio
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

import psycopg
from psycopg import waiting
from sqlalchemy import Engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from mosshead.bridge import CutOff, beside, crossed, cut_off
from mosshead.errors import EmbedderUnavailable, ReadTimeout, SchemaOutdated, StoreUnavailable
from mosshead.urls import describe, first_reason

READ_SECONDS = 5.0
"""How long a read may take where nobody says otherwise."""

_T = TypeVar("_T")
_U = TypeVar("_U")
_ends: ContextVar[float | None] = ContextVar("mosshead_read_ends", default=None)
_OPTION = "mosshead_read_seconds"


def remaining() -> float | None:
    """How many seconds the read that is being made has left, 0 where none; None outside reads with a deadline."""
    ends = _ends.get()
    return None if ends is None else max(0.0, ends - time.monotonic())


def server_milliseconds() -> int | None:
    """What to tell Postgres as ``statement_timeout``, to hear its own word before the deadline; None without one."""
    left = remaining()
    return None if left is None else max(1, min(int(left * 1000 * 0.9), 2**31 - 1))


@contextmanager
def ends_within(engine: Engine, seconds: float | None = None) -> Iterator[None]:
    """Let all reads of a block end in time, together. seconds: by default the engine's (`bounded`); without any, none.

    Inside another such block, the earlier end counts. Raises ReadTimeout where the time was not enough, and StoreUnavailable
    where Postgres does not answer or refuses. What an engine that is not `bounded` raises is passed on as it is.
    """
    own = engine.get_execution_options().get(_OPTION)
    if own is None:
        yield
        return
    outer = _ends.get()
    ends = time.monotonic() + (own if seconds is None else seconds)
    if outer is not None:
        ends = outer if seconds is None else min(ends, outer)
    token = _ends.set(ends)
    try:
        with cut_off(ends - time.monotonic()) if outer is None and crossed() else nullcontext():
            yield
    except (psycopg.Error, DBAPIError, PoolTimeout, EmbedderUnavailable, CutOff) as error:
        if explained := _explained(engine, error):
            raise explained from None
        raise
    finally:
        _ends.reset(token)


def at_the_same_time(one: Callable[[], _T], other: Callable[[], _U]) -> tuple[_T, _U]:
    """What two reads answer, the other in a thread, or after the one where none is to be had. The deadline holds for both."""
    if crossed():
        return beside(one, other)
    with ThreadPoolExecutor(1) as thread:
        try:
            running = thread.submit(copy_context().run, other)
        except RuntimeError:
            return one(), other()
        return one(), running.result()


def bounded(engine: Engine, seconds: float) -> Engine:
    """The same engine, whose reads end within so many seconds where nobody says otherwise; its new connections wait no longer."""

    @event.listens_for(engine, "do_connect")
    def connect(_dialect: Any, _record: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if engine.dialect.is_async:
            return engine.dialect.loaded_dbapi.connect(*arguments, async_creator_fn=_Cancellable.connect, **options)
        return BoundedConnection.connect(*arguments, **options)

    engine.update_execution_options(**{_OPTION: seconds})
    return engine


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that waits for its server no longer than the read that is being made may take, and is closed then."""

    def wait(self, gen: Generator[Any, Any, Any], interval: float = 0.1, timeout: float | None = None) -> Any:
        """As psycopg's; raises psycopg.OperationalError at the deadline."""
        left = remaining()
        if left is None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(_until(gen), min(interval, max(left, 0.001)), timeout)
        except _Late:
            self.pgconn.finish()  # what it was asked may still come, and is nobody's answer
            raise

    @classmethod
    def _connect_gen(cls, *conninfo: str) -> Generator[Any, Any, Any]:
        # psycopg's own limit of a connection attempt is two seconds at least.
        return _until(super()._connect_gen(*conninfo))


class _Cancellable(psycopg.AsyncConnection[Any]):
    """A connection that is closed where asyncio cancels what waits for its server."""

    async def wait(self, gen: Generator[Any, Any, Any], interval: float = 0.1, timeout: float | None = None) -> Any:
        """As psycopg's, which would wait five seconds more for the server to take the cancellation."""
        try:
            return await waiting.wait_async(gen, self.pgconn.socket, interval=interval, timeout=timeout)
        except asyncio.CancelledError:
            self.pgconn.finish()
            raise


class _Late(psycopg.OperationalError):
    """The deadline passed while the server had not answered."""


def _until(gen: Generator[Any, Any, _T]) -> Generator[Any, Any, _T]:
    """As one of psycopg's generators, which say what they wait for and are told what came, until the deadline."""
    try:
        asked = next(gen)
        while True:
            came = yield asked
            if remaining() == 0:
                gen.close()
                raise _Late("the deadline passed")
            asked = gen.send(came)
    except StopIteration as end:
        answer: _T = end.value
        return answer


_LACKING = (
    psycopg.errors.InvalidSchemaName,
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedColumn,
    psycopg.errors.UndefinedFunction,
    psycopg.errors.InsufficientPrivilege,
)
_MIXED_UP = (psycopg.errors.InvalidSqlStatementName, psycopg.errors.DuplicatePreparedStatement)
"""Of prepared statements: what one connection prepared, another was asked for."""


def _explained(engine: Engine, error: Exception) -> StoreUnavailable | None:
    """What an error of a read means to the app; None where it is no matter of time or of the server."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, _LACKING):
        return SchemaOutdated(
            f"MOSSHEAD_DATABASE_URL: {describe(engine.url)} has no Mosshead views of this version that this login may read "
            f"({cause.diag.message_primary}). Run 'mosshead service migrate' there, and log in as mosshead_reader"
        )
    if isinstance(cause, _MIXED_UP):
        return StoreUnavailable(
            f"MOSSHEAD_DATABASE_URL: {describe(engine.url)} is a pooler that changes the server's connection between "
            "transactions and does not track prepared statements. Set MOSSHEAD_PREPARED_STATEMENTS=false, or, in PgBouncer 1.22 "
            "or newer, max_prepared_statements = 200"
        )
    if isinstance(cause, psycopg.Error) and not isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
        return None
    if remaining() == 0 or isinstance(cause, psycopg.errors.QueryCanceled | PoolTimeout | CutOff):
        return ReadTimeout(
            f"timeout: the read did not end in time; {describe(engine.url)} or the embedding endpoint is slow, or hangs"
        )
    if isinstance(cause, EmbedderUnavailable):
        return None
    return StoreUnavailable(f"MOSSHEAD_DATABASE_URL: cannot connect to {describe(engine.url)}: {first_reason(cause)}")
