"""Commands that serve memory over HTTP and MCP, or over MCP on standard input and output."""

import asyncio
import logging
from types import ModuleType
from typing import Annotated

import typer

from mosshead.cli.output import console
from mosshead.errors import ConfigurationError
from mosshead.paths import NamespacePath


def serve(  # noqa: PLR0917 - typer's options are its parameters
    host: Annotated[
        str,
        typer.Option(
            help="Listen on this address. The server speaks plain HTTP; use a TLS proxy for any other address."
        ),
    ] = ("127.0.0.1"),
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0 picks a free one.")] = 8765,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Accept this name in the Host header; may be repeated."),
    ] = None,
    body_bytes: Annotated[int, typer.Option(min=1_024, help="Maximum size of a request body, in bytes.")] = 2**20,
    rate: Annotated[float, typer.Option(min=0.1, help="Requests per second per token.")] = 20.0,
    burst: Annotated[int, typer.Option(min=1, help="Maximum burst of requests per token.")] = 60,
) -> None:
    """Serve memory over HTTP, with an OpenAPI page, and over MCP until stopped. Each request needs a token."""
    app = _server()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for quiet in ("mcp", "uvicorn", "httpx2"):
        logging.getLogger(quiet).setLevel(logging.WARNING)
    options = app.ServerOptions(
        host=host, port=port, allow_hosts=allow_host or (), body_bytes=body_bytes, rate=rate, burst=burst
    )

    def say(address: str) -> None:
        console.print(f"Memory is served at {address}: REST ({address}/docs) and MCP ({address}/mcp)", soft_wrap=True)

    try:
        asyncio.run(app.serve(options, started=say))
    except KeyboardInterrupt:
        return


def serve_mcp(
    namespace: Annotated[
        str,
        typer.Option("--namespace", "-n", envvar="MOSSHEAD_NAMESPACE", help="Tenant first, such as acme/sarah_123."),
    ],
    scopes: Annotated[
        str, typer.Option(help="What the model may do: read, write; separated by commas.")
    ] = "read,write",
) -> None:
    """Serve one namespace over MCP on standard input and output, for an agent on this machine."""
    app = _server()
    from mosshead.contrib.server.tokens import Access, checked_scopes

    logging.getLogger("mcp").setLevel(logging.WARNING)
    access = Access(NamespacePath.of(namespace.split("/")), checked_scopes(scopes.replace(" ", "").split(",")))
    asyncio.run(app.serve_stdio(access))


def _server() -> ModuleType:
    """Import the server. Raises ConfigurationError if the extra is not installed."""
    try:
        from mosshead.contrib.server import app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"fastapi", "mcp", "mcp_types", "starlette", "uvicorn"}:
            raise
        raise ConfigurationError("The server is not installed. Run: pip install 'mosshead[server]'") from None
    return app
