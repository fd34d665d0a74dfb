"""What `Memory` and `AsyncMemory` both guarantee. The second runs under blockbuster: calls that block the event loop fail."""

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, Protocol
from uuid import UUID, uuid4

import pytest
from blockbuster import blockbuster_ctx
from pydantic import BaseModel
from sqlalchemy import create_engine
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from mosshead import (
    AmbiguousName,
    AsyncMemory,
    InvalidEvent,
    Memory,
    NotFound,
    ReadTimeout,
    WaitTimeout,
)
from mosshead.paths import NamespacePath
from mosshead.urls import sqlalchemy_url
from tests.given import MINILM, Publishing, Remembering
from workers.local import Addresses

NO_ID = UUID(int=7)


class Taste(BaseModel):
    """What the user likes."""

    drink: str | None = None


class Face:
    """Either face, called synchronously."""

    def __init__(self, inner: Any, run: Callable[[Coroutine[Any, Any, Any]], Any] | None) -> None:
        self._inner, self._run = inner, run

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if type(found).__module__.startswith("mosshead.api"):
            return Face(found, self._run)
        if not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            answer = found(*arguments, **named)
            if inspect.iscoroutine(answer):
                assert self._run is not None
                return self._run(answer)
            return Face(answer, self._run) if type(answer).__module__.startswith("mosshead.api.async") else answer

        return call


class Knows(Protocol):
    def __call__(self, content: str, **given: Any) -> UUID: ...


@pytest.fixture(scope="module", params=["straight", "awaited"])
def face(
    request: pytest.FixtureRequest, addresses: Addresses, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Face]:
    """The memory with either face, with a minute for reads because the machine may be busy."""
    arguments: dict[str, Any] = {
        "database_url": addresses.database_url,
        "broker_url": addresses.broker_url,
        "spool_dir": tmp_path_factory.mktemp("spool"),
        "read_timeout": 60.0,
    }
    with ExitStack() as stack:
        if request.param == "straight":
            yield Face(stack.enter_context(Memory.connect(**arguments)), None)
            return
        loop = stack.enter_context(asyncio.Runner())
        stack.enter_context(blockbuster_ctx())
        memory = loop.run(AsyncMemory.connect(**arguments))
        yield Face(memory, loop.run)
        loop.run(memory.close())


@pytest.fixture
def sarah(face: Face, fresh_namespace: NamespacePath) -> Face:
    return Face(face._inner.namespace(*fresh_namespace.parts), face._run)


@pytest.fixture
def knows(remembering: Remembering) -> Knows:
    """Returns a function that stores a memory with its real vector."""

    def remember(content: str, **given: Any) -> UUID:
        return remembering.memory(content, MINILM.embed([content])[0], **given)

    return remember


def test_query_finds_the_nearest_memories(sarah: Face, knows: Knows) -> None:
    knows("User's favourite colour is green")
    home = knows("User moved to Seattle")

    assert sarah.query("Where does she live?", limit=1)[0].id == home
    assert len(sarah.query("Where does she live?")) == 2
    assert not sarah.query(" ")


def test_app_reranker_is_called(sarah: Face, knows: Knows) -> None:
    ids = [knows("User moved to Seattle"), knows("User lives with a small cat")]

    def longest(_text: str, texts: Sequence[str]) -> list[float]:
        return [float(len(one)) for one in texts]

    assert [hit.id for hit in sarah.query("Where does she live?", reranker=longest)] == ids[::-1]


def test_context_contains_relevant_memories_and_named_entities(
    sarah: Face, knows: Knows, remembering: Remembering
) -> None:
    ruth = remembering.entity("Ruth")
    knows("User moved to Seattle")
    knows("Ruth lives in Porto", about={ruth: ("subject", "sure")})
    context = sarah.context("Where does Ruth live, and is it far from Seattle?", history=[])

    assert {one.content for one in context.memories} == {"User moved to Seattle", "Ruth lives in Porto"}
    assert sarah.context("Where does Ruth live?", fill=False, include_pending=3).text
    assert not sarah.context(" ").memories


def test_ambiguous_name_is_resolved_or_becomes_a_question(sarah: Face, knows: Knows, remembering: Remembering) -> None:
    brother = remembering.entity("Peter", description="User's brother")
    writer = remembering.entity("Peter", description="writer")
    knows("Peter keeps bees and his hives are in the garden", about={brother: ("subject", "sure")})
    knows("Peter writes novels", about={writer: ("subject", "sure")})

    assert sarah.resolve("Peter's hives need new frames", mention="Peter").entity.id == brother
    assert sarah.resolve("I met nobody").status == "unknown"
    assert sarah.context("Peter's hives need new frames").memories
    with pytest.raises(AmbiguousName):
        sarah.entities.profile("Peter")


def test_entities_and_graph_are_read(sarah: Face, remembering: Remembering) -> None:
    ruth = remembering.entity("Ruth")

    assert [one.id for one in sarah.entities.list()] == [ruth]
    assert sarah.entities.get("Ruth").id == sarah.entities.profile(ruth).entity.id == ruth
    assert sarah.entities.neighbours(ruth) == []
    assert sarah.entities.questions() == []
    assert [one.text for one in sarah.entities.mentions("Is she with Ruth?")] == ["she", "Ruth"]
    assert [one.text for one in sarah.entities.mentions("Ruth?", parser=lambda _message: [])] == ["Ruth"]


def test_memories_are_read_by_id_listed_and_exported(sarah: Face, knows: Knows) -> None:
    home = knows("User moved to Seattle")

    assert sarah.get(home).content == "User moved to Seattle"
    assert [one.id for one in sarah.memories()] == [home]
    assert any("User moved to Seattle" in line for line in sarah.export())
    assert sarah.decisions.for_memory(home) == []
    assert sarah.decisions.latest() == []
    assert sarah.decisions.related(home) == []
    for unknown in (sarah.get, sarah.decisions.get, sarah.undo):
        with pytest.raises(NotFound):
            unknown(NO_ID)


def test_messages_are_searched_verbatim(sarah: Face) -> None:
    found = sarah.messages.search("What does she drink?", conversation="c1")

    assert found.hits == ()
    assert sarah.messages.memories(NO_ID) == []
    assert sarah.messages.summary("c1") is None
    with pytest.raises(NotFound):
        sarah.messages.get(NO_ID)
    with pytest.raises(ValueError, match="conversation_only: needs"):
        sarah.messages.search("tea", conversation_only=True)


def test_documents_and_receipts_are_read(sarah: Face) -> None:
    assert sarah.documents.get(Taste) is None
    assert sarah.documents.list() == []
    assert sarah.documents.versions(Taste) == []
    assert sarah.documents.decisions(Taste) == []
    assert sarah.documents.records(Taste, text="tea") == []
    assert sarah.documents.episodes() == []
    assert sarah.erasures.list() == []
    assert sarah.erasures.get(NO_ID) is None


def test_wait_covers_events_in_the_spool(sarah: Face) -> None:
    sarah.publish("I moved to Seattle", conversation="c1")
    sarah.publish_conversation([{"role": "user", "content": "I have a dog"}], conversation="c1", ended=True)
    sarah.end_conversation("c1")
    sarah.configure(instructions="Look for pets.")
    sarah.reflect()
    sarah.messages.summarise("c1")
    sarah.documents.edit(Taste, {"drink": "tea"})
    sarah.import_records([{"type": "memory", "id": "m1", "content": "User has a dog"}])
    (published,) = sarah.progress().published.values()

    assert published == 9
    assert sarah.query("dog").partial
    with pytest.raises(WaitTimeout, match="9 events are published but not received"):
        sarah.wait(0.2)
    with pytest.raises(InvalidEvent, match="role"):
        sarah.publish("tea", role="king")


def test_memory_publishes_a_ready_made_event(face: Face, fresh_namespace: NamespacePath) -> None:
    event = {"type": "message", "role": "user", "content": "tea", "namespace": list(fresh_namespace.parts)}

    assert isinstance(face.publish(event), UUID)
    assert sum(Face(face._inner.namespace(*fresh_namespace.parts), face._run).progress().published.values()) == 1


def test_remember_and_forget_are_visible_at_once_to_this_process(sarah: Face, knows: Knows) -> None:
    home = knows("User moved to Seattle")
    cat = sarah.remember("User has a cat named Miso")

    assert sarah.query("What is the cat called?", limit=1)[0].id == cat
    assert "Miso" in sarah.context("What is my cat called?").text
    sarah.remember("User moved to Porto", replaces=home)
    sarah.forget(cat)
    assert [one.content for one in sarah.query("Where does she live?")] == ["User moved to Porto"]
    with pytest.raises(NotFound, match="already superseded"):
        sarah.forget(home)
    sarah.erase(everything=True)
    sarah.messages.erase(NO_ID)


def test_clarify_merge_and_split_are_published(sarah: Face, knows: Knows, remembering: Remembering) -> None:
    ruth, rue = remembering.entity("Ruth"), remembering.entity("Rue")
    memory_id = knows("Ruth lives in Porto", about={ruth: ("subject", "sure")})

    sarah.entities.merge(rue, ruth)
    sarah.entities.split(ruth, [memory_id])
    with pytest.raises(NotFound):
        sarah.entities.clarify(uuid4(), ruth)
    with pytest.raises(NotFound):
        sarah.messages.replace(NO_ID, "tea")


def test_group_queries_its_namespaces_together(face: Face, sarah: Face, knows: Knows, publishing: Publishing) -> None:
    publishing.say("I moved to Seattle")
    home = knows("User moved to Seattle")
    group = Face(face._inner.group(sarah.path.parts[0]), face._run)

    assert [hit.id for hit in group.query("Where does she live?")] == [home]
    assert group.namespaces() == [sarah.path]


def test_late_read_is_partial_or_raises(sarah: Face, knows: Knows) -> None:
    knows("User moved to Seattle")
    late = sarah.query("Where does she live?", timeout=0.0000001)

    assert late.partial
    assert "did not end in time" in late.reason
    with pytest.raises(ReadTimeout):
        sarah.context("Where does she live?", timeout=0.0000001, on_timeout="raise")
    assert sarah.query("Where does she live?").reason is None


def test_publish_with_a_session_is_part_of_the_apps_transaction(face: Face, sarah: Face, addresses: Addresses) -> None:
    address = sqlalchemy_url(addresses.ingest_url, "X")

    async def publish_awaited(*, commit: bool) -> None:
        engine = create_async_engine(address)
        async with AsyncSession(engine) as session:
            await sarah._inner.publish("I moved to Seattle", session=session)
            await (session.commit() if commit else session.rollback())
        await engine.dispose()

    def publish_straight(*, commit: bool) -> None:
        engine = create_engine(address)
        with engine.connect() as connection:
            sarah._inner.publish("I moved to Seattle", session=connection)
            (connection.commit if commit else connection.rollback)()
        engine.dispose()

    for commit in (False, True):
        if face._run:
            face._run(publish_awaited(commit=commit))
        else:
            publish_straight(commit=commit)
    assert sarah.progress().pending == 1
