"""Format values for the pages. Pure; the templates escape everything."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Literal
from uuid import UUID

from mosshead import Namespace, NotFound, Question, StoredMemory
from mosshead.models.kinds import Granularity
from mosshead.models.memories import Decision, Occurrence, Progress
from mosshead.schemas import fields_of as pointers_of
from mosshead.schemas import value_at

_WHOLE = {Granularity.MONTH: "%B %Y", Granularity.SEASON: "%B %Y", Granularity.YEAR: "%Y"}

_DONE = {
    "add": "added",
    "update": "updated",
    "supersede": "replaced",
    "contradict": "disputed",
    "none": "already known",
    "quarantine": "quarantined",
    "refuse": "rejected",
    "undo": "undone",
    "clarify": "answered",
    "merge": "merged",
    "split": "split",
    "forget": "forgotten",
    "erase": "erased",
    "document": "document edited",
    "set_prompt": "prompt set",
    "roll_back_prompt": "prompt rolled back",
    "optimize_prompt": "prompt improved",
}


def day(time: datetime) -> str:
    """Format a day as 2 Mar 2026, in the time zone of the message."""
    return f"{time:%-d %b %Y}"


def moment(time: datetime) -> str:
    """Format a time as 2 Mar 2026, 12:00, in UTC like all times of the service itself."""
    return f"{time.astimezone(UTC):%-d %b %Y, %H:%M}"


def moment_there(time: datetime) -> str:
    """Format a time as 2 Mar 2026, 12:00 +01:00, in the time zone of the message."""
    offset = f" {time.isoformat()[-6:]}" if time.utcoffset() else ""
    return f"{time:%-d %b %Y, %H:%M}{offset}"


def occurred(when: Occurrence) -> str:
    """Format when something happened, as precisely as is known."""
    if when.granularity in {Granularity.MINUTE, Granularity.HOUR}:
        return moment_there(when.start)
    told = when.day.strftime(_WHOLE.get(when.granularity, "%-d %b %Y"))
    return f"the week of {told}" if when.granularity is Granularity.WEEK else told


def done(decision: Decision) -> str:
    """Describe a decision's action in a word or two."""
    return _DONE.get(decision.action, decision.action)


def told(decision: Decision) -> str:
    """Return what a decision was about: a text, the name of a document, or the keys of imported entities."""
    about = (decision.fact.get(part) for part in ("content", "document", "entities"))
    return next((plainly(one) for one in about if one), "")


def around(text: str, mention: str) -> tuple[str, str, str]:
    """Split a text around its first mention of something; without a mention, all of it is in front."""
    place = text.casefold().find(mention.casefold())
    if not mention or place < 0 or len(text) != len(text.casefold()):
        return text, "", ""
    end = place + len(mention)
    return text[:place], text[place:end], text[end:]


def shortened(text: str, most: int = 48) -> str:
    """Shorten a text to its beginning."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def short_id(one: UUID) -> str:
    """Return the end of an id, which distinguishes it; the beginning is a time."""
    return str(one)[-8:]


def freshness(progress: Progress) -> str:
    """Describe how far the events of a namespace are processed."""
    waiting = progress.pending + progress.not_received
    if waiting:
        return f"{waiting} event{'' if waiting == 1 else 's'} waiting"
    return "refreshing profiles" if progress.at_work else "up to date"


def plainly(value: Any) -> str:
    """Format a JSON value in a line of text."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {plainly(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(plainly, value))
    return "–" if value is None or value == "" else str(value)


def label(pointer: str) -> str:
    """address › city"""
    return " › ".join(_keys(pointer))


FUNCTIONS = {
    one.__name__: one
    for one in (day, moment, moment_there, occurred, done, told, around, shortened, short_id, freshness, plainly, label)
}
"""The functions that the templates may call."""

_MOST = 60
"""The most memories looked up for one page; the rest appear as ids."""


def memories_of(namespace: Namespace, ids: Iterable[UUID | None]) -> dict[UUID, StoredMemory]:
    """Return memories by id, including superseded and withdrawn ones."""
    found: dict[UUID, StoredMemory] = {}
    for one in islice(dict.fromkeys(key for key in ids if key is not None), _MOST):
        with suppress(NotFound):
            found[one] = namespace.get(one)
    return found


def waiting_of(questions: Iterable[Question], entity_id: UUID) -> set[str]:
    """Return the memories that open questions may assign to an entity; until answered, they count for nobody."""
    return {
        content
        for question in questions
        if any(one.entity_id == entity_id for one in question.candidates)
        for content in question.memories
    }


def contents_of(namespace: Namespace, decisions: Iterable[Decision]) -> dict[UUID, StoredMemory]:
    """Return the memories that the given decisions made, changed or saw."""
    return memories_of(
        namespace,
        (
            key
            for decision in decisions
            for key in (decision.memory_id, decision.target_id, *(one.memory_id for one in decision.candidates))
        ),
    )


Kind = Literal["text", "number", "boolean", "list", "json"]


@dataclass(frozen=True, slots=True)
class Field:
    """One leaf. pointer: "/address/city". value: as its input shows it; a list has one entry per line."""

    pointer: str
    kind: Kind
    value: str


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A form's change to a field. was: the value that the form showed. said: its value now."""

    pointer: str
    kind: Kind
    was: str
    said: str


def fields_of(body: Mapping[str, Any]) -> list[Field]:
    return [Field(pointer, *_shown(value_at(body, pointer))) for pointer in pointers_of(body)]


def patch_of(changes: Iterable[FieldChange]) -> dict[str, Any]:
    """Return the patch of the changed fields; emptied fields are removed. Raises ValueError, which names the invalid field."""
    patch: dict[str, Any] = {}
    for change in changes:
        if plain(change.was) == plain(change.said):
            continue
        *above, last = _keys(change.pointer)
        inner = patch
        for key in above:
            inner = inner.setdefault(key, {})
        inner[last] = _value(change)
    return patch


def guessed(said: str) -> Any:
    """Return the value of a new field: parsed JSON if it is valid, else the text itself."""
    try:
        value = json.loads(said, parse_constant=_refuse)
        json.dumps(value, allow_nan=False)  # Python reads 1e999 as a number, but JSON cannot express it
    except ValueError:
        return said.strip()
    return value


def _shown(value: Any) -> tuple[Kind, str]:
    if isinstance(value, bool):
        return "boolean", "true" if value else "false"
    if isinstance(value, int | float):
        return "number", json.dumps(value)
    if isinstance(value, str):
        return "text", value
    if isinstance(value, list) and all(
        isinstance(one, str) and one.strip() and len(one.splitlines()) == 1 for one in value
    ):
        return "list", "\n".join(value)
    return "json", "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)


def _value(change: FieldChange) -> Any:
    said = plain(change.said)
    if change.kind == "list":
        return [line.strip() for line in said.splitlines() if line.strip()]
    if not said.strip():
        return None
    if change.kind == "text":
        return said
    try:
        return json.loads(said, parse_constant=_refuse)
    except ValueError:
        what = {"number": "a number", "boolean": "true or false"}.get(change.kind, "JSON")
        raise ValueError(f"{change.pointer}: must be {what}") from None


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def plain(text: str) -> str:
    """Normalize a text from a form: browsers send lines that end in CR LF."""
    return text.replace("\r\n", "\n")


def _keys(pointer: str) -> list[str]:
    return [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]
