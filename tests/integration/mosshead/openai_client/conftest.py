"""A client with memory, before real servers: an endpoint that talks, a namespace that knows something, the queue."""

from collections.abc import Callable, Iterator
from uuid import UUID

import openai
import pytest

from mosshead import Memory, Namespace
from mosshead.paths import NamespacePath
from tests.fake_openai import FakeOpenAI
from tests.given import MINILM, Remembering

PATIENT = 30.0
"""Seconds for a read, where a test is not about time: the machine may be busy."""


Knows = Callable[[str], UUID]


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    """The endpoint."""
    with FakeOpenAI() as server:
        yield server


@pytest.fixture(scope="session")
def costly() -> Iterator[openai.OpenAI]:
    """A client's certificates take long to load."""
    with openai.OpenAI(api_key="none", base_url="http://127.0.0.1:9", max_retries=0) as client:
        yield client


@pytest.fixture
def plain(costly: openai.OpenAI, fake: FakeOpenAI) -> openai.OpenAI:
    """A client of the endpoint, without memory."""
    return costly.with_options(base_url=fake.base_url)


@pytest.fixture
def plain_async(fake: FakeOpenAI) -> openai.AsyncOpenAI:
    """One that is awaited."""
    return openai.AsyncOpenAI(api_key="none", base_url=fake.base_url, max_retries=0)


@pytest.fixture
def sarah(memory: Memory, fresh_namespace: NamespacePath) -> Namespace:
    """A namespace of the library."""
    return memory.namespace(*fresh_namespace.parts)


@pytest.fixture
def knows(remembering: Remembering) -> Knows:
    """Puts a memory into the namespace, with its real vector."""
    return lambda content: remembering.memory(content, MINILM.embed([content])[0])
