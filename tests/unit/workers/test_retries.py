"""The consequence of a stage's failure. The tables are the specification."""

from datetime import timedelta
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy.exc import (
    DataError,
    IntegrityError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
)

from db.keys import BatchRef, LaneRef, VersionConflict
from db.leases import EMBEDDER, LLM, Lease
from mosshead.errors import ConfigurationError, EmbedderUnavailable, EmbeddingRefused
from mosshead.llm import AnswerDeclined, AnswerRefused, AnswerTruncated, AnswerUnusable, ModelUnavailable
from mosshead.llm.protocol import ModelTooSlow
from workers.failures import GiveUp, NoThread, Retry, Wait, after_failure, describe, in_vain

MOST = 3


class Refusal(Exception):
    """An error as the driver raises it; its text repeats the values written."""

    sqlstate = "22P05"


class TooMuch(Refusal):
    """An entry too large for any index of Postgres."""

    sqlstate = "54000"


DOWN = OperationalError("insert zanzibar", {"content": "zanzibar"}, Refusal("zanzibar"))
DATA = DataError("insert zanzibar", {"content": "zanzibar"}, Refusal("zanzibar"))


def seconds(count: float, *, counts: bool = False) -> Retry:
    return Retry(timedelta(seconds=count), counts=counts)


def pause(count: float) -> Wait:
    return Wait(LLM, timedelta(seconds=count))


@pytest.mark.parametrize("attempts", [0, 2, 99])
@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (VersionConflict("memory moved"), seconds(0)),
        (ModelUnavailable("down"), Wait(LLM)),
        (ModelUnavailable("limited", retry_after=0), pause(0)),
        (ModelUnavailable("limited", retry_after=12.5), pause(12.5)),
        (ModelUnavailable("limited", retry_after=86_400), pause(300)),
        (ModelUnavailable("limited", retry_after=1e300), pause(300)),
        (EmbedderUnavailable("down"), Wait(EMBEDDER)),
        (ConfigurationError("MOSSHEAD_EMBEDDER: the endpoint does not know the model (404)"), Wait(EMBEDDER)),
        (psycopg.errors.QueryCanceled("a statement of the driver's own took too long"), seconds(1)),
        (NoThread("cannot start a thread: the process has reached its thread limit"), seconds(1)),
        (DOWN, seconds(1)),
        (ProgrammingError("", {}, psycopg.errors.UndefinedColumn("zanzibar")), seconds(1)),
        (psycopg.errors.UndefinedFunction("the code is newer than the database"), seconds(1)),
        (InternalError("", {}, psycopg.errors.ReadOnlySqlTransaction("zanzibar")), seconds(1)),
        (
            NotSupportedError("", {}, psycopg.errors.FeatureNotSupported("cached plan must not change result type")),
            seconds(1),
        ),
    ],
)
def test_failing_provider_is_waited_for_however_long_and_does_not_count(
    error: Exception, attempts: int, outcome: Wait | Retry
) -> None:
    assert after_failure(error, attempts, MOST) == outcome


@pytest.mark.parametrize(
    ("attempts", "least", "by_less"), [(0, 1, False), (1, 2, False), (2, 4, True), (7, 128, True), (5000, 300, True)]
)
def test_timeouts_are_waited_for_longer_each_time_and_then_requested_in_pieces(
    attempts: int, least: float, by_less: bool
) -> None:
    wait = Wait(LLM, least=timedelta(seconds=least), by_less=by_less)
    assert after_failure(ModelTooSlow("the LLM did not answer in time"), attempts, MOST) == wait


@pytest.mark.parametrize(
    "error",
    [
        DATA,
        IntegrityError("", {}, Refusal()),
        KeyError("zanzibar"),
        OperationalError("", {}, TooMuch()),
        psycopg.errors.ProgramLimitExceeded("zanzibar"),
        psycopg.errors.SyntaxError("of a tsquery, say, which is made of what was said"),
        EmbeddingRefused("one of the texts is too long (413)"),
    ],
)
@pytest.mark.parametrize(
    ("attempts", "outcome"), [(0, seconds(1, counts=True)), (1, seconds(2, counts=True)), (2, GiveUp()), (7, GiveUp())]
)
def test_possible_fault_of_the_batch_is_retried_a_few_times_and_then_given_up(
    error: Exception, attempts: int, outcome: Retry | GiveUp
) -> None:
    assert after_failure(error, attempts, MOST) == outcome


@pytest.mark.parametrize("attempts", [0, 1, 2])
@pytest.mark.parametrize(
    "error", [AnswerRefused("no"), AnswerDeclined("no"), AnswerTruncated("cut off"), AnswerUnusable("not JSON")]
)
def test_refused_answer_is_not_requested_again(error: Exception, attempts: int) -> None:
    assert after_failure(error, attempts, MOST) == GiveUp()


def test_pause_grows_up_to_five_minutes() -> None:
    pauses = [after_failure(KeyError(), attempts, 9999) for attempts in (8, 9, 5000)]
    assert pauses == [seconds(256, counts=True), seconds(300, counts=True), seconds(300, counts=True)]


def lease(**given: int) -> Lease:
    batch = BatchRef(LaneRef(uuid4(), uuid4()), uuid4())
    return Lease(batch, "extract", "a task", epoch=1, **given)


@pytest.mark.parametrize(
    ("events", "crashes", "why"),
    [
        (1, 0, None),
        (1, 2, None),
        (1, 3, "ended its worker 3 times"),
        (1, 9, "ended its worker 9 times"),
        (2, 0, None),
        (2, 1, None),
        (2, 2, "ended its worker 2 times"),
        (40, 2, "ended its worker 2 times"),
    ],
)
def test_batch_may_crash_once_and_a_single_event_twice(events: int, crashes: int, why: str | None) -> None:
    assert in_vain(lease(events=events, crashes=crashes), 600.0) == why


@pytest.mark.parametrize(("overruns", "too_many"), [(0, False), (1, False), (2, True), (3, True)])
def test_stage_may_overrun_once(overruns: int, too_many: bool) -> None:
    why = f"ran for longer than 600 s {overruns} times"
    assert in_vain(lease(overruns=overruns), 600.0) == (why if too_many else None)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ModelUnavailable("the endpoint answered 503"), "ModelUnavailable: the endpoint answered 503"),
        (AnswerTruncated("cut off"), "AnswerTruncated: cut off"),
        (EmbedderUnavailable("down"), "EmbedderUnavailable: down"),
        (DATA, "DataError 22P05"),
        (OperationalError("select", {}, Exception("zanzibar")), "OperationalError"),
        (ValueError("zanzibar"), "ValueError"),
        (KeyError("zanzibar"), "KeyError"),
    ],
)
def test_failure_is_described_without_message_text(error: Exception, words: str) -> None:
    assert describe(error) == words
