"""The output of operators' commands."""

import io
import json
import sys
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.cli.output import print_answer, spelt_out
from workers.cli.output import duration, fields, path_text, table


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, None),
        (-0.2, "0.0 s"),
        (0.44, "0.4 s"),
        (9.9, "9.9 s"),
        (10, "10 s"),
        (119, "119 s"),
        (120, "2 min"),
        (7_199, "120 min"),
        (7_200, "2 h"),
        (172_800, "2 d"),
    ],
)
def test_times_are_short(seconds: float | None, said: str | None) -> None:
    assert duration(seconds) == said


@given(st.text())
def test_terminal_control_characters_are_not_printed(text: str) -> None:
    assert all(one.isprintable() or one in "\n\t" or category(one) == "Zs" for one in spelt_out(text))


def test_readable_text_stays_unchanged() -> None:
    assert spelt_out("Zoë likes\u3000寿司\n") == "Zoë likes\u3000寿司\n"
    assert spelt_out("\x1b[2J\x9b") == r"\x1b[2J\x9b"
    assert spelt_out("\u202edrow\U000e0041") == r"\u202edrow\U000e0041"


HOSTILE = "Zoë \x1b[2J \x9b2J \x7f \u202edrow\u202c \U000e0041 \ud800"


def test_json_writes_control_characters_as_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    print_answer(True, {"body": HOSTILE, HOSTILE: 1})
    said = capsys.readouterr().out

    assert said.removesuffix("\n").isprintable()
    assert "Zoë" in said
    assert json.loads(said) == {"body": HOSTILE, HOSTILE: 1}


def test_json_is_ascii_if_the_output_is_not_utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="latin-1", write_through=True))
    print_answer(True, {"body": "Zoë likes 寿司"})

    assert written.getvalue().isascii()
    assert json.loads(written.getvalue()) == {"body": "Zoë likes 寿司"}


def test_table_shows_text_unchanged_and_breaks_no_id(capsys: pytest.CaptureFixture[str]) -> None:
    letter_id = "0a0b0c0d-0000-4000-8000-000000000001"
    shown = table(("id", "reason"), [(letter_id, "[red]why\x07\u202e"), (letter_id, None)], nothing="none")
    print_answer(False, {}, shown)
    said = capsys.readouterr().out

    assert said.count(letter_id) == 2
    assert r"[red]why\x07\u202e" in said
    assert "none" not in said


def test_row_is_one_line_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    row = ("acme/" + "x" * 90, "quarantined 3 min ago: many dead letters")
    print_answer(False, {}, table(("namespace", "state"), [row], nothing="none"))
    assert capsys.readouterr().out.splitlines()[1].split(maxsplit=1) == list(row)


def test_empty_table_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    print_answer(False, {}, table(("id",), [], nothing="There are none."))
    assert capsys.readouterr().out == "There are none.\n"


def test_fields_without_a_value_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    print_answer(False, {}, fields([("id", 7, False), ("bytes", None, False)]))
    assert capsys.readouterr().out.split() == ["id", "7"]


def test_path_is_written_as_the_command_line_takes_it() -> None:
    assert path_text(("acme", "sarah")) == "acme/sarah"
    assert path_text(None) == "-"


def test_words_between_colons_are_no_emoji(capsys: pytest.CaptureFixture[str]) -> None:
    shown = table(["content"], [[":key:"]], nothing=""), fields([("content", ":key:", False)])
    print_answer(False, {}, *shown)
    assert capsys.readouterr().out.count(":key:") == 2
