"""An endpoint for chat completions over real HTTP that keeps what it was asked: tools and plain JSON, too."""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from benchmarks.peers.answering import Body


class Endpoint:
    """The server; a context manager.

    answer: the message that answers a request. seconds: what an answer takes. asked: all requests so far, as they were sent.
    """

    def __init__(self, answer: Callable[[Body], Body], seconds: float) -> None:
        self.answer = answer
        self.seconds = seconds
        self.asked: list[Body] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.endpoint = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def base_url(self) -> str:
        """What a client is given as its base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    endpoint: Endpoint


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        endpoint, body = self.server.endpoint, json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        endpoint.asked.append(body)
        time.sleep(endpoint.seconds)
        content = json.dumps(_completion(body, endpoint.answer(body))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class names it so)
        """Say nothing: what is printed is the benchmark's."""


def _completion(body: Body, message: Body) -> Body:
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    named = {"id": "chatcmpl-fake", "object": "chat.completion", "created": 0, "model": body["model"]}
    return {**named, "choices": [choice], "usage": usage}
