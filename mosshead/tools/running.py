"""What a model called, carried out, as the messages that go back to it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol


class Tool(Protocol):
    """Anything with a name that takes the arguments of a call and answers with text; a `MemoryTool`, or one of the app's own."""

    @property
    def name(self) -> str:
        """As the model calls it."""

    def __call__(self, arguments: str, /) -> str:
        """Carry a call out. arguments: as JSON text."""


def run_tools(message: Any, tools: Sequence[Tool]) -> list[dict[str, str]]:
    """Carry out the calls of an assistant's message, in order, and return a tool message for each; none where it called nothing.

    message: ``response.choices[0].message``, or the same as a mapping. tools: all that the model was offered; the API wants an
    answer to each call, so that one of no such tool is answered with that.
    """
    by_name = {tool.name: tool for tool in tools}
    return [
        {"role": "tool", "tool_call_id": call_id, "content": _answer(name, arguments, by_name)}
        for call_id, name, arguments in _calls(message)
    ]


def _answer(name: str, arguments: str, tools: Mapping[str, Tool]) -> str:
    tool = tools.get(name)
    return tool(arguments) if tool else f"There is no such tool; there are {', '.join(tools) or 'none'}."


def _calls(message: Any) -> Iterable[tuple[str, str, str]]:
    for call in _field(message, "tool_calls") or ():
        function = _field(call, "function")
        yield _field(call, "id"), _field(function, "name") or "", _field(function, "arguments") or ""


def _field(given: Any, name: str) -> Any:
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)
