"""A model that gives the test's answers, as JSON, read like an endpoint's answer."""

import json
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from mosshead.llm import AnswerUnusable, Prompt

A = TypeVar("A", bound=BaseModel)


@dataclass
class Scripted:
    """Gives its answers in order. One that is an exception is raised."""

    answers: list[Any]
    name: str = "scripted"
    asked: list[Prompt[Any]] = field(default_factory=list)

    def answer(self, prompt: Prompt[A]) -> A:
        self.asked.append(prompt)
        given = self.answers.pop(0)
        if isinstance(given, Exception):
            raise given
        try:
            return prompt.answer.model_validate_json(given if isinstance(given, str) else json.dumps(given))
        except ValidationError:
            raise AnswerUnusable("the answer does not fit") from None


def change(action: str, **given: Any) -> dict[str, Any]:
    """Return a change as a model proposes it."""
    data = given.pop("data", None)
    text = data if data is None or isinstance(data, str) else json.dumps(data)
    plain = {"memory": None, "kind": None, "sources": [1], "reason": "said so"}
    return {"action": action, **plain, "data": text, **given}


def new(kind: str, **data: Any) -> dict[str, Any]:
    """Return an insert."""
    return change("insert", kind=kind, data=data)


def field_set(name: str, value: Any, *sources: int) -> dict[str, Any]:
    """Return a field of a document as a model proposes it."""
    return {"name": name, "value": json.dumps(value), "sources": list(sources) or [1]}
