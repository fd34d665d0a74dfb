"""What a conversation makes of the memory: every promise in `tests/data/scenarios`, kept by every back end that it names.

Extraction alone handles scenarios of one batch; those of several go through all stages, with a store.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from pydantic import BaseModel
from sqlalchemy import Engine

from benchmarks.extraction.oracle import Oracle
from config.settings import Settings, settings
from mosshead import Memory, Namespace
from mosshead.llm import Prompt
from mosshead.paths import NamespacePath
from pipeline.extraction.extract import extract
from pipeline.models import Fact, Message
from tests.fake_openai import FakeOpenAI, Request
from tests.forming import Forming
from tests.given import Publishing
from tests.scenarios import Promise, Scenario, read_promises
from workers.dependencies import parts

A = TypeVar("A", bound=BaseModel)

PROMISES = list(read_promises())


def kept(*, stored: bool) -> list[Any]:
    """Return each promise with each back end that must keep it. stored: those that need a store."""
    return [
        pytest.param(promise, back_end, id=f"{back_end}: {promise.name}")
        for promise in PROMISES
        for back_end in promise.back_ends
        if promise.examples[0].is_stored is stored
    ]


class InProcess:
    """A language model that calls a fake endpoint directly, without HTTP."""

    name = "a-model"

    def __init__(self, endpoint: FakeOpenAI) -> None:
        self.endpoint = endpoint

    def answer(self, prompt: Prompt[A]) -> A:
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        said = self.endpoint.take(Request("", prompt.answer.__name__, {"messages": messages}))
        return prompt.answer.model_validate(said)


@pytest.fixture(scope="module")
def endpoints() -> Iterator[Mapping[str, Any]]:
    """The fake model, and the oracle, which learns one scenario at a time."""
    with FakeOpenAI() as fake, Oracle([]) as oracle:
        yield {"fake": fake, "oracle": oracle}


@pytest.mark.parametrize(("promise", "back_end"), kept(stored=False))
def test_single_batch_scenario_is_believed(promise: Promise, back_end: str, endpoints: Mapping[str, Any]) -> None:
    endpoint = endpoints.get(back_end)
    model = InProcess(endpoint) if endpoint else None
    for scenario in promise.examples:
        if isinstance(endpoint, Oracle):
            endpoint.learn([scenario.as_case()])
        (step,) = scenario.steps
        facts = extract(step.messages, scenario.background, model).facts
        said = [one.content for one in step.messages]
        believed = {_stated(one.content): one for one in facts if not (one.retracts or one.suspicion)}
        wanted = [content for content in believed if step.alone or content in step.believed]
        assert wanted == list(step.believed), said
        assert [one.content for one in facts if one.retracts] == list(step.forgets), said
        for content, fields in step.believed.items():
            found = _written(believed[content])
            assert {name: _like(found[name], value) for name, value in fields.items()} == fields, (content, said)


@pytest.fixture
def told(  # noqa: PLR0917 - fixtures
    endpoints: Mapping[str, Any],
    service: Settings,
    settled: None,
    worker_engine: Engine,
    ingest_engine: Engine,
    memory: Memory,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Scenario, str], Iterator[Namespace]]:
    """Runs a scenario on a new namespace, one step at a time, with all stages after each."""

    def told(scenario: Scenario, back_end: str) -> Iterator[Namespace]:
        endpoint = endpoints.get(back_end)
        if endpoint:
            monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
            settings.cache_clear()
            parts.cache_clear()
        if isinstance(endpoint, Oracle):
            endpoint.learn([scenario.as_case()])
        path = NamespacePath.of((f"tenant-{uuid4().hex}", "sarah"))
        forming = Forming(worker_engine, Publishing(ingest_engine, path))
        for step in scenario.steps:
            forming.send(*(_event(forming, one) for one in step.messages))
            yield memory.namespace(*path.parts)

    return told


@pytest.mark.parametrize(("promise", "back_end"), kept(stored=True))
def test_scenario_over_time_is_believed(
    promise: Promise, back_end: str, told: Callable[[Scenario, str], Iterator[Namespace]]
) -> None:
    for scenario in promise.examples:
        for step, namespace in zip(scenario.steps, told(scenario, back_end), strict=True):
            believed = {_stated(one.content) for one in namespace.memories()}
            wanted = {content for content in believed if step.alone or content in step.believed}
            assert sorted(wanted) == sorted(step.believed), [one.content for one in step.messages]
        if scenario.entities is not None:
            names = sorted(one.name for one in namespace.entities.list() if not one.is_user)
            assert names == sorted(scenario.entities)
        if scenario.asked:
            memories = " ".join(one.content for one in namespace.context(scenario.asked["message"]).memories)
            held = [words for name in ("holds", "lacks") for words in scenario.asked[name] if words in memories]
            assert held == scenario.asked["holds"]


def _event(forming: Forming, message: Message) -> dict[str, Any]:
    speaker = {"speaker": message.speaker} if message.speaker else {}
    return forming.publishing.message(
        message.content,
        role=message.role.value,
        conversation=message.conversation,
        occurred_at=message.occurred_at.isoformat(),
        **speaker,
    )


def _stated(content: str) -> str:
    """Strip the full stop that only some back ends keep."""
    return content.removesuffix(".")


def _written(fact: Fact) -> dict[str, Any]:
    """Return a fact in the scenarios' format."""
    return {
        **fact.model_dump(mode="json"),
        "attribute": fact.attribute and fact.attribute.replace(" ", "_"),
        "when": fact.occurred and fact.occurred.start.date().isoformat(),
        "relations": [f"{one.subject} {one.predicate} {one.object}" for one in fact.relations],
        "names": sorted(one.name for one in fact.mentions),
        "mentions": {one.name: one.model_dump(mode="json") for one in fact.mentions},
    }


def _like(found: Any, wanted: Any) -> Any:
    """Return the part of the found value that the scenario specifies."""
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        return {name: _like(found.get(name), value) for name, value in wanted.items()}
    return found
