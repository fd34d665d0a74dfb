"""Enforce read deadlines in the app, since a hanging server cannot.

    with ends_within(engine, seconds):      one deadline for everything in a call
        …                                   its trips to Postgres (`store.connection`), and the embedding endpoint's answer

No thread watches the time. All waiting of psycopg's connections happens in one method, which `BoundedConnection` bounds. Not
covered are DNS look-ups and the local model, which takes milliseconds. In an event loop, asyncio times a whole read
(`mosshead.bridge`) and cancels whatever it awaits.
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
"""The default time limit of a read."""

_T = TypeVar("_T")
_U = TypeVar("_U")
_ends: ContextVar[float | None] = ContextVar("mosshead_read_ends", default=None)
_OPTION = "mosshead_read_seconds"


def remaining() -> float | None:
    """Return how many seconds the current read has left, at least 0; None outside reads with a deadline."""
    ends = _ends.get()
    return None if ends is None else max(0.0, ends - time.monotonic())


def server_milliseconds() -> int | None:
    """Return a ``statement_timeout`` for Postgres, so that its own error arrives before the deadline; None without one."""
    left = remaining()
    return None if left is None else max(1, min(int(left * 1000 * 0.9), 2**31 - 1))


@contextmanager
def ends_within(engine: Engine, seconds: float | None = None) -> Iterator[None]:
    """Apply one deadline to all reads of a block. seconds: by default the engine's (`bounded`); without any, there is no
    deadline.

    In nested blocks, the earlier deadline counts. Raises ReadTimeout at the deadline, and StoreUnavailable if Postgres does not
    answer or refuses. Errors of an engine that is not `bounded` pass unchanged.
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
    """Run two reads concurrently, the second in a thread, or sequentially if none is available. The deadline covers both."""
    if crossed():
        return beside(one, other)
    with ThreadPoolExecutor(1) as thread:
        try:
            running = thread.submit(copy_context().run, other)
        except RuntimeError:
            return one(), other()
        return one(), running.result()


def bounded(engine: Engine, seconds: float) -> Engine:
    """Set an engine's default time limit for reads; its new connections respect it."""

    @event.listens_for(engine, "do_connect")
    def connect(_dialect: Any, _record: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if engine.dialect.is_async:
            return engine.dialect.loaded_dbapi.connect(*arguments, async_creator_fn=_Cancellable.connect, **options)
        return BoundedConnection.connect(*arguments, **options)

    engine.update_execution_options(**{_OPTION: seconds})
    return engine


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that waits for its server only until the read's deadline, and is then closed."""

    def wait(self, gen: Generator[Any, Any, Any], interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait as psycopg does; raise psycopg.OperationalError at the deadline."""
        left = remaining()
        if left is None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(_until(gen), min(interval, max(left, 0.001)), timeout)
        except _Late:
            self.pgconn.finish()  # a late response would be taken for the next answer
            raise

    @classmethod
    def _connect_gen(cls, *conninfo: str) -> Generator[Any, Any, Any]:
        # psycopg's own connection timeout is at least two seconds.
        return _until(super()._connect_gen(*conninfo))


class _Cancellable(psycopg.AsyncConnection[Any]):
    """A connection that is closed if asyncio cancels a wait for its server."""

    async def wait(self, gen: Generator[Any, Any, Any], interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait as psycopg does, but without five more seconds for the server to accept a cancellation."""
        try:
            return await waiting.wait_async(gen, self.pgconn.socket, interval=interval, timeout=timeout)
        except asyncio.CancelledError:
            self.pgconn.finish()
            raise


class _Late(psycopg.OperationalError):
    """The deadline passed before the server answered."""


def _until(gen: Generator[Any, Any, _T]) -> Generator[Any, Any, _T]:
    """Run one of psycopg's generators, which yield what they wait for, until the deadline."""
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
"""Prepared statements that the connection does not know, or already has: a pooler switched connections."""


def _explained(engine: Engine, error: Exception) -> StoreUnavailable | None:
    """Translate a read's error for the app; None if it concerns neither time nor the server."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, _LACKING):
        return SchemaOutdated(
            f"MOSSHEAD_DATABASE_URL: {describe(engine.url)} has no Mosshead views of this version that this login may read "
            f"({cause.diag.message_primary}). Run 'mosshead service migrate' there, and log in as mosshead_reader"
        )
    if isinstance(cause, _MIXED_UP):
        return StoreUnavailable(
            f"MOSSHEAD_DATABASE_URL: {describe(engine.url)} is a pooler that switches server connections between "
            "transactions and does not track prepared statements. Set MOSSHEAD_PREPARED_STATEMENTS=false, or, in PgBouncer 1.22 "
            "or newer, max_prepared_statements = 200"
        )
    if isinstance(cause, psycopg.Error) and not isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
        return None
    if remaining() == 0 or isinstance(cause, psycopg.errors.QueryCanceled | PoolTimeout | CutOff):
        return ReadTimeout(
            f"timeout: the read did not end in time; {describe(engine.url)} or the embedding endpoint is slow or hangs"
        )
    if isinstance(cause, EmbedderUnavailable):
        return None
    return StoreUnavailable(f"MOSSHEAD_DATABASE_URL: cannot connect to {describe(engine.url)}: {first_reason(cause)}")
