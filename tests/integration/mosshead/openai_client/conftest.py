"""A client with memory and real servers: an endpoint that answers, a namespace with memories, the queue."""

from collections.abc import Callable, Iterator
from uuid import UUID

import openai
import pytest

from mosshead import Memory, Namespace
from mosshead.paths import NamespacePath
from tests.fake_openai import FakeOpenAI
from tests.given import MINILM, Remembering

PATIENT = 30.0
"""Seconds for a read where a test is not about time: the machine may be busy."""


Knows = Callable[[str], UUID]


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    """Yield the endpoint."""
    with FakeOpenAI() as server:
        yield server


@pytest.fixture(scope="session")
def costly() -> Iterator[openai.OpenAI]:
    """Yield one client for all tests: its certificates take long to load."""
    with openai.OpenAI(api_key="none", base_url="http://127.0.0.1:9", max_retries=0) as client:
        yield client


@pytest.fixture
def plain(costly: openai.OpenAI, fake: FakeOpenAI) -> openai.OpenAI:
    """Return a client of the endpoint, without memory."""
    return costly.with_options(base_url=fake.base_url)


@pytest.fixture
def plain_async(fake: FakeOpenAI) -> openai.AsyncOpenAI:
    """Return an async client of the endpoint, without memory."""
    return openai.AsyncOpenAI(api_key="none", base_url=fake.base_url, max_retries=0)


@pytest.fixture
def sarah(memory: Memory, fresh_namespace: NamespacePath) -> Namespace:
    """Return a namespace of the library."""
    return memory.namespace(*fresh_namespace.parts)


@pytest.fixture
def knows(remembering: Remembering) -> Knows:
    """Return a function that adds a memory to the namespace, with its real vector."""
    return lambda content: remembering.memory(content, MINILM.embed([content])[0])
