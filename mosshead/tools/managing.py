"""The tool with which a model puts memories down, changes them and closes them."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal

from pydantic import Field, create_model

from mosshead.errors import ConfigurationError, MemoryChanged, NotFound
from mosshead.namespace import Namespace
from mosshead.tools.numbers import Numbers, numbers_of
from mosshead.tools.tool import Arguments, MemoryTool, ToolRefused, parameters_of

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


class _Manage(Arguments):
    """What every call has; which other fields there are depends on what is allowed."""

    action: str
    content: str | None = None
    number: int | None = None


def manage_memory_tool(
    namespace: Namespace,
    actions: Sequence[Action] = ACTIONS,
    *,
    name: str = "manage_memory",
    instructions: str = "",
) -> MemoryTool:
    """A tool that writes a namespace's memories.

    actions: what the model may do: "create", "update", "delete". name: as the model sees it. instructions: what to remember, in
    your own words, in addition to ours. The numbers are those that the search tool of the same namespace object showed, and those
    that this tool answered with.
    Raises ConfigurationError where actions names something else, or nothing.
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
    """The arguments of what is allowed, and no others."""
    fields: dict[str, Any] = {"action": (Literal[tuple(allowed)], Field(description="What to do."))}
    if {"create", "update"} & set(allowed):
        whether = "; null to delete" if "delete" in allowed else ""
        fields["content"] = (str | None, Field(None, description=f"What to remember, in one sentence{whether}."))
    if {"update", "delete"} & set(allowed):
        whether = "; null to create" if "create" in allowed else ""
        fields["number"] = (int | None, Field(None, description=f"The number of the memory, as it was shown{whether}."))
    return create_model("ManageArguments", __base__=Arguments, **fields)


def _manage(
    arguments: Mapping[str, Any], *, namespace: Namespace, numbers: Numbers, allowed: Collection[Action]
) -> str:
    wanted = _Manage.model_validate(arguments)
    if wanted.action not in allowed:
        raise ToolRefused(f"action: one of {', '.join(allowed)}.")
    try:
        return _done(wanted, namespace, numbers)
    except NotFound:  # its words name the memory and the namespace, which are no business of the model's
        raise ToolRefused(f"number: {wanted.number} is closed already; search again for what is known now.") from None
    except MemoryChanged:
        raise ToolRefused(
            f"number: {wanted.number} says something else by now; search again, and decide anew."
        ) from None


def _done(wanted: _Manage, namespace: Namespace, numbers: Numbers) -> str:
    content = (wanted.content or "").strip()
    if wanted.action == "delete":
        namespace.forget(numbers.of(_number(wanted)), reason="by the agent's tool")
        return f"Forgotten: {wanted.number}."
    if not content:
        raise ToolRefused("content: is empty; say in one sentence what to remember.")
    if wanted.action == "create":
        return f"Remembered as {numbers.show(namespace.remember(content))}."
    memory_id = namespace.remember(content, replaces=numbers.of(_number(wanted)))
    return f"{wanted.number} is replaced by {numbers.show(memory_id)}."


def _number(wanted: _Manage) -> int:
    if wanted.number is None:
        raise ToolRefused("number: is missing; search for the memory first, and use the number shown.")
    return wanted.number
