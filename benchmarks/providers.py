"""Answers in the shapes of many servers and models, read over real HTTP: which of them yield their facts.

    python -m benchmarks.providers --data tests/data/providers --json

Each line of the data (its README says how) is an endpoint that answers so to all it is asked.
"""

import argparse
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

from mosshead.errors import MossheadError
from mosshead.llm import AnswerTruncated
from mosshead.llm.openai import OpenAILanguageModel
from mosshead.models.kinds import Role
from pipeline.extraction.prompt import ExtractionAnswer, extraction_prompt
from pipeline.models import Background, Message

SAID = ("I live in Leeds.", "My dog is called Bruno.")


@dataclass(frozen=True, slots=True)
class ShapeResult:
    """What one shape was to give, and gave: contents of facts, or the class of an error."""

    shape: str
    expected: Sequence[str] | str
    found: Sequence[str] | str

    @property
    def right(self) -> bool:
        """Whether it gave that; the order of facts is no matter."""
        if isinstance(self.expected, str) or isinstance(self.found, str):
            return self.expected == self.found
        return sorted(self.expected) == sorted(self.found)


def run(shapes: Sequence[Mapping[str, Any]]) -> list[ShapeResult]:
    """Ask an endpoint of each shape for the facts of two messages."""
    with _serving() as server:
        return [_result(shape, server) for shape in shapes]


def read_shapes(path: Path) -> list[dict[str, Any]]:
    """The shapes of a file of JSON Lines, or of all those in a folder."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines() if line.strip()]


def _result(shape: Mapping[str, Any], server: "_Server") -> ShapeResult:
    server.shape = shape
    address = f"http://127.0.0.1:{server.server_address[1]}{shape.get('address', '/v1')}"
    model = OpenAILanguageModel("some-model", api_key="sk-some", base_url=address, timeout=10)
    at = datetime(2026, 3, 4, 9, tzinfo=UTC)
    messages = [
        Message(number, UUID(int=number), None, Role.USER, None, text, at, ()) for number, text in enumerate(SAID, 1)
    ]
    expected = shape["error"] if "error" in shape else shape["yields"]
    try:
        answer = model.answer(extraction_prompt(messages, Background()))
    except MossheadError as error:
        before = error.before_cut if isinstance(error, AnswerTruncated) else None
        kept = [fact.content for fact in before.facts] if isinstance(before, ExtractionAnswer) else []
        same = sorted(kept) == sorted(shape.get("kept", kept))
        return ShapeResult(shape["id"], expected, type(error).__name__ if same else f"{type(error).__name__}: {kept}")
    return ShapeResult(shape["id"], expected, [fact.content for fact in answer.facts])


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    shape: Mapping[str, Any]


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, body = self._response(asked)
        said = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        for name, value in self.server.shape.get("headers", {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(said)

    def _response(self, asked: Mapping[str, Any]) -> tuple[int, Any]:
        shape = self.server.shape
        if self.path != shape.get("path", "/v1/chat/completions"):
            return 404, {"error": {"code": "404", "message": "Resource not found"}}
        if not {mode_of(asked), *_roles(asked)}.isdisjoint(shape.get("refuses", ())):
            return shape["refusal"]["status"], shape["refusal"]["body"]
        return shape.get("status", 200), shape["body"]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class names it so)
        """Say nothing."""


def mode_of(asked: Mapping[str, Any]) -> str:
    """In which mode a request asks for JSON."""
    wanted = asked.get("response_format", {})
    if "tools" in asked:
        return "tools"
    if wanted.get("type") == "json_schema":
        return "strict" if wanted["json_schema"].get("strict") else "json_schema"
    return str(wanted.get("type", "plain"))


def _roles(asked: Mapping[str, Any]) -> set[str]:
    return {f"with_{message['role']}" for message in asked["messages"]}


@contextmanager
def _serving() -> Iterator[_Server]:
    server = _Server(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def main() -> None:
    """Run the shapes of a file and print what was not right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a file of JSON Lines, or a folder of them")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    results = run(read_shapes(given.data))
    wrong = [asdict(one) for one in results if not one.right]
    if given.json:
        print(json.dumps({"right": len(results) - len(wrong), "of": len(results), "wrong": wrong}, ensure_ascii=False))
        return
    for one in wrong:
        print(f"{one['shape']}: {one['found']} instead of {one['expected']}")
    print(f"{len(results) - len(wrong)} of {len(results)} shapes are right")


if __name__ == "__main__":
    main()
