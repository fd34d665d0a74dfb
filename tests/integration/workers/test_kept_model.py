"""An answer that was paid for once is not paid for again."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel
from sqlalchemy import Engine, text

from db import leases
from db.keys import LaneRef
from db.leases import LLM
from mosshead.llm import AnswerTruncated, ModelUnavailable, Prompt
from mosshead.store.connection import tenant_transaction
from tests.given import LONG, under_way
from workers.dependencies import UsageLog
from workers.stages.load import KeptModel

A = TypeVar("A", bound=BaseModel)


class Answer(BaseModel):
    words: str


PROMPT = Prompt("extraction", 1, "system", "user", Answer)


class Paid:
    """A language model that counts its calls, reports their cost, and refuses when told to."""

    def __init__(self, usage: UsageLog, name: str = "model") -> None:
        self.name = name
        self.calls = 0
        self.refuses = False
        self.is_down = False
        self._usage = usage

    def answer(self, prompt: Prompt[A]) -> A:
        if self.is_down:
            raise ModelUnavailable("the endpoint answered 503")
        self.calls += 1
        self._usage.note(prompt.name, 7, 3)
        if self.refuses:
            raise AnswerTruncated("cut off")
        return prompt.answer.model_validate({"words": f"call {self.calls}"})


@pytest.fixture
def usage() -> UsageLog:
    return UsageLog()


@pytest.fixture
def paid(usage: UsageLog) -> Paid:
    return Paid(usage)


@pytest.fixture
def kept(paid: Paid, worker_engine: Engine, lane: LaneRef, usage: UsageLog) -> KeptModel:
    return of_another_batch(paid, worker_engine, lane, usage)


def of_another_batch(model: Paid, engine: Engine, lane: LaneRef, usage: UsageLog) -> KeptModel:
    return KeptModel(model, engine, under_way(engine, lane), usage, stage="extract")


def costs(engine: Engine, lane: LaneRef) -> list[Any]:
    with tenant_transaction(engine, lane.tenant_id) as connection:
        statement = "select stage, prompt, model, prompt_tokens, completion_tokens from mosshead.usage"
        return [tuple(row) for row in connection.execute(text(statement))]


def test_same_question_is_paid_for_once(kept: KeptModel, paid: Paid, worker_engine: Engine, lane: LaneRef) -> None:
    answers = [kept.answer(PROMPT) for _ in range(3)]

    assert answers == [Answer(words="call 1")] * 3
    assert paid.calls == 1
    assert costs(worker_engine, lane) == [("extract", "extraction", "model", 7, 3)]


@pytest.mark.parametrize("change", [{"name": "other"}, {"version": 2}, {"system": "other"}, {"user": "other"}])
def test_any_other_question_is_asked(kept: KeptModel, paid: Paid, change: dict[str, Any]) -> None:
    kept.answer(PROMPT)
    assert kept.answer(replace(PROMPT, **change)).words == "call 2"


def test_another_namespace_and_another_model_ask_for_themselves(
    kept: KeptModel, worker_engine: Engine, lane: LaneRef, usage: UsageLog
) -> None:
    kept.answer(PROMPT)
    neighbour = replace(lane, namespace_id=lane.tenant_id)
    for model, place in ((Paid(usage), neighbour), (Paid(usage, "another"), lane)):
        of_another_batch(model, worker_engine, place, usage).answer(PROMPT)
        assert model.calls == 1


def test_answer_is_kept_for_all_batches(
    kept: KeptModel, paid: Paid, worker_engine: Engine, lane: LaneRef, usage: UsageLog
) -> None:
    kept.answer(PROMPT)

    assert of_another_batch(paid, worker_engine, lane, usage).answer(PROMPT).words == "call 1"


def test_refusal_is_kept_for_its_batch_only(
    kept: KeptModel, paid: Paid, worker_engine: Engine, lane: LaneRef, usage: UsageLog
) -> None:
    """Otherwise each wait of a later question would pay for it again; a new batch asks anew."""
    paid.refuses = True
    for _ in range(3):
        with pytest.raises(AnswerTruncated, match="cut off"):
            kept.answer(PROMPT)
    assert paid.calls == 1
    paid.refuses = False

    assert of_another_batch(paid, worker_engine, lane, usage).answer(PROMPT).words == "call 2"
    assert costs(worker_engine, lane) == [("extract", "extraction", "model", 7, 3)] * 2


def test_concurrent_calls_of_two_threads_are_logged_under_their_own_namespaces(
    paid: Paid, worker_engine: Engine, lane: LaneRef, usage: UsageLog
) -> None:
    both_have_asked = Barrier(2)

    class Slow(Paid):
        def answer(self, prompt: Prompt[A]) -> A:
            answer = super().answer(prompt)
            both_have_asked.wait(10)
            return answer

    neighbour = replace(lane, namespace_id=lane.tenant_id)
    with ThreadPoolExecutor(2) as threads:
        asked = [
            threads.submit(of_another_batch(Slow(usage), worker_engine, place, usage).answer, PROMPT)
            for place in (lane, neighbour)
        ]
        assert [one.result().words for one in asked] == ["call 1"] * 2

    assert len(costs(worker_engine, lane)) == 2


def trip(engine: Engine) -> None:
    with engine.begin() as connection:
        leases.trip_breaker(connection, LLM, "503", pause=None, first=LONG, most=LONG)


@pytest.fixture
def outage(settled: None, worker_engine: Engine) -> None:
    """Record that the LLM failed a moment ago."""
    trip(worker_engine)


@pytest.mark.usefixtures("outage")
class TestAfterAnOutage:
    def paused(self, engine: Engine) -> bool:
        with engine.begin() as connection:
            return LLM in leases.paused_providers(connection)

    def test_answer_shows_that_all_may_ask_again(self, kept: KeptModel, worker_engine: Engine) -> None:
        kept.answer(PROMPT)
        assert not self.paused(worker_engine)

    def test_stored_answer_shows_nothing_about_the_provider(self, kept: KeptModel, worker_engine: Engine) -> None:
        kept.answer(PROMPT)
        trip(worker_engine)
        kept.answer(PROMPT)
        assert self.paused(worker_engine)

    def test_provider_that_still_fails_stays_down(self, kept: KeptModel, paid: Paid, worker_engine: Engine) -> None:
        paid.is_down = True
        with pytest.raises(ModelUnavailable):
            kept.answer(PROMPT)
        assert self.paused(worker_engine)
