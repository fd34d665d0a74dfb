"""The two APIs of the openai package as memory sees them: what a call asks, where notes go, what was answered. Pure."""

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
"""A message as the chat completion API has it."""


@dataclass(frozen=True, slots=True)
class CallRequest:
    """What a call asks.

    text: the last message of the user. speaker: the name that it bears. history: what was said before it, as
    ``{role, content}``, the latest `HISTORY`. new: what came after the last answer, as it is to be published.
    """

    text: str = ""
    speaker: str | None = None
    history: tuple[Message, ...] = ()
    new: tuple[Message, ...] = ()


class Chat:
    """``chat.completions``. own_conversation: whether its calls have an argument ``conversation`` of their own."""

    own_conversation = False

    def settled(self, arguments: Arguments) -> Arguments:
        """The same arguments, of which nothing is used up by being read: messages may come from an iterator."""
        return _listed(arguments, "messages")

    def asked(self, arguments: Arguments) -> CallRequest:
        return asked([plain(one) for one in arguments.get("messages", ())])

    def with_notes(self, arguments: Arguments, notes: str) -> Arguments:
        """The arguments with notes before what the user's last message says, in that message."""
        return {**arguments, "messages": _before_the_last(arguments.get("messages", []), notes, "text")}

    def in_system_prompt(self, arguments: Arguments, notes: str) -> Arguments:
        """The arguments with notes in the first message, if that is the system's or the developer's, else in one before it."""
        messages = arguments.get("messages", [])
        first = plain(messages[0]) if messages else {}
        if first.get("role") in _SYSTEM:
            prompt = {**first, "content": _appended(first.get("content"), notes)}
            return {**arguments, "messages": [prompt, *messages[1:]]}
        return {**arguments, "messages": [{"role": "system", "content": notes}, *messages]}

    def answered(self, result: Any) -> tuple[Message, ...]:
        """What a whole answer says, as it is to be published: the first choice's message."""
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
    """``responses``. Its ``conversation`` is one that OpenAI keeps; memory calls the conversation by the same name."""

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
        """The arguments with notes in its ``instructions``."""
        return {**arguments, "instructions": _appended(arguments.get("instructions"), notes)}

    def answered(self, result: Any) -> tuple[Message, ...]:
        """All messages and calls of functions of its output, as one message."""
        return _output(plain(item) for item in result.output)

    def pieces(self) -> "_Events":
        return _Events()


ApiForm = Chat | Responses
"""One of the APIs."""


class _Chunks:
    """An answer that comes in pieces. whole: whether the piece was there that says that it is all."""

    def __init__(self) -> None:
        self.whole = False
        self._text: list[str] = []
        self._calls: dict[int, Message] = {}

    def add(self, piece: Any) -> None:
        for choice in piece.choices or ():
            if choice.index:  # endpoints that know of one choice alone leave its number out
                continue
            self.whole = self.whole or choice.finish_reason is not None
            if delta := choice.delta:  # Azure's filter sends pieces that say nothing but what it found
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
    """A prompt, as text or in parts, with notes behind it."""
    if isinstance(prompt, list | tuple):
        return [*prompt, {"type": "text", "text": notes}]
    return f"{prompt}\n\n{notes}" if isinstance(prompt, str) and prompt else notes


def _before_the_last(messages: Sequence[Any], notes: str, part: str) -> list[Any]:
    """The messages, the user's last one with notes before its content. part: the type of a part that is text."""
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
    """An item of the Responses API as a message; without a role where it is neither said nor called."""
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
"""So many of the earlier messages count as known to the model, and are not repeated among the notes."""

_NEW = frozenset({"user", "tool"})


def asked(messages: Sequence[Message]) -> CallRequest:
    """What a list of messages asks. Whole histories are sent with each call: what follows the last answer is new."""
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
    """An assistant's message of some texts and calls of tools, as it is to be published; none where there is neither."""
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
    """A message as a dict: it may be one, or the object in which the openai package gave an answer. Of anything else, empty."""
    if isinstance(item, Mapping):
        return dict(item)
    dump = getattr(item, "model_dump", None)
    # What `parse` made of an answer is none of the declared type, of which pydantic would warn at each call.
    dumped = dump(exclude_none=True, warnings=False) if callable(dump) else {}
    return dumped if isinstance(dumped, dict) else {}


def text_of(content: object) -> str:
    """What a message says in words: its content, or the parts of it that are text, in the words of either API."""
    return contents.text_of([plain(part) for part in content] if isinstance(content, list | tuple) else content) or ""


def storable(text: str) -> str:
    """A text as an event can hold it: half surrogate pairs and NUL are "?", and what is beyond an event's size is cut off."""
    return contents.UNSTORABLE.sub("?", text).encode()[:MAX_CONTENT_BYTES].decode(errors="ignore")


def _published(messages: Iterable[Message]) -> Iterable[Message]:
    for message in messages:
        text = storable(text_of(message.get("content")))
        if not text or message.get("role") not in _NEW:
            continue
        kept = {name: message[name] for name in ("name", "tool_call_id") if isinstance(message.get(name), str)}
        yield {"role": message["role"], "content": text, **kept}


def _last(roles: Sequence[object], role: str) -> int:
    """Where a role was last; -1 for nowhere."""
    return max((place for place, one in enumerate(roles) if one == role), default=-1)
