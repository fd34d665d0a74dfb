"""The console in this process, with a headless browser: requests and responses."""

import asyncio
import re
import threading
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis import Redis
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from mosshead import Memory
from mosshead.paths import NamespacePath
from workers.console import handlers
from workers.console.handlers import place_of
from workers.console.login import Attempts, Login
from workers.console.server import application
from workers.local import Addresses

LOGIN = Login("ops", "quiet harbour")


class Site:
    """The pages of one namespace, seen by a logged-in user."""

    def __init__(self, address: str, path: NamespacePath) -> None:
        self.address = address
        self.place = place_of(path)
        self.client = httpx.Client(base_url=address, auth=(LOGIN.name, LOGIN.password), timeout=30)

    def get(self, page: str = "", **asked: Any) -> httpx.Response:
        """Return a page of the namespace by the rest of its path."""
        return self.client.get(self.place + page, params=asked)

    def text(self, page: str = "", **asked: Any) -> str:
        """Return the text of an existing page, without its markup."""
        answer = self.get(page, **asked)
        assert answer.status_code == httpx.codes.OK, answer.text
        return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())

    def send(
        self, page: str, fields: Mapping[str, Any] | None = None, *, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """Submit a form with the token that a page gave, or would have given."""
        self.get()
        if "mosshead_console" not in self.client.cookies:
            self.client.cookies.set("mosshead_console", "0123456789abcdef" * 2)
        token = self.client.cookies["mosshead_console"]
        return self.client.post(self.place + page, data={"_xsrf": token, **(fields or {})}, headers=headers)


@pytest.fixture
def site(
    addresses: Addresses, fresh_namespace: NamespacePath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Site]:
    """Return the console on the running servers; it does not wait for effects, since no worker runs."""
    monkeypatch.setattr(handlers, "_WAIT_SECONDS", 0.01)
    with Memory.connect(
        database_url=addresses.database_url, broker_url=addresses.broker_url, spool_dir=tmp_path
    ) as memory:
        yield from served(memory, fresh_namespace)
    with Redis.from_url(addresses.broker_url) as broker:
        broker.flushdb()  # no intake takes these events; an intake's test must not find them


def served(memory: Memory, path: NamespacePath) -> Iterator[Site]:
    """Return the console, reading through a memory."""
    listening, loops = threading.Event(), list[asyncio.AbstractEventLoop]()
    stopping, port = asyncio.Event(), list[int]()

    async def run() -> None:
        loops.append(asyncio.get_running_loop())
        server = HTTPServer(application(memory, LOGIN, attempts=Attempts(clock=lambda: 0.0)))  # no wait ends by itself
        (socket,) = bind_sockets(0, "127.0.0.1")
        server.add_socket(socket)
        port.append(socket.getsockname()[1])
        listening.set()
        await stopping.wait()
        server.stop()
        await server.close_all_connections()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert listening.wait(10)
    site = Site(f"http://127.0.0.1:{port[0]}", path)
    try:
        yield site
    finally:
        site.client.close()
        loops[0].call_soon_threadsafe(stopping.set)
        thread.join(10)
