"""Working memory on a real Redis, shared by processes, with its look-ups in the memories."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from redis import Redis
from sqlalchemy import Engine, create_engine

from benchmarks.faults.proxy import Proxy
from db import summaries
from db.keys import LaneRef
from mosshead import Memory, Namespace, StoreUnavailable
from mosshead.contrib.working_memory import InRedis, WorkingMemory, stores
from mosshead.contrib.working_memory.state import State
from mosshead.deadline import bounded
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from tests.given import Remembering
from tests.integration.mosshead.conftest import Taken
from workers.local import Addresses, wait_until

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def client(addresses: Addresses) -> Iterator[Redis]:
    with Redis.from_url(addresses.broker_url) as opened:
        yield opened


@pytest.fixture
def session() -> str:
    return f"session-{uuid4().hex}"


_ADDING = """
import select, sys
from mosshead.contrib.working_memory import WorkingMemory
from mosshead.contrib.working_memory import stores
stores._TIMEOUT_SECONDS = stores._CONTENDED_SECONDS = 60.0
working, added = WorkingMemory(sys.argv[2], store=sys.argv[1]), 0
while not select.select([sys.stdin], [], [], 0)[0]:
    working.add("page", 1, "x")
    working.add("page", 2, "y")
    added += 1
print(added)
"""


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine, Redis may be slow, and others may be faster for long."""
    monkeypatch.setattr(stores, "_TIMEOUT_SECONDS", 60.0)
    monkeypatch.setattr(stores, "_CONTENDED_SECONDS", 60.0)


@pytest.mark.usefixtures("patient")
def test_two_processes_lose_nothing(client: Redis, addresses: Addresses, session: str) -> None:
    """The other process goes on adding as long as this one does."""
    working = WorkingMemory(session, store=client)
    command = [sys.executable, "-c", _ADDING, addresses.broker_url, session]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        wait_until(lambda: bool(working.get_recent()), timeout=60, what="what the other adds")
        for _ in range(100):
            working.add("page", 1, "x")
            working.add("page", 3, "z")
        said, _ = other.communicate("enough\n")
    added = int(said)

    assert {one.id: one.accesses for one in working.get_recent()} == {"1": 100 + added, "2": added, "3": 100}


def test_redis_expires_a_session_by_itself(client: Redis, session: str) -> None:
    working = WorkingMemory(session, store=client, ttl=timedelta(minutes=6))
    working.add("page", 1, "x")
    key = f"mosshead:working:-:{session}"
    assert 300_000 < client.pttl(key) <= 360_000
    client.pexpire(key, 200_000)
    working.get_recent()
    assert client.pttl(key) <= 200_000, "who only looks on keeps nothing alive"
    working.get("page", 1)
    assert client.pttl(key) > 300_000
    working.clear()
    assert not client.exists(key)


def test_client_that_decodes_responses_works_too(addresses: Addresses, session: str) -> None:
    with Redis.from_url(addresses.broker_url, decode_responses=True) as client:
        working = WorkingMemory(session, store=client)
        working.add("page", 1, "Über uns – „Plan“")
        working.add("page", 2, "y")
        assert [one.label for one in working.get_recent()] == ["y", "Über uns – „Plan“"]


def test_session_of_another_version_is_empty(client: Redis, session: str) -> None:
    client.set(f"mosshead:working:-:{session}", '{"format": 99}')
    working = WorkingMemory(session, store=client)
    assert working.get_recent() == ()
    working.add("page", 1, "x")
    assert [one.id for one in working.get_recent()] == ["1"]


def test_slower_writer_decides_again(client: Redis) -> None:
    store, asked = InRedis(client, prefix=f"{uuid4().hex}:"), list[int]()

    def slow(state: State) -> tuple[State, int]:
        asked.append(state.turns)
        if len(asked) == 1:
            store.change("s", lambda other: (State(turns=other.turns + 5), None), timedelta(minutes=5))
        return State(turns=state.turns + 1), state.turns + 1

    assert store.change("s", slow, timedelta(minutes=5)) == 6
    assert asked == [0, 5]


@pytest.mark.usefixtures("patient")
def test_lost_reply_doubles_nothing(addresses: Addresses, session: str) -> None:
    """The client retries by itself: a change stored before the connection broke must not count as somebody else's."""
    broker = urlsplit(addresses.broker_url)
    proxy = Proxy(broker.port or 6379)
    proxy.start()
    try:
        working = WorkingMemory(session, store=f"redis://:{broker.password}@127.0.0.1:{proxy.port}/0")
        working.add_tool_result("t", "c1", "one")
        working.turn()
        proxy.cut_after(b"EVALSHA")
        working.add_tool_result("t", "c2", "two")
        proxy.heal()
        proxy.cut_after(b"EVALSHA")
        working.turn()
        assert proxy.cuts == 2
        assert [one.reference for one in working.tool_results()] == ["c2", "c1"]
        assert working._state().turns == 2
    finally:
        proxy.close()


@pytest.mark.parametrize("url", ["redis://:a-secret@127.0.0.1:1/0", "redis://:a-secret@nowhere.invalid:6379/0"])
def test_unreachable_redis_is_named_without_its_password(url: str) -> None:
    working = WorkingMemory("s1", store=url)
    for call in (lambda: working.add("page", 1, "My label"), working.prompt_block, working.clear):
        with pytest.raises(StoreUnavailable, match=r"^store: Redis did not answer \(ConnectionError\)") as failed:
            call()
        assert "a-secret" not in str(failed.value)
        assert "My label" not in str(failed.value)


@pytest.fixture
def sarah(memory: Memory, fresh_namespace: NamespacePath) -> Namespace:
    return memory.namespace(*fresh_namespace.parts)


def test_absent_entity_is_looked_up_and_then_present(sarah: Namespace, remembering: Remembering, session: str) -> None:
    ada = remembering.entity("Ada Byron", aliases=["Countess"])
    working = WorkingMemory(session, namespace=sarah)
    assert working.resolve("this person") is None

    found = working.resolve("Countess")

    assert found is not None
    assert (found.type, found.id, found.label) == ("person", str(ada), "Ada Byron")
    assert working.resolve("tell her") == WorkingMemory(session, namespace=sarah).get_recent()[0]
    assert WorkingMemory(session).get_recent() == (), "sessions of a namespace are its own"


def test_name_of_two_entities_resolves_to_neither(sarah: Namespace, remembering: Remembering, session: str) -> None:
    for _ in range(2):
        remembering.entity("Peter")
    assert WorkingMemory(session, namespace=sarah).resolve("Peter") is None


def test_entity_is_looked_up_by_its_id_if_it_has_the_type(
    sarah: Namespace, remembering: Remembering, session: str
) -> None:
    ada = remembering.entity("Ada Byron")
    working = WorkingMemory(session, namespace=sarah)

    assert working.get("page", str(ada)) is None
    assert working.get("person", "Ada Byron") is None, "that is no id"
    assert working.get("person", str(uuid4())) is None
    found = working.get("person", str(ada))

    assert found is not None
    assert (found.label, working.get_recent()) == ("Ada Byron", (found,))


def nowhere() -> Engine:
    """Return the address of a Postgres that does not exist."""
    return bounded(create_engine("postgresql+psycopg://nobody@127.0.0.1:1/none"), 5.0)


def without_postgres(namespace: Namespace) -> Namespace:
    """Return the same namespace without a reachable Postgres."""
    return Namespace(replace(namespace.session, engine=nowhere()))


def test_present_entities_need_no_postgres(sarah: Namespace, session: str) -> None:
    working = WorkingMemory(session, namespace=without_postgres(sarah))
    working.add("page", 1, "Roadmap")

    assert working.resolve("this page") is not None
    assert working.resolve("roadmap") is not None
    assert working.resolve("the previous page") is None, "words that refer are no name to look up"
    with pytest.raises(StoreUnavailable):
        working.resolve("Ada")


def test_tenth_turn_triggers_a_summary_of_the_conversation(
    *,
    sarah: Namespace,
    session: str,
    worker_engine: Engine,
    lane: LaneRef,
    taken: Taken,
) -> None:
    working = WorkingMemory(session, namespace=sarah, policy="summary")
    for number in range(8):
        working.add("page", number, f"Page {number}")
    asked = [WorkingMemory(session, namespace=sarah, policy="summary").turn() for _ in range(20)]

    assert [place for place, event_id in enumerate(asked, 1) if event_id] == [10, 20]
    assert [(one["type"], one["conversation"]) for one in taken(2)] == [("summarise", session)] * 2
    assert [one.id for one in working.get_recent(n=50)] == ["7", "6", "5", "4", "3"]
    assert "so far" not in working.prompt_block()
    with tenant_transaction(worker_engine, lane.tenant_id) as connection:
        summaries.ask_for(connection, lane, session)
        summaries.save(connection, lane, session, "User tidies\nthe wiki.", up_to=uuid4(), version=0)
    assert "\n- so far: User tidies the wiki.\n- page 7: Page 7\n" in working.prompt_block()

    alone = WorkingMemory(session, namespace=without_postgres(sarah), policy="summary")
    assert "so far" not in alone.prompt_block()
    assert "- page 7: Page 7\n" in alone.prompt_block()
