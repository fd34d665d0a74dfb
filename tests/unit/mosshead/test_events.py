"""Events, version 1: what is accepted, what is refused and in which words, and the contract that must not change."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from mosshead.errors import InvalidEvent
from mosshead.events import MAX_EVENT_BYTES, ConversationEnded, MessageEvent, parse_event
from mosshead.events.commands import Configure, EditDocument, Undo
from mosshead.events.envelope import MAX_CONTENT_BYTES
from mosshead.text import text_of
from tests.given import event

CANARY = "zanzibar"
ZONED_BY_MINUTES = datetime(1975, 1, 1)  # noqa: DTZ001 - before, some zones were off by seconds, which ISO 8601 cannot say


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in event(content=CANARY).items() if key != name}


REFUSED: list[tuple[Any, str]] = [
    (without("namespace"), "namespace: missing; give the tenant first"),
    (without("occurred_at"), "occurred_at: missing; give the time with its zone"),
    (without("publisher"), "publisher: missing"),
    (without("type"), "type: missing; one of message, conversation_ended, undo, configure"),
    (without("content"), "content: missing"),
    (event(type=CANARY), "type: not an event type of version 1; one of message, conversation_ended, undo, configure"),
    (event(content=CANARY, version=2), "version: must be 1"),
    (event(content=CANARY, namespace=["acme"]), "namespace: needs a tenant and at least one more part"),
    (event(content=CANARY, namespace=f"acme/{CANARY}"), "namespace: give a list of its parts, the tenant first"),
    (event(content=CANARY, namespace=["acme", ""]), r"namespace\[1\]: is empty"),
    (event(content=CANARY, occurred_at="2026-03-02T12:00:00"), "occurred_at: has no time zone; give an aware time"),
    (event(content=CANARY, occurred_at=f"{CANARY} o'clock"), "occurred_at: "),
    (event(content=CANARY, role="narrator"), "role: one of user, assistant, system, tool"),
    (
        event(content=CANARY, colour="blue"),
        "colour: not a field of this type of event; omit it, or put it into metadata",
    ),
    (event(content=CANARY * 2**17), "content: 1,048,576 bytes, at most 262,144; split it"),
    (event(content="é" * 2**17 + "!"), "content: 262,145 bytes"),
    (event(content=[{"type": "text", "text": CANARY * 2**15}]), r"content: 262,\d+ bytes"),
    (
        event(content=f"{CANARY}\x00"),
        "content: contains a NUL character or half a surrogate pair, which cannot be stored",
    ),
    (event(content=f"{CANARY}\ud83d"), "content: contains a NUL character or half a surrogate pair"),
    (event(content=CANARY, metadata={"a": [{"b": "\x00"}]}), "metadata: contains a NUL character"),
    (event(content=CANARY, metadata={"\x00": 1}), "metadata: contains a NUL character"),
    (event(content=CANARY, metadata={"a": CANARY * 2048}), "metadata: more than 16,384 bytes; keep references in it"),
    (event(content=CANARY, publisher_sequence=0), "publisher_sequence: "),
    (event(content=CANARY, event_id=CANARY), "event_id: "),
    (event(content=CANARY, conversation=""), "conversation: "),
    (
        event(content=7),
        "content: give a text, or a list of parts, such as {'type': 'text', 'text': '…'}, that can be written as JSON$",
    ),
    (event(content=[CANARY]), "content: give a text, or a list of parts, [^;]*$"),
    (
        event(content=[{"type": "text", "text": CANARY, "at": object()}]),
        "content: give a text, or a list of parts, [^;]*$",
    ),
    (CANARY, "event: "),
    ([event(content=CANARY)], "event: "),
]


@pytest.mark.parametrize(("data", "says"), REFUSED, ids=[says[:40] for _, says in REFUSED])
def test_unsuitable_field_is_named_with_its_fix_and_without_its_text(data: Any, says: str) -> None:
    with pytest.raises(InvalidEvent, match=f"^event not accepted: ([^;]*; )?{says}") as caught:
        parse_event(data)
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None, "its text would be in the traceback"


def test_too_deeply_nested_value_is_refused() -> None:
    deep: Any = CANARY
    for _ in range(990):
        deep = {"a": deep}
    with pytest.raises(InvalidEvent, match=r"^event not accepted: event: nested too deeply$"):
        parse_event(event(metadata=deep))


def test_field_named_like_its_event_type_is_reported_too() -> None:
    feedback = {**without("content"), "type": "feedback", "prompt": "greeting", "feedback": 7}
    del feedback["role"]
    with pytest.raises(InvalidEvent, match=r"^event not accepted: feedback: input should be a valid string$"):
        parse_event(feedback)


@pytest.mark.parametrize("kind", [None, 7, ["message"], {}], ids=["none", "number", "list", "object"])
def test_type_that_is_no_text_is_refused_like_others(kind: object) -> None:
    with pytest.raises(InvalidEvent, match=r"^event not accepted: type: not an event type of version 1; one of "):
        parse_event(event(type=kind))


def test_every_fault_is_named_at_once() -> None:
    with pytest.raises(InvalidEvent) as caught:
        parse_event(event(role="narrator", occurred_at="2026-03-02T12:00:00", colour="blue"))
    assert all(name in str(caught.value) for name in ("role: ", "occurred_at: ", "colour: "))


@pytest.mark.parametrize("value", [{"colour": "blue"}, {CANARY: "blue"}, {CANARY: "\x00"}])
def test_service_does_not_name_unknown_fields(value: dict[str, str]) -> None:
    with pytest.raises(InvalidEvent, match=r"^event not accepted: ") as caught:
        parse_event(event(**value), name_unknown=False)
    assert not any(name in str(caught.value) for name in value)


def test_tool_call_needs_no_content() -> None:
    parsed = parse_event(event(role="assistant", content=None, tool_calls=[{"id": "1"}]))
    assert isinstance(parsed, MessageEvent)
    assert parsed.text == ""


def test_text_of_a_content_in_parts_is_that_of_its_text_parts() -> None:
    parts = [{"type": "text", "text": "one"}, {"type": "image_url", "image_url": {}}, {"type": "text", "text": "two"}]
    parsed = parse_event(event(content=parts))
    assert isinstance(parsed, MessageEvent)
    assert parsed.text == "one\ntwo"


def test_parts_of_the_responses_api_are_text_as_well() -> None:
    """Otherwise the verbatim items of an agent's history would be stored and never remembered."""
    parts = [
        {"type": "input_text", "text": "one"},
        {"type": "input_image"},
        {"type": "output_text", "text": "two", "n": 1},
    ]
    parsed = parse_event(event(content=parts))
    assert isinstance(parsed, MessageEvent)
    assert parsed.text == "one\ntwo"
    assert parsed.content == [
        {"type": "text", "text": "one"},
        {"type": "input_image"},
        {"type": "text", "text": "two", "n": 1},
    ]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("hi", "hi"),
        ("", ""),
        (None, None),
        (5, None),
        ([], ""),
        ([{"type": "image_url"}], ""),
        (({"type": "text", "text": "a"}, {"type": "input_text", "text": 5}, "b", {"type": ["text"], "text": "c"}), "a"),
    ],
)
def test_text_is_extracted_from_any_content(content: object, text: str | None) -> None:
    assert text_of(content) == text


def test_content_at_its_limit_fits_the_limit_of_an_event() -> None:
    travelling = parse_event(event(content='"' * MAX_CONTENT_BYTES)).model_dump_json()
    assert len(travelling.encode()) <= MAX_EVENT_BYTES + 1024


storable = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | storable,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(storable, inner, max_size=2),
    max_leaves=4,
)
messages = st.fixed_dictionaries(
    {"content": storable | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": storable}), max_size=2)},
    optional={
        "role": st.sampled_from(["user", "assistant", "system", "tool"]),
        "speaker": storable.filter(bool),
        "conversation": storable.filter(bool),
        "sequence": st.integers(0, 2**31),
        "metadata": st.dictionaries(storable, values, max_size=2),
        "occurred_at": st.datetimes(ZONED_BY_MINUTES, datetime(9998, 12, 31), timezones=st.timezones()),  # noqa: DTZ001
    },
)


@pytest.mark.parametrize(
    ("occurred_at", "taken"),
    [
        ("0001-01-01T00:00:00+01:00", False),  # before Python's first time in UTC
        ("0001-12-31T23:59:59Z", False),
        ("0002-01-01T00:00:00Z", True),
        ("9998-12-31T23:59:59Z", True),
        ("9999-12-31T23:59:59-12:00", False),
    ],
)
def test_time_is_one_that_can_be_read_back_in_every_zone(occurred_at: str, taken: bool) -> None:
    if taken:
        assert parse_event(event(occurred_at=occurred_at)).occurred_at == datetime.fromisoformat(occurred_at)
    else:
        with pytest.raises(InvalidEvent, match=r"occurred_at: must lie in the years 2 to 9998; give the time when"):
            parse_event(event(occurred_at=occurred_at))


@given(fields=messages)
def test_event_survives_json(fields: dict[str, Any]) -> None:
    sent = parse_event(event(**fields))
    received = MessageEvent.model_validate_json(sent.model_dump_json(exclude_none=True))
    assert received.model_dump_json() == sent.model_dump_json()


def fields_of(model: type[BaseModel]) -> dict[str, str]:
    """Return the fields of the event schema, each with whether it is required."""
    schema = model.model_json_schema()
    return {name: "required" if name in schema["required"] else "optional" for name in schema["properties"]}


def test_version_1_is_unchanged() -> None:
    """Apps and services of different versions share it: a new optional field is an addition, anything else a version 2."""
    every = {
        "version": "optional",
        "event_id": "optional",
        "namespace": "required",
        "publisher": "required",
        "publisher_sequence": "required",
        "conversation": "optional",
        "occurred_at": "required",
        "type": "optional",
    }
    message = {
        "role": "required",
        "speaker": "optional",
        "content": "optional",
        "sequence": "optional",
        "tool_calls": "optional",
        "tool_call_id": "optional",
        "metadata": "optional",
        "injected": "optional",
        "imported": "optional",
    }
    assert fields_of(Undo) == {**every, "decision_id": "required"}
    configure = dict.fromkeys(("instructions", "schemas", "profiles", "episodes"), "optional")
    assert fields_of(Configure) == {**every, **configure}
    edit = {"document": "required", "patch": "required", "document_version": "optional", "by": "optional"}
    assert fields_of(EditDocument) == {**every, **edit}
    assert fields_of(MessageEvent) == {**every, **message}
    assert fields_of(ConversationEnded) == {**every, "conversation": "required"}


def test_event_of_an_old_app_is_still_understood() -> None:
    sent = (
        '{"version":1,"event_id":"0195a000-0000-7000-8000-000000000001","namespace":["acme","sarah"],'
        '"publisher":"0195a000-0000-7000-8000-000000000002","publisher_sequence":3,"conversation":"c1",'
        '"occurred_at":"2026-03-02T09:00:00+01:00","type":"message","role":"user","content":"I like coffee","metadata":{}}'
    )
    parsed = MessageEvent.model_validate_json(sent)
    assert (parsed.text, parsed.occurred_at) == ("I like coffee", datetime(2026, 3, 2, 8, tzinfo=UTC))
