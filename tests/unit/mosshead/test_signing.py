"""Signed events: a signed event can be opened again, and no other can, whichever byte was changed."""

import json
import unicodedata
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.errors import ConfigurationError, SignatureRefused
from mosshead.publishing.signing import SigningKey, TenantKey, open_signed, parse_key, parse_keys, sign
from tests.given import as_text, event

OLD, NEW = SigningKey("app-1", "o" * 32), SigningKey("app-2", "n" * 32)
KEYS = {"app-1": TenantKey("acme", "o" * 32), "app-2": TenantKey("acme", "n" * 32)}
TEXT = as_text(event())

texts = st.text(st.characters(codec="utf-8"), max_size=50)
events = st.builds(lambda content: json.dumps(event(content=content), ensure_ascii=False), texts)


@given(events)
def test_signed_event_opens_repeatedly(text: str) -> None:
    signed = sign(text, OLD)
    assert open_signed(signed, KEYS) == open_signed(signed.encode(), KEYS) == text


@given(events, st.data())
def test_any_changed_byte_is_refused(text: str, data: st.DataObject) -> None:
    signed = bytearray(sign(text, OLD).encode())
    place = data.draw(st.integers(0, len(signed) - 1))
    signed[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(SignatureRefused):
        open_signed(bytes(signed), KEYS)


@given(events, st.data())
def test_any_insertion_or_deletion_is_refused(text: str, data: st.DataObject) -> None:
    signed = sign(text, OLD).encode()
    start, end = sorted(data.draw(st.integers(0, len(signed))) for _ in range(2))
    changed = signed[:start] + data.draw(st.binary(max_size=3)) + signed[end:]
    if changed != signed:
        with pytest.raises(SignatureRefused):
            open_signed(changed, KEYS)


def test_other_spelling_of_the_same_json_is_refused() -> None:
    envelope = json.loads(sign(TEXT, OLD))
    for other in (json.dumps(envelope), json.dumps(dict(reversed(envelope.items())), separators=(",", ":"))):
        with pytest.raises(SignatureRefused, match="wrong signature"):
            open_signed(other, KEYS)


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_garbage_is_refused_and_breaks_nothing(garbage: bytes | str) -> None:
    with pytest.raises(SignatureRefused):
        open_signed(garbage, KEYS)


@pytest.mark.parametrize("in_setting", ["NFC", "NFD"])
@pytest.mark.parametrize("in_event", ["NFC", "NFD"])
def test_tenant_is_the_same_however_its_name_was_typed(
    in_setting: Literal["NFC", "NFD"], in_event: Literal["NFC", "NFD"]
) -> None:
    tenant = unicodedata.normalize(in_setting, "Zoë")
    keys = parse_keys(f"app-1:{tenant}:{'o' * 32}")
    text = json.dumps(event((unicodedata.normalize(in_event, "Zoë"), "sarah")))
    assert open_signed(sign(text, OLD), keys) == text


def forged(**changes: Any) -> str:
    return json.dumps({**json.loads(sign(TEXT, OLD)), **changes}, separators=(",", ":"))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (TEXT, "event: not signed"),
        (forged(kid="app-9"), "event: signed with a key that the service does not know"),
        (forged(kid="app-2"), "event: wrong signature"),
        (forged(event=as_text(event(("acme", "bo")))), "event: wrong signature"),
        (forged(signed=2), "event: wrong signature"),
        (sign(TEXT, SigningKey("app-1", "x" * 32)), "event: wrong signature"),
        (sign(as_text(event(("globex", "sarah"))), OLD), "event: its namespace belongs to another tenant"),
        (sign("coffee", OLD), "event: its namespace belongs to another tenant"),
        (sign('{"namespace":[]}', OLD), "event: its namespace belongs to another tenant"),
    ],
)
def test_reason_is_named_and_shows_nothing(body: str, reason: str) -> None:
    with pytest.raises(SignatureRefused, match=f"^{reason}") as refused:
        open_signed(body, KEYS)
    assert not any(word in str(refused.value) for word in ("coffee", "sarah", "acme", "globex", "app-"))


def test_two_keys_are_valid_while_one_replaces_the_other() -> None:
    assert [open_signed(sign(TEXT, key), KEYS) for key in (OLD, NEW)] == [TEXT, TEXT]
    with pytest.raises(SignatureRefused):
        open_signed(sign(TEXT, OLD), {"app-2": KEYS["app-2"]})


def test_key_is_read_from_its_setting() -> None:
    assert parse_key("app-1:" + "s" * 32) == SigningKey("app-1", "s" * 32)
    assert parse_keys(f" a:acme:{'s' * 32}, b:tenant:with:colons:{'t' * 32}, ") == {
        "a": TenantKey("acme", "s" * 32),
        "b": TenantKey("tenant:with:colons", "t" * 32),
    }
    assert parse_keys("") == {}


def test_secret_is_not_shown() -> None:
    assert "s" * 32 not in repr((SigningKey("a", "s" * 32), parse_keys(f"a:acme:{'s' * 32}")))


@pytest.mark.parametrize(
    "wrong", ["", "app-1", "s" * 40, "app-1:tooshort", "app 1:" + "s" * 32, "a:" + "s" * 31 + " s"]
)
def test_unusable_key_names_the_setting(wrong: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_SIGNING_KEY: not of the form KID:SECRET") as refused:
        parse_key(wrong)
    assert "sss" not in str(refused.value)


@pytest.mark.parametrize("wrong", ["a:" + "s" * 32, "a::" + "s" * 32, "a:acme:short", f"a:b:{'s' * 32},c:{'t' * 32}"])
def test_unusable_keys_name_the_setting(wrong: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_SIGNING_KEYS: key [12]: not of the form") as refused:
        parse_keys(wrong)
    assert "sss" not in str(refused.value)


def test_duplicate_kid_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="duplicate kid a"):
        parse_keys(f"a:acme:{'s' * 32},a:globex:{'t' * 32}")
