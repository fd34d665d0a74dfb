"""The tool with which a model searches what is known."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from mosshead.fence import fenced
from mosshead.namespace import Namespace
from mosshead.reading.contexts import memory_note
from mosshead.tools.numbers import Numbers, numbers_of
from mosshead.tools.tool import Arguments, MemoryTool, ToolRefused, parameters_of

_MOST_HITS = 20
_USUAL = 5
_SEARCH_DESCRIPTION = (
    "Search what is remembered from earlier conversations. Call it before you answer a question about the user, or about people "
    "and things that they know. Each line of the result begins with the number of a memory."
)


class SearchArguments(Arguments):
    """What a model asks for."""

    query: Annotated[str, Field(description="What to look for, as a question or in a few words.")]
    limit: Annotated[int | None, Field(description=f"How many to show, 1 to {_MOST_HITS}; null for {_USUAL}.")] = None


def search_memory_tool(namespace: Namespace, *, name: str = "search_memory", instructions: str = "") -> MemoryTool:
    """A tool that searches a namespace.

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
    return fenced(f"{numbers.show(hit)}: {memory_note(hit, dated=True)}" for hit in hits)
