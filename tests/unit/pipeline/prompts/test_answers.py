"""The answer schemas that are sent, by the rules of OpenAI's strict mode, and the text that answers may contain."""

from typing import Any

import pytest
from openai.lib._pydantic import to_strict_json_schema
from pydantic import BaseModel, ValidationError

from pipeline.consolidation.llm import ConsolidationAnswer
from pipeline.extraction.prompt import ExtractionAnswer
from pipeline.profiles import ProfileAnswer

MODELS: list[type[BaseModel]] = [ExtractionAnswer, ConsolidationAnswer, ProfileAnswer]
UNSUPPORTED = {
    "default",
    "const",
    "oneOf",
    "allOf",
    "not",
    "patternProperties",
    "minLength",
    "maxLength",
    "prefixItems",
}
DEEPEST = 10


def breaches(schema: Any, depth: int = 0) -> list[str]:
    """Return what strict mode would refuse in a schema."""
    if isinstance(schema, list):
        return [breach for item in schema for breach in breaches(item, depth)]
    if not isinstance(schema, dict):
        return []
    found = [f"{keyword} at {schema.get('title')}" for keyword in UNSUPPORTED & schema.keys()]
    if schema.get("type") == "object":
        properties = schema.get("properties", {})
        if set(schema.get("required", [])) != set(properties) or not properties:
            found.append(f"not all required: {schema.get('title')}")
        if schema.get("additionalProperties") is not False:
            found.append(f"open: {schema.get('title')}")
    if "$ref" in schema and len(schema) > 1:
        found.append("a reference with siblings")
    if depth > DEEPEST:
        found.append("too deep")
    return found + [breach for value in schema.values() for breach in breaches(value, depth + 1)]


@pytest.mark.parametrize("model", MODELS)
def test_each_schema_follows_the_rules_of_strict_mode(model: type[BaseModel]) -> None:
    assert breaches(model.model_json_schema()) == []


@pytest.mark.parametrize("model", MODELS)
def test_openai_package_would_send_the_same_schema(model: type[BaseModel]) -> None:
    assert to_strict_json_schema(model) == model.model_json_schema()


def test_rules_detect_a_default_or_open_properties() -> None:
    class Loose(BaseModel):
        number: int = 0
        named: dict[str, int]

    assert {breach.split(":")[0].split(" at")[0] for breach in breaches(Loose.model_json_schema())} == {
        "default",
        "not all required",
        "open",
    }


def test_text_that_postgres_or_a_terminal_cannot_handle_is_cleaned() -> None:
    assert ProfileAnswer(summary=" Peter\x00 is\x1b[31m a writer.\nHe is Swiss. ").summary == (
        "Peter  is [31m a writer.\nHe is Swiss."
    )


def test_error_about_an_unsuitable_answer_does_not_repeat_it() -> None:
    with pytest.raises(ValidationError) as raised:
        ProfileAnswer.model_validate_json('{"summary": ["zanzibarcanary"]}')

    assert "zanzibarcanary" not in str(raised.value)
