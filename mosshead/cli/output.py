"""How the commands of a shell print their answers."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any
from unicodedata import category

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from mosshead.errors import InvalidEvent
from mosshead.serialization import json_object, to_json

UNFOLDED = 10_000
"""Columns, where no terminal says how many it has: what reads a table from a pipe gets a row on a line."""


def write_any_character() -> None:
    """Have what memories say written whatever it is: to files and pipes in UTF-8, and "?" for what a terminal cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # not where a program has put something else in its place
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


def spelt_out(text: str) -> str:
    """Spell out the control and format characters of text from outside: a terminal would obey them."""
    plain = (one if one in "\n\t" or _is_harmless(one) else one.encode("unicode_escape").decode() for one in text)
    return "".join(plain)


def _is_harmless(character: str) -> bool:
    return character.isprintable() or category(character) == "Zs"  # the latter are spaces, such as those of Japanese


class PlainConsole(Console):
    """Shows text as it stands: without what a terminal would obey, and without pictures for words such as ":key:"."""

    def __init__(self, **given: Any) -> None:
        """As rich's own."""
        super().__init__(emoji=False, **given)

    def render_str(self, text: str, **given: Any) -> Text:
        """Markup as text for the terminal."""
        return super().render_str(spelt_out(text), **given)


console = PlainConsole()


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def in_utc(time: datetime, timespec: str = "minutes") -> str:
    """A time as a table shows it, whatever the zone of the database's session."""
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(" ", timespec)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A plain table. Its cells are text from outside, and None is an empty one."""
    made = Table(*columns, box=None, pad_edge=False)
    for row in rows:
        made.add_row(*("" if cell is None else escape(str(cell)) for cell in row))
    return made


def read_file(path: Path) -> str:
    """The text of a file, without the mark that some editors put before it. Raises InvalidEvent for one of another encoding."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidEvent(f"{path.name}: not a text in UTF-8") from None  # the error would hold the text


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON Lines. Raises InvalidEvent, which names the first line that is none."""
    for number, line in enumerate(read_file(path).split("\n"), 1):
        if not line.strip():
            continue
        record = json_object(line)
        if record is None:
            raise InvalidEvent(f"{path.name}, line {number}: not a JSON object")
        yield record


def print_answer(as_json: bool, answer: dict[str, Any], *shown: Any) -> None:
    """An answer as JSON, or as people read it."""
    if as_json:
        print(_json_text(answer))
        return
    target = console if console.is_terminal else PlainConsole(width=UNFOLDED)
    for one in shown:
        target.print(one, highlight=False, soft_wrap=isinstance(one, str | Text))


def _json_text(answer: dict[str, Any]) -> str:
    """The answer in one line, with escapes for what a terminal would obey or cannot show."""
    is_utf8 = (sys.stdout.encoding or "").lower() in {"utf-8", "utf8"}
    text = json.dumps(to_json(answer), ensure_ascii=not is_utf8)
    return "".join(one if _is_harmless(one) else json.dumps(one)[1:-1] for one in text)
