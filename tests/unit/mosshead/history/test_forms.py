"""Exports of other apps: the sample of each form, with its traps, gives what a reader of the chat would say was said."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.errors import InvalidEvent
from mosshead.history.archive import Archive
from mosshead.history.form import entries, recognise
from mosshead.history.json_stream import JsonStream
from mosshead.history.mem0 import mem0_lines
from mosshead.history.message import HistoryMessage, LeftOut

SAMPLES = Path(__file__).parents[3] / "data" / "history"
Said = list[tuple[str | None, str, str]]


def read(name: str, **options: Any) -> tuple[str, list[HistoryMessage], list[str]]:
    archive = Archive(SAMPLES / name)
    form = recognise(archive)
    found = list(entries(archive, form, **options))
    messages = [one for one in found if isinstance(one, HistoryMessage)]
    return form.name, messages, [one.reason for one in found if isinstance(one, LeftOut)]


@pytest.mark.parametrize(
    ("name", "form", "said"),
    [
        ("chatgpt.json", "chatgpt", [("user", "I live in Leeds."), ("assistant", "Nice.")]),
        ("claude.json", "claude", [("user", "I restore harps."), ("assistant", "Lovely.")]),
        ("telegram.json", "telegram", [("Max", "I moved to Leeds."), ("user3", "Hello.")]),
        ("slack", "slack", [("Max Fenn", "@Bo R&D is at example.com, see #general <3"), ("Bo", "Yes.")]),
        (
            "whatsapp-android-de.txt",
            "whatsapp",
            [("Max", "Ich wohne in Leeds.\nSeit Mai: in der Elm Street."), ("Bo", "Ja."), ("Bo", "Ja.")],
        ),
        ("whatsapp-ios-us.txt", "whatsapp", [("Max", "I live in Leeds.\nSince May."), ("Bo", "Nice")]),
    ],
)
def test_a_sample_is_recognised_and_gives_what_was_said(name: str, form: str, said: list[tuple[str, str]]) -> None:
    recognised, messages, left_out = read(name)

    assert recognised == form
    assert [(one.role or one.speaker, one.content) for one in messages] == said
    assert left_out
    assert len({(one.conversation, one.source_id) for one in messages}) == len(messages)
    assert messages == read(name)[1]


def test_an_edited_branch_hidden_messages_and_tools_of_chatgpt_are_left_out_by_reason() -> None:
    assert sorted(read("chatgpt.json")[2]) == [
        "a call of a tool",
        "hidden in ChatGPT",
        "of the role system",
        "of the role tool",
        "on a branch that was edited away",
    ]


def test_the_hours_of_both_phones_are_read() -> None:
    _, android, _ = read("whatsapp-android-de.txt")
    _, ios, _ = read("whatsapp-ios-us.txt")

    assert android[0].occurred_at.strftime("%Y-%m-%d %H:%M") == "2023-12-31 22:11"
    assert [one.occurred_at.strftime("%Y-%m-%d %H:%M") for one in ios] == ["2023-12-31 22:11", "2024-01-01 00:01"]


@pytest.mark.parametrize(
    "marker",
    [
        "<Media omitted>",
        "<Multimedia omitido>",
        "<Médias omis>",
        "<Mídia oculta>",
        "<Arquivo de mídia oculto>",
        "<Media omessi>",
        "<Media weggelaten>",
        "\u200eBild weggelassen",
        "\u200eimagen omitida",
        "\u200eafbeelding weggelaten",
        "IMG-1.jpg (file attached)",
        "Mensagem apagada",
        "Ce message a été supprimé",
    ],
)
def test_markers_of_media_and_deleted_messages_are_no_messages(tmp_path: Path, marker: str) -> None:
    (tmp_path / "c.txt").write_text(f"31/12/2023, 22:11 - Max: {marker}\n", encoding="utf-8")
    archive = Archive(tmp_path / "c.txt")

    assert [type(one) for one in entries(archive, recognise(archive))] == [LeftOut]


def test_dates_that_may_be_either_way_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("01/02/2023, 22:11 - Max: Hello.\n", encoding="utf-8")
    archive = Archive(tmp_path / "c.txt")

    with pytest.raises(InvalidEvent, match=r"^c\.txt: its dates may be .* --date-order"):
        list(entries(archive, recognise(archive)))
    (message,) = entries(archive, recognise(archive), order="month")
    assert isinstance(message, HistoryMessage)
    assert message.occurred_at.month == 1


def test_memories_of_mem0_are_lines_of_an_import() -> None:
    archive = Archive(SAMPLES / "mem0.json")
    form = recognise(archive)

    (line,) = mem0_lines(archive, form.files[0])

    assert form.name == "mem0"
    assert json.loads(line)["content"] == "Travels to Paris."


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)
)


@given(st.lists(VALUES), st.sampled_from([None, 1]))
def test_a_stream_gives_the_items_of_an_array_as_json_does(values: list[Any], indent: int | None) -> None:
    text = json.dumps(values, indent=indent)
    assert list(JsonStream(io.StringIO(text), "x").items()) == values


def test_a_file_that_was_cut_off_is_named(tmp_path: Path) -> None:
    text = (SAMPLES / "chatgpt.json").read_text(encoding="utf-8")
    (tmp_path / "conversations.json").write_text(text[: len(text) // 2], encoding="utf-8")
    archive = Archive(tmp_path / "conversations.json")

    with pytest.raises(InvalidEvent, match=r"conversations\.json: not JSON from character"):
        list(entries(archive, recognise(archive, "chatgpt")))
