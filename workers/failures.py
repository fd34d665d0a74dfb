"""Decide what a stage's failure leads to: wait, retry or give up. Pure; the tests' table is the specification."""

from dataclasses import dataclass
from datetime import timedelta

import psycopg
from sqlalchemy.exc import DataError, DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from db.keys import VersionConflict
from db.leases import EMBEDDER, LLM, Lease
from mosshead.errors import ConfigurationError, EmbedderUnavailable, EmbeddingRefused
from mosshead.llm import AnswerRefused, ModelUnavailable
from mosshead.llm.protocol import ModelTooSlow

_LONGEST = timedelta(minutes=5)
_NOT_OF_BATCHES = frozenset("0A000 25006 26000 3F000 42501 42703 42704 42883 42P01 42P05 42P10".split())
"""SQLSTATEs that affect every batch and pass with time: tables, functions or rights that the code does not expect, as in the
middle of a deployment; a read-only server; statements that a pooler mixed up."""

_OF_ALL = (*_NOT_OF_BATCHES, "08", "53", "57P", "58")
"""Prefixes of SQLSTATEs that affect everybody: no connection, no space, no memory, a server that shuts down."""

_OF_VALUES = ("21", "22", "23", "54", "P0")
"""Prefixes of SQLSTATEs for values, constraints and sizes, and of those that our own functions raise."""

_CRASHES_OF_A_BATCH = 2
_CRASHES_OF_AN_EVENT = 3
_OVERRUNS = 2
"""An event gets no third try: a stage that hangs holds a slot while the messages of others wait."""


class NoThread(Exception):
    """The machine or container allows this process no more threads. It is not the batch's fault."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Try again when a provider answers; it is at fault, not the batch. pause: how long it asked to be left alone.

    least: how long the batch waits at least if it may have asked for too much; only this wait counts as an attempt. by_less: it
    did so often enough to ask for less at once, if it can.
    """

    provider: str
    pause: timedelta | None = None
    least: timedelta | None = None
    by_less: bool = False


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again after ``delay``. counts: the batch itself may be at fault, so attempts are limited."""

    delay: timedelta
    counts: bool


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Give up: a batch is split into its events, and a single event goes to the dead letters."""


def after_failure(error: Exception, attempts: int, most: int) -> Wait | Retry | GiveUp:
    """Decide what to do after a failure.

    attempts: failures so far that counted. most: the limit. An outage does not count, or it would send everybody's events to the
    dead letters. A timeout may be the provider's fault or the question's: it counts, but never leads there. A refused answer is
    final: the same question at temperature 0 has the same answer, and `extract` has already asked for less.
    """
    if isinstance(error, ModelUnavailable):
        return wait_for_model(error, attempts, most)
    # Wrong settings are not a batch's fault: an endpoint that lost a model may offer it again. But if it refused a request, one
    # of the texts may be at fault.
    if isinstance(error, EmbedderUnavailable | ConfigurationError) and not isinstance(error, EmbeddingRefused):
        return Wait(EMBEDDER)
    if isinstance(error, VersionConflict):
        return Retry(timedelta(0), counts=False)
    if _is_of_the_server(error):
        return Retry(timedelta(seconds=1), counts=False)
    if isinstance(error, AnswerRefused) or attempts + 1 >= most:
        return GiveUp()
    return Retry(_pause(2**attempts), counts=True)


def wait_for_model(error: ModelUnavailable, attempts: int, most: int) -> Wait:
    """Decide how to wait for a model that did not answer; arguments as for `after_failure`."""
    if isinstance(error, ModelTooSlow):
        return Wait(LLM, least=_pause(2**attempts), by_less=attempts + 1 >= most)
    return Wait(LLM, None if error.retry_after is None else _pause(error.retry_after))


def in_vain(lease: Lease, seconds: float) -> str | None:
    """Return why a batch that hung or ended its worker should not be retried; None if it should. seconds: for one try.

    A single event gets more tries: a needless split costs calls, a needless dead letter costs a memory.
    """
    if lease.overruns >= _OVERRUNS:
        return f"ran for longer than {seconds:g} s {lease.overruns} times"
    if lease.crashes >= (_CRASHES_OF_A_BATCH if lease.events > 1 else _CRASHES_OF_AN_EVENT):
        return f"ended its worker {lease.crashes} times"
    return None


def _is_of_the_server(error: Exception) -> bool:
    """Whether any batch would have failed now."""
    sqlstate = _sqlstate(error)
    if isinstance(error, NoThread | OperationalError | psycopg.OperationalError):
        # But here a value is too large for an index entry, and always will be.
        return not sqlstate.startswith("54")
    return sqlstate in _NOT_OF_BATCHES


def is_of_values(error: Exception) -> bool:
    """Whether the values at hand, given or from a row, are at fault, so that the next try fails in the same way."""
    if isinstance(error, DBAPIError | psycopg.Error):
        sqlstate = _sqlstate(error)
        return sqlstate.startswith(_OF_VALUES) if sqlstate else isinstance(error, DataError | psycopg.DataError)
    return isinstance(error, ValueError | TypeError | LookupError | ArithmeticError | AttributeError | RecursionError)


def is_of_all(error: Exception) -> bool:
    """Whether every row of a round would fail: Postgres is away or older, or this process lacks something."""
    if isinstance(error, DBAPIError | psycopg.Error):
        sqlstate = _sqlstate(error)
        gone = isinstance(error, DBAPIError) and error.connection_invalidated
        return gone or (sqlstate.startswith(_OF_ALL) if sqlstate else not is_of_values(error))
    return isinstance(error, OSError | MemoryError | NoThread | PoolTimeout)


def _sqlstate(error: Exception) -> str:
    """Return the SQLSTATE of a failure; empty if there is none."""
    return getattr(error.orig if isinstance(error, DBAPIError) else error, "sqlstate", None) or ""


def _pause(seconds: float) -> timedelta:
    # Limited before it becomes a timedelta, which would overflow: an endpoint may ask for a pause of 1e300 seconds.
    return timedelta(seconds=min(seconds, _LONGEST.total_seconds()))


def describe(error: Exception) -> str:
    """Describe a failure without text of a conversation: by its type and SQLSTATE."""
    name = type(error).__name__
    if isinstance(error, DBAPIError):
        return f"{name} {_sqlstate(error)}".strip()
    if isinstance(error, AnswerRefused | ModelUnavailable | EmbedderUnavailable | ConfigurationError | VersionConflict):
        return f"{name}: {error}"
    return name
