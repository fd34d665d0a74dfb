"""The schema a model is given: shorter, and accepting the same answers."""

import json
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from mosshead.contrib.managers.values import DocumentAnswer, ManagerAnswer
from mosshead.llm.structured import compact
from pipeline.consolidation.llm import ConsolidationAnswer
from pipeline.extraction.prompt import ExtractionAnswer
from pipeline.profiles import ProfileAnswer
from tests.unit.pipeline.prompts.test_answers import breaches

ANSWERS: list[type[BaseModel]] = [ExtractionAnswer, ConsolidationAnswer, ProfileAnswer, ManagerAnswer, DocumentAnswer]


class Part(BaseModel):
    """Documented in code."""

    model_config = ConfigDict(extra="forbid")
    title: str
    description: str | None
    kind: Literal["a", "b"] | None


class Whole(BaseModel):
    """All of it."""

    model_config = ConfigDict(extra="forbid")
    default: list[Part]
    other: Part | None = Field(title="Other", description="said of the field")
    many: list[int] | None


def test_schema_is_short() -> None:
    assert compact(Whole.model_json_schema()) == {
        "type": "object",
        "additionalProperties": False,
        "required": ["default", "other", "many"],
        "properties": {
            "default": {"type": "array", "items": PART},
            "other": {"anyOf": [PART, {"type": "null"}]},
            "many": {"type": ["array", "null"], "items": {"type": "integer"}},
        },
    }


PART: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["title", "description", "kind"],
    "properties": {
        "title": {"type": "string"},
        "description": {"type": ["string", "null"]},
        "kind": {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]},
    },
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_strict_mode_still_accepts_it_and_it_has_all_fields(answer: type[BaseModel]) -> None:
    schema = answer.model_json_schema()
    said = compact(schema)

    assert breaches(said) == []
    assert fields(said, {}) == fields(schema, schema.get("$defs", {}))
    assert "$" not in json.dumps(said)


def test_schema_is_a_third_shorter() -> None:
    assert len(json.dumps(compact(ExtractionAnswer.model_json_schema()))) < 0.67 * len(
        json.dumps(ExtractionAnswer.model_json_schema())
    )


def fields(schema: Any, definitions: dict[str, Any]) -> list[str]:
    """Return the paths of all properties."""
    if isinstance(schema, list):
        return sorted(path for one in schema for path in fields(one, definitions))
    if not isinstance(schema, dict):
        return []
    if "$ref" in schema:
        return fields(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    own = schema.get("properties", {})
    below = [f"{name}.{path}" for name, one in own.items() for path in ["", *fields(one, definitions)]]
    return sorted([*below, *fields(schema.get("items"), definitions), *fields(schema.get("anyOf"), definitions)])
