"""What every `Store` of working memory guarantees, in process or in Redis."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis

from mosshead.contrib.working_memory import InProcess, InRedis, WorkingMemory, stores
from mosshead.contrib.working_memory.state import State
from mosshead.contrib.working_memory.stores import Store
from workers.local import Addresses

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
TTL = timedelta(minutes=5)


@pytest.fixture
def client(addresses: Addresses) -> Iterator[Redis]:
    with Redis.from_url(addresses.broker_url) as opened:
        yield opened


@pytest.fixture(params=["in process", "in redis"])
def store(request: pytest.FixtureRequest) -> Store:
    if request.param == "in process":
        return InProcess()
    return InRedis(request.getfixturevalue("client"), prefix=f"{uuid4().hex}:")


def turned(state: State) -> tuple[State, int]:
    """Return the state after another turn, and the number of turns."""
    return State(turns=state.turns + 1), state.turns + 1


def test_session_continues_where_it_stopped(store: Store) -> None:
    assert [store.change("s1", turned, TTL) for _ in range(3)] == [1, 2, 3]


def test_sessions_are_separate_and_forgotten_separately(store: Store) -> None:
    for session in ("s1", "s1", "s2"):
        store.change(session, turned, TTL)
    store.forget("s1")
    store.forget("a session that never was")

    assert (store.change("s1", turned, TTL), store.change("s2", turned, TTL)) == (1, 2)


def test_failing_change_changes_nothing(store: Store) -> None:
    def failing(state: State) -> tuple[State, int]:
        raise ValueError(state.turns)

    store.change("s1", turned, TTL)
    with pytest.raises(ValueError, match="1"):
        store.change("s1", failing, TTL)

    assert store.change("s1", turned, TTL) == 2


def test_concurrent_threads_lose_no_change(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "_CONTENDED_SECONDS", 60.0)
    with ThreadPoolExecutor(4) as pool:
        turns = list(pool.map(lambda _: store.change("s1", turned, TTL), range(100)))

    assert sorted(turns) == list(range(1, 101))


steps = st.lists(
    st.tuples(
        st.sampled_from(["add", "get", "resolve", "all", "result", "task", "turn", "clear"]),
        st.integers(0, 14),
        st.integers(0, 100),
    ),
    max_size=25,
)


def done(working: WorkingMemory, step: str, number: int) -> object:
    """Run one step and return its result."""
    doing: dict[str, Callable[[], object]] = {
        "add": lambda: working.add("page", number, f"Page {number}"),
        "get": lambda: working.get("page", number),
        "resolve": lambda: working.resolve("the previous page"),
        "all": lambda: working.resolve_all("this page, the second one and it"),
        "result": lambda: working.add_tool_result("t", number, "x", [("page", n, "y") for n in range(number)]),
        "task": lambda: setattr(working, "task", f"Task {number}"),
        "turn": working.turn,
        "clear": working.clear,
    }
    return doing[step]()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps, st.sampled_from(["fifo", "relevance"]))
def test_both_stores_behave_alike(client: Redis, history: list[tuple[str, int, int]], policy: str) -> None:
    now, name = START, f"session-{uuid4().hex}"
    stores = (InProcess(), InRedis(client))
    here, there = (
        WorkingMemory(name, capacity=10, policy=policy, store=store, clock=lambda: now)  # type: ignore[arg-type]
        for store in stores
    )
    for step, number, seconds in history:
        now += timedelta(seconds=seconds)
        assert done(here, step, number) == done(there, step, number)
        assert here.get_recent(n=50) == there.get_recent(n=50)
    assert here.prompt_block() == there.prompt_block()
    measured = (here.metrics(), there.metrics())
    assert measured[0].evicted == measured[1].evicted
    assert measured[0].added == measured[1].added
