"""Requests to the fake endpoint, its faults, and its response bodies."""

import base64
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tests.fake_answers import Json, vector_for

EMBEDDINGS = "embeddings"
"""The name under which calls to the embedding endpoint are counted and scripted."""

_DIMENSIONS = 1536
_CHARACTERS_PER_TOKEN = 4

Kind = Literal[
    "status",
    "hang",
    "drip",
    "reset",
    "cut",
    "invalid_json",
    "truncated",
    "refusal",
    "no_choices",
    "content_filter",
    "broken_off",
    "misfit",
    "html",
    "fenced",
    "thinking",
    "thought",
    "parts",
]

Dressed = Literal["fenced", "thinking", "thought", "parts"]
"""A correct answer in a format that self-hosted endpoints use."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault. It repeats the request's text wherever an endpoint might, to check that errors do not contain it."""

    kind: Kind
    code: int = 200
    retry_after: str | None = None
    seconds: float = 0.0
    param: str | None = None
    error_code: str | None = None
    body: Any = None

    @classmethod
    def status(
        cls,
        code: int,
        *,
        retry_after: str | None = None,
        param: str | None = None,
        error_code: str | None = None,
        body: Any = None,
    ) -> "Fault":
        """An error status whose message repeats the request. body: a specific endpoint's body instead."""
        return cls("status", code, retry_after, param=param, error_code=error_code, body=body)

    @classmethod
    def hang(cls, seconds: float) -> "Fault":
        """Send nothing for a while, then close the connection."""
        return cls("hang", seconds=seconds)

    @classmethod
    def drip(cls, seconds: float) -> "Fault":
        """Send a correct answer in 200 pieces, with pauses in between."""
        return cls("drip", seconds=seconds)

    @classmethod
    def cut_after(cls, *facts: Json) -> "Fault":
        """Send an answer truncated at the token limit, in the middle of whatever follows these facts."""
        said = f'{{"facts": [{"".join(f"{json.dumps(fact)}, " for fact in facts)}{{"content": "User'
        choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": said}}
        return cls.status(200, body={"object": "chat.completion", "choices": [choice]})


@dataclass(frozen=True, slots=True)
class Request:
    """A request: the path, the schema's name ("embeddings" for those), and the body."""

    path: str
    schema: str
    body: Json

    @property
    def messages(self) -> list[Json]:
        """The messages of a chat request."""
        return list(self.body.get("messages", []))

    @property
    def system(self) -> str:
        """The system prompt, in either API."""
        said = [one["content"] for one in self.messages if one.get("role") in {"system", "developer"}]
        return "\n".join([*map(str, said), str(self.body.get("instructions") or "")]).strip()

    @property
    def said(self) -> str:
        """The whole prompt, system part and messages, in either API."""
        given = self.body.get("input") or []
        messages = given if isinstance(given, list) else [{"content": given}]
        return "\n".join([self.system, *(str(one.get("content")) for one in (*self.messages, *messages))])

    @property
    def prompt(self) -> str:
        """The user part of the prompt, or the objection to the previous answer."""
        return str(self.messages[-1]["content"]) if self.messages else ""

    @property
    def question(self) -> str:
        """The user part of the prompt, also in a retry with an objection."""
        return next((str(one["content"]) for one in self.messages if one.get("role") == "user"), self.prompt)


def completion_body(
    request: Request, content: str | list[Json] | None, *, finish_reason: str = "stop", refusal: str | None = None
) -> bytes:
    """A chat completion with one choice."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    choices = [{"index": 0, "finish_reason": finish_reason, "message": message, "logprobs": None}]
    return _completion(request, choices, len(content or ""))


def dressed(answer: str, kind: Dressed) -> str | list[Json]:
    """Wrap an answer in Markdown, reasoning, or parts."""
    match kind:
        case "fenced":
            return f"```json\n{answer}\n```\n"
        case "thinking":
            return f'<think>\nIt says "{{", so what?\n</think>\n\n{answer}'
        case "thought":
            return f"So what?\n</think>\n\n```json\r\n{answer}\r\n```"
        case "parts":
            thought = {"type": "thinking", "thinking": [{"type": "text", "text": "So what?"}]}
            return [thought, {"type": "text", "text": answer}]


def broken_body(request: Request, kind: Kind) -> bytes:
    """Return a well-formed chat completion without a usable answer; its content repeats the prompt."""
    echo = json.dumps({"facts": [{"remark": request.prompt}]})
    match kind:
        case "invalid_json":
            return completion_body(request, f"Sure! {request.prompt}")
        case "truncated" | "broken_off":
            why = "length" if kind == "truncated" else "error"
            return completion_body(request, echo[: len(echo) // 2], finish_reason=why)
        case "refusal":
            return completion_body(request, None, refusal=f"I will not speak of {request.prompt}")
        case "content_filter":
            return completion_body(request, echo, finish_reason="content_filter")
        case "misfit":
            return completion_body(request, echo)
        case _:
            return _completion(request, [], 0)


def error_body(request: Request, fault: Fault) -> bytes:
    """Return an error in OpenAI's format, with a message that repeats the prompt, or in the fault's own format."""
    if fault.body is not None:
        return json.dumps(fault.body).encode()
    message = f"Cannot do this: {request.prompt}"
    return json.dumps(
        {"error": {"message": message, "type": "error", "param": fault.param, "code": fault.error_code}}
    ).encode()


def embeddings_body(body: Json) -> Json:
    """Return vectors with the requested dimensions (1536), as numbers or as base64 of 32-bit floats."""
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    vectors = [vector_for(str(text), int(body.get("dimensions") or _DIMENSIONS)) for text in texts]
    encode: Callable[[list[float]], object] = _base64 if body.get("encoding_format") == "base64" else list
    data = [{"object": "embedding", "index": place, "embedding": encode(v)} for place, v in enumerate(vectors)]
    tokens = sum(len(str(text)) for text in texts) // _CHARACTERS_PER_TOKEN
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "model": body["model"], "data": data, "usage": usage}


def _base64(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def _completion(request: Request, choices: list[Json], answered: int) -> bytes:
    asked = sum(len(str(message["content"])) for message in request.messages) // _CHARACTERS_PER_TOKEN
    spent = answered // _CHARACTERS_PER_TOKEN
    usage = {"prompt_tokens": asked, "completion_tokens": spent, "total_tokens": asked + spent}
    identity = {"id": "chatcmpl-fake", "object": "chat.completion", "created": 0, "model": request.body["model"]}
    return json.dumps({**identity, "choices": choices, "usage": usage}).encode()
