"""Checked events, before they are numbered and as they are sent."""

import json
from uuid import UUID, uuid4

import pytest

from mosshead.errors import InvalidEvent
from mosshead.events import MAX_EVENT_BYTES, parse_event
from mosshead.paths import NamespacePath
from mosshead.publishing.publishers import check_event, check_events, numbered

SARAH = NamespacePath.of(("acme", "sarah"))
MESSAGE = {"type": "message", "role": "user", "content": "hi"}


def test_checked_event_is_complete_except_for_its_number() -> None:
    own = {"event_id": "0195a000-0000-7000-8000-000000000001", "occurred_at": "2020-01-01T00:00:00+02:00"}
    (checked,) = check_events(SARAH, [{**MESSAGE, **own, "publisher": "somebody", "publisher_sequence": 99}])
    body = json.loads(checked.body)
    assert {"publisher", "publisher_sequence"}.isdisjoint(body)
    assert {name: body[name] for name in own} == own
    assert (str(checked.event_id), checked.path) == (own["event_id"], SARAH)


def test_numbered_event_fits_the_schema() -> None:
    publisher = uuid4()
    (checked,) = check_events(SARAH, [MESSAGE])
    event = parse_event(json.loads(numbered(checked.body, publisher, 7)))
    assert (event.publisher, event.publisher_sequence, event.event_id) == (publisher, 7, checked.event_id)


def test_event_stays_in_the_namespace_it_is_published_to() -> None:
    (checked,) = check_events(SARAH, [{**MESSAGE, "namespace": ["acme", "bo"]}])
    assert json.loads(checked.body)["namespace"] == ["acme", "sarah"]
    assert check_event({**MESSAGE, "namespace": ["acme", "bo"]}).path.parts == ("acme", "bo")


def test_one_invalid_event_stops_all() -> None:
    with pytest.raises(InvalidEvent, match="role: one of"):
        check_events(SARAH, [MESSAGE, {**MESSAGE, "role": "narrator"}])


@pytest.mark.parametrize("event", [[], [MESSAGE], "hi", None, 7])
def test_event_that_is_not_an_object_is_refused(event: object) -> None:
    with pytest.raises(InvalidEvent, match=r"^event not accepted: event: not a JSON object$"):
        check_event(event)


def test_event_that_is_too_large_with_its_number_is_refused() -> None:
    calls = [{"id": "x" * (MAX_EVENT_BYTES // 2)}] * 2
    with pytest.raises(InvalidEvent, match=r"bytes as JSON, at most 524,288; split it"):
        check_events(SARAH, [{**MESSAGE, "tool_calls": calls}])


@pytest.mark.parametrize("spare", [-1, 0, 1])
def test_limit_applies_to_the_whole_event(spare: int) -> None:
    """The longest number fits within the limit."""
    empty = check_event({**MESSAGE, "namespace": ["acme", "sarah"], "tool_calls": [{"id": ""}]})
    room = MAX_EVENT_BYTES - len(numbered(empty.body, uuid4(), 2**63).encode())
    event = {**MESSAGE, "namespace": ["acme", "sarah"], "tool_calls": [{"id": "x" * (room + spare)}]}
    # The fraction of a second may have fewer digits.
    event["occurred_at"] = json.loads(empty.body)["occurred_at"]
    if spare > 0:
        with pytest.raises(InvalidEvent):
            check_event(event)
    else:
        check_event(event)


PICTURE = "data:image/png;base64," + "iVBORw0KGgo" * 100_000


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"role": "developer"}, {"role": "system"}),
        ({"role": "function"}, {"role": "tool"}),
        ({"role": "assistant", "content": None}, {"content": ""}),
        ({"content": "a\x00b\ud83d"}, {"content": "a?b?"}),
        ({"content": [{"type": "text", "text": "nul \x00"}]}, {"content": [{"type": "text", "text": "nul ?"}]}),
        ({"metadata": {"from\x00": ["\ud83d"]}}, {"metadata": {"from?": ["?"]}}),
    ],
    ids=["developer", "function", "no content", "NUL and half a pair", "in a part", "in metadata"],
)
def test_message_in_a_providers_form_is_accepted(given: dict[str, object], taken: dict[str, object]) -> None:
    (checked,) = check_events(SARAH, [{**MESSAGE, **given}])
    body = json.loads(checked.body)
    assert {name: body[name] for name in taken} == taken


@pytest.mark.parametrize(
    ("part", "noted"),
    [
        (
            {"type": "image_url", "image_url": {"url": PICTURE}},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64[1,100,022 characters left out]"}},
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "UklGRg" * 100_000, "format": "wav"}},
            {"type": "input_audio", "input_audio": {"data": "[600,000 characters left out]", "format": "wav"}},
        ),
        (
            {"type": "image_url", "image_url": {"url": "https://example.com/flat.jpg"}},
            {"type": "image_url", "image_url": {"url": "https://example.com/flat.jpg"}},
        ),
    ],
    ids=["picture", "sound", "address"],
)
def test_picture_in_a_message_is_replaced_by_its_size_and_text_is_kept(part: object, noted: object) -> None:
    text = {"type": "text", "text": "Look at this. " * 200}
    (checked,) = check_events(SARAH, [{**MESSAGE, "content": [text, part]}])
    assert json.loads(checked.body)["content"] == [text, noted]


def test_replaced_characters_are_logged_with_their_count_and_without_the_text(caplog: pytest.LogCaptureFixture) -> None:
    check_events(SARAH, [{**MESSAGE, "content": "zanzibar\x00\x00"}])
    assert "replaced 2 characters" in caplog.text
    assert "zanzibar" not in caplog.text


def test_message_that_contains_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(InvalidEvent, match="nested too deeply"):
        check_events(SARAH, [{**MESSAGE, "metadata": {"loop": loop}}])


def test_number_that_json_lacks_is_published_as_null() -> None:
    (checked,) = check_events(SARAH, [{**MESSAGE, "metadata": {"score": float("nan"), "most": [float("inf")]}}])
    assert json.loads(checked.body)["metadata"] == {"score": None, "most": [None]}


@pytest.mark.parametrize("levels", [256, 300])
def test_too_deeply_nested_metadata_is_refused_in_few_words(levels: int) -> None:
    deep: object = 1
    for _ in range(levels):
        deep = {"a": deep}
    with pytest.raises(InvalidEvent, match=r"^event not accepted: metadata: nested too deeply$"):
        check_events(SARAH, [{**MESSAGE, "metadata": deep}])


def test_message_without_content_or_calls_is_refused() -> None:
    with pytest.raises(InvalidEvent, match="content: missing"):
        check_events(SARAH, [{"type": "message", "role": "user"}])


def test_checked_event_contains_no_secret() -> None:
    (checked,) = check_events(
        SARAH, [{**MESSAGE, "content": "my pin is 4821", "metadata": {"notes": ["my pin is 4821"]}}]
    )
    body = json.loads(checked.body)
    assert body["content"] == "my pin is [redacted: PIN]"
    assert body["metadata"] == {"notes": ["my pin is [redacted: PIN]"]}
    assert check_event({**MESSAGE, "namespace": ["acme", "bo"], "content": "PIN 4821"}).body.count("4821") == 0


def test_exit_in_the_middle_of_a_check_stays_an_exit(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(_id: UUID) -> str:
        raise SystemExit(3)  # as a signal handler does

    check_events(SARAH, [MESSAGE])
    monkeypatch.setattr(UUID, "__str__", end)
    with pytest.raises(SystemExit):
        check_events(SARAH, [MESSAGE])
