"""A batch that is halved for the model pays for each call, keeps earlier answers, and counts refusals."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, text

from db.keys import LaneRef
from mosshead.llm import ModelUnavailable
from mosshead.llm.openai import OpenAILanguageModel
from mosshead.store.connection import tenant_transaction
from pipeline.extraction.extract import extract
from pipeline.models import Background
from tests.factories import messages
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI, Fault
from tests.given import under_way
from workers.dependencies import UsageLog
from workers.stages.load import KeptModel

SCHEMA = "ExtractionAnswer"
BATCH = messages("I like tea.", "I like ham.")


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as server:
        yield server


@pytest.fixture
def kept(fake: FakeOpenAI, worker_engine: Engine, lane: LaneRef) -> KeptModel:
    usage = UsageLog()
    model = OpenAILanguageModel(
        "gpt-fake",
        api_key="sk-fake",
        base_url=fake.base_url,
        timeout=60,
        on_usage=usage.note,
    )
    return KeptModel(model, worker_engine, under_way(worker_engine, lane), usage, stage="extract")


def calls_paid(engine: Engine, lane: LaneRef) -> int:
    with tenant_transaction(engine, lane.tenant_id) as connection:
        statement = text("select count(*) from mosshead.usage where prompt_tokens > 0 and completion_tokens > 0")
        return int(connection.execute(statement).scalar_one())


def test_refused_answer_and_both_halves_are_paid_for(
    fake: FakeOpenAI, kept: KeptModel, worker_engine: Engine, lane: LaneRef
) -> None:
    fake.script(SCHEMA, Fault("truncated"))

    found = extract(BATCH, Background(), kept)

    assert [fact.content for fact in found.facts] == ["User likes tea.", "User likes ham."]
    assert calls_paid(worker_engine, lane) == 3


def test_facts_before_a_cut_are_kept_and_are_the_same_after_a_crash(
    fake: FakeOpenAI, kept: KeptModel, worker_engine: Engine, lane: LaneRef
) -> None:
    tea, ham = (
        fact_like(content=f"User likes {what}.", sources=[number], quote=f"I like {what}", mentions=[])
        for number, what in enumerate(("tea", "ham"), 1)
    )
    fake.script(SCHEMA, Fault.cut_after(tea), Fault.cut_after(tea, tea), Fault.cut_after(ham))
    first = extract(BATCH, Background(), kept)

    assert [fact.content for fact in first.facts] == ["User likes tea.", "User likes ham."]
    assert first.refused == {"repeated": 1, "cut_off": 2}
    assert extract(BATCH, Background(), kept) == first
    assert calls_paid(worker_engine, lane) == 3


def test_repeat_after_a_crash_pays_for_nothing_again(
    fake: FakeOpenAI, kept: KeptModel, worker_engine: Engine, lane: LaneRef
) -> None:
    fake.script(SCHEMA, *[Fault("invalid_json")] * 2)
    first = extract(BATCH, Background(), kept)

    assert extract(BATCH, Background(), kept) == first
    assert fake.calls == {SCHEMA: 4}, "the whole, the same with what was wrong, and its halves"
    assert calls_paid(worker_engine, lane) == 4


def test_waiting_halves_do_not_cause_the_whole_to_be_requested_again(fake: FakeOpenAI, kept: KeptModel) -> None:
    """A limit of tokens per minute used up by the refused answer would otherwise hit the halves each time, for ever."""
    fake.script(SCHEMA, Fault("truncated"), Fault.status(429), Fault.status(429))
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            extract(BATCH, Background(), kept)

    assert len(extract(BATCH, Background(), kept).facts) == 2
    assert fake.calls == {SCHEMA: 5}, "the whole, a half three times, the other half"
