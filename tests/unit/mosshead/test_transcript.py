"""Conversations as apps have them: a transcript, or a list of messages."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.errors import InvalidEvent
from mosshead.events.transcripts import turns

CANARY = "zanzibar"


@pytest.mark.parametrize(
    ("transcript", "said"),
    [
        ("User: hi\nAssistant: hello", [("user", "hi"), ("assistant", "hello")]),
        ("  user :  hi  there", [("user", "hi  there")]),
        ("Human: hi\nAI: hello", [("user", "hi"), ("assistant", "hello")]),
        ("User:\nhi\nAssistant:\nhello", [("user", "hi"), ("assistant", "hello")]),
        ("User: one\n  two\nthree", [("user", "one\n  two\nthree")]),
        ("User: one\n\ntwo", [("user", "one\n\ntwo")]),
        ("User: see http://x.org\nat 10:30: tea", [("user", "see http://x.org\nat 10:30: tea")]),
        ("User: list\nNote: not a speaker", [("user", "list\nNote: not a speaker")]),
        ("\n\nUser: hi", [("user", "hi")]),
        ("", []),
        ("\n \n", []),
    ],
)
def test_transcript_is_read_turn_by_turn(transcript: str, said: list[tuple[str, str]]) -> None:
    assert [(turn.role, turn.content) for turn in turns(transcript)] == said


def test_speakers_may_have_names() -> None:
    found = turns("Sarah: hi\nBo: hello\nUser: me too", {"Sarah": "user", "bo": "assistant"})
    assert [(turn.role, turn.speaker, turn.content) for turn in found] == [
        ("user", "Sarah", "hi"),
        ("assistant", "Bo", "hello"),
        ("user", None, "me too"),
    ]


@pytest.mark.parametrize("name", ["O’Brien", "Agent #2", "Sarah (host)", "4chan_bob", "Dr. Ada " + "Long" * 20])
def test_named_speaker_may_have_any_name(name: str) -> None:
    found = turns(f"{name}: hi\nUser: hello\n{name}: bye: now", {name: "assistant"})
    assert [(turn.role, turn.content) for turn in found] == [
        ("assistant", "hi"),
        ("user", "hello"),
        ("assistant", "bye: now"),
    ]


def test_line_before_the_first_speaker_is_named_and_not_shown() -> None:
    with pytest.raises(InvalidEvent, match=r"^transcript, line 2: .*speakers=") as caught:
        turns(f"\n{CANARY}: hi\nUser: hello")
    assert CANARY not in str(caught.value)


def test_unknown_role_is_reported() -> None:
    with pytest.raises(InvalidEvent, match=r"^speakers: .*one of user, assistant, system, tool"):
        turns("Sarah: hi", {"Sarah": "narrator"})


@given(
    said=st.lists(
        st.tuples(st.sampled_from(["User", "Assistant", "System"]), st.sampled_from(["tea", "a b", "x: y", "1:2"]))
    )
)
def test_written_transcript_is_read_back(said: list[tuple[str, str]]) -> None:
    transcript = "\n".join(f"{speaker}: {words}" for speaker, words in said)
    assert [(turn.role, turn.content) for turn in turns(transcript)] == [(name.lower(), words) for name, words in said]


def test_list_of_messages_keeps_all_fields() -> None:
    message = {
        "role": "user",
        "content": [{"type": "text", "text": "hi"}],
        "name": "Sarah",
        "occurred_at": "2026-03-02T12:00:00Z",
        "conversation": "c1",
        "sequence": 3,
        "metadata": {"a": 1},
        "tool_calls": None,
    }
    (turn,) = turns([message])
    assert (turn.role, turn.content, turn.speaker, turn.occurred_at) == (
        "user",
        [{"type": "text", "text": "hi"}],
        "Sarah",
        "2026-03-02T12:00:00Z",
    )
    assert turn.more == {"conversation": "c1", "sequence": 3, "metadata": {"a": 1}}


def test_answer_of_the_chat_completion_api_is_a_message_with_all_its_fields() -> None:
    answer: dict[str, Any] = {
        "role": "assistant",
        "content": "hi",
        "refusal": None,
        "annotations": [],
        "audio": None,
        "function_call": None,
    }
    (turn,) = turns([answer])
    assert (turn.role, turn.content, turn.more) == ("assistant", "hi", {})


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ({"content": CANARY}, r"messages\[1\]\.role: missing"),
        ({"role": "user"}, r"messages\[1\]\.content: missing"),
        ({"role": "user", "content": CANARY, "colour": "blue"}, r"messages\[1\]\.colour: not a field of a message"),
        (CANARY, r"messages\[1\]: must be an object"),
        (None, r"messages\[1\]: must be an object"),
    ],
)
def test_faulty_message_is_named(message: Any, says: str) -> None:
    messages: Sequence[Any] = [{"role": "user", "content": "fine"}, message]
    with pytest.raises(InvalidEvent, match=f"^{says}") as caught:
        turns(messages)
    assert CANARY not in str(caught.value)
