"""What belongs to a story of all that was gathered, within a budget, in the order of time. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from uuid import UUID

from mosshead.contents import as_compared
from mosshead.reading.found import StoredMessage
from mosshead.results import StoredMemory
from mosshead.stories.asking import noted
from mosshead.stories.intents import StoryIntent
from mosshead.stories.story import StoryEvidence

_A_MOMENT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Something that may be told. score: how much it has to do with the request; found_by, until: as `StoryEvidence` has them.

    sources: the messages that a memory was taken from.
    """

    value: StoredMemory | StoredMessage
    score: float
    found_by: tuple[str, ...]
    until: datetime | None = None
    sources: tuple[UUID, ...] = ()


def belonging(pieces: Iterable[Piece], intent: StoryIntent, days: Sequence[tuple[date, date]] = ()) -> list[Piece]:
    """Those that a story of this kind tells.

    days: the first and the last of each time that is told of; all times where there are none. What was put right on the day on
    which it was said is told where it is asked how something changed, and nowhere else: it never was so.
    """
    return [
        one
        for one in pieces
        if (not days or any(_within(one.value, *between) for between in days))
        and (intent is StoryIntent.CHANGE or one.until is None or one.until.date() > one.value.said_at.date())
    ]


def chosen(
    pieces: Iterable[Piece], *, budget: int, count_tokens: Callable[[str], int]
) -> tuple[tuple[StoryEvidence, ...], int]:
    """The best, as many as a budget of tokens holds, numbered in the order of time; and their tokens.

    Nothing is there twice: neither the same words, nor a message beside a memory that was taken from it. What is too long is
    passed over.
    """
    taken: list[Piece] = []
    told: set[str] = set()
    covered: set[UUID] = set()
    used = 0
    # A memory before a message: it was attributed to somebody.
    for one in sorted(pieces, key=lambda one: (isinstance(one.value, StoredMessage), -one.score, one.value.id)):
        if as_compared(one.value.content) in told or one.value.id in covered:
            continue
        cost = count_tokens(f"{noted(evidence_of(one, _WIDEST))}\n")
        if used + cost > budget:
            continue
        used += cost
        taken.append(one)
        told.add(as_compared(one.value.content))
        covered.update(one.sources)
    ordered = sorted((evidence_of(one, 0) for one in taken), key=lambda one: (one.at, one.said_at, one.id))
    return tuple(replace(one, number=number) for number, one in enumerate(ordered, 1)), used


def evidence_of(piece: Piece, number: int) -> StoryEvidence:
    """A piece under a number."""
    is_memory = isinstance(piece.value, StoredMemory)
    return StoryEvidence(
        number=number,
        memory=piece.value if isinstance(piece.value, StoredMemory) else None,
        message=piece.value if isinstance(piece.value, StoredMessage) else None,
        found_by=piece.found_by,
        until=piece.until if is_memory else None,
    )


_WIDEST = 999
"""A number of as many digits as any has, to count by."""


def _within(one: StoredMemory | StoredMessage, first: date, last: date) -> bool:
    """Whether it happened in a time, or was said then where it is not known when it happened."""
    if isinstance(one, StoredMemory) and one.occurred:
        ends = (one.occurred.end - _A_MOMENT).date()
        return one.occurred.day <= last and max(ends, one.occurred.day) >= first
    return first <= one.said_at.date() <= last
