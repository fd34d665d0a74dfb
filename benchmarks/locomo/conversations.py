"""Conversations in the layout of LoCoMo (snap-research/LoCoMo), with their questions and the facts that the data hold."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.replaying_model import Told

ADVERSARIAL = 5
"""The category of questions that nothing in the conversation answers."""

_SESSION = re.compile(r"session_(\d+)")
_SESSION_TIME = "%I:%M %p on %d %B, %Y"
_BETWEEN_TURNS = timedelta(seconds=5)
_TURN = re.compile(r"D:?(\d+):(\d+)")


class DataError(Exception):
    """The data are not what was expected; the message says where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message. id: the data's. content: what was said, with what a photo shows that came with it."""

    id: str
    session: str
    speaker: str
    content: str
    said_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """category: 1 to 5. evidence: the turns that answer it. listed: the same as the data have it, slips of the pen included."""

    text: str
    category: int
    evidence: frozenset[str]
    listed: tuple[str, ...]

    @property
    def counts(self) -> bool:
        """Whether there is something to find."""
        return self.category != ADVERSARIAL and bool(self.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """turns: in order, session by session. told: what a model finds in them, by the data."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    told: tuple[Told, ...]


def read_conversations(data: Path) -> list[Conversation]:
    """The conversations of a file, or of all ``locomo-*.json`` of a folder. Raises DataError where there are none."""
    files = sorted(data.glob("locomo-*.json")) if data.is_dir() else [data]
    try:
        found = [_conversation(one) for file in files for one in json.loads(file.read_text(encoding="utf-8"))]
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{data}: not in the layout of LoCoMo ({type(error).__name__}: {error})") from None
    if not found:
        raise DataError(f"{data}: holds no conversation in a locomo-*.json")
    return found


def _conversation(sample: Mapping[str, Any]) -> Conversation:
    said = sample["conversation"]
    numbers = sorted(int(match[1]) for key in said if (match := _SESSION.fullmatch(key)))
    turns = tuple(turn for number in numbers for turn in _session(said, number))
    texts = {turn.id: turn.content for turn in turns}
    return Conversation(
        name=sample["sample_id"],
        turns=turns,
        questions=tuple(_question(one, texts) for one in sample["qa"]),
        told=tuple(_told(sample["observation"], texts)),
    )


def _session(said: Mapping[str, Any], number: int) -> Iterator[Turn]:
    started = datetime.strptime(said[f"session_{number}_date_time"], _SESSION_TIME).replace(tzinfo=UTC)
    for place, turn in enumerate(said[f"session_{number}"]):
        photo = f"(photo: {turn['blip_caption']})" if turn.get("blip_caption") else ""
        yield Turn(
            id=turn["dia_id"],
            session=f"session_{number}",
            speaker=turn["speaker"],
            content=" ".join(filter(None, (turn.get("text", "").strip(), photo))),
            said_at=started + place * _BETWEEN_TURNS,
        )


def _question(given: Mapping[str, Any], texts: Mapping[str, str]) -> Question:
    listed = tuple(given.get("evidence") or ())
    return Question(
        text=given["question"],
        category=given["category"],
        evidence=frozenset(one for one in _ids(listed) if one in texts),
        listed=listed,
    )


def _told(observation: Mapping[str, Any], texts: Mapping[str, str]) -> Iterator[Told]:
    for by_speaker in observation.values():
        for speaker, facts in by_speaker.items():
            for content, named in facts:
                ids = _ids([named] if isinstance(named, str) else named)
                if ids and all(one in texts for one in ids):
                    yield Told(content, speaker, tuple(texts[one] for one in ids))


def _ids(listed: Sequence[str]) -> list[str]:
    """Of a list that may hold several ids in one text, some with slips ("D:3:04" is "D3:4"), and some that are none."""
    return [f"D{int(session)}:{int(turn)}" for one in listed for session, turn in _TURN.findall(one)]
