"""An app's settings of a namespace: its wording reaches the LLM as data, and records in its own schemas come back."""

import json
from typing import Any

import pytest
from pydantic import BaseModel

from mosshead import InvalidEvent, Namespace
from mosshead.api.arguments import schemas_of
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming


class Workout(BaseModel):
    """A schema of an app."""

    sport: str
    minutes: int


def configured(forming: Forming, instructions: str = "", *shapes: type[BaseModel]) -> None:
    schemas = [{"name": shape.__name__, "json_schema": shape.model_json_schema()} for shape in shapes]
    forming.command(type="configure", instructions=instructions, schemas=schemas)


def test_apps_wording_reaches_the_llm_from_then_on(fake: FakeOpenAI, forming: Forming) -> None:
    forming.say("I like tea.")
    configured(forming, "Only training and injuries.")
    forming.say("I ran for 30 minutes.")
    configured(forming)
    forming.say("I like rain.")

    asked = [request.prompt for request in fake.requests if request.schema == "ExtractionAnswer"]
    assert ["Only training and injuries." in prompt for prompt in asked] == [False, True, False]


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        ({"sport": "running", "minutes": 30}, {"sport": "running", "minutes": 30}),
        ({"sport": "running", "minutes": "half an hour"}, None),
        ({"sport": "running", "minutes": 45}, None),
    ],
    ids=["it fits", "it does not fit", "nobody said so"],
)
def test_valid_record_comes_back_with_its_memory(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, data: dict[str, object], kept: dict[str, object] | None
) -> None:
    configured(forming, "", Workout)
    record = {"name": "Workout", "data": json.dumps(data)}
    said = "I was running for 30 minutes."
    fact = fact_like(content="User was running for 30 minutes", quote=said, record=record)
    fake.script("RecordingAnswer", {"facts": [fact]})
    forming.say(said)

    (memory,) = [one for one in sarah.memories() if "30 minutes" in one.content]
    assert (memory.record_name, memory.record) == (("Workout", kept) if kept else (None, None))


def test_model_without_enforced_schemas_may_write_the_data_itself(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace
) -> None:
    configured(forming, "", Workout)
    said = "I was running for 30 minutes."
    record = {"name": "Workout", "data": {"sport": "running", "minutes": 30}}
    fake.script("RecordingAnswer", {"facts": [fact_like(content="User was running", quote=said, record=record)]})
    forming.say(said)
    assert [one.value for one in sarah.documents.records(Workout)] == [Workout(sport="running", minutes=30)]
    assert fake.calls["RecordingAnswer"] == 1


def test_field_outside_the_schema_leaves_the_collection_readable(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace
) -> None:
    configured(forming, "", Workout)
    for sport, more in (("running", {}), ("rowing", {"place": "park"})):
        said = f"I was {sport} for 30 minutes in the park."
        record = {"name": "Workout", "data": json.dumps({"sport": sport, "minutes": 30, **more})}
        fact = fact_like(content=f"User was {sport} for 30 minutes", quote=said, record=record)
        fake.script("RecordingAnswer", {"facts": [fact]})
        forming.say(said)
    assert [one.value for one in sarah.documents.records(Workout)] == [Workout(sport="running", minutes=30)]


def test_invalid_schema_is_refused_with_the_fix(sarah: Namespace) -> None:
    with pytest.raises(InvalidEvent, match=r"schemas\.0\.json_schema: must be a JSON Schema of type object"):
        sarah.configure(schemas=[{"title": "Workout", "type": "string"}])
    with pytest.raises(InvalidEvent, match=r"schemas\.0\.name"):
        sarah.configure(schemas=[{"type": "object"}])


class Task(BaseModel):
    """A recursive schema."""

    title: str
    parts: list["Task"] = []


def test_recursive_schema_is_accepted(fake: FakeOpenAI, forming: Forming, sarah: Namespace) -> None:
    forming.command(type="configure", schemas=schemas_of("schemas", [Task]))
    data = {"title": "pack", "parts": [{"title": "buy boxes"}]}
    record = {"name": "Task", "data": json.dumps(data)}
    said = "I have to pack, and to buy boxes for that."
    fake.script("RecordingAnswer", {"facts": [fact_like(content="User has to pack", quote=said, record=record)]})
    forming.say(said)
    assert [one.value for one in sarah.documents.records(Task)] == [Task(title="pack", parts=[Task(title="buy boxes")])]


@pytest.mark.parametrize("name", ["schemas", "profiles"])
def test_schemas_are_a_list_of_models_with_distinct_names(sarah: Namespace, name: str) -> None:
    wrong: tuple[tuple[Any, str], ...] = (
        ([Task, {"title": "Task", "type": "object"}], f"{name}: two schemas are called Task; rename one"),
        (Task, f"{name}: give a list of pydantic models"),
        ([Task, dict], rf"{name}\.1: a pydantic model, or a JSON Schema with a title"),
        (["Task"], rf"{name}\.0: a pydantic model, or a JSON Schema with a title, got str"),
    )
    for given, why in wrong:
        with pytest.raises(InvalidEvent, match=f"^{why}"):
            sarah.configure(**{name: given})
