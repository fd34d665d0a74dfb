"""An LLM for a benchmark that finds what a file of LoCoMo says is to be found: the tests' fake endpoint, replaying it.

A fact is answered when the turn that it was taken from is among the messages that are asked about, known by their text. Decisions
are the fake's own: none for a fact that a near memory says in the same words, else add. The tokens that it reports are a quarter
of the characters that it got and gave (tests/fake_responses.py).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI, Request
from tests.fake_openai import Scripted as Answer

_MESSAGE = re.compile(r"^\[(\d+)\][^\n]*\n((?:\|[^\n]*\n)+)", re.MULTILINE)
_BAR = re.compile(r"^\| ?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Told:
    """A fact of the data. texts: what the turns say that it was taken from, the first of them foremost."""

    content: str
    speaker: str
    texts: tuple[str, ...]


def read_told(data: Path, conversation: str) -> list[Told]:
    """The facts of one conversation of a file of LoCoMo, session by session."""
    samples = json.loads(data.read_text(encoding="utf-8"))
    sample = next(one for one in samples if one["sample_id"] == conversation)
    sessions = (turns for turns in sample["conversation"].values() if isinstance(turns, list))
    texts = {turn["dia_id"]: turn.get("text", "") for turns in sessions for turn in turns}
    return [
        Told(content, speaker, tuple(texts[turn] for turn in _turns(turns)))
        for by_speaker in sample["observation"].values()
        for speaker, facts in by_speaker.items()
        for content, turns in facts
    ]


def replayed(told: Iterable[Told], prompt: str) -> dict[str, Any]:
    """The answer to a prompt for facts: those whose first turn it shows, with the numbers under which it shows their turns."""
    shown = dict(_shown(prompt))
    return {"facts": [_fact(one, shown) for one in told if _words(one.texts[0]) in shown]}


class ReplayingModel(FakeOpenAI):
    """The endpoint. told: what is to be found."""

    def __init__(self, told: Iterable[Told], *, port: int = 0) -> None:
        super().__init__(port)
        self._told = tuple(told)

    def take(self, request: Request) -> Answer:
        """What to answer."""
        answer = super().take(request)
        return replayed(self._told, request.prompt) if request.schema == "ExtractionAnswer" else answer


def _turns(turns: str | list[str]) -> list[str]:
    return [turns] if isinstance(turns, str) else turns


def _shown(prompt: str) -> Iterator[tuple[str, int]]:
    """The words of the messages that are asked about, with their numbers; those that only explain have none."""
    for number, text in _MESSAGE.findall(prompt):
        yield _words(_BAR.sub("", text)), int(number)


def _fact(one: Told, shown: Mapping[str, int]) -> dict[str, Any]:
    subject: dict[str, object] = {"name": one.speaker, "entity_type": "person", "role": "subject"}
    unsaid: dict[str, object] = {"aliases": [], "parent": None, "description": None}
    return fact_like(
        content=one.content,
        sources=[shown[_words(text)] for text in one.texts if _words(text) in shown],
        quote=one.texts[0],
        mentions=[subject | unsaid],
    )


def _words(text: str) -> str:
    return " ".join(text.split())
