"""The messages that answer a question, best first: what a scan found, ranked by its scores and by where each message stands.

A message is seldom understood alone. Its neighbours hold the question that it answers or the name of what it speaks of, and its
conversation what all of it is about, so each lends to it. Pure.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from mosshead.matching import Name, Word, places, words_of
from mosshead.names import normalise, spelled_out
from mosshead.reading.found import MessageFound, Spread, StoredMessage
from mosshead.reading.periods import Interval, Period, periods
from mosshead.reading.weights import MessageWeights

_Column = NDArray[np.float64]

_LENDERS_OF_CONVERSATION = 3
"""So many of a conversation's messages, its best, lend to the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is known of a question beside its vector and its words.

    words: to look for speakers in. names: of those whom it names, all that they are called, normalised. periods: the times that
    it names.
    """

    words: tuple[Word, ...] = ()
    names: frozenset[str] = frozenset()
    periods: tuple[Period | Interval, ...] = ()

    def names_speaker(self, speaker: str) -> bool:
        """Whether the question names somebody who speaks under that name."""
        normalised = spelled_out(normalise(speaker))
        parts = tuple(normalised.split())
        name = Name(normalised=normalised, is_person=True, full=parts if len(parts) > 1 else ())
        return normalised in self.names or bool(places(self.words, [name]))


def asked_by(message: str, names: Collection[str], now: datetime) -> Asked:
    """A question as ranking takes it.

    names: of those whom it names, all that they are called. now: when it is asked, by the clocks of where.
    """
    return Asked(
        words=tuple(words_of(message)),
        names=frozenset(spelled_out(normalise(name)) for name in names),
        periods=periods(message, now.date()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedMessage:
    """A message, and why it stands where it stands. found: with its raw scores."""

    found: MessageFound
    score: float
    _row: int = field(repr=False, compare=False)
    _parts: Mapping[str, _Column] = field(repr=False, compare=False)

    @property
    def message(self) -> StoredMessage:
        """The message itself."""
        return self.found.message

    @property
    def parts(self) -> dict[str, float]:
        """What each signal that says something adds, by its name in `MessageWeights`. The parts sum up to the score."""
        return {name: float(column[self._row]) for name, column in self._parts.items() if column[self._row]}


def rank_messages(
    found: Sequence[MessageFound],
    *,
    with_before: Spread,
    words: Spread,
    asked: Asked,
    lent: Mapping[UUID, float],
    limit: int | None = None,
    weights: MessageWeights | None = None,
) -> list[RankedMessage]:
    """Rank what a scan found, best first; equals in the order of their conversations.

    found: each message once, in any order. with_before, words: how the raw scores lie over all that was scanned, of which what
    was found is the best part with its neighbours; the cosine of a message alone lies as that with the turn before it does.
    lent: by message, what the memories that were taken from it lend, in standard deviations. limit: so many at most.
    """
    if not found:
        return []
    rows = sorted(found, key=_in_conversation)
    messages = [one.message for one in rows]
    normalised = {
        "cosine": _normalised([one.cosine for one in rows], with_before),
        "with_before": _normalised([one.with_before for one in rows], with_before),
        "words": _normalised([one.words for one in rows], words),
    }
    weights = weights or MessageWeights()
    parts = _parts(messages, normalised, asked, lent, weights)
    own = _sum(parts)
    parts["conversation"] = weights.conversation * _best_of_conversation(messages, own)
    scores = _sum(parts)
    return [
        RankedMessage(found=rows[row], score=float(scores[row]), _row=row, _parts=parts)
        for row in np.argsort(-scores, kind="stable")[:limit].tolist()
    ]


def _parts(
    messages: Sequence[StoredMessage],
    normalised: Mapping[str, _Column],
    asked: Asked,
    lent: Mapping[UUID, float],
    weights: MessageWeights,
) -> dict[str, _Column]:
    """What each signal adds, but for the conversation, to which all of them lead."""
    follows = _follows(messages)
    words, with_before = normalised["words"], normalised["with_before"]
    return {
        "cosine": weights.cosine * normalised["cosine"],
        "with_before": weights.with_before * with_before,
        "words": weights.words * words,
        "with_after": weights.with_after * _of_next(with_before, follows),
        "words_before": weights.words_before * _of_previous(words, follows),
        "words_after": weights.words_after * _of_next(words, follows),
        "speaker": weights.speaker * _said_by_named(messages, asked),
        "when": weights.when * _said_then(messages, asked),
        "asks": weights.asks * np.array([message.content.rstrip().endswith("?") for message in messages]),
        "lent": weights.lent * _lent(messages, lent),
    }


def _in_conversation(one: MessageFound) -> tuple[str, int, UUID]:
    return (one.message.conversation or "", one.message.place, one.message.id)


def _normalised(raw: Sequence[float], spread: Spread) -> _Column:
    return (np.array(raw) - spread.mean) / spread.deviation if spread.deviation > 0 else np.zeros(len(raw))


def _follows(messages: Sequence[StoredMessage]) -> NDArray[np.bool_]:
    """For each message but the last, whether the one in the next row is the next that was said in its conversation."""
    places = np.array([message.place for message in messages])
    same = [one.conversation == other.conversation for one, other in pairwise(messages)]
    follows: NDArray[np.bool_] = np.array(same, dtype=np.bool_) & (places[:-1] + 1 == places[1:])
    return follows


def _of_previous(column: _Column, follows: NDArray[np.bool_]) -> _Column:
    return np.concatenate(([0.0], column[:-1] * follows))


def _of_next(column: _Column, follows: NDArray[np.bool_]) -> _Column:
    return np.concatenate((column[1:] * follows, [0.0]))


def _said_by_named(messages: Sequence[StoredMessage], asked: Asked) -> _Column:
    speakers = {message.speaker for message in messages}
    named = {speaker for speaker in speakers if speaker and asked.names_speaker(speaker)}
    return np.array([float(message.speaker in named) for message in messages])


def _said_then(messages: Sequence[StoredMessage], asked: Asked) -> _Column:
    if not asked.periods:
        return np.zeros(len(messages))
    days = [message.said_at.date() for message in messages]
    fits = {day: max(period.fits(day) for period in asked.periods) for day in set(days)}
    return np.array([fits[day] for day in days])


def _lent(messages: Sequence[StoredMessage], lent: Mapping[UUID, float]) -> _Column:
    if not lent:
        return np.zeros(len(messages))
    return np.array([lent.get(message.id, 0.0) for message in messages])


def _best_of_conversation(messages: Sequence[StoredMessage], scores: _Column) -> _Column:
    """By message, the mean of the best three of its conversation."""
    labels = [message.conversation for message in messages]
    starts = np.array([0, *(row for row, (one, other) in enumerate(pairwise(labels), 1) if one != other)])
    sizes = np.diff(starts, append=len(labels))
    conversation = np.repeat(np.arange(len(starts)), sizes)
    standing = np.arange(len(labels)) - starts[conversation]
    lending = np.where(standing < _LENDERS_OF_CONVERSATION, scores[np.lexsort((-scores, conversation))], 0.0)
    best: _Column = np.add.reduceat(lending, starts) / np.minimum(sizes, _LENDERS_OF_CONVERSATION)
    return best[conversation]


def _sum(parts: Mapping[str, _Column]) -> _Column:
    total: _Column = np.sum(list(parts.values()), axis=0)
    return total
