"""Scores contexts line by line. Pure.

Over the questions that can be answered:

- answer_in_3, answer_at_all: one of the first three lines, or any line, matches an answer
- mrr: 1 / the place of the first line that does
- needs_met: each group of needed messages has one among the sources of the lines
- outdated_above: of the questions that have outdated answers, an outdated line that is not marked as earlier stands above the
  first answer, or anywhere where nothing answers
- precision: of all lines of all questions, those with a relevant source
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from benchmarks.lives.lives import UNRELATED, LifeQuestion

_LINES_READ_FIRST = 3

_EARLIER = re.compile(
    r"\b(?:earlier|until|formerly|previously|used to|no longer|before that|at first|replaced|but now)\b", re.IGNORECASE
)
"""A mark of what no longer holds. A date is none: it stands behind much that still does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One memory or one message of a context, as its text has it. sources: the data's ids of the messages behind it."""

    text: str
    sources: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeAnswer:
    """The context that was given for a question. tokens: of all its text."""

    question: LifeQuestion
    lines: tuple[Line, ...]
    tokens: int

    @property
    def place(self) -> int | None:
        """Of the first line that answers, from 0."""
        return next((place for place, one in enumerate(self.lines) if _matches(self.question.answer, one.text)), None)

    @property
    def needs_met(self) -> bool:
        """Whether each group of what is needed is there."""
        sources = frozenset[str]().union(*(one.sources for one in self.lines))
        return all(not sources.isdisjoint(group) for group in self.question.needs)

    @property
    def outdated_above(self) -> bool | None:
        """Whether something outdated stands above the answer; None where the question has nothing outdated."""
        if not self.question.outdated:
            return None
        above = self.lines[: self.place]
        return any(_matches(self.question.outdated, one.text) and not _EARLIER.search(one.text) for one in above)

    @property
    def relevant_lines(self) -> int:
        """How many of the lines have to do with the question."""
        return sum(not one.sources.isdisjoint(self.question.relevant) for one in self.lines)


def as_json(answers: Iterable[LifeAnswer]) -> dict[str, Any]:
    """Score the answers, over all of them and by kind."""
    kinds: dict[str, list[LifeAnswer]] = {}
    for one in answers:
        kinds.setdefault(one.question.kind, []).append(one)
    unrelated = kinds.pop(UNRELATED, [])
    overall = _summary([one for some in kinds.values() for one in some])
    overall["unrelated_lines"] = _mean(len(one.lines) for one in unrelated)
    overall["unrelated_tokens"] = _mean(one.tokens for one in unrelated)
    return {"overall": overall, "kinds": {kind: _summary(some) for kind, some in kinds.items()}}


def _summary(answers: Sequence[LifeAnswer]) -> dict[str, Any]:
    places = [one.place for one in answers]
    lines = sum(len(one.lines) for one in answers)
    return {
        "questions": len(answers),
        "answer_in_3": _mean(place is not None and place < _LINES_READ_FIRST for place in places),
        "answer_at_all": _mean(place is not None for place in places),
        "mrr": _mean(0.0 if place is None else 1 / (place + 1) for place in places),
        "needs_met": _mean(one.needs_met for one in answers),
        "outdated_above": _mean(stale for one in answers if (stale := one.outdated_above) is not None),
        "precision": round(sum(one.relevant_lines for one in answers) / lines, 4) if lines else None,
        "lines": _mean(len(one.lines) for one in answers),
        "tokens": _mean(one.tokens for one in answers),
    }


def _matches(patterns: Iterable[str], text: str) -> bool:
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return round(fmean(known), 4) if known else None
