"""What a model is shown of a session: the references that came up last, as data inside a fence. Pure."""

from collections.abc import Iterator

from mosshead.fence import fenced
from mosshead.working.state import RECENT, Reference, State, ToolResult


def prompt_block(state: State, summary: str | None = None) -> str:
    """The user's name, the task, the 5 most recent references and the latest results of tools, one a line; "" of nothing.

    summary: of what was said before, on a line of its own.
    """
    lines = list(_lines(state, summary))
    return fenced(lines, tag="working_memory") if lines else ""


def _lines(state: State, summary: str | None) -> Iterator[str]:
    if state.user_name:
        yield f"user: {state.user_name}"
    if state.task:
        yield f"task: {state.task}"
    if summary:
        yield f"so far: {summary}"
    yield from map(_reference, reversed(state.entities[-RECENT:]))
    yield from map(_result, reversed(state.results))


def _reference(one: Reference) -> str:
    return f"{one.type} {one.id}: {one.label}"


def _result(one: ToolResult) -> str:
    return f"result of {one.tool} ({one.reference}): {one.label}"
