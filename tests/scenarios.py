"""Scenarios of `tests/data/scenarios`: messages, and what is believed of them. The README there describes the format."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from benchmarks.extraction.cases import Case
from mosshead.models.kinds import EntityType, Role
from pipeline.models import USER, Background, KnownEntity, Message

FOLDER = Path(__file__).parent / "data" / "scenarios"
BACK_ENDS = ("rules", "oracle", "fake")
START = datetime(2023, 5, 10, 14, 30, tzinfo=ZoneInfo("Europe/Berlin"))
"""A Wednesday. Each message is said a minute after the one before."""

_ROLES = {role.value: role for role in Role}
_BY = re.compile(r"(?P<who>\w+)> (?P<text>.*)", re.DOTALL)
_LATER = re.compile(r"… (\d+) (minutes|hours|days) later")
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"\b[A-Z]\w+|\d[\w,.:]*")
_ELSEWHERE = "… in another conversation"


@dataclass(frozen=True, slots=True)
class Step:
    """Messages of one batch, and what is believed after it: facts by content, each with the fields that matter.

    alone: whether nothing else is believed.
    """

    messages: tuple[Message, ...]
    believed: Mapping[str, Mapping[str, Any]]
    alone: bool
    forgets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One example of a promise.

    asked: a message at the end, and what its context contains and lacks. entities: all names but the user's, at the end.
    """

    steps: tuple[Step, ...]
    background: Background
    asked: Mapping[str, Any]
    entities: Sequence[str] | None

    @property
    def is_stored(self) -> bool:
        """Return whether the scenario needs a store, beyond extraction."""
        return len(self.steps) > 1 or bool(self.asked) or self.entities is not None

    def as_case(self) -> Case:
        """Return the oracle's form: each step proposes its new beliefs, in place of those it no longer holds."""
        before: dict[str, str] = {}
        sessions: list[dict[str, Any]] = []
        for step in self.steps:
            new = [content for content in step.believed if content not in before]
            gone = [content for content in before if content not in step.believed]
            ids = {content: f"f{len(before) + len(sessions) * 100 + place}" for place, content in enumerate(new)}
            targets = [before[content] for content in gone] + [None] * len(new)
            facts = [
                _gold(ids[content], content, step, replaces=target)
                for content, target in zip(new, targets, strict=False)
            ]
            sessions.append(
                {"conversation": "c1", "messages": [_as_said(one) for one in step.messages], "facts": facts}
            )
            before = {content: ids.get(content) or before[content] for content in step.believed}
        return Case.model_validate({"id": "scenario", "tags": [], "sessions": sessions, "store": list(before)})


@dataclass(frozen=True, slots=True)
class Promise:
    """A line of a file: its examples, and by name the back ends that are left out, with reasons."""

    name: str
    examples: tuple[Scenario, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def back_ends(self) -> list[str]:
        """Return the back ends that must keep it. An oracle without proposals would prove nothing."""
        silent = not any(step.believed for one in self.examples for step in one.steps)
        return [one for one in BACK_ENDS if one not in self.left_out and not (silent and one == "oracle")]


def read_promises() -> Iterator[Promise]:
    """Return all lines of all files. The first line of a file describes it, and the back ends it leaves out."""
    for file in sorted(FOLDER.glob("*.jsonl")):
        head, *lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        for line in lines:
            examples = [_filled(line, example) for example in line.pop("each", [()])]
            left_out = line.get("left_out", head["left_out"])
            yield Promise(line["promise"], tuple(map(_scenario, examples)), left_out)


def _filled(given: Any, example: str | Sequence[str]) -> Any:
    """Return the line with the words of an example inserted: {0} is the first."""
    if isinstance(given, str):
        for place, words in enumerate([example] if isinstance(example, str) else example):
            given = given.replace(f"{{{place}}}", words)
        return given
    if isinstance(given, dict):
        return {_filled(name, example): _filled(value, example) for name, value in given.items()}
    return [_filled(one, example) for one in given] if isinstance(given, list) else given


def _scenario(line: Mapping[str, Any]) -> Scenario:
    clock = _Clock()
    earlier = tuple(clock.messages(line.get("before", ())))
    known = tuple(KnownEntity(name, EntityType(kind)) for name, kind in line.get("known", {}).items())
    background = Background(known, earlier, frozenset(line.get("speakers", ())))
    steps = tuple(_step(one, clock) for one in (line, *line.get("then", ())))
    return Scenario(steps, background, line.get("asked", {}), line.get("entities"))


def _step(given: Mapping[str, Any], clock: "_Clock") -> Step:
    believed = [{"content": one} if isinstance(one, str) else one for one in given["believed"]]
    fields = {one["content"]: {name: value for name, value in one.items() if name != "content"} for one in believed}
    alone = fields.pop("*", None) is None
    return Step(tuple(clock.messages(given["said"])), fields, alone, tuple(given.get("forgets", ())))


class _Clock:
    """Gives each message its time and conversation. Lines that begin with … change these."""

    def __init__(self) -> None:
        self._now, self._conversation = START, 1

    def messages(self, lines: Sequence[str]) -> Iterator[Message]:
        number = 0
        for line in lines:
            if line == _ELSEWHERE:
                self._conversation += 1
            elif later := _LATER.fullmatch(line):
                self._now += timedelta(**{later[2]: int(later[1])})
            else:
                number += 1
                self._now += timedelta(minutes=1)
                by = _BY.fullmatch(line)
                who, text = (by["who"], by["text"]) if by else ("user", line)
                role, speaker = (_ROLES[who], None) if who in _ROLES else (Role.USER, who)
                conversation = f"c{self._conversation}"
                yield Message(number, UUID(int=number), conversation, role, speaker, text, self._now)


def _as_said(message: Message) -> dict[str, Any]:
    said = {"role": message.role.value, "content": message.content, "at": message.occurred_at.isoformat()}
    return said | ({"speaker": message.speaker} if message.speaker else {})


def _gold(fact_id: str, content: str, step: Step, *, replaces: str | None) -> dict[str, Any]:
    """Return a fact in the format of the gold file, which quotes the whole latest message it is taken from."""
    given = dict(step.believed[content])
    sources = given.pop("sources", None) or _sources(content, step.messages)
    quoted = next(one for one in reversed(step.messages) if one.number in sources and one.role is Role.USER)
    when, mentions = given.pop("when", None), given.pop("mentions", {})
    start = datetime.fromisoformat(f"{when}T00:00").replace(tzinfo=START.tzinfo) if when else None
    names = dict.fromkeys((*([USER] if USER in content else []), *mentions, *given.pop("names", ())))
    return {
        "id": fact_id,
        "content": content,
        "kind": "fact",
        "from": sources,
        "quote": quoted.content,
        "match": ["."],
        **{name: value for name, value in given.items() if name not in {"relations", "ends"}},
        "relations": [tuple(one.split(" ", 2)) for one in given.get("relations", ())],
        "occurred": [start, start + timedelta(days=1), "day"] if start else None,
        "mentions": [_mention(name, content, mentions.get(name, {})) for name in names],
        **({"action": "supersede", "target": replaces} if replaces else {}),
    }


def _sources(content: str, messages: Sequence[Message]) -> list[int]:
    """Return the user's message that shares most words with a fact, above all names, and those with the names it lacks."""
    words, names = set(_WORD.findall(content.casefold())), set(_NAME.findall(content)) - {USER}
    shared = {one: len(words & set(_WORD.findall(one.content.casefold()))) for one in messages if one.role is Role.USER}
    best = max(shared, key=lambda one: (shared[one] + sum(name in one.content for name in names), one.number))
    lacking = {name for name in names if name not in best.content}
    return sorted({best.number, *(one.number for one in messages if any(name in one.content for name in lacking))})


def _mention(name: str, content: str, given: Mapping[str, Any]) -> list[Any]:
    more = {key: value for key, value in given.items() if key in {"aliases", "parent", "description"}}
    role = given.get("role", "subject" if content.startswith(name) else "about")
    return [name, given.get("entity_type", "person"), role, more]
