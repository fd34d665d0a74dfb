"""Template values that apply within a block: separate for asyncio tasks and threads, and required for every read."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import create_engine

import mosshead
from mosshead import InvalidNamespace, Memory
from mosshead.embeddings import MiniLM

TEMPLATE = ("acme", "{user_id}", "assistant")


@pytest.fixture
def memory() -> Memory:
    """Connected to nothing: a path is resolved before any request."""
    return Memory(create_engine("postgresql+psycopg://nowhere"), MiniLM(), None)


def name(memory: Memory, **given: str) -> str:
    return str(memory.namespace(*TEMPLATE, **given).path)


def test_template_takes_the_values_of_its_block_and_fails_outside(memory: Memory) -> None:
    with mosshead.values(user_id="sarah"):
        assert name(memory) == "acme/sarah/assistant"
        with mosshead.values(team="blue"):
            assert name(memory) == "acme/sarah/assistant"
        with mosshead.values(user_id="ruth"):
            assert name(memory) == "acme/ruth/assistant"
        assert name(memory, user_id="vera") == "acme/vera/assistant"
        assert name(memory) == "acme/sarah/assistant"
    with pytest.raises(InvalidNamespace, match=r"namespace\[1\]: the template \{user_id\} is not resolved"):
        name(memory)
    with mosshead.values(user_id=None), pytest.raises(InvalidNamespace, match="not resolved"):
        name(memory)


def test_failing_block_removes_its_values(memory: Memory) -> None:
    with pytest.raises(KeyError), mosshead.values(user_id="sarah"):
        raise KeyError
    with pytest.raises(InvalidNamespace):
        memory.group(*TEMPLATE)


def test_value_is_no_template(memory: Memory) -> None:
    with (
        mosshead.values(user_id="{team}", team="blue"),
        pytest.raises(InvalidNamespace, match="the value of a template contains braces"),
    ):
        name(memory)


def test_each_asyncio_task_has_its_own_values(memory: Memory) -> None:
    async def answer(user: str) -> tuple[str, str]:
        with mosshead.values(user_id=user):
            await asyncio.sleep(0)
            return name(memory), await asyncio.to_thread(name, memory)

    async def both() -> list[tuple[str, str]]:
        return list(await asyncio.gather(answer("sarah"), answer("ruth")))

    assert asyncio.run(both()) == [("acme/sarah/assistant",) * 2, ("acme/ruth/assistant",) * 2]


def test_another_thread_has_no_values(memory: Memory) -> None:
    with mosshead.values(user_id="sarah"), ThreadPoolExecutor(1) as threads, pytest.raises(InvalidNamespace):
        threads.submit(name, memory).result()
