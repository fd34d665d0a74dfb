"""Reads when servers hang, die or run out of connections, from threads and after forks, and with unsuitable arguments."""

import gc
import multiprocessing
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import Engine, create_engine, text

from benchmarks.faults.proxy import Proxy
from db.keys import LaneRef
from mosshead import EmbedderUnavailable, Memory, Namespace, NotFound, ReadTimeout, StoreUnavailable
from mosshead.callbacks import answer_of
from mosshead.contrib.focus import track_conversation
from mosshead.deadline import at_the_same_time, bounded, ends_within, remaining
from mosshead.embeddings import OpenAIEmbedder
from mosshead.paths import NamespacePath
from mosshead.store.connection import Sql, in_one_trip, tenant_transaction
from mosshead.urls import sqlalchemy_url
from tests.fake_openai import EMBEDDINGS, FakeOpenAI, Fault
from tests.given import MINILM, Remembering
from tests.integration.mosshead.conftest import Eventually
from workers.local import Addresses

SLACK = 12.0
"""Extra seconds for a busy machine beyond a deadline; what hangs or sleeps here does so for longer."""

PATIENT = 60.0
"""Seconds for a read that should end by itself, well or not: the machine may be busy."""

TENANT = UUID(int=7)
NAIVE = datetime(2026, 3, 2)  # noqa: DTZ001 - that is what is refused
SLEEP = Sql("select pg_sleep(20)")
Knows = Callable[..., UUID]
Read = Callable[[Namespace, str], object]


@pytest.fixture
def proxy(addresses: Addresses) -> Iterator[Proxy]:
    """Yield a proxy in front of Postgres, on a port."""
    (folder,) = parse_qs(urlsplit(addresses.database_url).query)["host"]
    made = Proxy(Path(folder) / ".s.PGSQL.5432")
    made.start()
    yield made
    made.close()


@pytest.fixture
def far(proxy: Proxy) -> Iterator[Memory]:
    """Return the library, connected through the proxy."""
    with Memory.connect(database_url=address(proxy.port), read_timeout=PATIENT) as connected:
        yield connected


@pytest.fixture
def knows(remembering: Remembering) -> Knows:
    """Return a function that adds a memory to the namespace, with its real vector."""
    return lambda content: remembering.memory(content, MINILM.embed([content])[0])


@pytest.fixture
def one_connection(addresses: Addresses) -> Iterator[Engine]:
    """Return a reader with a single connection, which gives up after half a second."""
    engine = create_engine(sqlalchemy_url(addresses.database_url, "X"), pool_size=1, max_overflow=0, pool_timeout=0.05)
    yield bounded(engine, 0.5)
    engine.dispose()


def address(port: int) -> str:
    return f"postgresql://mosshead_reader@127.0.0.1:{port}/mosshead"


@contextmanager
def within(seconds: float) -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds + SLACK


def of(memory: Memory, path: NamespacePath) -> Namespace:
    """Return the namespace with the embedder's model loaded: the remaining time is the server's."""
    namespace = memory.namespace(*path.parts)
    namespace.query("Where does she live?", timeout=PATIENT)
    return namespace


def hasten(memory: Memory) -> None:
    """From now on, give a read 0.4 seconds unless it sets another time."""
    bounded(memory._engine, 0.4)


class TestAServerThatHangs:
    def test_read_returns_in_time_with_an_empty_answer_that_gives_the_reason(
        self, far: Memory, proxy: Proxy, fresh_namespace: NamespacePath, knows: Knows
    ) -> None:
        knows("User moved to Seattle")
        sarah = of(far, fresh_namespace)
        assert sarah.query("Where does she live?").reason is None
        hasten(far)
        proxy.blackhole()

        with within(0.3):
            late = sarah.query("Where does she live?", timeout=0.3)
        with within(0.4):
            by_default = sarah.query("Where does she live?")

        assert (len(late), late.partial) == (0, True)
        assert late.reason is not None
        assert "did not end in time" in late.reason
        assert by_default.reason == late.reason

    def test_read_raises_on_timeout_if_asked_to(
        self, far: Memory, proxy: Proxy, fresh_namespace: NamespacePath
    ) -> None:
        sarah = of(far, fresh_namespace)
        proxy.blackhole()
        with within(0.4), pytest.raises(ReadTimeout, match="timeout: "):
            sarah.query("Where does she live?", timeout=0.4, on_timeout="raise")

    @pytest.mark.parametrize("read", [Namespace.memories, lambda sarah: sarah.entities.list(), Namespace.progress])
    def test_read_that_cannot_be_partial_raises_in_time(
        self, far: Memory, proxy: Proxy, fresh_namespace: NamespacePath, read: Callable[[Namespace], object]
    ) -> None:
        sarah = of(far, fresh_namespace)
        hasten(far)
        proxy.blackhole()
        with within(0.4), pytest.raises(ReadTimeout):
            read(sarah)

    def test_later_reads_find_a_recovered_server(
        self, far: Memory, proxy: Proxy, fresh_namespace: NamespacePath, knows: Knows
    ) -> None:
        knows("User moved to Seattle")
        sarah = of(far, fresh_namespace)
        proxy.blackhole()
        assert sarah.query("Where does she live?", timeout=0.3).partial
        proxy.heal()

        assert [hit.content for hit in sarah.query("Where does she live?")] == ["User moved to Seattle"]

    def test_wait_goes_on_when_the_server_recovers(
        self, far: Memory, proxy: Proxy, fresh_namespace: NamespacePath
    ) -> None:
        sarah = of(far, fresh_namespace)
        hasten(far)
        proxy.blackhole()
        healing = threading.Timer(1.0, proxy.heal)
        healing.start()
        assert sarah.wait(PATIENT).pending == 0
        healing.join()

    def test_wait_for_a_hanging_server_ends_with_its_own_time(
        self, far: Memory, proxy: Proxy, fresh_namespace: NamespacePath
    ) -> None:
        sarah = of(far, fresh_namespace)
        hasten(far)
        proxy.blackhole()
        with within(1.0), pytest.raises(ReadTimeout):
            sarah.wait(1.0)

    def test_connections_that_died_unnoticed_are_replaced_and_none_is_left_open(
        self, far: Memory, proxy: Proxy, fresh_namespace: NamespacePath, knows: Knows
    ) -> None:
        knows("User moved to Seattle")
        sarah = of(far, fresh_namespace)
        with ThreadPoolExecutor(4) as pool:
            for _ in range(2):
                assert all(
                    len(hits) == 1 for hits in pool.map(lambda _: sarah.query("Where does she live?"), range(20))
                )
                assert proxy.reset() > 1
                assert len(sarah.query("Where does she live?", on_timeout="raise")) == 1
        gc.collect()  # psycopg warns here of an unclosed connection, which fails a test

    def test_hanging_server_does_not_block_connecting(self, proxy: Proxy) -> None:
        proxy.blackhole()
        with within(0.3), pytest.raises(ReadTimeout):
            Memory.connect(database_url=address(proxy.port), read_timeout=0.3)


def patient_trip(engine: Engine, statement: Sql) -> list[list[Any]]:
    with ends_within(engine, PATIENT):
        return in_one_trip(engine, TENANT, [statement])


class TestAServerThatIsSlow:
    def test_slow_statement_is_cancelled_by_postgres_and_the_connection_stays(
        self, one_connection: Engine, eventually: Eventually
    ) -> None:
        with ends_within(one_connection, PATIENT):
            (before,) = in_one_trip(one_connection, TENANT, [Sql("select pg_backend_pid() as pid")])[0]
        with within(0.5), pytest.raises(ReadTimeout):
            in_one_trip(one_connection, TENANT, [SLEEP])
        with within(0.5), pytest.raises(ReadTimeout), tenant_transaction(one_connection, TENANT) as connection:
            SLEEP.run(connection)

        def ended() -> bool:
            with ends_within(one_connection, PATIENT), tenant_transaction(one_connection, TENANT) as connection:
                running = connection.execute(
                    text("select count(*) from pg_stat_activity where query like '%pg_sleep(20)%' and pid = :pid"),
                    {"pid": before.pid},
                )
                return bool(running.scalar_one() == 0)

        with within(1):
            eventually(ended, "the end of the statement")

    def test_one_deadline_covers_all_steps_of_a_call(self, one_connection: Engine) -> None:
        nap = Sql("select pg_sleep(0.2)")

        def read() -> None:
            for _ in range(5):
                in_one_trip(one_connection, TENANT, [nap])

        with within(0.5), pytest.raises(ReadTimeout), ends_within(one_connection):
            read()
        with ends_within(one_connection, PATIENT):
            read()
        assert remaining() is None

    def test_inner_deadline_cannot_extend_the_outer_one(self, one_connection: Engine) -> None:
        with ends_within(one_connection, 0.2), ends_within(one_connection, 10):
            left = remaining()
        assert left is not None
        assert left <= 0.2

    def test_error_in_a_statement_is_not_reported_as_a_timeout(self, one_connection: Engine) -> None:
        with pytest.raises(Exception, match="division by zero") as caught:
            in_one_trip(one_connection, TENANT, [Sql("select 1 / 0")])
        assert not isinstance(caught.value, StoreUnavailable)

    def test_full_pool_is_waited_for_only_until_the_deadline(self, one_connection: Engine) -> None:
        with ThreadPoolExecutor(1) as pool:
            with one_connection.connect():
                with within(0.5), pytest.raises(ReadTimeout):
                    pool.submit(in_one_trip, one_connection, TENANT, [Sql("select 1")]).result()
                waiting = pool.submit(patient_trip, one_connection, Sql("select 1 as one"))
                time.sleep(0.2)
            assert waiting.result()[0][0].one == 1


class TestARerankerOfTheApp:
    @pytest.fixture
    def sarah(self, memory: Memory, fresh_namespace: NamespacePath, knows: Knows) -> Namespace:
        for content in ("User moved to Seattle", "User likes olives", "User has two cats"):
            knows(content)
        return of(memory, fresh_namespace)

    def test_order_of_the_reranker_is_used_and_omitted_items_are_dropped(self, sarah: Namespace) -> None:
        def cats_first(message: str, texts: Sequence[str]) -> list[float | None]:
            return [None if "olives" in text else float("cats" in text) for text in texts]

        asked = "Where does she live?"
        assert [hit.content for hit in sarah.query(asked, limit=1)] == ["User moved to Seattle"]
        assert [hit.content for hit in sarah.query(asked, limit=1, reranker=cats_first)] == ["User has two cats"]
        assert {one.content for one in sarah.context(asked, reranker=cats_first).memories} == {
            "User moved to Seattle",
            "User has two cats",
        }
        assert sarah.messages.search(asked, reranker=cats_first).hits == ()

    def test_hanging_reranker_costs_no_more_than_the_time_of_the_read(self, sarah: Namespace) -> None:
        def hangs(message: str, texts: Sequence[str]) -> list[float]:
            time.sleep(60)
            return []

        with within(2):  # enough for the part before it
            hits = sarah.query("Where does she live?", timeout=2, reranker=hangs)
        assert (len(hits), hits.partial) == (3, False)


def test_hanging_embedding_endpoint_counts_towards_the_time(one_connection: Engine) -> None:
    with FakeOpenAI() as fake:
        fake.script(EMBEDDINGS, Fault.hang(20))
        embedder = OpenAIEmbedder("any", 384, api_key="none", base_url=fake.base_url)
        with within(0.5), pytest.raises(ReadTimeout, match="the embedding endpoint"), ends_within(one_connection):
            embedder.embed(["Where does she live?"])


def test_failing_embedding_endpoint_is_not_reported_as_a_timeout(one_connection: Engine) -> None:
    with FakeOpenAI() as fake:
        fake.script(EMBEDDINGS, Fault.status(429))
        embedder = OpenAIEmbedder("any", 384, api_key="none", base_url=fake.base_url)
        with pytest.raises(EmbedderUnavailable), ends_within(one_connection, 30):
            embedder.embed(["Where does she live?"])


READS: dict[str, Read] = {
    "query": lambda sarah, said: sarah.query(said),
    "context": lambda sarah, said: sarah.context(said),
    "messages.search": lambda sarah, said: sarah.messages.search(said),
    "resolve": lambda sarah, said: sarah.resolve(said),
    "track": lambda sarah, said: track_conversation(sarah, [{"role": "user", "content": said}]),
    "mentions": lambda sarah, said: sarah.entities.mentions(said),
}


class TestAServerThatIsGone:
    @pytest.mark.parametrize("read", READS.values(), ids=READS)
    def test_each_read_reports_the_missing_server(
        self, proxy: Proxy, fresh_namespace: NamespacePath, read: Read
    ) -> None:
        gone = Proxy(proxy.port)
        gone.start()
        with Memory.connect(database_url=address(gone.port), read_timeout=PATIENT) as memory:
            sarah = of(memory, fresh_namespace)
            gone.close()
            with within(0), pytest.raises(StoreUnavailable, match=r"^MOSSHEAD_DATABASE_URL: cannot connect to "):
                read(sarah, "Does Peter like figs?")

    def test_connections_cut_while_idle_are_replaced(
        self, far: Memory, proxy: Proxy, fresh_namespace: NamespacePath, knows: Knows
    ) -> None:
        knows("User moved to Seattle")
        sarah = of(far, fresh_namespace)
        assert len(sarah.query("Seattle")) == 1
        assert proxy.reset() > 0
        assert len(sarah.query("Seattle")) == 1


class TestArguments:
    @pytest.mark.parametrize("read", READS.values(), ids=READS)
    @pytest.mark.parametrize(
        "said",
        ["half \ud83d a pair about Peter", "nothing \x00 of Peter", "Peter " * 17_000, "?", "\udc00"],
        ids=["surrogate", "NUL", "100 KB", "no word", "surrogate alone"],
    )
    def test_any_text_is_accepted_as_a_question(
        self, memory: Memory, remembering: Remembering, fresh_namespace: NamespacePath, read: Read, said: str
    ) -> None:
        remembering.entity("Peter")
        with within(20):
            read(of(memory, fresh_namespace), said)

    @pytest.mark.parametrize("read", READS.values(), ids=READS)
    @pytest.mark.parametrize("said", ["", " \n\t"], ids=["empty", "blank"])
    def test_empty_text_finds_nothing_or_is_refused(
        self, memory: Memory, fresh_namespace: NamespacePath, knows: Knows, read: Read, said: str
    ) -> None:
        knows("User moved to Seattle")
        try:
            found = read(of(memory, fresh_namespace), said)
        except ValueError as error:
            assert str(error).startswith("text: ")  # noqa: PT017 - either is clear
            return
        assert not getattr(found, "hits", ())
        assert not getattr(found, "memories", ())

    @pytest.mark.parametrize("read", READS.values(), ids=READS)
    def test_unknown_namespace_is_empty(self, memory: Memory, read: Read) -> None:
        found = read(memory.namespace("nobody", "nothing"), "Does Peter like figs?")
        assert not getattr(found, "hits", ())
        assert not getattr(found, "memories", ())

    @pytest.mark.parametrize("name", ["query", "context", "messages.search", "resolve", "mentions"])
    def test_argument_that_is_no_text_is_refused_by_name(
        self, memory: Memory, fresh_namespace: NamespacePath, name: str
    ) -> None:
        with pytest.raises(ValueError, match=r"^(text|message): "):
            READS[name](of(memory, fresh_namespace), 5)  # type: ignore[arg-type]

    @pytest.mark.parametrize("name", ["context", "messages.search", "resolve", "track"])
    @pytest.mark.parametrize("conversation", ["half \ud83d", "nothing \x00", ""], ids=["surrogate", "NUL", "empty"])
    def test_any_conversation_name_is_accepted(
        self, memory: Memory, fresh_namespace: NamespacePath, name: str, conversation: str
    ) -> None:
        sarah = of(memory, fresh_namespace)
        if name == "track":
            track_conversation(sarah, conversation=conversation)
        else:
            said = {"message" if name == "context" else "text": "Does Peter like figs?"}
            attrgetter(name)(sarah)(**said, conversation=conversation)

    @pytest.mark.parametrize(
        ("given", "says"),
        [
            ({"limit": 0}, "limit: must be at least 1, got 0"),
            ({"limit": True}, "limit: must be at least 1, got True"),
            ({"limit": 2**31}, "limit: must be at least 1, got 2147483648"),
            ({"threshold": 1.5}, "threshold: a cosine from -1 to 1, or None for all, got 1.5"),
            ({"threshold": float("nan")}, "threshold: a cosine from -1 to 1, or None for all, got nan"),
            ({"threshold": "0.5"}, "threshold: a cosine from -1 to 1, or None for all, got '0.5'"),
            ({"timeout": 0}, "timeout: seconds, more than 0, got 0"),
            ({"timeout": float("inf")}, "timeout: seconds, more than 0, got inf"),
        ],
        ids=lambda given: (
            "-".join(f"{name}={value}" for name, value in given.items()) if isinstance(given, dict) else ""
        ),
    )
    def test_number_out_of_range_is_refused_by_name(
        self, memory: Memory, fresh_namespace: NamespacePath, given: dict[str, float], says: str
    ) -> None:
        with pytest.raises(ValueError) as refused:  # noqa: PT011 - compared below
            of(memory, fresh_namespace).query("Seattle", **given)  # type: ignore[arg-type]
        assert str(refused.value) == says

    @pytest.mark.parametrize(
        ("read", "says"),
        [
            (lambda names: names.memories(limit=-1), "limit: must be at least 1, got -1"),
            (lambda names: names.decisions.latest(limit=0), "limit: must be at least 1, got 0"),
            (lambda names: names.decisions.latest(action="refuse", limit="x"), "limit: must be at least 1, got 'x'"),
            (lambda names: names.get(key=7), "key: give a text, not int"),
            (lambda names: names.messages.search("figs", since=NAIVE), "since: has no time zone; give an aware time"),
            (lambda names: names.context("figs", now=NAIVE), "now: has no time zone; give an aware time"),
            (lambda names: names.messages.search("figs", until="2026"), "until: give a datetime, not str"),
            (lambda names: names.messages.search("figs", around=None), "around: give a number or"),
        ],
    )
    def test_other_unsuitable_arguments_are_refused_by_name(
        self, memory: Memory, fresh_namespace: NamespacePath, read: Callable[[Namespace], object], says: str
    ) -> None:
        with pytest.raises(ValueError, match=f"^{re.escape(says)}"):
            read(of(memory, fresh_namespace))

    @pytest.mark.parametrize("odd", ["nothing \x00", "half \ud83d"], ids=["NUL", "surrogate"])
    def test_any_name_key_and_field_is_accepted(self, memory: Memory, fresh_namespace: NamespacePath, odd: str) -> None:
        names = of(memory, fresh_namespace)
        assert not names.query("figs", metadata={"a": [odd]})
        for read in (names.entities.profile, names.entities.neighbours, lambda key: names.get(key=key)):
            with pytest.raises(NotFound):
                read(odd)

    def test_read_may_take_a_month(self, memory: Memory, fresh_namespace: NamespacePath, knows: Knows) -> None:
        knows("User moved to Seattle")
        assert of(memory, fresh_namespace).query("Seattle", timeout=30 * 24 * 3600)


def test_lines_of_an_export_may_be_consumed_without_a_deadline(
    memory: Memory, fresh_namespace: NamespacePath, knows: Knows
) -> None:
    """The read is over by then, and a web server may consume each line in a different context."""
    knows("User moved to Seattle")
    knows("User likes figs")
    lines = of(memory, fresh_namespace).export()
    first = copy_context().run(next, lines)
    assert remaining() is None
    assert "memory" in first
    assert of(memory, fresh_namespace).query("figs")
    assert copy_context().run(list, lines)


def in_a_child(memory: Memory, path: NamespacePath) -> list[str]:
    return [hit.content for hit in of(memory, path).query("Where does she live?")]


class TestThreadsAndForks:
    def test_threads_that_share_a_memory_see_only_their_own_namespaces(
        self, memory: Memory, worker_engine: Engine, fresh_namespace: NamespacePath
    ) -> None:
        paths = [NamespacePath.of((fresh_namespace.parts[0], f"of_{number}")) for number in range(4)]
        for number, path in enumerate(paths):
            own = Remembering(worker_engine, LaneRef(path.tenant_id, path.namespace_id))
            vectors = np.random.default_rng(number).standard_normal((5, 384)).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            own.memories([f"note {place} of {number}" for place in range(5)], [*vectors])

        def ask(turn: int) -> bool:
            hits = of(memory, paths[turn % 4]).query(f"text {turn % 10}", limit=10)
            return len(hits) == 5 and all(hit.content.endswith(f"of {turn % 4}") for hit in hits)

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(ask, range(40)))

    def test_process_forks_while_threads_read(
        self, memory: Memory, fresh_namespace: NamespacePath, knows: Knows
    ) -> None:
        knows("User moved to Seattle")
        sarah = of(memory, fresh_namespace)
        sarah.query(
            "Where does she live?"
        )  # embedded now: a fork inside a computation of the BLAS may hang in the BLAS
        with ThreadPoolExecutor(2) as pool:
            reading = [pool.submit(sarah.query, "Where does she live?") for _ in range(20)]
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    code = 0 if len(sarah.query("Where does she live?", on_timeout="raise")) == 1 else 2
                finally:
                    os._exit(code)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert all(len(one.result()) == 1 for one in reading)

    def test_forked_processes_read(self, memory: Memory, fresh_namespace: NamespacePath, knows: Knows) -> None:
        knows("User moved to Seattle")
        assert in_a_child(memory, fresh_namespace) == ["User moved to Seattle"]
        context = multiprocessing.get_context("fork")
        children = [context.Process(target=_checked, args=(memory, fresh_namespace)) for _ in range(3)]
        for child in children:
            child.start()
        for child in children:
            child.join(PATIENT)
        assert [child.exitcode for child in children] == [0, 0, 0]
        assert in_a_child(memory, fresh_namespace) == ["User moved to Seattle"]


def _checked(memory: Memory, path: NamespacePath) -> None:
    for _ in range(3):
        assert in_a_child(memory, path) == ["User moved to Seattle"]


def test_reads_go_on_if_no_thread_can_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    assert at_the_same_time(lambda: 1, lambda: 2) == (1, 2)
    assert answer_of(lambda: 1, name="reranker", seconds=1) is None


def test_pooler_that_switches_connections_between_transactions_is_named(addresses: Addresses) -> None:
    """Such as PgBouncer in transaction mode: prepared statements vanish without the driver's knowledge."""
    one = create_engine(sqlalchemy_url(addresses.database_url, "url"), pool_size=1, max_overflow=0)
    engine = bounded(one, PATIENT)
    asked = Sql("select 1 as one")
    assert in_one_trip(engine, TENANT, [asked])[0][0].one == 1
    with engine.begin() as connection:
        connection.execute(text("do $$ begin execute 'deallocate all'; end $$"))

    with pytest.raises(StoreUnavailable, match=r"^MOSSHEAD_DATABASE_URL: .*MOSSHEAD_PREPARED_STATEMENTS=false"):
        in_one_trip(engine, TENANT, [asked])
    engine.dispose()
