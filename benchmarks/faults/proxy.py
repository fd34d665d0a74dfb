"""A toy proxy that stands before a server and does to connections what networks do: resets them, swallows them, slows them."""

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workers.local.ports import LOOPBACK

_CHUNK = 65_536


@dataclass(eq=False)
class _Link:
    """One connection through the proxy. swallowed: neither side hears of the other again, and neither is told."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    swallowed: bool = False


class Proxy:
    """Passes bytes on between clients and one server, until told otherwise. Its methods are safe to call from any thread.

    target: a port of the loopback, or the path of a socket. It listens on a port of its own, or on the path that is given.
    """

    def __init__(self, target: int | Path, listen: Path | None = None) -> None:
        self._target = target
        self._listen = listen
        self._links: set[_Link] = set()
        self._clients: dict[asyncio.Task[None], socket.socket] = {}
        self._slow = 0.0
        self._cut_at: bytes | None = None
        self._blackholed = self._refusing = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self.port = 0
        self.cuts = 0

    def reset(self) -> int:
        """End all connections with a RST, as a firewall does; returns how many there were."""
        return asyncio.run_coroutine_threadsafe(self._reset(), self._loop).result()

    def blackhole(self) -> None:
        """Swallow all connections from here on, without a word to either side; those of now stay dead after ``heal``."""
        self._blackholed = True
        for link in tuple(self._links):
            link.swallowed = True

    def refuse(self) -> None:
        """End all connections, and each new one at once, as where no server is."""
        self._refusing = True
        self.reset()

    def slow(self, seconds: float) -> None:
        """Hold each piece back for so long."""
        self._slow = seconds

    def cut_after(self, word: bytes) -> None:
        """Pass the next piece that holds the word on to the server, and end its connection before the answer comes back."""
        self._cut_at = word

    def heal(self) -> None:
        """Pass everything on again, for new connections."""
        self._blackholed = self._refusing = False
        self._slow, self._cut_at = 0.0, None

    def start(self) -> None:
        """Listen."""
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()

    def close(self) -> None:
        """End all connections and the listener."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _start(self) -> None:
        if self._listen is not None:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.bind(str(self._listen))
            self._socket.listen()
        else:
            self._socket = socket.create_server((LOOPBACK, 0), backlog=128)
            self.port = self._socket.getsockname()[1]
        self._socket.setblocking(False)
        self._loop.add_reader(self._socket, self._accept)

    async def _stop(self) -> None:
        self._loop.remove_reader(self._socket)
        self._socket.close()
        for task in (serving := dict(self._clients)):
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        for client in serving.values():  # a task that was cancelled before it began has not closed its own
            client.close()

    async def _reset(self) -> int:
        links = tuple(self._links)
        for link in links:
            _abort(link.client)
            _abort(link.server)
        return len(links)

    def _accept(self) -> None:
        # By hand: asyncio's own servers leave a connection open that arrives while they close.
        with contextlib.suppress(BlockingIOError, ConnectionAbortedError):
            client, _ = self._socket.accept()
            task = self._loop.create_task(self._serve(client))
            self._clients[task] = client
            task.add_done_callback(self._clients.pop)

    async def _serve(self, accepted: socket.socket) -> None:
        reader, client = await asyncio.open_connection(sock=accepted)
        try:
            if self._refusing:
                raise ConnectionRefusedError
            answers, server = await self._connect()
        except (OSError, asyncio.CancelledError) as error:
            _abort(client)
            if isinstance(error, OSError):
                return
            raise
        link = _Link(client, server, self._blackholed)
        self._links.add(link)
        try:
            await asyncio.gather(self._pump(link, reader, server), self._pump(link, answers, client, answer=True))
            client.close()
            server.close()
            await asyncio.gather(client.wait_closed(), server.wait_closed(), return_exceptions=True)
        finally:
            self._links.discard(link)
            _abort(client)  # a plain close would wait for what is still to be written
            _abort(server)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self._target, Path):
            return await asyncio.open_unix_connection(self._target)
        return await asyncio.open_connection(LOOPBACK, self._target)

    async def _pump(
        self, link: _Link, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, answer: bool = False
    ) -> None:
        with contextlib.suppress(OSError):
            while piece := await source.read(_CHUNK):
                if self._slow:
                    await asyncio.sleep(self._slow)
                if link.swallowed:
                    continue
                if not answer and self._cut_at is not None and self._cut_at in piece:
                    self._cut_at, self.cuts, link.swallowed = None, self.cuts + 1, True
                    asyncio.get_running_loop().call_later(0.05, _abort, link.client)
                target.write(piece)
                await target.drain()
        if not link.swallowed:
            target.close()


def _abort(writer: asyncio.StreamWriter) -> None:
    """Close with a RST; a plain close would end the stream politely."""
    raw = writer.get_extra_info("socket")
    if raw is not None and raw.family != socket.AF_UNIX and raw.fileno() >= 0:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@contextmanager
def proxied(target: int | Path, listen: Path | None = None) -> Iterator[Proxy]:
    """A proxy that listens inside the block."""
    proxy = Proxy(target, listen)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.close()
