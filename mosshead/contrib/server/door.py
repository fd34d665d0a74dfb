"""Admission of requests, for REST and MCP: check the host, the token, the rate and the size."""

import time
from collections.abc import Collection
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mosshead.api.async_memory import AsyncMemory, across
from mosshead.contrib.server.limits import RateLimit, read_body
from mosshead.contrib.server.problems import RefusedRequest, log, refusal_of
from mosshead.contrib.server.tokens import Access, digest_of, find_access

ACCESS: Final = "mosshead.access"
"""Key of the `Access` in a request's ASGI scope."""

PROBES: Final = frozenset({"/healthz", "/readyz"})
"""Paths that load balancers ask for, under any host name."""

OPEN: Final = PROBES | {"/openapi.json", "/docs"}
"""Paths that need no token, since they contain no user data."""

_BEARER = "bearer"


class Door:
    """ASGI middleware around the whole app; the only place that admits requests."""

    def __init__(
        self, app: ASGIApp, memory: AsyncMemory, *, hosts: Collection[str], most_bytes: int, limit: RateLimit
    ) -> None:
        """hosts: Accepted host names, without ports. most_bytes: Maximum body size. limit: The rate limit per token."""
        self._app, self._memory, self._hosts = app, memory, frozenset(host.casefold() for host in hosts)
        self._most_bytes, self._limit = most_bytes, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit a request, or answer it with a problem document."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        if scope["type"] != "http":
            return  # web sockets are not supported
        began, status = time.perf_counter(), 0

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, await self._admit(scope, receive), noted)
        except Exception as error:  # noqa: BLE001 - the edge of the process: a raised error would show its text
            refused = refusal_of(error)
            if not status:
                await refused.response()(scope, receive, noted)
        _log_request(scope, status, time.perf_counter() - began)

    async def _admit(self, scope: Scope, receive: Receive) -> Receive:
        """Check a request, and return the ``receive`` for its body. Raises RefusedRequest and StoreUnavailable."""
        headers = Headers(scope=scope)
        if scope["path"] not in PROBES:
            self._check_host(headers)
        if scope["path"] not in OPEN:
            scope[ACCESS] = await self._access(headers.get("authorization", ""))
        return await read_body(headers, receive, self._most_bytes)

    def _check_host(self, headers: Headers) -> None:
        """Refuse requests that other sites' pages make a browser send: by DNS rebinding (Host) or cross-origin (Origin)."""
        if _name_of(f"//{headers.get('host', '')}") not in self._hosts:
            raise RefusedRequest(
                HTTPStatus.MISDIRECTED_REQUEST, "Host: not a name of this server; start it with --allow-host NAME"
            )
        origin = headers.get("origin")
        if origin is not None and _name_of(origin) not in self._hosts:
            raise RefusedRequest(
                HTTPStatus.FORBIDDEN, "Origin: this server does not accept requests from pages of other sites"
            )

    async def _access(self, authorization: str) -> Access:
        kind, _, token = authorization.partition(" ")
        token = token.strip() if kind.casefold() == _BEARER else ""
        if not token:
            raise _unauthorized("Authorization: missing; send 'Bearer TOKEN' with a token from 'mosshead token create'")
        self._limit.take(digest_of(token))
        found = await across(self._memory, lambda memory: find_access(memory.engine, token))
        if found is None:
            raise _unauthorized("Authorization: the token is unknown, revoked or expired")
        return found


def _unauthorized(detail: str) -> RefusedRequest:
    return RefusedRequest(HTTPStatus.UNAUTHORIZED, detail, headers={"WWW-Authenticate": "Bearer"})


def _name_of(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").casefold()
    except ValueError:
        return ""


def _log_request(scope: Scope, status: int, seconds: float) -> None:
    """Log a request without its full path, which may contain names and texts."""
    route, access = scope.get("route"), scope.get(ACCESS)
    log.info(
        "%s %s %d in %d ms, token %s",
        scope["method"],
        getattr(route, "path", "-"),
        status,
        round(1000 * seconds),
        access.token_id if access else "-",
    )
