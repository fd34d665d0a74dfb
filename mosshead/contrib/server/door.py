"""The door of the server: a request comes in by its host, its token, its size and how often, REST and MCP alike."""

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
"""Where a request's scope has its `Access`."""

PROBES: Final = frozenset({"/healthz", "/readyz"})
"""Addresses that a load balancer asks, by any name."""

OPEN: Final = PROBES | {"/openapi.json", "/docs"}
"""Addresses that need no token: they tell nothing of anybody."""

_BEARER = "bearer"


class Door:
    """ASGI middleware around the whole app; the one place where somebody is let in."""

    def __init__(
        self, app: ASGIApp, memory: AsyncMemory, *, hosts: Collection[str], most_bytes: int, limit: RateLimit
    ) -> None:
        """hosts: names by which the server may be called, without ports. most_bytes: of a body. limit: by token."""
        self._app, self._memory, self._hosts = app, memory, frozenset(host.casefold() for host in hosts)
        self._most_bytes, self._limit = most_bytes, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it with what is wrong with it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        if scope["type"] != "http":
            return  # there are no web sockets here
        began, status = time.perf_counter(), 0

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, await self._admit(scope, receive), noted)
        except Exception as error:  # noqa: BLE001 - the edge of the process: what is raised here would show its words
            refused = refusal_of(error)
            if not status:
                await refused.response()(scope, receive, noted)
        _log_request(scope, status, time.perf_counter() - began)

    async def _admit(self, scope: Scope, receive: Receive) -> Receive:
        """Return what gives the request's body. Raises RefusedRequest, and StoreUnavailable."""
        headers = Headers(scope=scope)
        if scope["path"] not in PROBES:
            self._check_host(headers)
        if scope["path"] not in OPEN:
            scope[ACCESS] = await self._access(headers.get("authorization", ""))
        return await read_body(headers, receive, self._most_bytes)

    def _check_host(self, headers: Headers) -> None:
        """Refuse a page elsewhere that has its reader's browser call: by another name of this address, or from its own."""
        if _name_of(f"//{headers.get('host', '')}") not in self._hosts:
            raise RefusedRequest(
                HTTPStatus.MISDIRECTED_REQUEST, "Host: not a name of this server; start it with --allow-host NAME"
            )
        origin = headers.get("origin")
        if origin is not None and _name_of(origin) not in self._hosts:
            raise RefusedRequest(
                HTTPStatus.FORBIDDEN, "Origin: this server takes no requests from pages of other sites"
            )

    async def _access(self, authorization: str) -> Access:
        kind, _, token = authorization.partition(" ")
        token = token.strip() if kind.casefold() == _BEARER else ""
        if not token:
            raise _unauthorized("Authorization: missing; send 'Bearer TOKEN', as 'mosshead token create' shows it")
        self._limit.take(digest_of(token))
        found = await across(self._memory, lambda memory: find_access(memory.engine, token))
        if found is None:
            raise _unauthorized("Authorization: the token is not known here, was revoked, or has expired")
        return found


def _unauthorized(detail: str) -> RefusedRequest:
    return RefusedRequest(HTTPStatus.UNAUTHORIZED, detail, headers={"WWW-Authenticate": "Bearer"})


def _name_of(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").casefold()
    except ValueError:
        return ""


def _log_request(scope: Scope, status: int, seconds: float) -> None:
    """Without the address: names and texts may stand in it."""
    route, access = scope.get("route"), scope.get(ACCESS)
    log.info(
        "%s %s %d in %d ms, token %s",
        scope["method"],
        getattr(route, "path", "-"),
        status,
        round(1000 * seconds),
        access.token_id if access else "-",
    )
