"""A record fits its schema, contains only what was said, and can be stored; otherwise there is none."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.extraction.mentions import SourceVocabulary
from pipeline.extraction.records import read_record
from pipeline.models import RecordSchema

PET = RecordSchema(
    "Pet",
    {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "kind": {"enum": ["CANINE", "FELINE"]},
            "age": {"type": "integer", "minimum": 0},
            "tags": {"type": "array", "items": {"type": "string"}},
            "vaccinated": {"type": "boolean"},
        },
        "required": ["name"],
        "additionalProperties": False,
    },
)
ANY = RecordSchema("Any", {"type": "object"})
SAID = SourceVocabulary.of(["User", "My dog Rex is 3 and loves the beach in Oslo"])


def read(data: object, name: str = "Pet") -> dict[str, Any] | None:
    text = data if isinstance(data, str) else json.dumps(data)
    record = read_record(name, text, (PET, ANY), SAID)
    assert record is None or record.name == name
    return record.data if record else None


@pytest.mark.parametrize(
    "data",
    [
        {"name": "Rex", "kind": "CANINE", "age": 3, "vaccinated": True},
        {"name": "Rex", "tags": ["loves the beach", "Oslo"]},
        {"name": "rex"},
    ],
)
def test_fitting_data_that_was_said_is_a_record(data: dict[str, Any]) -> None:
    assert read(data) == data


@pytest.mark.parametrize(
    "data",
    [
        {"name": 7},
        {"kind": "CANINE"},
        {"name": "Rex", "kind": "FISH"},
        {"name": "Rex", "colour": "brown"},
        {"name": "Rex", "age": -1},
        {"name": "Rex", "age": 4},
        {"name": "Klaus"},
        {"name": "Rex", "tags": ["the beach in Rome"]},
        {"name": "Rex", "tags": [["Rex"]]},
        [],
        "Rex",
        None,
        "{",
        '{"name": NaN}',
        '{"name": "Rex", "age": 1e999}',
        '{"name": "Rex", "age": ' + "9" * 5_000 + "}",
        '{"name": ' * 100_000,
        '{"name": ' * 1_700,
        '{"name": "' + "Rex " * 10_000 + '"}',
    ],
)
def test_unfitting_or_unsaid_data_is_no_record(data: object) -> None:
    assert read(data if isinstance(data, str) else json.dumps(data)) is None


@pytest.mark.parametrize(("depth", "is_taken"), [(18, True), (20, False), (900, False), (1_500, False)])
def test_record_is_as_deep_as_its_schema_allows(depth: int, is_taken: bool) -> None:
    assert (read(f'{{"tags": {"[" * depth}{"]" * depth}}}', "Any") is not None) is is_taken


def test_record_without_a_schema_is_dropped() -> None:
    assert read({"name": "Rex"}, name="Car") is None


RACE = RecordSchema(
    "Race",
    {
        "type": "object",
        "properties": {
            "on": {"type": "string", "format": "date"},
            "begun_at": {"type": "string", "format": "date-time"},
            "alarm": {"type": "string", "format": "time"},
            "took": {"type": "string", "format": "duration"},
        },
    },
)


@pytest.mark.parametrize(
    ("data", "is_taken"),
    [
        ({"on": "2026-05-03", "begun_at": "2026-05-03T15:00:00"}, True),
        ({"begun_at": "2026-05-03T15:00:00+01:00", "alarm": "06:30:00", "took": "PT0H45M"}, True),
        ({"begun_at": "2026-05-03T00:00:00Z", "alarm": "06:30"}, True),
        ({"begun_at": "2026-05-04T15:00:00"}, False),
        ({"begun_at": "2026-05-03T16:00:00"}, False),
        ({"begun_at": "2026-05-03T15:00:17"}, False),
        ({"begun_at": "3"}, False),
        ({"alarm": "07:10:00"}, False),
        ({"took": "PT46M"}, False),
        ({"took": "45"}, False),
        ({"finished": True}, False),
    ],
)
def test_figures_of_a_date_or_time_were_said(data: dict[str, Any], is_taken: bool) -> None:
    said = SourceVocabulary.of(["On 3 May at 3pm I ran through Oslo, in 45 minutes. The alarm rang at 6:30."])
    record = read_record("Race", json.dumps(data), (RACE,), said)
    assert (record.data if record else None) == (data if is_taken else None)


_NAMED = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
_AGED = {"properties": {"age": {"type": "integer"}}}
_DEFINED: dict[str, Any] = {"Named": _NAMED, "Pet": {"allOf": [{"$ref": "#/$defs/Named"}, _AGED]}}
_OF_A_DOG = {
    "properties": {"name": {}, "kind": {}, "age": {}},
    "if": {"properties": {"kind": {"const": "dog"}}},
    "then": {"properties": {"name": {"minLength": 2}}, "required": ["age"]},
}
_REX = {"name": "Rex", "age": 3}


@pytest.mark.parametrize(
    ("schema", "taken", "refused"),
    [
        ({"allOf": [_NAMED, _AGED]}, _REX, {"age": 3}),
        ({**_DEFINED["Pet"], "$defs": _DEFINED}, _REX, {"age": 3}),
        ({**_NAMED, "anyOf": [{**_AGED, "required": ["age"]}, {"required": ["kind"]}]}, _REX, {"name": "Rex"}),
        (_OF_A_DOG, {**_REX, "kind": "dog"}, {"name": "R", "kind": "dog", "age": 3}),
        (
            {"properties": {"pet": {"$ref": "#/$defs/Pet"}}, "$defs": _DEFINED},
            {"pet": _REX},
            {"pet": {**_REX, "tag": "Oslo"}},
        ),
    ],
)
def test_composed_schema_has_the_fields_of_all_its_parts(
    schema: dict[str, Any], taken: dict[str, Any], refused: dict[str, Any]
) -> None:
    def found(data: dict[str, Any]) -> dict[str, Any] | None:
        said = SAID | SourceVocabulary.of(["dog R"])
        record = read_record("Pet", json.dumps(data), (RecordSchema("Pet", schema),), said)
        return record.data if record else None

    assert found(taken) == taken
    assert found({**taken, "place": "Oslo"}) is None, "no part of it names this one"
    assert found(refused) is None


def test_text_postgres_cannot_store_is_cleaned() -> None:
    assert read('{"a": "the\\u0000 beach", "b\\u0000": ["\\ud800"]}', "Any") == {"a": "the  beach", "b": [""]}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "objekt"},
        {"type": "object", "$ref": "http://127.0.0.1:1/schema"},
        {"type": "object", "$ref": "#/nowhere"},
        {"type": "object", "properties": {"name": {"pattern": "("}}},
    ],
)
def test_invalid_or_external_schema_fits_nothing(schema: dict[str, Any]) -> None:
    assert read_record("Pet", '{"name": "Rex"}', (RecordSchema("Pet", schema),), SAID) is None


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["Rex", "Klaus", "CANINE", 3, 4]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "age", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(data=JSON | st.text(), name=st.sampled_from(["Pet", "Any"]))
def test_record_is_storable_and_names_nobody_new_whatever_a_model_writes(data: object, name: str) -> None:
    found = read(data, name)
    assert found is None or "Klaus" not in json.dumps(found)
    assert found is None or json.loads(json.dumps(found, allow_nan=False)) == found
    assert found is None or "\\u0000" not in json.dumps(found)
