"""How a message is judged: an event for the inbox, or a dead letter with a reason and without its text."""

import base64
import hashlib
import json
import unicodedata
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import DataError

from mosshead.events import MAX_EVENT_BYTES, parse_event
from mosshead.publishing.signing import MAX_SIGNED_BYTES, SigningKey, TenantKey, sign
from tests.given import as_text, event
from workers import intake
from workers.intake import Accepted, RefusedMessage, _parts, judge, judge_event, takes_long

CANARY = "zanzibar"
SECRET = "0123456789abcdef0123456789abcdef"
APP = SigningKey("app-1", SECRET)
KEYS = {"app-1": TenantKey("acme", SECRET)}


def nested(levels: int, **given: Any) -> str:
    """Return an event whose metadata is that deep."""
    deep = f'{{"{CANARY}":' * levels + "1" + "}" * levels
    return f'{as_text(event(**given))[:-1]}, "metadata": {deep}}}'


def test_event_is_accepted_in_the_form_the_inbox_needs() -> None:
    one = event(content="I like tea")
    body = as_text(one).encode()

    assert judge(body, {}) == Accepted(parse_event(one).model_dump_json(exclude_none=True), body)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (f"{{{CANARY}", "event: not a JSON object"),
        (f'["{CANARY}"]', "event: not a JSON object"),
        ("[" * 100_000, "event: not a JSON object"),
        (b"\xff\xfe", "event: not a JSON object"),
        ("", "event: not a JSON object"),
        (json.dumps(f"{CANARY}\ud800"), "event: not a JSON object"),
        ("9" * 5_000, "event: not a JSON object"),
        (json.dumps({CANARY: 1}), "type: missing"),
        (f'{{"padding": "{CANARY * 2 * MAX_EVENT_BYTES}"}}', "event: 8,388,623 bytes, at most 524,288"),
    ],
    ids=["no JSON", "a list", "deep", "not UTF-8", "empty", "half a pair", "a number", "no event", "much too big"],
)
def test_message_without_an_envelope_is_refused_and_takes_no_number(body: str | bytes, says: str) -> None:
    raw = body.encode() if isinstance(body, str) else body
    arrival = judge(raw, {})

    assert isinstance(arrival, RefusedMessage)
    assert says in arrival.reason
    assert CANARY not in arrival.reason
    assert arrival.event is None
    assert arrival.body == raw


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (as_text(event(content=CANARY, version=2)), "version: must be 1"),
        (as_text(event(content=CANARY, type="telepathy")), "type: not an event type of version 1"),
        (as_text(event(role=CANARY)), "role: one of"),
        (as_text({**event(), CANARY: 1}), "event: has a field that its type does not have"),
        (nested(300), "event: nested too deeply"),
        (nested(700), "event: nested too deeply"),
    ],
    ids=["version 2", "unknown type", "unknown role", "unknown field", "deep", "deeper"],
)
def test_message_with_an_envelope_takes_its_number_and_is_kept_whole(body: str, says: str) -> None:
    arrival = judge(body.encode(), {})

    assert isinstance(arrival, RefusedMessage)
    assert says in arrival.reason
    assert CANARY not in arrival.reason
    assert arrival.event is not None
    assert arrival.event.count(CANARY) == body.count(CANARY)


def test_event_is_stored_under_the_composed_form_of_its_namespace_whatever_else_is_wrong() -> None:
    path = [unicodedata.normalize("NFD", part) for part in ("Zoë", "André")]
    taken, refused = judge(as_text(event(path)).encode(), {}), judge(as_text(event(path, version=2)).encode(), {})
    for arrival in (taken, refused):
        assert arrival.event is not None
        assert json.loads(arrival.event)["namespace"] == ["Zo\u00eb", "Andr\u00e9"]


def test_event_with_invisible_characters_in_its_namespace_is_refused_and_takes_no_number() -> None:
    arrival = judge(as_text(event(("acme", "sarah\u200b"))).encode(), {})
    assert isinstance(arrival, RefusedMessage)
    assert arrival.reason == "event not accepted: namespace[1]: holds a format character, U+200B; remove it"
    assert arrival.event is None


def test_only_the_envelope_of_an_oversized_event_is_kept() -> None:
    one = event(content=CANARY * MAX_EVENT_BYTES)
    arrival = judge(as_text(one).encode(), {})

    assert isinstance(arrival, RefusedMessage)
    assert arrival.reason == "event: 4,194,574 bytes, at most 524,288"
    assert arrival.event is not None
    kept = json.loads(arrival.event)
    assert kept.keys() == {"event_id", "namespace", "publisher", "publisher_sequence", "occurred_at", "type"}
    assert (kept["event_id"], kept["publisher_sequence"]) == (one["event_id"], 1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"event_id": "not a uuid"},
        {"namespace": ["acme"]},
        {"namespace": ["acme", "{user_id}"]},
        {"publisher": 7},
        {"publisher_sequence": 0},
        {"publisher_sequence": 2**63},
        {"publisher_sequence": 2**63 - 1},
        {"publisher_sequence": 2**53},
        {"occurred_at": "2026-03-02T12:00:00"},
        {"type": None},
    ],
)
def test_no_number_is_taken_without_a_complete_envelope(wrong: dict[str, Any]) -> None:
    arrival = judge(as_text(event(version=2, **wrong)).encode(), {})

    assert isinstance(arrival, RefusedMessage)
    assert arrival.event is None


def test_envelope_is_written_as_the_database_reads_it() -> None:
    odd: dict[str, Any] = {
        "event_id": "{0A0B0C0D-0000-4000-8000-000000000001}",
        "publisher_sequence": "7",
        "occurred_at": 1772452800,
    }
    arrival = judge(as_text(event(version=2, **odd)).encode(), {})

    assert isinstance(arrival, RefusedMessage)
    assert arrival.event is not None
    kept = json.loads(arrival.event)
    assert kept["event_id"] == "0a0b0c0d-0000-4000-8000-000000000001"
    assert (kept["publisher_sequence"], kept["occurred_at"]) == (7, "2026-03-02T12:00:00Z")


def test_signed_event_is_accepted_and_replayed_if_there_are_keys() -> None:
    body = sign(as_text(event()), APP).encode()

    assert isinstance(judge(body, KEYS), Accepted)
    assert judge(body, KEYS) == judge(body, KEYS)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (as_text(event(content=CANARY)), "not signed"),
        (sign(as_text(event(content=CANARY)), SigningKey("other", SECRET)), "a key that the service does not know"),
        (sign(as_text(event(content=CANARY)), SigningKey("app-1", SECRET[::-1])), "wrong signature"),
        (sign(as_text(event(("rival", "sarah"), content=CANARY)), APP), "belongs to another tenant"),
        (sign(as_text(event()), APP).replace("coffee", CANARY), "wrong signature"),
        (sign("x" * 8 * MAX_SIGNED_BYTES, APP), "8,396,916 bytes, at most 524,288"),
    ],
    ids=["unsigned", "unknown kid", "wrong secret", "another tenant", "changed", "oversized"],
)
def test_badly_signed_message_takes_no_number_if_there_are_keys(body: str, says: str) -> None:
    arrival = judge(body.encode(), KEYS)

    assert isinstance(arrival, RefusedMessage)
    assert says in arrival.reason
    assert CANARY not in arrival.reason
    assert arrival.event is None


def test_signed_event_that_is_itself_invalid_takes_its_number() -> None:
    arrival = judge(sign(as_text(event(version=2)), APP).encode(), KEYS)

    assert isinstance(arrival, RefusedMessage)
    assert arrival.event is not None
    assert "signature" not in arrival.event


def test_signed_event_without_keys_is_refused_with_the_name_of_the_setting() -> None:
    arrival = judge(sign(as_text(event()), APP).encode(), {})

    assert isinstance(arrival, RefusedMessage)
    assert arrival.reason.startswith("event: signed, and MOSSHEAD_SIGNING_KEYS is not set")
    assert arrival.event is None


def test_dead_letter_names_its_body_by_its_digest_and_keeps_the_start_of_a_body_that_is_no_event() -> None:
    body = CANARY.encode() * MAX_SIGNED_BYTES
    letter = json.loads(RefusedMessage("why", body).as_json())

    assert base64.b64decode(letter.pop("body")) == body[: 8 * 1024]
    assert letter == {
        "reason": "why",
        "digest": hashlib.sha256(body).hexdigest(),
        "bytes": len(body),
        "event": None,
    }


@pytest.mark.parametrize("start", ["", "[", "\xff"])
def test_junk_is_cut_before_it_is_searched_for_secrets(start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []

    def counted(text: str) -> str:
        looked_at.append(len(text))
        return text

    monkeypatch.setattr(intake, "redact", counted)
    RefusedMessage("why", start.encode("latin-1") + b"DE89my " * 150_000).as_json()
    assert sum(looked_at) < 70_000


def test_event_with_too_many_fields_is_refused_without_checking_each() -> None:
    arrival = judge(as_text({**event(), **{f"{CANARY}{number}": 1 for number in range(20_000)}}).encode(), {})
    assert isinstance(arrival, RefusedMessage)
    assert arrival.reason == "event not accepted: event: 20,009 fields, at most 100; put others into metadata"


def test_event_with_very_many_faults_reports_their_number() -> None:
    arrival = judge(as_text(event(tool_calls=[1] * 20_000)).encode(), {})
    assert isinstance(arrival, RefusedMessage)
    assert arrival.reason.startswith("event not accepted: event: 20,000 values or fields")


def test_dead_letter_with_a_stored_event_has_no_body() -> None:
    one = event()
    letter = json.loads(RefusedMessage("why", b"whatever", as_text(one)).as_json())

    assert (letter["body"], letter["event"]) == ("", one)


def test_message_the_database_refuses_is_kept_in_ever_smaller_part() -> None:
    accepted = judge(as_text(event()).encode(), {})
    assert isinstance(accepted, Accepted)
    error = DataError("insert", {}, Exception())
    ((refused,),) = _parts([accepted], error)
    ((left,),) = _parts([refused], error)

    assert refused == RefusedMessage("event: the database cannot store it (DataError)", accepted.body, accepted.event)
    assert left == replace(refused, event=None)


@given(
    body=st.binary(max_size=200) | st.recursive(st.none() | st.text(), lambda inner: st.dictionaries(st.text(), inner))
)
def test_any_message_is_judged(body: object) -> None:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    for keys in ({}, KEYS):
        arrival = judge(raw, keys)
        assert isinstance(arrival, RefusedMessage)
        assert UUID(json.loads(arrival.as_json())["digest"][:32])


@given(changes=st.dictionaries(st.sampled_from(sorted(event())), st.none() | st.text() | st.integers() | st.floats()))
def test_event_is_accepted_or_kept_for_an_operator(changes: dict[str, object]) -> None:
    one = {**event(), **changes}
    arrival = judge_event(one, size=100, body=b"")

    assert isinstance(arrival, Accepted) or len(arrival.reason) <= 500


TOLD = "my pin is 4821"
REDACTED = "my pin is [redacted: PIN]"


def kept_body(body: bytes) -> bytes:
    """Return what a dead letter keeps of a message that takes no number."""
    return base64.b64decode(json.loads(RefusedMessage("why", body).as_json())["body"])


def test_event_that_bypassed_the_library_loses_its_secrets() -> None:
    arrival = judge(as_text(event(content=TOLD, metadata={"note": [TOLD]})).encode(), {})

    assert isinstance(arrival, Accepted)
    kept = json.loads(arrival.event)
    assert (kept["content"], kept["metadata"]) == (REDACTED, {"note": [REDACTED]})


def test_refused_event_that_keeps_its_number_loses_its_secrets() -> None:
    arrival = judge(as_text(event(content=TOLD, version=2, mood={"pin": 4821, TOLD[:2]: TOLD})).encode(), {})

    assert isinstance(arrival, RefusedMessage)
    assert arrival.event is not None
    assert "4821" not in arrival.event
    assert json.loads(arrival.event)["content"] == REDACTED


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (TOLD.encode(), REDACTED.encode()),
        (b"\xff " + TOLD.encode(), b"\xff " + REDACTED.encode()),
        (json.dumps([TOLD]).encode(), json.dumps([REDACTED]).encode()),
        (json.dumps({"content": TOLD}).encode(), json.dumps({"content": REDACTED}).encode()),
        (f'{{"content": "{TOLD}'.encode(), f'{{"content": "{REDACTED}'.encode()),
    ],
    ids=["text", "not quite UTF-8", "a list", "an object", "cut off"],
)
def test_kept_body_loses_its_secrets(body: bytes, kept: bytes) -> None:
    assert kept_body(body) == kept


def test_signed_body_is_kept_byte_for_byte_only_without_secrets() -> None:
    sound, told = (sign(as_text(event(content=content)), APP).encode() for content in ("I like tea", TOLD))

    assert kept_body(sound) == sound
    assert b"4821" not in kept_body(told)
    assert json.loads(kept_body(told))["kid"] == "app-1"


def test_secret_at_the_end_of_the_kept_part_is_not_cut_in_two() -> None:
    body = (b"tea " * MAX_SIGNED_BYTES)[: MAX_SIGNED_BYTES - 8] + b" 4111 1111 1111 1111 is my card"
    assert b"4111" not in kept_body(body)


@pytest.mark.parametrize(
    "body", [b"tea " * 8_192, b"[" + b'"tea", ' * 4_680 + b'"tea"]'.ljust(7)], ids=["text", "a list"]
)
def test_body_that_is_not_an_object_is_kept_whole_below_32_kb_and_to_8_kb_above(body: bytes) -> None:
    large = body.ljust(32 * 1024)
    assert kept_body(large) == large[: 8 * 1024]
    assert kept_body(large[:-1]) == large[:-1]


LARGE = {"content": "tea " * 20_000}


@pytest.mark.parametrize(
    ("body", "long"),
    [
        (json.dumps(LARGE).encode(), True),
        (sign(json.dumps(LARGE), APP).encode(), True),
        (json.dumps({"content": "tea"}).encode(), False),
        (b"x" * 250_000, False),
        (b"{" + b"x" * 250_000, False),
        (json.dumps([LARGE]).encode(), False),
        (b"[" * 250_000, False),
    ],
    ids=["an object", "signed by anybody", "small", "text", "a broken object", "a list", "deep"],
)
def test_only_a_large_object_takes_long(body: bytes, *, long: bool) -> None:
    assert takes_long(body) is long
