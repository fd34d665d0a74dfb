"""How values read on a page. Pure; the templates escape all of it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from mosshead.models.kinds import Granularity
from mosshead.models.memories import Decision, Occurrence, Progress

_WHOLE = {Granularity.MONTH: "%B %Y", Granularity.SEASON: "%B %Y", Granularity.YEAR: "%Y"}
_OF_A_CLOCK = frozenset({Granularity.MINUTE, Granularity.HOUR})
_DONE = {
    "add": "remembered",
    "update": "made more precise",
    "supersede": "replaced",
    "contradict": "set against another",
    "none": "known already",
    "quarantine": "kept out",
    "refuse": "not taken",
    "undo": "taken back",
    "clarify": "answered",
    "merge": "merged",
    "split": "split",
    "forget": "forgotten",
    "erase": "erased",
    "document": "document changed",
    "set_prompt": "prompt set",
    "roll_back_prompt": "prompt rolled back",
    "optimize_prompt": "prompt improved",
}
_MOST_WORDS = 48


def day(time: datetime) -> str:
    """2 Mar 2026, where it was said."""
    return f"{time:%-d %b %Y}"


def moment(time: datetime) -> str:
    """2 Mar 2026, 12:00, in UTC as all times of the service itself."""
    return f"{time.astimezone(UTC):%-d %b %Y, %H:%M}"


def moment_there(time: datetime) -> str:
    """2 Mar 2026, 12:00 +01:00, by the clock where it was said."""
    offset = f" {time.isoformat()[-6:]}" if time.utcoffset() else ""
    return f"{time:%-d %b %Y, %H:%M}{offset}"


def occurred(when: Occurrence) -> str:
    """When something happened, as precisely as is known."""
    if when.granularity in _OF_A_CLOCK:
        return moment_there(when.start)
    told = when.day.strftime(_WHOLE.get(when.granularity, "%-d %b %Y"))
    return f"the week of {told}" if when.granularity is Granularity.WEEK else told


def done(decision: Decision) -> str:
    """What a decision did, in a word or two."""
    return _DONE.get(decision.action, decision.action)


def told(decision: Decision) -> str:
    """What a decision was about, as far as its fact says it."""
    return str(decision.fact.get("content") or decision.fact.get("document") or "")


def around(text: str, mention: str) -> tuple[str, str, str]:
    """A text before, in and behind its first mention of something; all of it in front where it is not mentioned."""
    place = text.casefold().find(mention.casefold())
    if not mention or place < 0 or len(text) != len(text.casefold()):
        return text, "", ""
    end = place + len(mention)
    return text[:place], text[place:end], text[end:]


def shortened(text: str, most: int = _MOST_WORDS) -> str:
    """The beginning of a text, for a place that has room for no more."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def short_id(one: UUID) -> str:
    """The end of an id, which tells it from its neighbours; the beginning is a time."""
    return str(one)[-8:]


def freshness(progress: Progress) -> str:
    """How far the events of a namespace have come."""
    waiting = progress.pending + progress.not_received
    if waiting:
        return f"{waiting} event{'' if waiting == 1 else 's'} on the way"
    return "profiles are being refreshed" if progress.at_work else "up to date"


def plainly(value: Any) -> str:
    """A value of JSON in a line of text."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {plainly(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(plainly, value))
    return "–" if value is None or value == "" else str(value)


FUNCTIONS = {
    one.__name__: one
    for one in (day, moment, moment_there, occurred, done, told, around, shortened, short_id, freshness, plainly)
}
"""What the templates may call."""
