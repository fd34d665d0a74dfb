"""Print the answers of commands, and read their input files."""

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
"""Table width without a terminal, so that programs reading from a pipe get one row per line."""


def write_any_character() -> None:
    """Write files and pipes in UTF-8, and print "?" for characters that a terminal cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # skip streams that a program has replaced
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


def spelt_out(text: str) -> str:
    """Escape control and format characters of untrusted text, which a terminal would interpret."""
    plain = (one if one in "\n\t" or _is_harmless(one) else one.encode("unicode_escape").decode() for one in text)
    return "".join(plain)


def _is_harmless(character: str) -> bool:
    return character.isprintable() or category(character) == "Zs"  # Zs: spaces, such as the Japanese one


class PlainConsole(Console):
    """A console that escapes control characters and does not turn words such as ":key:" into emoji."""

    def __init__(self, **given: Any) -> None:
        """Take the arguments of rich's Console."""
        super().__init__(emoji=False, **given)

    def render_str(self, text: str, **given: Any) -> Text:
        """Render markup, with control characters escaped."""
        return super().render_str(spelt_out(text), **given)


console = PlainConsole()


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def in_utc(time: datetime, timespec: str = "minutes") -> str:
    """Format a time in UTC for a table."""
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(" ", timespec)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """Make a plain table. Cells are escaped; None is an empty cell."""
    made = Table(*columns, box=None, pad_edge=False)
    for row in rows:
        made.add_row(*("" if cell is None else escape(str(cell)) for cell in row))
    return made


def read_file(path: Path) -> str:
    """Read a UTF-8 file, without its byte order mark. Raises InvalidEvent for other encodings."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidEvent(f"{path.name}: not a UTF-8 text file") from None  # the original error contains the text


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON Lines file. Raises InvalidEvent, which names the first invalid line."""
    for number, line in enumerate(read_file(path).split("\n"), 1):
        if not line.strip():
            continue
        record = json_object(line)
        if record is None:
            raise InvalidEvent(f"{path.name}, line {number}: not a JSON object")
        yield record


def print_answer(as_json: bool, answer: dict[str, Any], *shown: Any) -> None:
    """Print an answer as JSON, or in readable form."""
    if as_json:
        print(_json_text(answer))
        return
    target = console if console.is_terminal else PlainConsole(width=UNFOLDED)
    for one in shown:
        target.print(one, highlight=False, soft_wrap=isinstance(one, str | Text))


def _json_text(answer: dict[str, Any]) -> str:
    """Return the answer as one line of JSON, escaping characters that a terminal would interpret or cannot show."""
    is_utf8 = (sys.stdout.encoding or "").lower() in {"utf-8", "utf8"}
    text = json.dumps(to_json(answer), ensure_ascii=not is_utf8)
    return "".join(one if _is_harmless(one) else json.dumps(one)[1:-1] for one in text)
