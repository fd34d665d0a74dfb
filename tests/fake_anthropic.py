"""A server for Anthropic's messages API over real HTTP, which answers by the rules of `tests.fake_chat`.

with FakeAnthropic() as fake:
    fake.script([{"type": "tool_use", "id": "t1", "name": "look", "input": {}}])
    anthropic.Anthropic(api_key="none", base_url=fake.base_url)
"""

import json
import re
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.fake_answers import Json
from tests.fake_chat import chat_answer
from tests.fake_responses import Request

Blocks = list[Json]

_PIECE = re.compile(r"\s*\S+")


class FakeAnthropic:
    """The server; a context manager."""

    def __init__(self) -> None:
        self.requests: list[Json] = []
        self._scripted: deque[Blocks] = deque()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def base_url(self) -> str:
        """The address for ``base_url``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, *answers: Blocks) -> None:
        """Queue the content of the next answers, as blocks; afterwards the rules answer again."""
        self._scripted.extend(answers)

    def answer(self, body: Json) -> Blocks:
        """Record a request, and return the answer."""
        self.requests.append(body)
        if self._scripted:
            return self._scripted.popleft()
        return [{"type": "text", "text": chat_answer(_as_chat(body))["content"]}]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def text_of(content: Any) -> str:
    """Return a content's text."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block["text"]) for block in content or () if block.get("type") == "text")


def _as_chat(body: Json) -> Request:
    system = {"role": "system", "content": text_of(body.get("system"))}
    spoken = [{"role": one["role"], "content": text_of(one["content"])} for one in body["messages"]]
    return Request("/v1/messages", "messages", {"messages": [system, *(one for one in spoken if one["content"])]})


def _message(body: Json, blocks: Blocks, stop_reason: str | None) -> Json:
    usage = {"input_tokens": 1, "output_tokens": 1}
    kind = {"id": "msg_fake", "type": "message", "role": "assistant", "model": body["model"]}
    return {**kind, "content": blocks, "stop_reason": stop_reason, "stop_sequence": None, "usage": usage}


def _events(body: Json, blocks: Blocks, stop_reason: str) -> Iterator[Json]:
    yield {"type": "message_start", "message": _message(body, [], None)}
    for index, block in enumerate(blocks):
        is_text = block["type"] == "text"
        begun = {**block, "text": ""} if is_text else {**block, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        yield from ({"type": "content_block_delta", "index": index, "delta": delta} for delta in _deltas(block))
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _deltas(block: Json) -> Iterable[Json]:
    if block["type"] == "text":
        return [{"type": "text_delta", "text": piece} for piece in _PIECE.findall(block["text"])]
    arguments = json.dumps(block["input"])
    half = len(arguments) // 2
    return [{"type": "input_json_delta", "partial_json": part} for part in (arguments[:half], arguments[half:])]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    fake: FakeAnthropic


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        blocks = self.server.fake.answer(body)
        stop_reason = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
        if not body.get("stream"):
            self._send("application/json", json.dumps(_message(body, blocks, stop_reason)).encode())
            return
        events = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in _events(body, blocks, stop_reason))
        self._send("text/event-stream", "".join(events).encode())

    def _send(self, content_type: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class names it so)
        """Log nothing: the output belongs to the test."""
