"""What a failure of a stage means: tried again after a while, or given up. Pure; the table of the tests is the specification."""

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
"""SQLSTATEs of what is the same for every batch, and over one day: tables, functions or rights that the code was not written for,
as in the middle of a deployment; a server that may only be read; statements that a pooler mixed up."""

_OF_ALL = (*_NOT_OF_BATCHES, "08", "53", "57P", "58")
"""How SQLSTATEs begin that say the same to everybody: no connection, no space, no memory, a server that goes down."""

_OF_VALUES = ("21", "22", "23", "54", "P0")
"""How those begin that Postgres has for values, constraints and sizes, and those that our own functions raise."""

_CRASHES_OF_A_BATCH = 2
_CRASHES_OF_AN_EVENT = 3
_OVERRUNS = 2
"""A stage that hangs holds a slot for all its time, while the messages of others wait. So an event gets no third try."""


class NoThread(Exception):
    """The machine, or the container, gives this process no more threads; no batch's fault."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Try again when a provider answers; it is at fault, not the batch. pause: for how long it asked to be left alone.

    least: for how long the batch waits at least, where it may have asked for too much; that is counted, as nothing else is that
        waits. by_less: it did so often that it is to ask for less at once, if it can.
    """

    provider: str
    pause: timedelta | None = None
    least: timedelta | None = None
    by_less: bool = False


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again after ``delay``. counts: the batch itself may be at fault, so that this cannot go on for ever."""

    delay: timedelta
    counts: bool


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Not again like this: a batch is split into its events, and an event that is alone goes to the dead letters."""


def after_failure(error: Exception, attempts: int, most: int) -> Wait | Retry | GiveUp:
    """What to do after a failure.

    attempts: failures so far that counted. most: how many may.
    What is down gives the attempt back: else an outage of the provider would bury everybody's events. Of what does not come in
    time nobody can tell whether it is the provider or the question; it is counted, and buries nothing. An answer that was refused
    is final: the same question at temperature 0 has the same answer, and `extract` has asked for less already.
    """
    if isinstance(error, ModelUnavailable):
        return wait_for_model(error, attempts, most)
    # What the settings have wrong is no batch's fault: an endpoint that knows the model no more may know it again. But where it
    # refused a request, one of its texts may be at fault.
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
    """How to wait for a model that did not answer; arguments as for `after_failure`."""
    if isinstance(error, ModelTooSlow):
        return Wait(LLM, least=_pause(2**attempts), by_less=attempts + 1 >= most)
    return Wait(LLM, None if error.retry_after is None else _pause(error.retry_after))


def in_vain(lease: Lease, seconds: float) -> str | None:
    """Why a batch that hung or ended its worker is not to be tried again like this; None where it is. seconds: for one try.

    An event that is alone gets more tries: a batch that is split in vain costs calls, an event that dies in vain costs a memory.
    """
    if lease.overruns >= _OVERRUNS:
        return f"ran for longer than {seconds:g} s {lease.overruns} times"
    if lease.crashes >= (_CRASHES_OF_A_BATCH if lease.events > 1 else _CRASHES_OF_AN_EVENT):
        return f"ended its worker {lease.crashes} times"
    return None


def _is_of_the_server(error: Exception) -> bool:
    """Whether any batch would have failed of it, here and now."""
    sqlstate = _sqlstate(error)
    if isinstance(error, NoThread | OperationalError | psycopg.OperationalError):
        # But Postgres cannot hold what it was given, as an entry of an index, and never will.
        return not sqlstate.startswith("54")
    return sqlstate in _NOT_OF_BATCHES


def is_of_values(error: Exception) -> bool:
    """Whether the values at hand are at fault, which will be the same the next time: those that were given, or a row's."""
    if isinstance(error, DBAPIError | psycopg.Error):
        sqlstate = _sqlstate(error)
        return sqlstate.startswith(_OF_VALUES) if sqlstate else isinstance(error, DataError | psycopg.DataError)
    return isinstance(error, ValueError | TypeError | LookupError | ArithmeticError | AttributeError | RecursionError)


def is_of_all(error: Exception) -> bool:
    """Whether a round over many rows fails of it at each of them: Postgres is away, or older, or this process lacks something."""
    if isinstance(error, DBAPIError | psycopg.Error):
        sqlstate = _sqlstate(error)
        gone = isinstance(error, DBAPIError) and error.connection_invalidated
        return gone or (sqlstate.startswith(_OF_ALL) if sqlstate else not is_of_values(error))
    return isinstance(error, OSError | MemoryError | NoThread | PoolTimeout)


def _sqlstate(error: Exception) -> str:
    """What Postgres calls a failure; empty where it said nothing."""
    return getattr(error.orig if isinstance(error, DBAPIError) else error, "sqlstate", None) or ""


def _pause(seconds: float) -> timedelta:
    # Cut before it becomes a timedelta, which holds no more than so many: an endpoint may ask for a pause of 1e300 seconds.
    return timedelta(seconds=min(seconds, _LONGEST.total_seconds()))


def describe(error: Exception) -> str:
    """A failure in words that hold no text of a conversation: its kind, and what Postgres calls it."""
    name = type(error).__name__
    if isinstance(error, DBAPIError):
        return f"{name} {_sqlstate(error)}".strip()
    if isinstance(error, AnswerRefused | ModelUnavailable | EmbedderUnavailable | ConfigurationError | VersionConflict):
        return f"{name}: {error}"
    return name
