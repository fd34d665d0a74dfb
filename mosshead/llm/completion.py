"""Parse chat completions as servers send them: possible answer texts, the finish reason, usage, or an error.

Most servers use OpenAI's format. Others stream unasked, send errors with status 200, put the answer into a tool call or the
reasoning, or use their own API's format.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from mosshead.patterns import lazy_pattern

Ending = Literal["length", "filter", "error"]

_ENDINGS: Final[dict[Ending, re.Pattern[str]]] = {
    "length": lazy_pattern(r"length|max_?(?:output_?)?tokens|context_window", re.IGNORECASE),
    "filter": lazy_pattern(r"filter|safety|refusal|recitation|prohibited|blocklist|spii|guardrail", re.IGNORECASE),
    "error": lazy_pattern(r"error|malformed", re.IGNORECASE),
}
_STREAMED: Final = ("data:", "event:", "id:", "retry:", ":")
_THOUGHTS: Final = ("reasoning_content", "reasoning", "reasoning_text", "thinking", "thought")
_CHOICES: Final = ("choices", "candidates", "outputs", "output", "results", "generations")
_WRAPPERS: Final = ("response", "data", "result", "body", "completion")
_TEXTS: Final = ("output_text", "response", "generated_text", "completion", "output", "result")
_CODES: Final = ((r"rate|quota|capacity", 429), (r"auth|key|permission", 401), (r"credit|balance|billing", 402))


@dataclass(frozen=True, slots=True)
class Completion:
    """A parsed completion.

    texts: where the answer may be, likeliest first. choices: whether there are any. error: a status, and the message.
    """

    texts: tuple[str, ...] = ()
    choices: bool = True
    ended: Ending | None = None
    declined: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    error: tuple[int, Any] | None = None


def read_completion(body: bytes) -> Completion | None:
    """Parse a body; None if it is no answer of a chat endpoint."""
    said = _decoded(body)
    if isinstance(said, list) and len(said) == 1:  # Gemini's compatible endpoint wraps its errors like this
        said = said[0]
    if not isinstance(said, Mapping):
        return None
    failed = _error(said)
    choice = _choice(said)
    if choice is None:
        wrapped = next((one for name in _WRAPPERS if isinstance(one := said.get(name), Mapping) and _choice(one)), None)
        if wrapped is not None:
            return read_completion(json.dumps({"usage": said.get("usage"), **wrapped}).encode())
        if failed:
            return Completion(error=failed)
        return Completion(choices=False) if any(name in said for name in _CHOICES) else None
    if failed or (failed := _error(choice)):
        return Completion(error=failed)
    asked, answered = _usage(said)
    message = _mapping(choice.get("message") or choice.get("delta") or choice.get("content")) or choice
    endings = (choice.get(name) for name in ("finish_reason", "finishReason", "stop_reason", "done_reason", "status"))
    why = next((one for one in endings if isinstance(one, str)), "")
    return Completion(
        texts=tuple(text for text in _texts(message, choice) if text.strip()),
        ended=next((kind for kind, pattern in _ENDINGS.items() if pattern.search(why)), None),
        declined=bool(message.get("refusal")),
        prompt_tokens=asked,
        completion_tokens=answered,
    )


def _decoded(body: bytes) -> Any:
    """Decode a body, joining the pieces of a stream."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        text = body.decode("utf-8-sig", "replace").strip()
    pieces: list[Any] = []
    for line in text.splitlines():
        data = line.partition(":")[2].strip() if line.startswith(_STREAMED) else line.strip()
        if data.startswith("{"):
            try:
                pieces.append(json.loads(data))
            except (ValueError, RecursionError):
                return None
        elif not line.startswith(_STREAMED) and data:
            return None
    return _put_together([one for one in pieces if isinstance(one, Mapping)])


def _put_together(pieces: list[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    if not pieces:
        return None
    message: dict[str, Any] = {}
    calls: dict[Any, str] = {}
    rest: dict[str, Any] = {}
    for piece in pieces:
        choice = _choice(piece) or {}
        rest |= {name: one for name, one in {**piece, **choice}.items() if one and name not in _CHOICES}
        delta = _mapping(choice.get("delta") or choice.get("message")) or choice
        for name in ("content", "text", "refusal", *_THOUGHTS):
            if isinstance(one := delta.get(name), str):
                message[name] = message.get(name, "") + one
        for call in filter(None, map(_mapping, _list(delta.get("tool_calls")))):
            given = (_mapping(call.get("function")) or {}).get("arguments")
            calls[call.get("index", 0)] = calls.get(call.get("index", 0), "") + (
                given if isinstance(given, str) else ""
            )
    message["tool_calls"] = [{"function": {"arguments": said}} for said in calls.values()]
    ended = {name: one for name, one in rest.items() if "reason" in name and "reasoning" not in name}
    kept = {name: one for name, one in rest.items() if name in {"usage", "error"}}
    return {**kept, "choices": [{"message": message, **ended}]}


def _choice(said: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the first choice, the message of a Responses API output, or all of an Anthropic or Ollama body."""
    for name in _CHOICES:
        choices = [one for one in _list(said.get(name)) if isinstance(one, Mapping)]
        messages = [one for one in choices if one.get("type") in {"message", "function_call"}]
        if choices:
            return {**(messages or choices)[0], "status": said.get("status") or choices[0].get("status")}
    whole = _mapping(said.get("message")) or "tool_calls" in said or isinstance(said.get("content"), str | list)
    plain = any(isinstance(said.get(name), str) for name in _TEXTS)
    return said if (whole or plain) and not said.get("error") and said.get("object") != "error" else None


def _error(said: Mapping[str, Any]) -> tuple[int, Any] | None:
    failed = said.get("error") or said.get("errors")
    if not failed and (said.get("object") == "error" or said.get("type") == "error" or "detail" in said):
        failed = said
    if not failed:
        return None
    inner = _mapping(failed) or {}
    words = json.dumps(failed)
    for value in (
        inner.get("code"),
        inner.get("status"),
        inner.get("status_code"),
        said.get("code"),
        said.get("status"),
    ):
        if re.fullmatch(r"[45]\d\d", str(value)):
            return int(str(value)), failed
    kind = " ".join(str(inner.get(name)) for name in ("code", "type", "status"))
    if "invalid" in kind.casefold():
        return 400, failed
    found = next((status for pattern, status in _CODES if re.search(pattern, kind, re.IGNORECASE)), None)
    return found or next(
        (int(one) for one in re.findall(r"\b(?:error|code|status)\D{0,8}([45]\d\d)\b", words)), 502
    ), failed


def _texts(message: Mapping[str, Any], choice: Mapping[str, Any]) -> Iterator[str]:
    for call in (*_list(message.get("tool_calls")), message.get("function_call"), message):
        function = _mapping((_mapping(call) or {}).get("function")) or _mapping(call) or {}
        yield from _said(function.get("arguments"))
        yield from _said(function.get("parameters") if call is not message else None)
    parts = message.get("content") if message.get("content") is not None else message.get("parts")
    yield from _said(parts)
    for name in ("parsed", "text", "message", *_TEXTS):
        yield from _said(message.get(name))
        other = choice.get(name)
        yield from _said(other if choice is not message and other is not message else None)
    for name in _THOUGHTS:
        yield from _said(message.get(name))
    yield from (
        text for one in _list(message.get("reasoning_details")) for text in _said((_mapping(one) or {}).get("text"))
    )


def _said(value: Any) -> Iterator[str]:
    """Yield a text, a non-text value as JSON, or the joined text of parts and their tool arguments."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield json.dumps(value)
    elif isinstance(value, list):
        parts = [{"text": part} if isinstance(part, str) else _mapping(part) or {} for part in value]
        if any(len({"content", "facts"} & part.keys()) and "type" not in part for part in parts):
            yield json.dumps(value)  # the answer itself, not as text
            return
        for part in parts:
            called = _mapping(part.get("functionCall")) or part
            for name in ("input", "json", "args", "arguments", "data"):
                if isinstance(called.get(name), Mapping):
                    yield json.dumps(called[name])
        spoken = [part for part in parts if not part.get("thought") and "think" not in str(part.get("type"))]
        yield "\n".join(text for part in spoken if isinstance(text := part.get("text") or part.get("content"), str))


def _usage(said: Mapping[str, Any]) -> tuple[int | None, int | None]:
    counted = _mapping(said.get("usage") or said.get("usageMetadata")) or said
    return (
        _count(counted, "prompt_tokens", "input_tokens", "promptTokenCount", "prompt_eval_count"),
        _count(counted, "completion_tokens", "output_tokens", "candidatesTokenCount", "eval_count"),
    )


def _count(counted: Mapping[str, Any], *names: str) -> int | None:
    found = (counted.get(name) for name in names)
    return next((one for one in found if isinstance(one, int) and not isinstance(one, bool) and one > 0), None)


def _mapping(value: Any) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
