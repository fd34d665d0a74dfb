"""What the operator's commands print: tables and times for a person; text from outside, without what a terminal would obey."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mosshead.cli.output import UNFOLDED

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

Every = Annotated[
    float | None,
    typer.Option(min=1, help="Look again after so many seconds, until stopped; without it, once.", show_default=False),
]

console = Console(emoji=False)


def print_json(found: Mapping[str, Any]) -> None:
    """One object on one line."""
    print(json.dumps(found))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, nothing: str) -> None:
    """A table whose first column is never broken, and no column for a pipe; ``nothing`` where it has no rows."""
    if not rows:
        console.print(nothing)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for place, column in enumerate(columns):
        table.add_column(column, no_wrap=place == 0)
    for row in rows:
        table.add_row(*map(_cell, row))
    (console if console.is_terminal else Console(width=UNFOLDED, emoji=False)).print(table)


def print_fields(fields: Mapping[str, object]) -> None:
    """Names and values, one to a line, without those that have none."""
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in fields.items():
        if value is not None:
            table.add_row(name, _cell(value))
    console.print(table)


def duration(seconds: float | None) -> str | None:
    """A time as a person says it: ``0.4 s``, ``12 s``, ``3 min``, ``5 h``, ``2 d``."""
    if seconds is None:
        return None
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{max(seconds, 0):.1f} s"


def printable(text: str) -> str:
    """Text from outside, with its control characters spelt out: a terminal would take them for commands."""
    return "".join(one if one.isprintable() or one in "\n\t" else f"\\x{ord(one):02x}" for one in text)


def path_text(path: Sequence[str] | None) -> str:
    """The name of a namespace, as the command `mosshead` takes it; a dash for nobody's."""
    return "/".join(path) if path else "-"


def _cell(value: object) -> str:
    return escape(printable(str(value))) if value is not None else ""
