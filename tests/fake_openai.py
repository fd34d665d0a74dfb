"""A server for OpenAI's API over real HTTP, which answers by tiny rules and misbehaves on request.

    with FakeOpenAI() as fake:
        fake.script("ExtractionAnswer", Fault.status(429, retry_after="3"))
        ...  # OPENAI_BASE_URL=fake.base_url
        assert fake.calls["ExtractionAnswer"] == 2

``python -m tests.fake_openai --port N`` runs it alone, prints its base URL, and returns the number of calls at GET /calls.
"""

import argparse
import json
import os
import re
import socket
import struct
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.fake_answers import Json, answer_for
from tests.fake_chat import CHAT, RESPONSES, chat_answer, streamed, whole
from tests.fake_responses import (
    EMBEDDINGS,
    Fault,
    Request,
    broken_body,
    completion_body,
    dressed,
    embeddings_body,
    error_body,
)

__all__ = ["CHAT", "EMBEDDINGS", "RESPONSES", "FakeOpenAI", "Fault", "Request"]

_DRIP_PIECES = 200
_SHAPE = re.compile(r"Answer with one JSON object, (\w+), of this JSON Schema")

Scripted = Json | Fault | Callable[[Request], Json]


class FakeOpenAI:
    """The server; a context manager. ``base_url`` ends in /v1, and the same is served without."""

    def __init__(self, port: int = 0) -> None:
        self.requests: list[Request] = []
        self.calls: Counter[str] = Counter()
        self._scripts: defaultdict[str, deque[Scripted]] = defaultdict(deque)
        self._instead: dict[str, Scripted] = {}
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def base_url(self) -> str:
        """The value for OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, schema: str, *responses: Scripted) -> None:
        """Queue answers to the next requests for a schema; when the queue is empty, the rules answer again."""
        with self._lock:
            self._scripts[schema].extend(responses)

    @contextmanager
    def answering(self, schema: str, response: Scripted) -> Iterator[None]:
        """Answer requests for a schema with this within the block if nothing is queued."""
        self._instead[schema] = response
        try:
            yield
        finally:
            del self._instead[schema]

    @contextmanager
    def silent(self, schema: str) -> Iterator[None]:
        """Delay all answers for a schema until the end of the block."""
        ended = threading.Event()

        def late(request: Request) -> Json:
            ended.wait()
            return _usual(request)

        with self.answering(schema, late):
            try:
                yield
            finally:
                ended.set()

    def unscript(self) -> dict[str, int]:
        """Drop queued answers that were not requested; return their number by schema."""
        with self._lock:
            left = {schema: len(queue) for schema, queue in self._scripts.items() if queue}
            self._scripts.clear()
        return left

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def serve(self) -> None:
        """Serve until the process is stopped."""
        with self._server:
            self._server.serve_forever()

    def take(self, request: Request) -> Scripted:
        """Record a request, and return the answer."""
        with self._lock:
            self.requests.append(request)
            self.calls[request.schema] += 1
            queue = self._scripts[request.schema]
            if queue:
                return queue.popleft()
        return self._instead.get(request.schema) or _usual(request)


def asked_shape(body: Json) -> str | None:
    """Return the name of the requested answer: from the schema, the tool, or the system prompt."""
    by_schema = body.get("response_format", {}).get("json_schema", {}).get("name")
    as_tool = next((one["function"]["name"] for one in body.get("tools", []) if body.get("tool_choice")), None)
    in_words = _SHAPE.search(str(body.get("messages", [{}])[0].get("content", "")))
    return by_schema or as_tool or (in_words[1] if in_words else None)


def _usual(request: Request) -> Json:
    if request.schema == EMBEDDINGS:
        return embeddings_body(request.body)
    if request.schema in {CHAT, RESPONSES}:
        return chat_answer(request)
    return answer_for(request.schema, request.question)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    fake: FakeOpenAI


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        calls = dict(self.server.fake.calls)
        self._send(200 if self.path == "/calls" else 404, json.dumps(calls).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.removeprefix("/v1")
        schemas = {"/chat/completions": CHAT, "/responses": RESPONSES, "/embeddings": EMBEDDINGS}
        if path not in schemas:
            self._send(404, b'{"error": {"message": "no such path"}}')
            return
        asked = asked_shape(body)
        request = Request(self.path, str(asked or schemas[path]), body)
        response = self.server.fake.take(request)
        try:
            self._respond(request, response)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _respond(self, request: Request, response: Scripted) -> None:
        if request.schema in {CHAT, RESPONSES} and not (
            isinstance(response, Fault) and response.kind not in {"drip", "cut"}
        ):
            self._chat(request, response)
            return
        said = response(request) if callable(response) else response
        if isinstance(said, Fault):
            self._misbehave(request, said)
            return
        answer = json.dumps(said)
        self._send(200, answer.encode() if request.schema == EMBEDDINGS else completion_body(request, answer))

    def _misbehave(self, request: Request, fault: Fault) -> None:
        match fault.kind:
            case "status":
                self._send(fault.code, error_body(request, fault), retry_after=fault.retry_after)
            case "hang":
                self.server.fake.closing.wait(fault.seconds)
            case "reset":
                self._reset()
            case "html":
                self._send(200, f"<html>{request.prompt}</html>".encode(), content_type="text/html")
            case "drip":
                self._drip(completion_body(request, json.dumps(_usual(request))), fault.seconds)
            case "fenced" | "thinking" | "thought" | "parts":
                self._send(200, completion_body(request, dressed(json.dumps(_usual(request)), fault.kind)))
            case _:
                self._send(200, broken_body(request, fault.kind))

    def _chat(self, request: Request, response: Scripted) -> None:
        """Send a chat answer, whole or in pieces. A fault delays the pieces, or cuts them off."""
        fault = response if isinstance(response, Fault) else None
        message = (
            _usual(request) if isinstance(response, Fault) else response(request) if callable(response) else response
        )
        if not request.body.get("stream"):
            self._send(200, whole(request, message))
            return
        pieces = streamed(request, message)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for piece in pieces[: len(pieces) // 2] if fault and fault.kind == "cut" else pieces:
            self.wfile.write(piece)
            if fault and self.server.fake.closing.wait(fault.seconds):
                return
        if fault and fault.kind == "cut":
            self._reset()

    def _reset(self) -> None:
        """Close with a RST, as a killed endpoint or a proxy does; a plain close would end the stream cleanly."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())

    def _drip(self, body: bytes, seconds: float) -> None:
        self._send_headers(200, len(body))
        size = len(body) // _DRIP_PIECES + 1
        for start in range(0, len(body), size):
            self.wfile.write(body[start : start + size])
            if self.server.fake.closing.wait(seconds):
                return

    def _send(
        self, status: int, body: bytes, *, retry_after: str | None = None, content_type: str = "application/json"
    ) -> None:
        self._send_headers(status, len(body), retry_after, content_type)
        self.wfile.write(body)

    def _send_headers(
        self, status: int, length: int, retry_after: str | None = None, content_type: str = "application/json"
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(length))
        if retry_after is not None:
            self.send_header("Retry-After", retry_after)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class names it so)
        """Log nothing: the output belongs to the test."""


def main() -> None:
    """Serve on a port until stopped."""
    parser = argparse.ArgumentParser(description="A fake OpenAI endpoint for tests.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    fake = FakeOpenAI(parser.parse_args().port)
    print(fake.base_url, flush=True)
    with suppress(KeyboardInterrupt):
        fake.serve()


if __name__ == "__main__":
    main()
