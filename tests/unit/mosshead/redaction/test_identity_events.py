"""What an app says about identity: ids are kept, and secrets in its words are removed."""

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.events import parse_event
from mosshead.redaction.events import redact_event, redact_fields
from tests.given import event

CARD = UUID("44737597-3529-4978-8085-823597751224")
SECRET = "my password is hunter2!"

_IDS = st.uuids() | st.just(CARD)


def told(**fields: Any) -> dict[str, Any]:
    envelope = event()
    del envelope["role"], envelope["content"]
    return {**envelope, **fields}


@given(first=_IDS, second=_IDS, third=_IDS)
def test_ids_are_kept(first: UUID, second: UUID, third: UUID) -> None:
    one, two, three = map(str, (first, second, third))
    events = [
        told(type="clarify", question_id=one, entity_id=two),
        told(type="split", entity_id=one, memories=[two, three]),
        told(type="remember", content="x", replaces=one),
        told(type="forget", memories=[one, two]),
        told(type="reflect", kind="gist", subject=one, conversation=two),
        *([told(type="merge", entity_id=one, into=two)] if one != two else []),
    ]
    for fields in events:
        assert redact_fields(fields) == fields
        assert redact_event(parse_event(fields)) == parse_event(fields)


@pytest.mark.parametrize(
    ("fields", "holding"),
    [
        (
            {"type": "remember", "content": SECRET, "about": [SECRET], "replaces": str(CARD)},
            ("content", "about"),
        ),
        ({"type": "forget", "memories": [str(CARD)], "reason": SECRET}, ("reason",)),
        ({"type": "clarify", "mention": SECRET, "text": SECRET, "entity_id": str(CARD)}, ("mention", "text")),
        (
            {
                "type": "split",
                "entity_id": str(CARD),
                "memories": [str(CARD)],
                "name": SECRET,
                "description": SECRET,
                "aliases": [SECRET],
            },
            ("name", "description", "aliases"),
        ),
    ],
)
def test_words_are_redacted(fields: dict[str, Any], holding: tuple[str, ...]) -> None:
    redacted = redact_event(parse_event(told(**fields))).model_dump()
    assert all("hunter2" not in str(redacted[name]) for name in holding)
    assert all("hunter2" not in str(redact_fields(told(**fields))[name]) for name in holding)
