"""What a failure of a stage means: tried again after a while, or given up. Pure; the table of the tests is the specification."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy.exc import DBAPIError, OperationalError

from db.memories import VersionConflict
from pipeline.ports import AnswerRefused, ModelUnavailable
from recollect.errors import EmbedderUnavailable

_LONGEST = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again after ``delay``. counts: the batch itself may be at fault, so that this cannot go on for ever."""

    delay: timedelta
    counts: bool


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Not again: the events go to the dead ones, and the lane goes on."""


def after_failure(error: Exception, attempts: int, most: int) -> Retry | GiveUp:
    """What to do after a failure.

    attempts: failures so far that counted. most: how many may.
    What is down gives the attempt back: else an outage of the provider would bury everybody's events.
    """
    if isinstance(error, VersionConflict):
        return Retry(timedelta(0), counts=False)
    if isinstance(error, ModelUnavailable) and error.retry_after is not None:
        return Retry(_pause(error.retry_after), counts=False)
    if isinstance(error, ModelUnavailable | EmbedderUnavailable | OperationalError):
        return Retry(timedelta(seconds=5), counts=False)
    if attempts + 1 >= most:
        return GiveUp()
    return Retry(_pause(2**attempts), counts=True)


def _pause(seconds: float) -> timedelta:
    # Cut before it becomes a timedelta, which holds no more than so many: an endpoint may ask for a pause of 1e300 seconds.
    return timedelta(seconds=min(seconds, _LONGEST.total_seconds()))


def describe(error: Exception) -> str:
    """A failure in words that hold no text of a conversation: its kind, and what Postgres calls it."""
    name = type(error).__name__
    if isinstance(error, DBAPIError):
        return f"{name} {getattr(error.orig, 'sqlstate', None) or ''}".strip()
    if isinstance(error, AnswerRefused | ModelUnavailable | EmbedderUnavailable | VersionConflict):
        return f"{name}: {error}"
    return name
