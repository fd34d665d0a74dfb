"""The fake endpoint for apps: chat completions without a schema, and responses; whole, or in pieces.

A test scripts a message in the chat completions format, such as ``{"content": "Hello"}`` or ``{"content": None, "tool_calls":
[...]}``; both APIs answer with it in their own formats.
"""

import json
import re
from collections.abc import Iterable

from mosshead.fencing import strip_fences
from tests.fake_answers import Json
from tests.fake_responses import Request

CHAT, RESPONSES = "chat", "responses"
"""The names under which such calls are counted and scripted."""

_NOTE = re.compile(r"^- (?P<note>.+)$", re.MULTILINE)
_FENCE = re.compile(r"<memories>\n(?P<notes>.*?)\n?</memories>", re.DOTALL)
_PIECE = re.compile(r"\s*\S+")
_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def chat_answer(request: Request) -> Json:
    """Answer a question with the first note that shares a word with it, from the turns before and then the system prompt, else
    the first.

    Thank for anything else.
    """
    asked = _asked(request)
    question = strip_fences(asked)
    fences = (fence for text in (asked, request.system) for fence in _FENCE.finditer(text))
    notes = [match["note"] for fence in fences for match in _NOTE.finditer(fence["notes"])]
    words = set(re.findall(r"\w{4,}", question.casefold()))
    fitting = [note for note in notes if words & set(re.findall(r"\w{4,}", note.casefold()))] or notes[:1]
    if not question.rstrip().endswith("?"):
        return {"content": "Thank you, noted."}
    return {"content": f"You told me: {fitting[0]}." if fitting else "You have not told me."}


def whole(request: Request, message: Json) -> bytes:
    """Return the body of a whole answer, with the requested number of choices."""
    if request.schema == RESPONSES:
        return json.dumps(_response(request, message)).encode()
    choices = [
        {"index": place, "message": {"role": "assistant", **message, **_other(message, place)}, "finish_reason": "stop"}
        for place in range(request.body.get("n") or 1)
    ]
    return json.dumps({**_completion(request, "chat.completion"), "choices": choices, "usage": _USAGE}).encode()


def streamed(request: Request, message: Json) -> list[bytes]:
    """Return the events of a streamed answer, one word each."""
    if request.schema == RESPONSES:
        return [_event(event, event["type"]) for event in _numbered(_response_events(request, message))]
    chunks = [
        {**_completion(request, "chat.completion.chunk"), "choices": [choice]}
        for choice in _chunk_choices(message, request.body.get("n") or 1)
    ]
    return [*map(_event, chunks), b"data: [DONE]\n\n"]


def _asked(request: Request) -> str:
    given = request.body.get("messages") or request.body.get("input")
    if isinstance(given, str):
        return given
    content = next((one["content"] for one in reversed(given or []) if one.get("role") == "user"), "")
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


def _other(message: Json, place: int) -> Json:
    return {"content": f"{message['content']} (choice {place})"} if place else {}


def _completion(request: Request, kind: str) -> Json:
    return {"id": "chatcmpl-fake", "object": kind, "created": 0, "model": request.body["model"]}


def _chunk_choices(message: Json, choices: int) -> Iterable[Json]:
    for place in range(choices):
        said = {**message, **_other(message, place)}
        deltas: list[Json] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": piece} for piece in _PIECE.findall(said.get("content") or "")]
        for number, call in enumerate(said.get("tool_calls") or ()):
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            deltas.append({"tool_calls": [{"index": number, **call, "function": {"name": name, "arguments": ""}}]})
            half = len(arguments) // 2
            deltas += [
                {"tool_calls": [{"index": number, "function": {"arguments": part}}]}
                for part in (arguments[:half], arguments[half:])
            ]
        yield from ({"index": place, "delta": delta, "finish_reason": None} for delta in deltas)
        yield {"index": place, "delta": {}, "finish_reason": "stop"}


def _response(request: Request, message: Json, *, status: str = "completed") -> Json:
    return {
        "id": "resp_fake",
        "object": "response",
        "created_at": 0,
        "model": request.body["model"],
        "status": status,
        "output": _items(message) if status == "completed" else [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "instructions": None,
    }


def _items(message: Json) -> list[Json]:
    text: Json = {"type": "output_text", "text": message.get("content") or "", "annotations": []}
    said = {"id": "msg_fake", "type": "message", "role": "assistant", "status": "completed", "content": [text]}
    calls = [
        {"id": f"fc_{call['id']}", "type": "function_call", "call_id": call["id"], **call["function"]}
        for call in message.get("tool_calls") or ()
    ]
    return [*([said] if message.get("content") else []), *calls]


def _response_events(request: Request, message: Json) -> Iterable[Json]:
    yield {"type": "response.created", "response": _response(request, message, status="in_progress")}
    for place, item in enumerate(_items(message)):
        at = {"output_index": place, "item_id": item["id"], "content_index": 0}
        begun = {**item, "content": []} if item["type"] == "message" else {**item, "arguments": ""}
        yield {"type": "response.output_item.added", "output_index": place, "item": begun}
        if item["type"] == "message":
            part = item["content"][0]
            yield {"type": "response.content_part.added", **at, "part": {**part, "text": ""}}
            for piece in _PIECE.findall(part["text"]):
                yield {"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []}
            yield {"type": "response.output_text.done", **at, "text": part["text"], "logprobs": []}
            yield {"type": "response.content_part.done", **at, "part": part}
        yield {"type": "response.output_item.done", "output_index": place, "item": item}
    yield {"type": "response.completed", "response": _response(request, message)}


def _numbered(events: Iterable[Json]) -> list[Json]:
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _event(data: Json, name: str = "") -> bytes:
    return (f"event: {name}\n" if name else "").encode() + f"data: {json.dumps(data)}\n\n".encode()
