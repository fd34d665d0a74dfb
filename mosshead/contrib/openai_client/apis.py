"""The two APIs of the openai package: parse a request, place the notes, and parse the answer. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mosshead import text as contents
from mosshead.events.envelope import MAX_CONTENT_BYTES
from mosshead.models.kinds import SPEAKING

Arguments = dict[str, Any]
"""The keyword arguments of a call."""

_SYSTEM = frozenset({"system", "developer"})

Message = dict[str, Any]
"""A message in the format of the chat completions API."""


@dataclass(frozen=True, slots=True)
class CallRequest:
    """The parts of a request that memory uses.

    Attributes:
        text: The user's last message.
        speaker: The ``name`` of that message.
        history: The latest `HISTORY` messages before it, as ``{role, content}``.
        new: The messages after the last answer, in the form to publish.
    """

    text: str = ""
    speaker: str | None = None
    history: tuple[Message, ...] = ()
    new: tuple[Message, ...] = ()


class Chat:
    """``chat.completions``. own_conversation: Whether the API itself has an argument ``conversation``."""

    own_conversation = False

    def settled(self, arguments: Arguments) -> Arguments:
        """Return the arguments with iterators replaced by lists, so that they can be read more than once."""
        return _listed(arguments, "messages")

    def asked(self, arguments: Arguments) -> CallRequest:
        return asked([plain(one) for one in arguments.get("messages", ())])

    def with_notes(self, arguments: Arguments, notes: str) -> Arguments:
        """The arguments with notes before what the user's last message says, in that message."""
        return {**arguments, "messages": _before_the_last(arguments.get("messages", []), notes, "text")}

    def in_system_prompt(self, arguments: Arguments, notes: str) -> Arguments:
        """Return the arguments with notes appended to the leading system or developer message, or in a new one before all."""
        messages = arguments.get("messages", [])
        first = plain(messages[0]) if messages else {}
        if first.get("role") in _SYSTEM:
            prompt = {**first, "content": _appended(first.get("content"), notes)}
            return {**arguments, "messages": [prompt, *messages[1:]]}
        return {**arguments, "messages": [{"role": "system", "content": notes}, *messages]}

    def answered(self, result: Any) -> tuple[Message, ...]:
        """Return the first choice's message in the form to publish."""
        message = plain(result.choices[0].message) if result.choices else {}
        calls = [
            tool_call(one.get("id"), function.get("name"), function.get("arguments"))
            for one in message.get("tool_calls") or ()
            if (function := one.get("function"))
        ]
        return answer([text_of(message.get("content")) or message.get("refusal")], calls)

    def pieces(self) -> "_Chunks":
        return _Chunks()


class Responses:
    """``responses``. Its ``conversation`` is stored by OpenAI; memory uses the same name."""

    own_conversation = True

    def settled(self, arguments: Arguments) -> Arguments:
        return arguments if isinstance(arguments.get("input"), str) else _listed(arguments, "input")

    def asked(self, arguments: Arguments) -> CallRequest:
        given = arguments.get("input")
        if isinstance(given, str):
            return asked([{"role": "user", "content": given}])
        items = given if isinstance(given, list) else []
        return asked([_message_of(plain(item)) for item in items])

    def with_notes(self, arguments: Arguments, notes: str) -> Arguments:
        """The arguments with notes before what the user's last message says, in that message."""
        given = arguments.get("input")
        if isinstance(given, list):
            return {**arguments, "input": _before_the_last(given, notes, "input_text")}
        return {**arguments, "input": _prepended(given, notes, "input_text")}

    def in_system_prompt(self, arguments: Arguments, notes: str) -> Arguments:
        """Return the arguments with notes appended to ``instructions``."""
        return {**arguments, "instructions": _appended(arguments.get("instructions"), notes)}

    def answered(self, result: Any) -> tuple[Message, ...]:
        """Return all messages and function calls of the output as one message."""
        return _output(plain(item) for item in result.output)

    def pieces(self) -> "_Events":
        return _Events()


ApiForm = Chat | Responses
"""One of the APIs."""


class _Chunks:
    """A streamed answer. whole: Whether its final piece has arrived."""

    def __init__(self) -> None:
        self.whole = False
        self._text: list[str] = []
        self._calls: dict[int, Message] = {}

    def add(self, piece: Any) -> None:
        for choice in piece.choices or ():
            if choice.index:  # some endpoints omit the index of their only choice
                continue
            self.whole = self.whole or choice.finish_reason is not None
            if delta := choice.delta:  # Azure's content filter sends pieces without a delta
                self._text.append(delta.content or delta.refusal or "")
                for call in delta.tool_calls or ():
                    self._call(call)

    def messages(self) -> tuple[Message, ...]:
        return answer(["".join(self._text)], [call for _, call in sorted(self._calls.items())])

    def _call(self, piece: Any) -> None:
        call = self._calls.setdefault(piece.index, tool_call(None, "", ""))
        call["id"] = piece.id or call["id"]
        if piece.function:
            call["function"]["name"] += piece.function.name or ""
            call["function"]["arguments"] += piece.function.arguments or ""


class _Events:
    def __init__(self) -> None:
        self.whole = False
        self._text: list[str] = []
        self._items: list[Message] = []
        self._output: list[Message] | None = None

    def add(self, piece: Any) -> None:
        match piece.type:
            case "response.output_text.delta" | "response.refusal.delta":
                self._text.append(piece.delta)
            case "response.output_item.done":
                self._items.append(plain(piece.item))
            case "response.completed" | "response.incomplete" | "response.failed":
                self.whole = piece.type != "response.failed"
                self._output = [plain(item) for item in piece.response.output]

    def messages(self) -> tuple[Message, ...]:
        if self._output:
            return _output(self._output)
        calls = [call for item in self._items if (call := _call_of(item))]
        return answer(["".join(self._text)], calls)


def _listed(arguments: Arguments, name: str) -> Arguments:
    given = arguments.get(name)
    return {**arguments, name: list(given)} if isinstance(given, Iterable) else arguments


def _appended(prompt: object, notes: str) -> object:
    """Append notes to a prompt, which is a text or a list of parts."""
    if isinstance(prompt, list | tuple):
        return [*prompt, {"type": "text", "text": notes}]
    return f"{prompt}\n\n{notes}" if isinstance(prompt, str) and prompt else notes


def _before_the_last(messages: Sequence[Any], notes: str, part: str) -> list[Any]:
    """Return the messages with notes before the content of the user's last one. part: The type of a text part."""
    place = _last([plain(one).get("role") for one in messages], "user")
    if place < 0:
        return list(messages)
    message = plain(messages[place])
    reminded = {**message, "content": _prepended(message.get("content"), notes, part)}
    return [*messages[:place], reminded, *messages[place + 1 :]]


def _prepended(content: object, notes: str, part: str) -> object:
    if isinstance(content, list | tuple):
        return [{"type": part, "text": notes}, *content]
    return f"{notes}\n\n{content}" if isinstance(content, str) else content


def _message_of(item: Mapping[str, Any]) -> Message:
    """Convert an item of the Responses API to a message. Items other than messages and function calls become empty."""
    match item.get("type"):
        case None | "message":
            return dict(item)
        case "function_call":
            return {"role": "assistant", "content": None}
        case "function_call_output":
            return {"role": "tool", "content": item.get("output"), "tool_call_id": item.get("call_id")}
    return {}


def _output(items: Iterable[Message]) -> tuple[Message, ...]:
    texts: list[str | None] = []
    calls: list[Message] = []
    for item in items:
        if item.get("type") == "message":
            texts += [part.get("text") or part.get("refusal") for part in map(plain, item.get("content") or ())]
        elif call := _call_of(item):
            calls.append(call)
    return answer(texts, calls)


def _call_of(item: Mapping[str, Any]) -> Message | None:
    if item.get("type") != "function_call":
        return None
    return tool_call(item.get("call_id"), item.get("name"), item.get("arguments"))


HISTORY = 50
"""How many earlier messages count as known to the model and are not repeated in the notes."""

_NEW = frozenset({"user", "tool"})


def asked(messages: Sequence[Message]) -> CallRequest:
    """Parse a list of messages. Each call sends the whole history, so only messages after the last answer are new."""
    roles = [message.get("role") for message in messages]
    said = _last(roles, "user")
    answered = _last(roles, "assistant")
    spoken = [
        {"role": role, "content": text}
        for role, message in zip(roles[: max(said, 0)], messages, strict=False)
        if role in SPEAKING and (text := text_of(message.get("content")))
    ]
    last = messages[said] if said >= 0 else {}
    name = last.get("name")
    return CallRequest(
        text=text_of(last.get("content")),
        speaker=name if isinstance(name, str) and name.strip() else None,
        history=tuple(spoken[-HISTORY:]),
        new=tuple(_published(messages[answered + 1 :])),
    )


def answer(texts: Iterable[str | None], tool_calls: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Return an assistant message of texts and tool calls in the form to publish; empty if there are none."""
    content = storable("\n".join(text for text in texts if text))
    if not content and not tool_calls:
        return ()
    message: Message = {"role": "assistant", "content": content or None}
    if tool_calls:
        message["tool_calls"] = [dict(call) for call in tool_calls]
    return (message,)


def tool_call(call_id: object, name: object, arguments: object) -> Message:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def plain(item: object) -> Message:
    """Return a message, given as a dict or as an object of the openai package, as a dict. Anything else becomes empty."""
    if isinstance(item, Mapping):
        return dict(item)
    dump = getattr(item, "model_dump", None)
    # The results of `parse` do not match the declared types, so pydantic would warn on each call.
    dumped = dump(exclude_none=True, warnings=False) if callable(dump) else {}
    return dumped if isinstance(dumped, dict) else {}


def text_of(content: object) -> str:
    """Return a message's text: its content, or the text parts of it in the format of either API."""
    return contents.text_of([plain(part) for part in content] if isinstance(content, list | tuple) else content) or ""


def storable(text: str) -> str:
    """Return a text that an event can hold: replace lone surrogates and NUL by "?", and truncate it to the maximum size."""
    return contents.UNSTORABLE.sub("?", text).encode()[:MAX_CONTENT_BYTES].decode(errors="ignore")


def _published(messages: Iterable[Message]) -> Iterable[Message]:
    for message in messages:
        text = storable(text_of(message.get("content")))
        if not text or message.get("role") not in _NEW:
            continue
        kept = {name: message[name] for name in ("name", "tool_call_id") if isinstance(message.get(name), str)}
        yield {"role": message["role"], "content": text, **kept}


def _last(roles: Sequence[object], role: str) -> int:
    """Return the last index of a role, or -1."""
    return max((place for place, one in enumerate(roles) if one == role), default=-1)
