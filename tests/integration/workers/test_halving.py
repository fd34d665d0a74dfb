"""A batch that is asked about in halves pays for each call, keeps what was answered, and counts what was refused."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from sqlalchemy import Engine, text

from db.refs import LaneRef
from pipeline.extract import extract
from pipeline.facts import Background, Message
from recollect.kinds import Role
from recollect.language_model.openai import OpenAILanguageModel
from recollect.tenancy import tenant_transaction
from tests.fake_openai import FakeOpenAI, Fault
from tests.given import NOON
from workers.kept_model import KeptModel, UsageLog

SCHEMA = "ExtractionAnswer"
BATCH = [Message(n, uuid4(), "c1", Role.USER, None, f"I like {what}.", NOON) for n, what in ((1, "tea"), (2, "ham"))]


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as server:
        yield server


@pytest.fixture
def kept(fake: FakeOpenAI, worker_engine: Engine, lane: LaneRef) -> KeptModel:
    usage: UsageLog = []
    model = OpenAILanguageModel(
        "gpt-fake",
        api_key="sk-fake",
        base_url=fake.base_url,
        timeout=5,
        on_usage=lambda name, asked, answered: usage.append((name, asked, answered)),
    )
    return KeptModel(model, worker_engine, lane, usage, stage="extract")


def calls_paid(engine: Engine, lane: LaneRef) -> int:
    with tenant_transaction(engine, lane.tenant_id) as connection:
        statement = text("select count(*) from recollect.usage where prompt_tokens > 0 and completion_tokens > 0")
        return int(connection.execute(statement).scalar_one())


def test_the_refused_answer_and_both_halves_are_paid_for(
    fake: FakeOpenAI, kept: KeptModel, worker_engine: Engine, lane: LaneRef
) -> None:
    fake.script(SCHEMA, Fault("truncated"))

    found = extract(BATCH, Background(), kept)

    assert [fact.content for fact in found.facts] == ["User likes tea.", "User likes ham."]
    assert calls_paid(worker_engine, lane) == 3


def test_done_again_after_a_crash_only_the_refused_question_is_paid_for_again(
    fake: FakeOpenAI, kept: KeptModel, worker_engine: Engine, lane: LaneRef
) -> None:
    fake.script(SCHEMA, Fault("invalid_json"))
    first = extract(BATCH, Background(), kept)
    fake.script(SCHEMA, Fault("invalid_json"))

    assert extract(BATCH, Background(), kept) == first
    assert fake.calls == {SCHEMA: 4}
    assert calls_paid(worker_engine, lane) == 4
