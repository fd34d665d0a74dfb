"""The server as an ASGI app, and as a process that serves HTTP, or MCP on standard input and output."""

import ipaddress
import socket
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import escape
from typing import Any, Final

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp

import mosshead
from mosshead.api.async_memory import AsyncMemory, across
from mosshead.contrib.server.door import OPEN, Door
from mosshead.contrib.server.limits import RateLimit
from mosshead.contrib.server.problems import MEDIA_TYPE, Problem, refusal_of
from mosshead.contrib.server.rest import api, public
from mosshead.contrib.server.tokens import Access, has_tokens
from mosshead.contrib.server.tools import mcp_server
from mosshead.errors import ConfigurationError

LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")

_DESCRIPTION = (
    "Long-term memory for chat apps. Every request except /healthz and /readyz needs a token (`mosshead token create`). "
    "A token gives access to the namespaces below its prefix, with the scopes read, write or erase. "
    "MCP is at /mcp, with the same tokens."
)
_PROBLEMS: Final = {
    "400": "the body is not JSON",
    "401": "no token, or an unknown one",
    "403": "the token does not permit this",
    "404": "not found in this namespace",
    "409": "the state has changed, or the name is ambiguous",
    "413": "the body is too large",
    "422": "a field is invalid",
    "429": "too many requests with this token",
    "503": "the memory is unavailable",
}


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The address and the limits of a server.

    allow_hosts: Accepted host names besides those of the loopback interface. body_bytes: Maximum size of a request body.
    rate, burst: Requests per second per token, and the maximum at once.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    allow_hosts: Collection[str] = ()
    body_bytes: int = 2**20
    rate: float = 20.0
    burst: int = 60


def create_app(memory: AsyncMemory, options: ServerOptions) -> ASGIApp:
    """Create the ASGI app for an open memory: REST, its OpenAPI document, and MCP at ``/mcp``."""
    manager = StreamableHTTPSessionManager(
        mcp_server(memory), json_response=True, stateless=True, max_request_body_size=options.body_bytes
    )

    @asynccontextmanager
    async def running(_app: FastAPI) -> AsyncIterator[None]:
        async with manager.run():
            yield

    app = FastAPI(
        title="Mosshead",
        version=mosshead.__version__,
        description=_DESCRIPTION,
        lifespan=running,
        docs_url=None,  # FastAPI's page loads scripts from a CDN
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.memory = memory
    app.include_router(api)
    app.include_router(public)
    app.router.routes.append(Route("/mcp", endpoint=StreamableHTTPASGIApp(manager)))
    app.openapi = _document(app, app.openapi)  # type: ignore[method-assign]  # as FastAPI's documentation extends it

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(_page(app.openapi()), headers={"Content-Security-Policy": "default-src 'none'"})

    @app.exception_handler(HTTPException)
    async def tell(_request: Request, error: HTTPException) -> Response:
        return refusal_of(error).response()

    limit = RateLimit(options.rate, options.burst)
    hosts = {*LOOPBACK_NAMES, *options.allow_hosts}
    return Door(app, memory, hosts=hosts, most_bytes=options.body_bytes, limit=limit)


async def serve(options: ServerOptions, *, started: Callable[[str], object]) -> None:
    """Serve HTTP until the process is asked to stop. started: Called with the address.

    Raises ConfigurationError if the address cannot be bound, or if it is not a loopback address and no token or no accepted
    host name exists.
    """
    async with await AsyncMemory.connect() as memory:
        if not _is_loopback(options.host):
            if not await across(memory, lambda straight: has_tokens(straight.engine)):
                raise ConfigurationError(
                    f"--host: {options.host} is reachable by others, and no token exists; run 'mosshead token create'"
                )
            if not options.allow_hosts:
                raise ConfigurationError(
                    f"--host: {options.host} is reachable by others; pass the host name they use with --allow-host NAME"
                )
        listening = _listen(options)
        host, port = listening.getsockname()[:2]
        config = uvicorn.Config(
            create_app(memory, options), access_log=False, log_config=None, server_header=False, proxy_headers=False
        )
        started(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        await uvicorn.Server(config).serve(sockets=[listening])


async def serve_stdio(access: Access) -> None:
    """Serve MCP on standard input and output until the input ends."""
    async with await AsyncMemory.connect() as memory, stdio_server() as (incoming, outgoing):
        server = mcp_server(memory, access=access)
        await server.run(incoming, outgoing, server.create_initialization_options())


def _listen(options: ServerOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((options.host, options.port))
    except OSError as error:
        listening.close()
        raise ConfigurationError(
            f"--port: cannot listen on {options.host}:{options.port} ({error.strerror}); pass another port"
        ) from None
    return listening


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _document(app: FastAPI, made: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
    """Wrap FastAPI's OpenAPI document to add the tokens and the problem documents."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            made()
            _describe(app.openapi_schema or {})
        return app.openapi_schema or {}

    return document


def _describe(document: dict[str, Any]) -> None:
    components = document["components"]
    for name in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(name, None)
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    components["schemas"] |= problem.pop("$defs") | {"Problem": problem}
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for path, methods in document["paths"].items():
        for operation in methods.values():
            problems = _PROBLEMS if path not in OPEN else {"503": _PROBLEMS["503"]}
            answers = {status: {"description": text, "content": content} for status, text in problems.items()}
            operation["responses"] = {**operation["responses"], **answers}
            operation["security"] = [] if path in OPEN else [{"token": []}]


def _page(document: dict[str, Any]) -> str:
    """Render the OpenAPI document as a page without scripts."""
    rows = "".join(
        f"<tr><td><code>{method.upper()} {escape(path)}</code><td>{escape(operation['description'])}"
        f"<td><code>{escape(_body_of(operation))}</code>"
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    )
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(document['info']['title'])}</title>"
        f"<h1>Mosshead {escape(document['info']['version'])}</h1><p>{escape(document['info']['description'])}"
        f"<p><a href=/openapi.json>openapi.json</a><table><tr><th>address<th>what it does<th>body{rows}</table>"
    )


def _body_of(operation: dict[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {})
    return ", ".join(one["schema"].get("$ref", "").rpartition("/")[2] for one in content.values())
