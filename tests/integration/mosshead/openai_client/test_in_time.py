"""Whatever happens to memory's servers, the answer is in time and the plain one; once they are back, the turns arrive."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import openai
import pytest

from benchmarks.faults.proxy import Proxy, proxied
from mosshead import Memory, Namespace, ReadTimeout, StoreUnavailable
from mosshead.contrib.openai_client import calls, with_memory
from mosshead.paths import NamespacePath
from tests.fake_openai import CHAT, FakeOpenAI, Fault
from tests.given import MINILM, Remembering
from tests.integration.mosshead.conftest import Taken
from tests.integration.mosshead.openai_client.conftest import PATIENT
from workers.local import Addresses

LIMIT = 0.3
SLACK = 15.0
"""Extra seconds for a busy machine; what hangs here hangs for longer. benchmarks.injection measures the true figures."""

MESSAGES: Any = [{"role": "user", "content": "What is my dog called?"}]


class Servers:
    """Postgres and Redis behind proxies, and a library that reaches them only through those."""

    def __init__(self, postgres: Proxy, redis: Proxy, broker_url: str, folder: Path) -> None:
        self.proxies = (postgres, redis)
        self.memory = Memory.connect(
            database_url=f"postgresql://mosshead_reader@127.0.0.1:{postgres.port}/mosshead",
            broker_url=broker_url.replace(f":{urlsplit(broker_url).port}/", f":{redis.port}/"),
            spool_dir=folder,
            read_timeout=PATIENT,
        )
        self.memory._embedder = MINILM

    def down(self) -> None:
        for proxy in self.proxies:
            proxy.refuse()

    def hang(self) -> None:
        for proxy in self.proxies:
            proxy.blackhole()

    def slow(self) -> None:
        for proxy in self.proxies:
            proxy.slow(0.5)

    def heal(self) -> None:
        for proxy in self.proxies:
            proxy.heal()
            proxy.reset()


@pytest.fixture
def servers(addresses: Addresses, tmp_path: Path) -> Iterator[Servers]:
    (socket,) = parse_qs(urlsplit(addresses.database_url).query)["host"]
    redis = urlsplit(addresses.broker_url).port
    assert redis is not None
    with proxied(Path(socket) / ".s.PGSQL.5432") as one, proxied(redis) as other:
        made = Servers(one, other, addresses.broker_url, tmp_path / "spool")
        yield made
        made.heal()
        made.memory.close()


@pytest.fixture
def far(servers: Servers) -> Namespace:
    return servers.memory.namespace(f"tenant-{uuid4().hex}", "sarah")


@pytest.mark.parametrize(
    ("befalls", "error", "limit"),
    [(Servers.down, StoreUnavailable, PATIENT), (Servers.hang, ReadTimeout, LIMIT), (Servers.slow, ReadTimeout, LIMIT)],
    ids=["down", "hung", "slow"],
)
def test_answer_is_plain_and_in_time_and_the_turns_arrive_later(  # noqa: PLR0917 - fixtures
    servers: Servers,
    far: Namespace,
    plain: openai.OpenAI,
    taken: Taken,
    befalls: Callable[[Servers], None],
    error: type[Exception],
    limit: float,
) -> None:
    told: list[Exception] = []
    client = with_memory(plain, far, timeout=limit, on_error=told.append)
    expected = plain.chat.completions.create(model="m", messages=MESSAGES)
    befalls(servers)

    started = time.monotonic()
    answer = client.chat.completions.create(model="m", messages=MESSAGES)
    pieces = list(client.chat.completions.create(model="m", messages=MESSAGES, stream=True))
    took = time.monotonic() - started

    assert answer == expected
    assert "".join(piece.choices[0].delta.content or "" for piece in pieces) == answer.choices[0].message.content
    assert took < 2 * LIMIT + SLACK
    assert [type(one) for one in told] == [error] * 2
    servers.heal()
    assert [event["role"] for event in taken(4)] == ["user", "assistant"] * 2


def test_first_pieces_are_passed_on_while_the_last_are_still_made(
    sarah: Namespace, plain: openai.OpenAI, fake: FakeOpenAI
) -> None:
    client = with_memory(plain, sarah, timeout=LIMIT)
    fake.script(CHAT, Fault.drip(0.3))
    arrived = [time.monotonic() for _ in client.chat.completions.create(model="m", messages=MESSAGES, stream=True)]
    assert len(arrived) == 7
    assert arrived[-1] - arrived[0] > 0.4


def test_answer_after_a_late_read_has_the_conversations_last_notes(
    servers: Servers, plain: openai.OpenAI, fake: FakeOpenAI
) -> None:
    told: list[Exception] = []
    far = servers.memory.namespace(f"tenant-{uuid4().hex}", "sarah")
    far.remember("User's dog is called Biscuit")
    with_memory(plain, far, conversation="c1", timeout=PATIENT).chat.completions.create(model="m", messages=MESSAGES)
    servers.hang()
    client = with_memory(plain, far, timeout=LIMIT, on_error=told.append)
    answer = client.chat.completions.create(model="m", messages=MESSAGES, conversation="c1")  # type: ignore[call-overload]
    elsewhere = client.chat.completions.create(model="m", messages=MESSAGES, conversation="c2")  # type: ignore[call-overload]
    assert answer.choices[0].message.content == "You told me: User's dog is called Biscuit."
    assert elsewhere.choices[0].message.content == "You have not told me."
    assert [str(one).partition(",")[0] for one in told] == ["timeout: 0.3 s"] * 2


def test_answer_after_a_late_first_read_has_the_profile_read_before(
    servers: Servers, plain: openai.OpenAI, fake: FakeOpenAI, remembering: Remembering, fresh_namespace: NamespacePath
) -> None:
    told: list[Exception] = []
    user = remembering.entity("User", is_user=True)
    remembering.memory("User lives in Leeds", about={user: ("subject", "sure")})
    far = servers.memory.namespace(*fresh_namespace.parts)
    with_memory(plain, far, conversation="c1", timeout=PATIENT).chat.completions.create(model="m", messages=MESSAGES)
    servers.hang()
    client = with_memory(plain, far, conversation="c2", timeout=LIMIT, on_error=told.append)
    client.chat.completions.create(model="m", messages=MESSAGES)
    assert "- User lives in Leeds" in fake.requests[-1].system
    assert [str(one).partition(", was")[0] for one in told] == ["timeout: 0.3 s, as given to with_memory"]


def test_step_that_ignores_its_deadline_delays_the_answer_no_longer(
    sarah: Namespace, plain: openai.OpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a name look-up, a model being loaded or a hanging disk: the thread hangs, not the chat."""
    told: list[Exception] = []
    over = threading.Event()
    client = with_memory(plain, sarah, timeout=0.2, on_error=told.append)
    monkeypatch.setattr(Namespace, "context", lambda *_, **__: over.wait(60))
    monkeypatch.setattr(Namespace, "publish_conversation", lambda *_, **__: over.wait(60))
    started = time.monotonic()
    try:
        client.chat.completions.create(model="m", messages=MESSAGES)
        assert time.monotonic() - started < 0.2 + SLACK
    finally:
        over.set()
    assert [type(one) for one in told] == [ReadTimeout]


def test_waiting_reads_and_turns_are_bounded(
    sarah: Namespace, plain: openai.OpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Exception] = []
    client = with_memory(plain, sarah, on_error=told.append)
    full = calls.BackgroundThreads()
    monkeypatch.setattr(full, "read", lambda _: None)
    monkeypatch.setattr(full, "publish", lambda _: None)
    monkeypatch.setattr("mosshead.contrib.openai_client.calls.BACKGROUND", full)
    client.chat.completions.create(model="m", messages=MESSAGES)
    assert [str(one) for one in told] == [
        "MOSSHEAD_DATABASE_URL: too many reads are hanging, or the process cannot start a thread; this answer has no new notes",
        "too many turns are waiting to be published; this one is dropped",
    ]


def test_forked_process_has_its_own_threads(sarah: Namespace, plain: openai.OpenAI, taken: Taken) -> None:
    client = with_memory(plain, sarah, timeout=LIMIT)
    client.chat.completions.create(model="m", messages=MESSAGES)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            client.chat.completions.create(model="m", messages=MESSAGES)
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(taken(4)) == 4
