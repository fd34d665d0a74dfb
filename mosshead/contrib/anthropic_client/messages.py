"""Anthropic's messages API: parse a request, place the notes, and parse the answer. Pure."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mosshead.contrib.openai_client.apis import (
    Arguments,
    CallRequest,
    Message,
    answer,
    asked,
    plain,
    text_of,
    tool_call,
)


class AnthropicMessages:
    """``messages`` and ``beta.messages``, in place of one of the forms of `mosshead.contrib.openai_client.apis`."""

    own_conversation = False

    def settled(self, arguments: Arguments) -> Arguments:
        """Return the arguments with iterators replaced by lists, so that they can be read more than once."""
        lists = {name: list(arguments[name]) for name in ("messages", "system") if _is_list(arguments.get(name))}
        return {**arguments, **lists}

    def asked(self, arguments: Arguments) -> CallRequest:
        return asked([message for one in arguments.get("messages", ()) for message in _messages_of(plain(one))])

    def with_notes(self, arguments: Arguments, notes: str) -> Arguments:
        """Return the arguments with notes in the user's last message, after tool results and before its text."""
        messages = list(arguments.get("messages", ()))
        spoken = (number for number, one in enumerate(messages) if _says_of_user(plain(one)))
        place = max(spoken, default=-1)
        if place < 0:
            return arguments
        message = plain(messages[place])
        messages[place] = {**message, "content": _before_words(message["content"], notes)}
        return {**arguments, "messages": messages}

    def in_system_prompt(self, arguments: Arguments, notes: str) -> Arguments:
        """Return the arguments with notes appended to ``system``."""
        system = arguments.get("system")
        if isinstance(system, list):
            return {**arguments, "system": [*system, _text_block(notes)]}
        return {**arguments, "system": f"{system}\n\n{notes}" if isinstance(system, str) and system else notes}

    def answered(self, result: Any) -> tuple[Message, ...]:
        """Return the texts and tool calls of an answer in the form to publish, without its thinking."""
        blocks = [plain(block) for block in result.content]
        texts = [block.get("text") for block in blocks if block.get("type") == "text"]
        calls = [_call(block, json.dumps(block.get("input"))) for block in blocks if block.get("type") == "tool_use"]
        return answer(texts, calls)

    def pieces(self) -> "_StreamedBlocks":
        return _StreamedBlocks()


class _StreamedBlocks:
    """A streamed answer. whole: Whether its final piece has arrived."""

    def __init__(self) -> None:
        self.whole = False
        self._blocks: dict[int, Message] = {}
        self._said: dict[int, str] = {}

    def add(self, piece: Any) -> None:
        match piece.type:
            case "content_block_start":
                self._blocks[piece.index] = block = plain(piece.content_block)
                self._said[piece.index] = block.get("text") or ""
            case "content_block_delta" if piece.delta.type == "text_delta":
                self._said[piece.index] += piece.delta.text
            case "content_block_delta" if piece.delta.type == "input_json_delta":
                self._said[piece.index] += piece.delta.partial_json
            case "message_stop":
                self.whole = True

    def messages(self) -> tuple[Message, ...]:
        def of(kind: str) -> Iterator[int]:
            return (place for place, block in sorted(self._blocks.items()) if block.get("type") == kind)

        calls = [_call(self._blocks[place], self._said[place] or "{}") for place in of("tool_use")]
        return answer([self._said[place] for place in of("text")], calls)


def _messages_of(message: Mapping[str, Any]) -> Iterator[Message]:
    """Convert a message to the format of the chat completions API, where tool results are separate messages."""
    role, content = message.get("role"), message.get("content")
    if role == "user" and isinstance(content, list | tuple):
        for block in map(plain, content):
            if block.get("type") == "tool_result":
                yield {"role": "tool", "content": block.get("content"), "tool_call_id": block.get("tool_use_id")}
    if role != "user" or text_of(content):
        yield {"role": role, "content": content}


def _says_of_user(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "user" and bool(text_of(message.get("content")))


def _before_words(content: Any, notes: str) -> Any:
    """Insert notes before the first text: the API requires tool results to come first."""
    if isinstance(content, str):
        return f"{notes}\n\n{content}"
    blocks = list(content)
    place = next(number for number, block in enumerate(blocks) if plain(block).get("type") == "text")
    return [*blocks[:place], _text_block(notes), *blocks[place:]]


def _text_block(text: str) -> Message:
    return {"type": "text", "text": text}


def _call(block: Mapping[str, Any], arguments: str) -> Message:
    return tool_call(block.get("id"), block.get("name"), arguments)


def _is_list(content: object) -> bool:
    return isinstance(content, Iterable) and not isinstance(content, str | bytes | Mapping)
