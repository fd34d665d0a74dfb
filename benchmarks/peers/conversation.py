"""A conversation with what is to be remembered of it, and questions about it: one of a file in the layout of LoCoMo."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.ingest import read_conversations
from benchmarks.replaying_model import Told

_TURN = re.compile(r"D\d+:\d+")
_ADVERSARIAL = 5
"""The category of questions that nothing in the conversation answers."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message. id: the data's. role: "user" where the first speaker says it, else "assistant". occurred_at: ISO 8601."""

    id: str
    role: str
    conversation: str
    speaker: str
    content: str
    occurred_at: str


@dataclass(frozen=True, slots=True)
class Fact:
    """What is to be remembered. turns: the ids of the turns that say it, the first of them foremost."""

    told: Told
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the ids of the turns that answer it: one at least."""

    question: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """sessions: one or more turns each, in order."""

    name: str
    sessions: tuple[tuple[Turn, ...], ...]
    facts: tuple[Fact, ...]
    questions: tuple[Asked, ...]

    @property
    def messages(self) -> int:
        """How many turns there are."""
        return sum(map(len, self.sessions))

    @property
    def told(self) -> list[Told]:
        """The facts without the ids of their turns, as a model answers them."""
        return [fact.told for fact in self.facts]


class DataError(Exception):
    """The data hold no such conversation, or nothing to ask about it."""


def data_file(data: Path) -> Path:
    """The file that is meant: itself, or the first ``*.json`` of a folder. Raises DataError where there is none."""
    files = sorted(data.glob("*.json")) if data.is_dir() else [data]
    if not files:
        raise DataError(f"{data} holds no *.json")
    return files[0]


def read_conversation(data: Path, name: str | None = None, sessions: int | None = None) -> Conversation:
    """One conversation of a file: by its ``sample_id``, or the first; with all of its sessions, or the first so many.

    Questions of the adversarial category are left out, and so are those whose evidence is not among the turns that are read.
    Raises DataError.
    """
    samples = {sample["sample_id"]: sample for sample in json.loads(data.read_text(encoding="utf-8"))}
    name = name or next(iter(samples), "")
    if name not in samples:
        raise DataError(f"{name!r} is none of {', '.join(samples) or 'no conversations'}")
    said = dict(read_conversations(data))[name]
    first = said[0]["speaker"] if said else None
    told = [
        tuple(_turn(turn, first) for turn in turns) for _, turns in groupby(said, key=lambda turn: turn["conversation"])
    ][:sessions]
    turns = {turn.id: turn for session in told for turn in session}
    questions = tuple(_questions(samples[name]["qa"], turns))
    if not questions:
        raise DataError(f"{name}: no question can be answered from its turns")
    return Conversation(name, tuple(told), tuple(_facts(samples[name]["observation"], turns)), questions)


def pairs(session: Sequence[Turn]) -> list[tuple[Turn, ...]]:
    """Its turns by two; the last may be alone."""
    return [tuple(session[place : place + 2]) for place in range(0, len(session), 2)]


def _turn(message: Mapping[str, Any], first: str | None) -> Turn:
    return Turn(
        id=message["metadata"]["turn"],
        role="user" if message["speaker"] == first else "assistant",
        conversation=message["conversation"],
        speaker=message["speaker"],
        content=message["content"],
        occurred_at=message["occurred_at"].isoformat(),
    )


def _facts(observation: Mapping[str, Any], turns: Mapping[str, Turn]) -> Iterator[Fact]:
    for by_speaker in observation.values():
        for speaker, facts in by_speaker.items():
            for content, named in facts:
                ids = _ids([named] if isinstance(named, str) else named)
                if ids and all(one in turns for one in ids):
                    yield Fact(Told(content, speaker, tuple(turns[one].content for one in ids)), tuple(ids))


def _questions(given: Sequence[Mapping[str, Any]], turns: Mapping[str, Turn]) -> Iterator[Asked]:
    for one in given:
        evidence = frozenset(_ids(one["evidence"]))
        if one["category"] != _ADVERSARIAL and evidence and evidence <= turns.keys():
            yield Asked(one["question"], evidence)


def _ids(named: Sequence[str]) -> list[str]:
    """Of a list that may hold several ids in one text, and some that are none."""
    return [one for text in named for one in _TURN.findall(text)]
