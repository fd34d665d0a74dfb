"""One document: valid fields with evidence are changed, or the document stays as it was."""

from typing import Any

import pytest
from pydantic import BaseModel, Field

from mosshead.contrib.managers import create_profile_manager
from mosshead.llm import AnswerUnusable, ModelUnavailable
from tests.unit.mosshead.contrib.managers.scripted import Scripted, field_set


class Address(BaseModel):
    """An address."""

    city: str | None = None
    country: str | None = None


class UserProfile(BaseModel):
    """What is known of the user."""

    name: str | None = None
    languages: list[str] = []
    address: Address = Address()
    age: int | None = Field(None, ge=0)


TALK = "User: I am Ann, and I moved to Porto.\nAssistant: So you are 30?"
ANN = UserProfile(name="Anna", languages=["English"], address=Address(city="Leeds", country="Britain"))


def managed(*fields: Any, current: UserProfile | None = ANN) -> Any:
    return create_profile_manager(Scripted([{"fields": list(fields)}]), UserProfile)(TALK, current)


def test_fields_are_changed_in_place_and_the_rest_stays() -> None:
    found = managed(field_set("name", "Ann"), field_set("address", {"city": "Porto"}))
    assert found.value == ANN.model_copy(update={"name": "Ann", "address": Address(city="Porto", country="Britain")})
    assert found.patch == {"name": "Ann", "address": {"city": "Porto"}}
    assert ANN.name == "Anna"


def test_first_document_is_formed_from_messages() -> None:
    found = managed(field_set("name", "Ann"), current=None)
    assert found.value == UserProfile(name="Ann")
    assert found.patch == {"name": "Ann"}
    assert managed(current=None).value is None


def test_model_without_enforced_schemas_may_write_the_value_itself() -> None:
    values = {"age": 31, "languages": ["Greek"], "address": {"city": "Porto"}, "name": None}
    found = managed(*({"name": name, "value": value, "sources": [1]} for name, value in values.items()))
    assert found.refused == ()
    assert found.patch == {"age": 31, "languages": ["Greek"], "address": {"city": "Porto"}, "name": None}


def test_null_removes_a_field_and_the_same_value_is_no_change() -> None:
    assert managed(field_set("name", None)).value == ANN.model_copy(update={"name": None})
    assert managed(field_set("name", "Anna")).patch == {}


@pytest.mark.parametrize(
    ("field", "why"),
    [
        (field_set("age", 30, 2), "sources: no user message"),
        (field_set("age", 30, 3), "sources: names a message"),
        ({"name": "age", "value": "thirty", "sources": [1]}, "value: is not JSON"),
        ({"name": 7, "value": "30", "sources": [1]}, "not in the shape"),
        (None, "not in the shape"),
    ],
    ids=["the assistant said it", "no such message", "no JSON", "a wrong type", "nothing"],
)
def test_only_the_field_without_evidence_is_refused(field: Any, why: str) -> None:
    found = managed(field, field_set("name", "Ann"))
    assert found.value == ANN.model_copy(update={"name": "Ann"})
    assert why in found.refused[0].why


@pytest.mark.parametrize(
    ("field", "why"),
    [
        (field_set("age", -1), "age: greater_than_equal"),
        (field_set("age", "old"), "age: int_parsing"),
        (field_set("shoe", 39), "shoe: extra_forbidden"),
        (field_set("address", {"street": "x"}), "address.street: extra_forbidden"),
        (field_set("languages", None), ""),
    ],
    ids=["out of range", "of another type", "no such field", "no such field within", "emptied to its default"],
)
def test_unsuitable_change_leaves_the_document_as_it_was(field: Any, why: str) -> None:
    found = managed(field, field_set("name", "Ann"))
    if not why:
        assert found.value.languages == []
        return
    assert found.value is ANN
    assert found.patch == {}
    assert why in found.refused[0].why


def test_invalid_answer_leaves_the_document_and_a_failure_is_raised() -> None:
    manager = create_profile_manager(Scripted(["nonsense", ModelUnavailable("down")]), UserProfile)
    found = manager(TALK, ANN)
    assert (found.value, found.refused[0].why) == (ANN, str(AnswerUnusable("the answer does not fit")))
    with pytest.raises(ModelUnavailable):
        manager(TALK, ANN)


def test_model_sees_the_schema_the_document_and_the_wishes() -> None:
    model = Scripted([{"fields": []}])
    create_profile_manager(model, UserProfile, instructions="No ages.")(TALK, ANN)
    (asked,) = model.asked
    assert "BEGIN SCHEMA\n| UserProfile: {" in asked.user
    assert "What is known of the user." in asked.user
    assert 'BEGIN CURRENT\n| {"address": {"city": "Leeds"' in asked.user
    assert "BEGIN INSTRUCTIONS\n| No ages." in asked.user
    assert create_profile_manager(model, UserProfile)("Assistant: hello", ANN).value is ANN
