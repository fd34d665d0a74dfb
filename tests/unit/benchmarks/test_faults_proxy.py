"""The toy proxy, between a client and a server of our own."""

import gc
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.faults.proxy import Proxy, proxied


class Echo(socketserver.BaseRequestHandler):
    """Says what it is told, and keeps it."""

    heard: list[bytes] = []  # noqa: RUF012 - one server for each test

    def handle(self) -> None:
        try:
            while piece := self.request.recv(100):
                self.heard.append(piece)
                self.request.sendall(piece)
        except ConnectionResetError:
            return


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    Echo.heard.clear()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            with proxied(server.server_address[1]) as started:
                yield started
        finally:
            server.shutdown()
            thread.join()


def connect(proxy: Proxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=60)


def say(client: socket.socket, words: bytes = b"hello") -> bytes:
    client.sendall(words)
    return client.recv(100)


def test_it_passes_on_what_both_sides_say(proxy: Proxy) -> None:
    with connect(proxy) as client:
        assert say(client) == b"hello"


def test_a_reset_ends_connections_with_an_error_and_new_ones_pass(proxy: Proxy) -> None:
    with connect(proxy) as client:
        say(client)
        assert proxy.reset() == 1
        with pytest.raises(ConnectionResetError):
            client.recv(100)
    with connect(proxy) as client:
        assert say(client) == b"hello"


def test_a_swallowed_connection_stays_open_and_silent_even_after_the_network_is_back(proxy: Proxy) -> None:
    with connect(proxy) as client:
        say(client)
        proxy.blackhole()
        client.settimeout(0.2)
        with pytest.raises(TimeoutError):
            say(client)
        proxy.heal()
        with pytest.raises(TimeoutError):
            say(client)
    with connect(proxy) as client:
        assert say(client) == b"hello"


def test_a_cut_lets_the_word_through_and_keeps_the_answer_back(proxy: Proxy) -> None:
    with connect(proxy) as client:
        proxy.cut_after(b"COMMIT")
        assert say(client) == b"hello"
        with pytest.raises(ConnectionResetError):
            say(client, b"COMMIT")
    deadline = time.monotonic() + 60
    while b"COMMIT" not in Echo.heard and time.monotonic() < deadline:
        time.sleep(0.01)
    assert (Echo.heard, proxy.cuts) == ([b"hello", b"COMMIT"], 1)


def test_slow_holds_each_piece_back(proxy: Proxy) -> None:
    with connect(proxy) as client:
        proxy.slow(0.2)
        started = time.monotonic()
        say(client)
        assert time.monotonic() - started >= 0.4


def test_it_may_stand_before_a_socket_file(tmp_path: Path) -> None:
    there, here = tmp_path / "server", tmp_path / "proxy"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(there))
        server.listen()
        with proxied(there, here), socket.socket(socket.AF_UNIX) as client:
            client.connect(str(here))
            client.sendall(b"hello")
            accepted, _ = server.accept()
            with accepted:
                assert accepted.recv(100) == b"hello"


def test_what_arrives_while_it_closes_is_closed_too(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    path = tmp_path / "echo.sock"
    with socketserver.ThreadingUnixStreamServer(str(path), Echo):
        for _ in range(20):
            with proxied(path) as proxy:
                proxy._loop.call_soon_threadsafe(time.sleep, 0.02)
                clients = [connect(proxy) for _ in range(5)]
            for client in clients:
                client.close()
            del proxy
    gc.collect()
    assert [str(one.message) for one in recwarn] == []
