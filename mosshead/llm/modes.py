"""Ways of asking an endpoint for JSON, strictest first, and other features a model may lack.

No endpoint documents reliably which it supports, and refusals are worded differently. So the next one is tried, and what works is
remembered.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any

from pydantic import BaseModel

from mosshead.llm.protocol import Prompt
from mosshead.llm.structured import compact
from mosshead.text import encodable


class AnswerMode(StrEnum):
    """A way of asking for JSON."""

    STRICT = "strict"
    JSON_SCHEMA = "json_schema"
    TOOLS = "tools"
    JSON_OBJECT = "json_object"
    PLAIN = "plain"


_ORDER = tuple(AnswerMode)
_SENDS_NO_SCHEMA = frozenset({AnswerMode.JSON_OBJECT, AnswerMode.PLAIN})


@dataclass(frozen=True, slots=True)
class Manner:
    """How a model of an endpoint is asked.

    system, temperature: whether it accepts these. proven: whether it has answered such a request.
    """

    mode: AnswerMode = AnswerMode.STRICT
    system: bool = True
    temperature: bool = True
    proven: bool = False

    def next_mode(self) -> "Manner | None":
        """Return this with the next mode; None after the last."""
        following = _ORDER[_ORDER.index(self.mode) + 1 :]
        return replace(self, mode=following[0], proven=False) if following else None

    def request(self, prompt: Prompt[Any], objection: "Objection | None" = None) -> dict[str, Any]:
        """Build the body of a request, without the model's name. objection: what was wrong with the previous answer."""
        schema, name = schema_of(prompt.answer), prompt.answer.__name__
        says_shape = self.mode in _SENDS_NO_SCHEMA or objection is not None
        system = prompt.system + (_SHAPE.format(name=name, schema=json.dumps(schema, ensure_ascii=False)) * says_shape)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt.user}]
        if not self.system:
            messages = [{"role": "user", "content": f"{system}\n\n{prompt.user}"}]
        if objection is not None:
            messages += [{"role": "assistant", "content": objection.answer}] if objection.answer else []
            again = {"role": "user", "content": _AGAIN.format(why=objection.why)}
            messages = [*messages, again] if objection.answer else [*messages[:-1], _joined(messages[-1], again)]
        sent = [{**one, "content": encodable(one["content"])} for one in messages]
        return {"messages": sent} | ({"temperature": 0.0} if self.temperature else {}) | self._shape(name, schema)

    def _shape(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        match self.mode:
            case AnswerMode.STRICT:
                described = {"name": name, "schema": schema, "strict": True}
                return {"response_format": {"type": "json_schema", "json_schema": described}}
            case AnswerMode.JSON_SCHEMA:
                return {"response_format": {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}}
            case AnswerMode.TOOLS:
                function = {"name": name, "parameters": schema, "description": "Give the answer."}
                chosen = {"type": "function", "function": {"name": name}}
                return {"tools": [{"type": "function", "function": function}], "tool_choice": chosen}
            case AnswerMode.JSON_OBJECT:
                return {"response_format": {"type": "json_object"}}
            case AnswerMode.PLAIN:
                return {}


@dataclass(frozen=True, slots=True)
class Objection:
    """What a model is told about an unusable answer. answer: its head; empty if there was none."""

    answer: str
    why: str


@dataclass(frozen=True, slots=True)
class MannerMemory:
    """Stores what was learnt about a model for other processes. read: returns None if nothing is known."""

    read: Callable[[str], Manner | None]
    keep: Callable[[str, Manner], None]


def schema_of(answer: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema that an endpoint is sent."""
    return _schema(answer)


@cache
def _schema(answer: type[BaseModel]) -> dict[str, Any]:
    return compact(answer.model_json_schema())


def _joined(one: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    return {**one, "content": f"{one['content']}\n\n{other['content']}"}


_SHAPE = "\n\nAnswer with one JSON object, {name}, of this JSON Schema, and with nothing else:\n{schema}"
_AGAIN = "That cannot be used: {why}. Answer again, with the JSON object alone."
