"""What a model that is never wrong answers each system: the data's facts, taken from the turns that its prompt shows as new.

The facts are those of the data's own. A fact is answered once, when the first of the turns that say it is shown; so each system
gets the same facts, worded the same, and what differs is what it does with them.
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.replaying_model import Told, replayed
from tests.fake_answers import answer_for

Body = dict[str, Any]
"""A request to, or a message from, an endpoint for chat completions."""

_NEW_FOR_MEM0 = re.compile(r"^## New Messages\n(.*?)^## Observation Date$", re.MULTILINE | re.DOTALL)
_NEW_FOR_LANGMEM = re.compile(r"<session_\S+>(.*?)</session_", re.DOTALL)


def answer(told: Sequence[Told], body: Body) -> Body:
    """The message that answers a request for facts, in the form that the request asks for.

    A JSON schema is asked for by Mosshead, tools are offered by langmem, plain JSON is asked for by mem0. Mosshead's other
    questions are answered as the tests' endpoint does. Raises ValueError where a prompt of the peers does not look as expected.
    """
    if "tools" in body:
        return _calls(_shown(told, body, _NEW_FOR_LANGMEM))
    form = body["response_format"]
    if form["type"] == "json_object":
        facts = _shown(told, body, _NEW_FOR_MEM0)
        return _said({"memory": [{"id": str(place), "text": one.content} for place, one in enumerate(facts)]})
    prompt, schema = str(body["messages"][-1]["content"]), str(form["json_schema"]["name"])
    return _said(replayed(told, prompt) if schema == "ExtractionAnswer" else answer_for(schema, prompt))


def prompt_tokens(body: Body, count: Callable[[str], int]) -> int:
    """What the model has to read: the messages, and as JSON the schema and the tools that come with them."""
    said = sum(count(str(message["content"])) for message in body["messages"])
    forms = (body[name] for name in ("response_format", "tools") if name in body)
    return said + sum(count(json.dumps(form, separators=(",", ":"))) for form in forms)


def _shown(told: Sequence[Told], body: Body, new: re.Pattern[str]) -> list[Told]:
    """The facts whose first turn is among the new messages, each of which stands there after its speaker's name."""
    found = new.search(str(body["messages"][-1]["content"]))  # the messages before it hold instructions, with examples
    if found is None:
        raise ValueError("a prompt of another version: it has no new messages where they are expected")
    shown = _words(found[1])
    return [one for one in told if _words(f": {one.texts[0]}") in shown]


def _said(content: Body) -> Body:
    return {"role": "assistant", "content": json.dumps(content)}


def _calls(facts: Sequence[Told]) -> Body:
    calls = [
        {
            "id": f"call_{place}",
            "type": "function",
            "function": {"name": "Memory", "arguments": json.dumps({"content": one.content})},
        }
        for place, one in enumerate(facts)
    ]
    return {"role": "assistant", "content": "", **({"tool_calls": calls} if calls else {})}


def _words(text: str) -> str:
    return " ".join(text.split())
