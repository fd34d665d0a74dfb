"""All texts of an event: content is redacted, names and structure stay."""

import json
import os
import re
import signal
import threading
import warnings
from typing import Any, cast

import pytest

from mosshead.errors import InvalidEvent
from mosshead.events import MessageEvent, parse_event
from mosshead.events.envelope import MAX_CONTENT_BYTES
from mosshead.redaction import redact_event, redact_fields, redact_json
from mosshead.redaction.text import Places
from tests.given import event
from tests.secrets_given import secrets

SAID = "my pin is 4821"
MARKED = "my pin is [redacted: PIN]"


def redacted(**given: Any) -> MessageEvent:
    one = redact_event(parse_event(event(**given)))
    assert isinstance(one, MessageEvent)
    return one


def test_event_without_secrets_is_the_same_event() -> None:
    one = parse_event(
        event(content="I like tea", metadata={"channel": "web", "n": 7, "seen": True, "at": 1.5, "by": None})
    )
    assert redact_event(one) is one


def test_every_text_of_a_message_is_redacted() -> None:
    parts = [{"type": "text", "text": SAID}, {"type": "tool_result", "content": [{"type": "text", "text": SAID}]}]
    calls = [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"password": "hunter2"}'}}]
    one = redacted(content=parts, speaker=SAID, tool_calls=calls, metadata={"a": [{"b": {"c": SAID}}, SAID]})

    assert one.content == [
        {"type": "text", "text": MARKED},
        {"type": "tool_result", "content": [{"type": "text", "text": MARKED}]},
    ]
    assert one.speaker == MARKED
    assert one.tool_calls == [
        {
            "id": "call_1",
            "type": "function",
            "function": {"name": "f", "arguments": '{"password": "[redacted: password]"}'},
        }
    ]
    assert one.metadata == {"a": [{"b": {"c": MARKED}}, MARKED]}
    assert redacted(content=SAID).text == MARKED


def test_arguments_are_read_as_json() -> None:
    said = "d\u00e9j\u00e0: my pin is 4821\nbye"
    calls = [
        {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": json.dumps({"a": [said], "b": 1})}}
    ]
    (call,) = redacted(tool_calls=calls).model_dump()["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"a": [said.replace("4821", "[redacted: PIN]")], "b": 1}


def test_names_of_an_event_stay() -> None:
    key = secrets(1, 1)[0].text
    one = redacted(content=SAID, conversation=key, tool_call_id=key, namespace=["acme", key])
    assert (one.conversation, one.tool_call_id, one.namespace[1], one.text) == (key, key, key, MARKED)


def test_instructions_of_an_app_are_redacted() -> None:
    configure = {**event(type="configure", instructions=SAID)}
    for name in ("role", "content"):
        del configure[name]
    assert redact_event(parse_event(configure)).model_dump()["instructions"] == MARKED


def test_field_name_marks_its_value_as_a_secret() -> None:
    fields = {
        "password": "correct horse",
        "pin": 4821,
        "token": 523,
        "tokens": 4096,
        "password_hint": "my dog",
        "key": "A4",
    }
    assert redact_json({"meta": [fields]}) == {
        "meta": [{**fields, "password": "[redacted: password]", "pin": "[redacted: PIN]"}]
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"password": "it's me"},
        {"password": "Tr\"0ub'4`d"},
        {"password": "sun shine\nmoon"},
        {"passwords": '["sunshine"]'},
        {"passwort": "sonnenschein"},
        {"Kontraseña": "x", "contraseña": "girasol"},
        {"пароль": "солнце"},
        {"pw": "sunshine"},
        {"db_pass": "sunshine"},
        {"pass": "sunshine"},
        {"pin": "[4821]"},
        {"pin_code": "4821"},
        {"puk": "12345678"},
        {"cvv2": 123},
    ],
)
def test_no_form_of_a_value_hides_it_under_such_a_name(fields: dict[str, Any]) -> None:
    for given in (fields, json.dumps(fields, ensure_ascii=False)):
        told = str(redact_json({"arguments": given}))
        *_, secret = fields.values()
        assert "[redacted: " in told
        assert str(secret).strip('[]"') not in told
        assert redact_json(redact_json({"arguments": given})) == redact_json({"arguments": given})


def test_count_of_passes_stays() -> None:
    assert redact_json({"pass": 12, "fail": 1}) == {"pass": 12, "fail": 1}


def test_card_that_is_a_number_is_redacted() -> None:
    assert redact_json({"paid": 4111111111111111, "order": 7}) == {"paid": "[redacted: card number]", "order": 7}


def test_value_that_is_no_event_is_redacted_at_every_depth() -> None:
    deep: Any = SAID
    for _ in range(5000):
        deep = [deep]
    one = redact_fields({"event_id": SAID, "whatever": deep, "password": "hunter2"})
    inner = one["whatever"]
    while isinstance(inner, list):
        (inner,) = inner
    assert (inner, one["event_id"], one["password"]) == (MARKED, SAID, "[redacted: password]")


def test_long_field_name_is_read_once_and_not_for_each_of_its_values() -> None:
    """A list under a name of a hundred thousand letters took minutes when the name was read for each item."""
    name = "a." * 50_000 + "pin"
    assert set(redact_json({name: [4821] * 400})[name]) == {"[redacted: PIN]"}


def test_text_that_grows_past_its_limit_is_refused() -> None:
    text = "pin 4821 " * (MAX_CONTENT_BYTES // 9)
    with pytest.raises(InvalidEvent, match="content: "):
        redacted(content=text)


def test_none_of_very_many_pins_stays_and_counts_of_tokens_do() -> None:
    users = [{"name": f"u{number}", f"user{number}_pin": 1000 + number, "tokens": 1532} for number in range(1500)]
    redacted = redact_json({"users": users})["users"]
    assert {value for user in redacted for name, value in user.items() if name.endswith("pin")} == {"[redacted: PIN]"}
    assert {user["tokens"] for user in redacted} == {1532}
    assert redact_json({"users": redacted}) == {"users": redacted}


def test_any_number_of_harmless_names_keep_their_values() -> None:
    settings = {"settings": [{"key": f"colour {number}", "value": "red"} for number in range(1500)]}
    assert redact_json(settings) == settings


def test_forked_child_does_not_wait_for_a_search_of_its_parents_thread() -> None:
    looking, done = threading.Event(), threading.Event()

    class Slow:
        def search(self, _text: str, _at: int) -> None:
            looking.set()
            done.wait()

    thread = threading.Thread(target=Places(cast(re.Pattern[str], Slow()), "").in_window, args=(0, 1))
    thread.start()
    looking.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # for forks beside threads, from Python 3.12
        child = os.fork()
    if not child:
        signal.alarm(5)
        found = Places(re.compile("key"), "a key").in_window(0, 5)
        os._exit(0 if found else 1)
    done.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
