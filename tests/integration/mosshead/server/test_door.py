"""Authentication and errors of the server: who may enter, and how it reports what is wrong."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from blockbuster import blockbuster_ctx
from mcp import Client
from sqlalchemy import Engine

from db.api_tokens import add_token
from mosshead import AsyncMemory
from mosshead.contrib.server.app import ServerOptions, create_app, serve
from mosshead.contrib.server.door import PROBES
from mosshead.contrib.server.tokens import Access, checked_scopes, digest_of, new_token
from mosshead.contrib.server.tools import TOOLS, mcp_server
from mosshead.errors import ConfigurationError
from mosshead.paths import NamespacePath, NamespacePrefix
from mosshead.store.connection import tenant_transaction
from tests.pages import blocks_of
from workers.local import Addresses

SECRET = "zanzibar teapot"
PAGE = Path(__file__).parents[4] / "docs" / "how-to" / "server.md"

Ask = Callable[[httpx.AsyncClient], Awaitable[None]]


@pytest.fixture(autouse=True)
def _nothing_blocks() -> Iterator[None]:
    with blockbuster_ctx():
        yield


def make_token(engine: Engine, prefix: NamespacePrefix) -> str:
    token = new_token(prefix.tenant_id)
    with tenant_transaction(engine, prefix.tenant_id) as connection:
        scopes = checked_scopes(["read", "write", "erase"])
        add_token(connection, prefix, digest_of(token), scopes=scopes, name="", lasting=None)
    return token


@pytest.fixture
def token(worker_engine: Engine, fresh_namespace: NamespacePath) -> str:
    return make_token(worker_engine, fresh_namespace)


@pytest.fixture
def ask(addresses: Addresses, token: str, tmp_path: Path) -> Callable[..., None]:
    """Return a function that sends requests to the app in this process, with a token unless they set other headers."""

    def run(asking: Ask, **options: Any) -> None:
        async def asked() -> None:
            async with await AsyncMemory.connect(
                database_url=addresses.database_url,
                broker_url=addresses.broker_url,
                spool_dir=tmp_path / "spool",
                read_timeout=60,
            ) as memory:
                app = httpx.ASGITransport(create_app(memory, ServerOptions(**options)))
                headers = {"Authorization": f"Bearer {token}"}
                async with httpx.AsyncClient(transport=app, base_url="http://localhost", headers=headers) as client:
                    await asking(client)

        asyncio.run(asked())

    return run


def problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    """Return the problem document of an answer."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = answer.json()
    assert told["status"] == status
    return told


def test_request_of_the_page_is_answered(ask: Callable[..., None]) -> None:
    commands = [words for block in blocks_of(PAGE, "console") for words in block.commands]
    ((_, address, *rest),) = [words for words in commands if words[0] == "curl"]
    given = dict(zip(rest[::2], rest[1::2], strict=True))  # of two headers, the later: the token is another one here

    async def asking(client: httpx.AsyncClient) -> None:
        name, _, value = given["-H"].partition(": ")
        answer = await client.post(httpx.URL(address).path, content=given["-d"], headers={name: value})
        assert answer.status_code == 200, answer.text
        assert answer.json()["memories"] == []

    ask(asking)


def test_every_route_but_three_requires_a_token(ask: Callable[..., None]) -> None:
    page = PAGE.read_text(encoding="utf-8")

    async def asking(client: httpx.AsyncClient) -> None:
        document = (await client.get("/openapi.json", headers={"Authorization": ""})).json()
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                answer = await client.request(method, path, headers={"Authorization": ""})
                assert (answer.status_code == 401) is (path not in PROBES), path
                assert operation["security"] == ([] if path in PROBES else [{"token": []}])
        addresses = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
        assert [one for one in addresses if f"`{one}`" not in page] == []
        assert [name for name in TOOLS if f"| `{name}` | `{TOOLS[name].scope}` |" not in page] == []
        assert "what it does" in (await client.get("/docs", headers={"Authorization": ""})).text
        for bearer in ("Bearer", "Bearer x", f"Bearer {new_token(uuid4())}", "Basic eDp5", "\xff"):
            answer = await client.get("/v1/memories", headers={b"Authorization": bearer.encode("latin-1")})
            assert "Authorization" in problem(answer, 401)["detail"]

    ask(asking)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": ""}, 421),
        ({"Host": "localhost.evil.example:8765"}, 421),
        ({"Host": "[::1"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "127.0.0.1:8765", "Origin": "http://127.0.0.1:8765"}, 200),
        ({"Host": "[::1]:8765"}, 200),
        ({"Host": "Memory.example"}, 200),
    ],
)
def test_host_and_origin_must_be_the_servers(ask: Callable[..., None], headers: dict[str, str], status: int) -> None:
    async def asking(client: httpx.AsyncClient) -> None:
        for path in ("/v1/memories", "/openapi.json"):
            answer = await client.get(path, headers=headers)
            assert answer.status_code == status, answer.text
            assert not [name for name in answer.headers if name.startswith("access-control")]
        for path in PROBES:
            assert (await client.get(path, headers={"Host": "10.0.0.7"})).json() == {"status": "ok"}
        refused = await client.post("/mcp", headers={"Host": "evil.example"}, json={})
        assert refused.status_code == 421

    ask(asking, allow_hosts=["memory.example"])


def test_body_above_the_limit_is_refused_by_its_header_and_by_its_length(ask: Callable[..., None]) -> None:
    async def asking(client: httpx.AsyncClient) -> None:
        async def pieces() -> Any:
            for _ in range(3):
                yield b"x" * 1_000

        for content in (b"x" * 2_001, pieces()):
            told = problem(await client.post("/v1/query", content=content), 413)
            assert "2,000 bytes" in told["detail"]
        assert (await client.post("/mcp", content=b"x" * 2_001)).status_code == 413
        assert (await client.post("/v1/query", json={"text": "x" * 1_900})).status_code == 200

    ask(asking, body_bytes=2_000)


def test_token_above_its_rate_waits_and_no_other_does(
    ask: Callable[..., None], worker_engine: Engine, fresh_namespace: NamespacePath
) -> None:
    other = make_token(worker_engine, fresh_namespace)

    async def asking(client: httpx.AsyncClient) -> None:
        for _ in range(3):
            assert (await client.get("/v1/questions")).status_code == 200
        answer = await client.get("/v1/questions")
        problem(answer, 429)
        assert int(answer.headers["retry-after"]) > 0
        others = {"Authorization": f"Bearer {other}"}
        assert (await client.get("/v1/questions", headers=others)).status_code == 200

    ask(asking, rate=0.001, burst=3)


def test_problem_names_the_field_and_the_fix_and_shows_nothing_that_was_sent(ask: Callable[..., None]) -> None:
    async def asking(client: httpx.AsyncClient) -> None:
        told = problem(await client.post("/v1/query", json={"limit": SECRET, "colour": SECRET}), 422)
        assert {one["field"] for one in told["errors"]} == {"text", "limit", "colour"}
        assert SECRET not in str(told)
        message = {"role": "user", "content": SECRET, "occurred_at": "yesterday"}
        told = problem(await client.post("/v1/messages", json={"messages": [message]}), 422)
        assert told["errors"][0]["field"] == "messages.0.occurred_at"
        assert SECRET not in str(told)
        for content, kind, said in (
            (b"{", "application/json", "body: not JSON"),
            (b"[]", "application/json", "body: send a JSON object, with Content-Type: application/json"),
            (b"{}", "text/plain", "body: send a JSON object, with Content-Type: application/json"),
        ):
            answer = await client.post("/v1/query", content=content, headers={"Content-Type": kind})
            assert problem(answer, 422)["detail"] == said
        problem(await client.get("/v1/nowhere"), 404)
        problem(await client.delete("/v1/memories"), 405)
        told = problem(await client.get("/v1/memories", params={"namespace": "acme"}), 422)
        assert told["detail"].startswith("namespace: needs a tenant")

    ask(asking)


def test_unexpected_error_is_reported_and_logged_without_its_message(
    ask: Callable[..., None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_off(*_arguments: Any, **_named: Any) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr("mosshead.api.namespace.redact", break_off)

    async def asking(client: httpx.AsyncClient) -> None:
        with caplog.at_level(logging.INFO):
            told = problem(await client.post("/v1/query", json={"text": "tea"}), 500)
        assert told["detail"] == "unexpected error; see the server's log"

    ask(asking)
    assert "unexpected RuntimeError at " in caplog.text
    assert SECRET not in caplog.text


def test_unreachable_memory_is_503_without_its_address(
    ask: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asking(client: httpx.AsyncClient) -> None:
        monkeypatch.setattr("mosshead.contrib.server.rest._HEALTH_SECONDS", 1e-9)
        assert (await client.get("/healthz")).status_code == 200
        answer = await client.get("/readyz")
        assert "the memory is unavailable" in problem(answer, 503)["detail"]
        assert answer.headers["retry-after"] == "5"

    ask(asking)


def test_no_route_and_no_tool_blocks_the_loop(
    ask: Callable[..., None], addresses: Addresses, fresh_namespace: NamespacePath, tmp_path: Path
) -> None:
    """A blocking call raises in this file; this test calls everything once."""

    async def asking(client: httpx.AsyncClient) -> None:
        said = {"messages": [{"role": "user", "content": "My sister Ruth lives in Leeds."}]}
        (message,) = (await client.post("/v1/messages", json=said)).json()["event_ids"]
        memory = (await client.post("/v1/memories", json={"content": "User likes tea"})).json()["memory_id"]
        asked = [
            *(("POST", "/v1/context", {"message": "Where does Ruth live?"}), ("POST", "/v1/query", {"text": "tea"})),
            *(("POST", "/v1/recall", {"text": "Ruth"}), ("GET", f"/v1/messages/{message}", None)),
            *(("GET", "/v1/memories", None), ("GET", f"/v1/memories/{memory}", None)),
            *(("GET", f"/v1/memories/{memory}/decisions", None), ("GET", f"/v1/decisions/{memory}", None)),
            *(("GET", "/v1/entities", None), ("GET", "/v1/entities/Ruth", None), ("GET", "/v1/questions", None)),
            *(("GET", "/v1/progress", None), ("GET", "/v1/export", None)),
            *(("GET", "/healthz", None), ("GET", "/readyz", None)),
            *(("POST", "/v1/forget", {"memories": [memory]}), ("POST", f"/v1/decisions/{memory}/undo", None)),
            ("POST", f"/v1/questions/{memory}/answer", {"entity": None}),
            ("POST", f"/v1/entities/{memory}/merge", {"into": memory}),
            ("POST", f"/v1/entities/{memory}/split", {"memories": [memory]}),
            *(("PATCH", "/v1/documents/menu", {"patch": {"soup": "leek"}}), ("GET", "/v1/documents", None)),
            ("GET", "/v1/documents/menu/decisions", None),
            *(("POST", "/v1/erasures", {"everything": True}), ("GET", f"/v1/erasures/{memory}", None)),
        ]
        for method, path, body in asked:
            answer = await client.request(method, path, json=body)
            assert answer.status_code in {200, 202, 404}, answer.text

    async def calling() -> None:
        async with await AsyncMemory.connect(
            database_url=addresses.database_url, broker_url=addresses.broker_url, spool_dir=tmp_path / "mcp"
        ) as memory:
            access = Access(fresh_namespace, checked_scopes(["read", "write"]))
            async with Client(mcp_server(memory, access=access)) as client:
                remembered = await client.call_tool("remember", {"content": "User likes coffee"})
                assert not remembered.is_error
                for tool, arguments in (
                    ("search", {"query": "coffee"}),
                    ("context", {"message": "What does she drink?"}),
                    ("who_is", {"name": "Ruth"}),
                    ("forget", {"ids": [str(uuid4())]}),
                    ("undo", {"decision": str(uuid4())}),
                ):
                    result = await client.call_tool(tool, arguments)
                    assert "unexpected" not in str(result.content), tool

    ask(asking)
    asyncio.run(calling())


class TestStarting:
    @pytest.fixture(autouse=True)
    def _environment(self, addresses: Addresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in addresses.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("MOSSHEAD_SPOOL_DIR", str(tmp_path))

    def refusal(self, **options: Any) -> str:
        with pytest.raises(ConfigurationError) as refused:
            asyncio.run(serve(ServerOptions(**options), started=lambda _address: None))
        return str(refused.value)

    def test_address_reachable_by_others_requires_a_token_and_a_name(
        self, admin_engine: Engine, worker_engine: Engine, fresh_namespace: NamespacePath
    ) -> None:
        with admin_engine.begin() as connection:
            connection.exec_driver_sql("delete from mosshead.api_tokens")
        assert "no token exists" in self.refusal(host="0.0.0.0", port=0)
        make_token(worker_engine, fresh_namespace)
        assert "--allow-host NAME" in self.refusal(host="0.0.0.0", port=0)

    def test_port_in_use_is_named(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            assert f"--port: cannot listen on 127.0.0.1:{port}" in self.refusal(port=port)
