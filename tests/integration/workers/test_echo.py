"""Notes from the prompt that come back are no news: nothing is stored twice, and nothing is reinforced by its own echo."""

from collections.abc import Callable, Iterator
from itertools import combinations, cycle, islice
from typing import Any

import pytest
from sqlalchemy import Engine

from config.settings import Settings, settings
from mosshead import Namespace, StoredMemory
from pipeline.statements import agree
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming
from tests.given import Publishing
from workers.dependencies import parts

TOLD = (
    "I live in Seattle.",
    "My sister Ruth is a nurse.",
    "I work for Halvorsen Marine as a welder.",
    "I am allergic to walnuts.",
    "My dog is called Biscuit.",
    "I play the cello.",
    "I prefer aisle seats.",
    "I have two children.",
)
ASKED = (
    "What should I cook for Ruth tonight?",
    "Where do I live again?",
    "Any ideas for the weekend with Biscuit?",
    "Can you book a seat for me?",
    "Yes, exactly.",
    "That's right. I live in Seattle.",
    "Right. I am allergic to walnuts. What about dessert?",
    "As you say. My sister Ruth is a nurse.",
)


@pytest.fixture(params=["rules", pytest.param("model", marks=pytest.mark.thorough)])
def forming(  # noqa: PLR0917 - fixtures
    request: pytest.FixtureRequest,
    service: Settings,
    settled: None,
    worker_engine: Engine,
    publishing: Publishing,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Forming]:
    """Form memories by the offline rules, and by a model that takes every first-person sentence for a fact."""
    with FakeOpenAI() as fake:
        if request.param == "model":
            monkeypatch.setenv("OPENAI_BASE_URL", fake.base_url)
            settings.cache_clear()
            parts.cache_clear()
        yield Forming(worker_engine, publishing)


def turn(forming: Forming, sarah: Namespace, said: str, *, marked: bool, fill: bool) -> None:
    """Run one turn of an app that puts the context into the prompt, and whose assistant repeats all of it."""
    context = sarah.context(said, conversation="c1", budget=2_000, fill=fill)
    mark: dict[str, Any] = {"injected": [str(one.id) for one in context.memories]} if marked else {}
    known = " ".join(f"{_to_user(one)}, right?" for one in context.memories)
    message: Callable[..., dict[str, Any]] = forming.publishing.message
    forming.send(
        message(said, conversation="c1", **mark),
        message(f"Noted. {known}", role="assistant", conversation="c1", **mark),
    )


def _to_user(memory: StoredMemory) -> str:
    return memory.content.replace("User's", "Your").replace("User is", "You are").replace("User ", "You ")


@pytest.mark.parametrize("fill", [False, True])
def test_turns_with_injection_store_nothing_twice_and_reinforce_nothing(
    forming: Forming, sarah: Namespace, *, fill: bool
) -> None:
    """Fifty with the model, which takes whatever it is shown; with the rules, all questions twice."""
    more = 50 - len(TOLD) if settings().uses_llm else 2 * len(ASKED)
    for said in (*TOLD, *islice(cycle(ASKED), more)):
        turn(forming, sarah, said, marked=True, fill=fill)

    memories = sarah.memories()
    assert len(memories) >= len(TOLD) - 2
    assert [(one.content, other.content) for one, other in combinations(memories, 2) if _same(one, other)] == []
    assert {one.content for one in memories if one.confidence > 0.9 or one.version > 1} == set()
    echoes = [
        decision for one in memories for decision in sarah.decisions.for_memory(one.id) if "echo" in decision.reason
    ]
    assert len(echoes) >= len(TOLD)


@pytest.mark.parametrize("fill", [False, True])
def test_echo_counts_without_the_mark(forming: Forming, sarah: Namespace, *, fill: bool) -> None:
    """This shows that the test above can fail."""
    for said in ("I live in Seattle.", "That's right. I live in Seattle."):
        turn(forming, sarah, said, marked=False, fill=fill)

    (memory,) = [one for one in sarah.memories() if "Seattle" in one.content]
    assert memory.confidence > 0.9


def _same(one: StoredMemory, other: StoredMemory) -> bool:
    return agree(one.content, other.content)
