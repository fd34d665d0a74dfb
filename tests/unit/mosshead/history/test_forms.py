"""Exports of other apps: each format's sample, with its traps, gives the messages that a reader of the chat would see."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.errors import InvalidEvent
from mosshead.history.archive import Archive
from mosshead.history.form import entries, recognise
from mosshead.history.json_stream import JsonStream
from mosshead.history.mem0 import mem0_lines
from mosshead.history.message import HistoryMessage, OmittedEntry

SAMPLES = Path(__file__).parents[3] / "data" / "history"
Said = list[tuple[str | None, str, str]]


def read(name: str, **options: Any) -> tuple[str, list[HistoryMessage], list[str]]:
    archive = Archive(SAMPLES / name)
    form = recognise(archive)
    found = list(entries(archive, form, **options))
    messages = [one for one in found if isinstance(one, HistoryMessage)]
    return form.name, messages, [one.reason for one in found if isinstance(one, OmittedEntry)]


@pytest.mark.parametrize(
    ("name", "form", "said"),
    [
        (
            "chatgpt.json",
            "chatgpt",
            [
                ("user", "I live in Leeds."),
                ("assistant", "Nice."),
                ("user", "I restore harps."),
                ("assistant", "Harps are lovely."),
            ],
        ),
        (
            "claude.json",
            "claude",
            [
                ("user", "I restore harps."),
                ("assistant", "Lovely."),
                ("user", "I live in Leeds.\nSince May."),
                ("assistant", "Nice."),
            ],
        ),
        (
            "messages.jsonl",
            "jsonl",
            [("user", "I live in Leeds."), ("assistant", "Nice."), *[("user", "I moved to York.")] * 2],
        ),
        (
            "telegram.json",
            "telegram",
            [
                ("Max", "I moved to Leeds."),
                ("user3", "Hello."),
                ("Max", "See my page\n@bo"),
                ("Max", "My harp"),
            ],
        ),
        ("telegram-all.json", "telegram", [("Max", "I moved to York."), ("Bo", "I sing."), ("Max", "I row.")]),
        (
            "slack",
            "slack",
            [
                ("Max Fenn", "I moved to York."),
                ("Max Fenn", "@Bo R&D is at example.com, see #general <3"),
                ("Bo", "Yes."),
                ("Max Fenn", "@harpists meet on 2 May, @here"),
                ("Bo", "tunes a harp"),
                ("Ada Quill", "I am new: ada@example.com"),
            ],
        ),
        (
            "whatsapp-android-de.txt",
            "whatsapp",
            [("Max", "Ich wohne in Leeds.\nSeit Mai: in der Elm Street."), ("Bo", "Ja."), ("Bo", "Ja.")],
        ),
        (
            "whatsapp-android-es.txt",
            "whatsapp",
            [
                ("Max", "Vivo en Leeds.\n\nDesde mayo: 10:30 - en serio."),
                ("+44 7700 900123", "Mi arpa"),
                ("+44 7700 900123", "Vale"),
            ],
        ),
        (
            "whatsapp-ios-us.txt",
            "whatsapp",
            [("Max", "I live in Leeds.\nSince May."), ("Bo", "Nice"), ("Max", "I was omitted"), ("Max", "My harp")],
        ),
        ("whatsapp-ios-nl.txt", "whatsapp", [("Max", "Ik woon in Leeds."), ("Bo", "Mooi")]),
    ],
)
def test_sample_is_recognised_and_gives_its_messages(name: str, form: str, said: list[tuple[str, str]]) -> None:
    recognised, messages, left_out = read(name)

    assert recognised == form
    assert [(one.role or one.speaker, one.content) for one in messages] == said
    assert left_out or name == "telegram-all.json"
    assert len({one.source_id for one in messages}) == len(messages) - (
        name == "messages.jsonl"
    )  # one line is there twice


def test_edited_branch_hidden_messages_and_tools_of_chatgpt_are_left_out_with_the_reason() -> None:
    assert sorted(read("chatgpt.json")[2]) == [
        "a tool call",
        "hidden in ChatGPT",
        "of the role system",
        "of the role tool",
        "on a branch that was edited away",
        "thoughts, code or settings",
        "without text",
    ]


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("whatsapp-android-de.txt", ["2023-12-31 22:11", "2023-12-31 22:12", "2023-12-31 22:12"]),
        ("whatsapp-android-es.txt", ["2024-05-13 12:11", "2024-05-13 12:14", "2024-05-13 23:59"]),
        ("whatsapp-ios-us.txt", ["2023-12-31 22:11", "2024-01-01 00:01", "2024-01-01 00:05", "2024-01-01 00:06"]),
        ("whatsapp-ios-nl.txt", ["2024-05-13 22:11", "2024-05-13 22:13"]),
    ],
)
def test_dates_and_hours_of_both_phones_are_read(name: str, times: list[str]) -> None:
    assert [f"{one.occurred_at:%Y-%m-%d %H:%M}" for one in read(name)[1]] == times


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
        "\u200e<attached: 1-PHOTO.jpg>",
        "IMG-1.jpg (file attached)",
        "Mensagem apagada",
        "Ce message a été supprimé",
    ],
)
def test_markers_of_media_and_deleted_messages_are_no_messages(tmp_path: Path, marker: str) -> None:
    (tmp_path / "c.txt").write_text(f"31/12/2023, 22:11 - Max: {marker}\n", encoding="utf-8")
    archive = Archive(tmp_path / "c.txt")

    assert [type(one) for one in entries(archive, recognise(archive))] == [OmittedEntry]


def test_ambiguous_dates_require_an_option(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("01/02/2023, 22:11 - Max: Hello.\n", encoding="utf-8")
    archive = Archive(tmp_path / "c.txt")

    with pytest.raises(InvalidEvent, match=r"^c\.txt: its dates may be .* --date-order"):
        list(entries(archive, recognise(archive)))
    (message,) = entries(archive, recognise(archive), order="month")
    assert isinstance(message, HistoryMessage)
    assert message.occurred_at.month == 1


def test_memories_of_mem0_become_lines_of_an_import() -> None:
    archive = Archive(SAMPLES / "mem0.json")
    form = recognise(archive)

    lines = [json.loads(line) for line in mem0_lines(archive, form.files[0])]

    assert form.name == "mem0"
    assert [(one["id"], one["content"]) for one in lines] == [
        ("f38b689d", "Travels to Paris."),
        ("9c1e", "Is a vegetarian."),
    ]


def test_memories_of_several_users_of_mem0_are_refused(tmp_path: Path) -> None:
    dump = [{"id": str(number), "memory": "Sings.", "user_id": str(number)} for number in range(2)]
    (tmp_path / "dump.json").write_text(json.dumps(dump), encoding="utf-8")

    with pytest.raises(InvalidEvent, match=r"^dump\.json, memory 2: has another user_id .* dump each user separately"):
        list(mem0_lines(Archive(tmp_path / "dump.json"), "dump.json"))


@pytest.mark.parametrize("name", ["messages.jsonl", "whatsapp-ios-us.txt", "whatsapp-android-de.txt"])
def test_message_has_the_same_id_in_a_shorter_export(tmp_path: Path, name: str) -> None:
    whole = (SAMPLES / name).read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / name).write_text("".join(whole[:-1]), encoding="utf-8")
    archive = Archive(tmp_path / name)

    shorter = [one.source_id for one in entries(archive, recognise(archive)) if isinstance(one, HistoryMessage)]
    assert shorter == [one.source_id for one in read(name)[1]][: len(shorter)]
    assert shorter


def test_zip_gives_the_same_messages_as_its_folder(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "export.zip", "w") as zipped:
        for file in sorted((SAMPLES / "slack").rglob("*.json"), reverse=True):
            zipped.write(file, file.relative_to(SAMPLES / "slack").as_posix())
    archive = Archive(tmp_path / "export.zip")

    unzipped = [one.source_id for one in read("slack")[1]]
    found = entries(archive, recognise(archive))
    assert [one.source_id for one in found if isinstance(one, HistoryMessage)] == unzipped


def test_folder_of_two_formats_is_refused_with_both_names(tmp_path: Path) -> None:
    for name in ("messages.jsonl", "whatsapp-ios-us.txt"):
        (tmp_path / name).write_text((SAMPLES / name).read_text(encoding="utf-8"), encoding="utf-8")

    with pytest.raises(InvalidEvent, match="holds jsonl and whatsapp; import them one by one"):
        recognise(Archive(tmp_path))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)
)


@given(st.lists(VALUES), st.sampled_from([None, 1]))
def test_stream_gives_the_items_of_an_array_as_json_does(values: list[Any], indent: int | None) -> None:
    text = json.dumps(values, indent=indent)
    assert list(JsonStream(io.StringIO(text), "x").items()) == values


JSON_SAMPLES = {
    "chatgpt.json": "chatgpt",
    "claude.json": "claude",
    "telegram.json": "telegram",
    "telegram-all.json": "telegram",
    "slack/general/2024-05-01.json": "slack",
    "slack/users.json": "slack",
    "mem0.json": "mem0",
}


@pytest.mark.parametrize("sample", JSON_SAMPLES)
@given(data=st.data())
def test_any_content_of_an_export_is_read_or_refused(
    sample: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("export")
    root = json.loads((SAMPLES / sample).read_text(encoding="utf-8"))
    place, key = data.draw(st.sampled_from(list(_places(root))))
    place[key] = data.draw(st.sampled_from([None, True, 7, -1e300, "", "x", [], ["x"], [None], {}, {"x": []}]))
    path = folder / sample
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(root), encoding="utf-8")
    if "slack" in sample and "users" in sample:
        (folder / "slack/general").mkdir()
        day = "slack/general/2024-05-01.json"
        (folder / day).write_text((SAMPLES / day).read_text(encoding="utf-8"), encoding="utf-8")
    archive = Archive(folder if "slack" in sample else path)
    try:
        form = recognise(archive, JSON_SAMPLES[sample])
        list(mem0_lines(archive, path.name) if form.name == "mem0" else entries(archive, form))
        refused = None
    except InvalidEvent as error:
        refused = str(error)
    assert refused is None or refused.startswith((path.name, f"{folder.name}/slack/"))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Return all places in a JSON value: the container, and the key or index in it."""
    held = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(held):
        yield value, key
        yield from _places(inner)


def test_truncated_file_is_named(tmp_path: Path) -> None:
    text = (SAMPLES / "chatgpt.json").read_text(encoding="utf-8")
    (tmp_path / "conversations.json").write_text(text[: len(text) // 2], encoding="utf-8")
    archive = Archive(tmp_path / "conversations.json")

    with pytest.raises(InvalidEvent, match=r"^conversations\.json: not JSON from character"):
        list(entries(archive, recognise(archive)))
