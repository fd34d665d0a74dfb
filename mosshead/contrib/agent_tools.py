"""Tools for an agent: search, create, update and close memories."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Annotated, Any, Final, Literal, Protocol
from uuid import UUID
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from mosshead.api.namespace import Namespace
from mosshead.errors import ConfigurationError, InvalidEvent, MemoryChanged, MossheadError, NotFound
from mosshead.events import faults_of
from mosshead.fencing import fenced
from mosshead.llm.structured import compact
from mosshead.models.memories import StoredMemory
from mosshead.models.notes import memory_note
from mosshead.serialization import json_object

Action = Literal["create", "update", "delete"]

ACTIONS: Final[tuple[Action, ...]] = ("create", "update", "delete")

_DOES: Final[dict[str, str]] = {
    "create": "create puts down something new",
    "update": "update says what a memory shall say instead, by its number",
    "delete": "delete closes a memory that is wrong or that the user wants forgotten, by its number",
}

_DESCRIPTION = (
    "Remember something for later conversations: what the user tells about themselves or about others, what they prefer, and "
    "what they ask you to remember. One fact at a time, in the third person, such as 'User is allergic to nuts'."
)


class Arguments(BaseModel):
    """The arguments of a model's tool call. Strict; errors do not show the input, since they go to the model and into logs."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)


class _Manage(Arguments):
    """The common fields of every call; the other fields depend on the allowed actions."""

    action: str
    content: str | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryTool:
    """A tool of a namespace. Call it with the model's arguments, and return its answer to the model.

    It does not raise if the model makes a mistake or the memory is unavailable: the answer says so.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Mapping[str, Any]], str]

    @property
    def definition(self) -> dict[str, Any]:
        """The definition for ``tools=[…]`` of ``chat.completions.create``."""
        return {"type": "function", "function": self._function}

    @property
    def responses_definition(self) -> dict[str, Any]:
        """The definition for ``tools=[…]`` of ``responses.create``."""
        return {"type": "function", **self._function}

    @property
    def _function(self) -> dict[str, Any]:
        parameters = dict(self.parameters)
        return {"name": self.name, "description": self.description, "parameters": parameters, "strict": True}

    def __call__(self, arguments: str | Mapping[str, Any]) -> str:
        """Carry out a call. arguments: the call's, as JSON text or as an object."""
        given = json_object(arguments) if isinstance(arguments, str) else arguments
        if not isinstance(given, Mapping):
            return "Not done. The arguments are no JSON object; call the tool again with one."
        try:
            return self.run(given)
        except ValidationError as error:
            return f"Not done. {faults_of(error)}."
        except (ToolRefused, InvalidEvent) as error:
            return f"Not done. {error}"
        except MossheadError as error:
            _log.warning("%s: %s", self.name, error)
            return _UNAVAILABLE


def manage_memory_tool(
    namespace: Namespace,
    actions: Sequence[Action] = ACTIONS,
    *,
    name: str = "manage_memory",
    instructions: str = "",
) -> MemoryTool:
    """Make a tool that writes a namespace's memories.

    actions: what the model may do: "create", "update", "delete". name: as the model sees it. instructions: what to remember, in
    your own words, in addition to ours. It accepts the numbers shown by this tool, or by the search tool of the same namespace
    object. Raises ConfigurationError if actions contains an unknown name, or is empty.
    """
    allowed = tuple(one for one in ACTIONS if one in actions)
    if not allowed or len(allowed) != len(set(actions)):
        raise ConfigurationError(f"actions: some of {', '.join(ACTIONS)}, got {', '.join(map(str, actions)) or 'none'}")
    does = "; ".join(_DOES[one] for one in allowed)
    return MemoryTool(
        name=name,
        description=" ".join(filter(None, [_DESCRIPTION, f"What you can do: {does}.", instructions])),
        parameters=parameters_of(_arguments(allowed)),
        run=partial(_manage, namespace=namespace, numbers=numbers_of(namespace), allowed=allowed),
    )


def _arguments(allowed: Collection[Action]) -> type[Arguments]:
    """Build the arguments' class for the allowed actions."""
    fields: dict[str, Any] = {"action": (Literal[tuple(allowed)], Field(description="What to do."))}
    if {"create", "update"} & set(allowed):
        whether = "; null to delete" if "delete" in allowed else ""
        fields["content"] = (str | None, Field(None, description=f"What to remember, in one sentence{whether}."))
    if {"update", "delete"} & set(allowed):
        whether = "; null to create" if "create" in allowed else ""
        fields["number"] = (int | None, Field(None, description=f"The number of the memory, as it was shown{whether}."))
    return create_model("ManageArguments", __base__=Arguments, **fields)


class Numbers:
    """Maps numbers to the memories that the tools of one namespace object showed.

    A four-digit number derives from the memory's id: with new tools in a later turn, a number in the history means the same
    memory once it is shown again.
    """

    def __init__(self) -> None:
        self._shown: dict[int, StoredMemory | UUID] = {}
        self._lock = Lock()

    def show(self, memory: StoredMemory | UUID) -> int:
        """Return the number of a memory that was read, or of the id of a new one."""
        memory_id = _id(memory)
        with self._lock:
            number = memory_id.int % _COUNT
            while _id(self._shown.get(_FIRST + number, memory_id)) != memory_id:
                number = (number + 1) % _COUNT
            self._shown.pop(_FIRST + number, None)  # to put it last, as the latest
            self._shown[_FIRST + number] = memory
            if len(self._shown) > _MOST:
                del self._shown[next(iter(self._shown))]
            return _FIRST + number

    def of(self, number: int) -> StoredMemory | UUID:
        """Return the memory of a number, as it was when shown. Raises ToolRefused for a number that was not shown."""
        with self._lock:
            found = self._shown.get(number)
        if found is None:
            raise ToolRefused(
                f"There is no memory with the number {number}; search for it first, and use the number shown."
            )
        return found


def _manage(
    arguments: Mapping[str, Any], *, namespace: Namespace, numbers: Numbers, allowed: Collection[Action]
) -> str:
    wanted = _Manage.model_validate(arguments)
    if wanted.action not in allowed:
        raise ToolRefused(f"action: one of {', '.join(allowed)}.")
    content = (wanted.content or "").strip()
    if not content and wanted.action != "delete":
        raise ToolRefused("content: is empty; say in one sentence what to remember.")
    if wanted.action == "create":
        return f"Remembered as {numbers.show(namespace.remember(content, by='tool'))}."
    if wanted.number is None:
        raise ToolRefused("number: is missing; search for the memory first, and use the number shown.")
    memory = numbers.of(wanted.number)
    try:
        if wanted.action == "delete":
            namespace.forget(memory, reason="by the agent's tool")
            return f"Forgotten: {wanted.number}."
        newer = namespace.remember(content, replaces=memory, by="tool")
        return f"{wanted.number} is replaced by {numbers.show(newer)}."
    except NotFound:  # its message names the memory and the namespace, which the model should not see
        raise ToolRefused(f"number: {wanted.number} is closed already; search again for what is known now.") from None
    except MemoryChanged:
        raise ToolRefused(
            f"number: {wanted.number} says something else by now; search again, and decide anew."
        ) from None


__all__ = ["MemoryTool", "manage_memory_tool", "run_tools", "search_memory_tool"]
_FIRST, _COUNT = 1_000, 9_000
_MOST = 2_000
"""How many shown memories are remembered, the latest: while most numbers are free, a free one is found at once."""


def numbers_of(namespace: Namespace) -> Numbers:
    """Return the numbers that the tools of a namespace object share."""
    return _numbers.setdefault(namespace, Numbers())


def _id(shown: StoredMemory | UUID) -> UUID:
    return shown.id if isinstance(shown, StoredMemory) else shown


_numbers: WeakKeyDictionary[Namespace, Numbers] = WeakKeyDictionary()


class Tool(Protocol):
    """A tool with a name that takes a call's arguments and returns text: a `MemoryTool`, or the app's own."""

    @property
    def name(self) -> str:
        """The name for the model."""

    def __call__(self, arguments: str, /) -> str:
        """Carry out a call. arguments: as JSON text."""


def run_tools(message: Any, tools: Sequence[Tool]) -> list[dict[str, str]]:
    """Carry out the calls of an assistant's message, in order, and return a tool message for each.

    message: ``response.choices[0].message``, or the same as a mapping. tools: all tools offered to the model; a call of an
    unknown tool is answered as such, because the API requires an answer.
    """
    by_name = {tool.name: tool for tool in tools}
    unknown = f"There is no such tool; there are {', '.join(by_name) or 'none'}."
    answers = []
    for call in _field(message, "tool_calls") or ():
        function = _field(call, "function")
        tool = by_name.get(_field(function, "name"))
        content = tool(_field(function, "arguments") or "") if tool else unknown
        answers.append({"role": "tool", "tool_call_id": _field(call, "id"), "content": content})
    return answers


def _field(given: Any, name: str) -> Any:
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)


_MOST_HITS = 20
_USUAL = 5

_SEARCH_DESCRIPTION = (
    "Search what is remembered from earlier conversations. Call it before you answer a question about the user, or about people "
    "and things that they know. Each line of the result begins with the number of a memory."
)


class SearchArguments(Arguments):
    """The arguments of a search."""

    query: Annotated[str, Field(description="What to look for, as a question or in a few words.")]
    limit: Annotated[int | None, Field(description=f"How many to show, 1 to {_MOST_HITS}; null for {_USUAL}.")] = None


def search_memory_tool(namespace: Namespace, *, name: str = "search_memory", instructions: str = "") -> MemoryTool:
    """Make a tool that searches a namespace.

    name: as the model sees it. instructions: when to search, in your own words, in addition to ours.
    """
    return MemoryTool(
        name=name,
        description=f"{_SEARCH_DESCRIPTION} {instructions}".strip(),
        parameters=parameters_of(SearchArguments),
        run=partial(_search, namespace=namespace, numbers=numbers_of(namespace)),
    )


def _search(arguments: Mapping[str, Any], *, namespace: Namespace, numbers: Numbers) -> str:
    wanted = SearchArguments.model_validate(arguments)
    if not wanted.query.strip():
        raise ToolRefused("query: is empty; say what to look for.")
    limit = _USUAL if wanted.limit is None else min(max(wanted.limit, 1), _MOST_HITS)
    hits = namespace.query(wanted.query, limit=limit)
    if not hits:
        return "Nothing is remembered about this." if hits.reason is None else "The memory did not answer in time."
    return fenced(f"{numbers.show(hit)}: {memory_note(hit)}" for hit in hits)


_UNAVAILABLE = "The memory cannot be reached at the moment. Go on without it."

_log = logging.getLogger("mosshead")


class ToolRefused(Exception):
    """A call cannot be carried out. The message tells the model what to do instead."""


def parameters_of(arguments: type[Arguments]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments for strict mode: every property is required, and no other is allowed."""
    schema, fields = compact(arguments.model_json_schema()), arguments.model_fields
    properties = {
        name: {**shape, "description": fields[name].description} for name, shape in schema["properties"].items()
    }
    return {**schema, "properties": properties, "required": list(properties)}
