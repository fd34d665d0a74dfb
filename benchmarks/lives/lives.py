"""The data: what the people of a life wrote to their assistant, and what is asked about it afterwards."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

UNRELATED = "unrelated"
"""The kind of question that has to do with nothing that was said."""


class DataError(Exception):
    """The data cannot be read; the message names the file and the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeQuestion:
    """A question about a life.

    speaker: who asks; None where one person alone writes. answer, outdated: regular expressions, of which one must match.
    relevant: the messages that have to do with it. needs: groups of messages; an answer needs one of each.
    """

    id: str
    kind: str
    ask: str
    now: datetime
    speaker: str | None
    answer: tuple[str, ...]
    outdated: tuple[str, ...]
    relevant: frozenset[str]
    needs: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """messages: as `Namespace.publish_conversation` takes them; ids: what the data calls each."""

    name: str
    messages: tuple[dict[str, Any], ...]
    ids: tuple[str, ...]
    questions: tuple[LifeQuestion, ...]


def read_lives(folder: Path) -> list[Life]:
    """Read every folder in a folder that holds a life. Raises DataError."""
    lives = [_life(one) for one in sorted(folder.iterdir()) if (one / "messages.jsonl").is_file()]
    if not lives:
        raise DataError(f"{folder}: no folder in it has a messages.jsonl")
    return lives


def _life(folder: Path) -> Life:
    messages = list(_rows(folder / "messages.jsonl"))
    try:
        return Life(
            name=folder.name,
            messages=tuple({name: part for name, part in one.items() if name != "id"} for one in messages),
            ids=tuple(one["id"] for one in messages),
            questions=tuple(map(_question, _rows(folder / "questions.jsonl"))),
        )
    except (KeyError, ValueError) as error:
        raise DataError(f"{folder}: {error!r}") from None


def _question(row: dict[str, Any]) -> LifeQuestion:
    return LifeQuestion(
        id=row["id"],
        kind=row["kind"],
        ask=row["ask"],
        now=datetime.fromisoformat(row["now"]),
        speaker=row["speaker"],
        answer=tuple(row["answer"]),
        outdated=tuple(row["outdated"]),
        relevant=frozenset(row["relevant"]),
        needs=tuple(map(frozenset, row["needs"])),
    )


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise DataError(f"{path}:{number}: {error}") from None
