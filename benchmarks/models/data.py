"""The data of other benchmarks, told by what they hold, and the first of them for a model that is slow."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from benchmarks.entities.world import WORLD, World, WorldError, read_world
from benchmarks.extraction.cases import Case
from benchmarks.extraction.reading import CaseError, read_cases
from benchmarks.locomo.conversations import Conversation, DataError, read_conversations


@dataclass(frozen=True, slots=True)
class Transcript:
    """Messages of one namespace, of which nothing is known to score by; as `Namespace.publish_conversation` takes them."""

    messages: Sequence[Mapping[str, Any]]


Data = World | Sequence[Case] | Sequence[Conversation] | Transcript


def read_data(path: Path, most: int | None) -> Data:
    """The world, the conversations, the cases or the messages of a file or folder; of what is said, so many messages at most.

    Raises DataError where it is none of them.
    """
    try:
        if (path / WORLD).is_file():
            return read_world(path)
        if path.suffix == ".json" or (path.is_dir() and any(path.glob("locomo-*.json"))):
            return first_conversations(read_conversations(path), most)
        if path.is_file() and (said := _messages(path)):
            return Transcript(said[:most])
        return first_cases(read_cases(path), most)
    except (WorldError, CaseError) as error:
        raise DataError(str(error)) from None


def messages_of(data: Data) -> int:
    """How many messages are said in it; of a world, which is imported, none."""
    if isinstance(data, World):
        return 0
    if isinstance(data, Transcript):
        return len(data.messages)
    return sum(len(one.turns) if isinstance(one, Conversation) else _said(one) for one in data)


def first_cases(cases: Sequence[Case], most: int | None) -> Sequence[Case]:
    """The first cases that have so many messages together at most; always one, for a case is scored as a whole."""
    if most is None:
        return cases
    messages = accumulate(map(_said, cases))
    return cases[: max(sum(so_far <= most for so_far in messages), 1)]


def first_conversations(conversations: Sequence[Conversation], most: int | None) -> Sequence[Conversation]:
    """The first conversations, the last of them cut off at so many turns in all; with the questions that these answer."""
    if most is None:
        return conversations
    before = accumulate((len(one.turns) for one in conversations), initial=0)
    return [
        _first_turns(one, most - so_far) for one, so_far in zip(conversations, before, strict=False) if so_far < most
    ]


def _first_turns(conversation: Conversation, most: int) -> Conversation:
    turns = conversation.turns[:most]
    said = {turn.id for turn in turns}
    questions = tuple(one for one in conversation.questions if one.evidence and one.evidence <= said)
    return replace(conversation, turns=turns, questions=questions)


def _messages(path: Path) -> list[Mapping[str, Any]]:
    """The messages of a file that has one to the line; none where its lines are something else."""
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except ValueError:
        return []
    return lines if all(isinstance(one, dict) and {"role", "content"} <= one.keys() for one in lines) else []


def _said(case: Case) -> int:
    return sum(len(session.messages) for session in case.sessions)
