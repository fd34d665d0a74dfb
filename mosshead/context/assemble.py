"""Sort ranked results into paths that do not compete, and join them within a token budget. Pure.

Each path must deliver a minimum. A message unrelated to anything known (`relates`) gets next to nothing.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from heapq import heapify, heappop, heappush
from uuid import UUID

from mosshead.context.reader import ContextCandidate, ReaderCues, chosen
from mosshead.language.dates import times_in
from mosshead.language.requests import content_words, is_small_talk
from mosshead.language.retractions import asks_to_forget
from mosshead.models.context import (
    Context,
    Explanation,
    context_line,
    day_heading,
    group_of,
    in_order,
    message_note,
)
from mosshead.models.kinds import MemoryKind
from mosshead.models.memories import Hit
from mosshead.models.messages import StoredMessage
from mosshead.models.notes import memory_note
from mosshead.models.questions import Question
from mosshead.search.memories import RankedMemory, base, recency_boost
from mosshead.search.messages import RankedMessage
from mosshead.search.rerank import JUDGED, Judge, reranked
from mosshead.search.weights import ContextWeights
from mosshead.text import as_compared

_MOST = 40
"""The most memories a path holds."""

_STEM = 3
"""Words count as equal if this many first letters match: "puts" and "put" share three."""

_OF_AN_ENTITY, _ALIKE = 2, 1
_CALLED_FOR = 3.0  # a process is called for from this fit on, in standard deviations
_LENT = 1.0

WEIGHTS = ContextWeights()
_SALIENT, _RELEVANT, _RECENT = range(3)
_LINES, _LINE = 8, 40
"""The lines a reader gets within any budget, and the tokens of budget that each line more requires (about one message)."""

_BESIDES = "Besides"
_MISSES = 12
"""Filling stops after this many consecutive candidates that do not fit the remaining budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """The results of one path, best first.

    name: "entity", "process", "semantic" or "relations". subject: on the entity path, whose memories these are. delivers: how
    many of the first results are guaranteed a place.
    """

    name: str
    hits: tuple[RankedMemory, ...]
    subject: str | None = None
    delivers: int = 0

    @property
    def label(self) -> str:
        """The path's name in an explanation."""
        return f"{self.name}: {self.subject}" if self.subject else self.name


def assemble(
    paths: Sequence[Path],
    *,
    messages: Sequence[RankedMessage] = (),
    ahead: Sequence[StoredMessage] = (),
    pending: Sequence[Hit] = (),
    questions: Sequence[Question] = (),
    related: bool = True,
    judge: Judge | None = None,
    reader: ReaderCues | None = None,
    budget: int,
    count_tokens: Callable[[str], int],
    now: datetime,
    partial: bool,
) -> Context:
    """Join the results of the paths and the messages: first what each path must deliver, then the rest by score.

    Nothing appears twice: a memory and its source message count as one.

    Args:
        paths: The memories found, by path.
        messages: The conversation path, best first.
        ahead: Recent messages that have not taken effect, latest first; placed after what the paths must deliver.
        pending: Memories that the app wrote and the service has not processed yet; placed with `ahead`.
        questions: Open questions of identity to show.
        related: Whether the message relates to anything known. If not, only outliers join what a path must deliver.
        judge: A second opinion. The best candidates redistribute their scores in its order; what it omits is dropped.
        reader: How to choose and order for a reader; without it, the budget is filled.
        budget: The most tokens of ``Context.text``; what does not fit is skipped, and something shorter may still fit.
        count_tokens: The embedder's tokenizer.
        now: The reference time for the recency boost and for what counts as recent.
        partial: Whether the memories lag behind what was published.
    """
    filling = _Filling(
        budget=budget,
        count_tokens=count_tokens,
        now=now,
        ordered=reader is not None,
        bearers=reader.headings if reader else {},
    )
    messages = [one for one in messages if _tells(one.message)]
    ahead = [one for one in ahead if _tells(one)]
    said = (ContextCandidate(value=one.message, found=one, base=one.score * WEIGHTS.message) for one in messages)
    candidates = [
        *_judged([*_memories(paths, now), *said], judge),
        *(ContextCandidate(value=one, paths=("pending",), base=0.0, guaranteed=True) for one in pending),
        *(ContextCandidate(value=one, paths=("pending",), base=0.0, guaranteed=True) for one in ahead),
    ]
    if reader is not None:
        filling.read(chosen(candidates, reader), lines=max(_LINES, budget // _LINE))
        filling.stand_for(candidates)
        return _context(filling, questions, partial)
    for one in candidates:
        if one.guaranteed and not filling.repeats(one):
            filling.take(one)
    least = -math.inf if related else WEIGHTS.unrelated
    fitting = [one for one in candidates if one.score >= least]
    filling.fill(one for one in fitting if not one.guaranteed)
    filling.tell_the_rest(fitting)
    return _context(filling, questions, partial)


def _tells(message: StoredMessage) -> bool:
    """Whether a message may appear: no small talk, and no bare request to forget, which would repeat what to forget."""
    return not is_small_talk(message.content) and not asks_to_forget(message.content)


def _memories(paths: Sequence[Path], now: datetime) -> list[ContextCandidate]:
    """Merge the paths' memories: guaranteed ones first, in delivery order."""
    labels: dict[UUID, list[str]] = {}
    found: dict[UUID, RankedMemory] = {one.id: one for one in delivered(paths)}
    first = frozenset(found)
    for path in paths:
        for one in path.hits:
            found.setdefault(one.id, one)
            labels.setdefault(one.id, []).append(path.label)
    return [
        ContextCandidate(
            value=one.found.memory,
            found=one,
            paths=tuple(dict.fromkeys(labels[key])),
            base=base(one.relevance.total, one.found.memory.salience, one.found.memory.confidence),
            boost=recency_boost(one.found.memory.said_at, now),
            guaranteed=key in first,
        )
        for key, one in found.items()
    ]


def _judged(candidates: Sequence[ContextCandidate], judge: Judge | None) -> Sequence[ContextCandidate]:
    """Reassign the best candidates' scores in the judge's order, so that they stay comparable with all others."""
    if judge is None:
        return candidates
    best = sorted(candidates, key=lambda one: (not one.guaranteed, -one.score))[:JUDGED]
    best.sort(key=lambda one: -one.score)  # the order if the judge does not answer
    kept = reranked(best, lambda one: one.value.content, judge)
    scores = sorted((one.score for one in kept), reverse=True)
    anew = {one.value.id: replace(one, judged=score) for one, score in zip(kept, scores, strict=True)}
    left_out = {one.value.id for one in best}.difference(anew)
    return [anew.get(one.value.id, one) for one in candidates if one.value.id not in left_out]


@dataclass(slots=True, kw_only=True)
class _Filling:
    """A context under construction.

    used: tokens by category. said: texts already shown. covered: messages represented by a memory. told: memories represented by
    a message. bearers: by memory and message id, which of several namesakes it is about.
    """

    budget: int
    count_tokens: Callable[[str], int]
    now: datetime
    ordered: bool = False
    bearers: Mapping[UUID, str] = field(default_factory=dict)
    tokens: int = 0
    used: list[int] = field(default_factory=lambda: [0, 0, 0])
    taken: list[ContextCandidate] = field(default_factory=list)
    told: list[Hit] = field(default_factory=list)
    said: set[str] = field(default_factory=set)
    shown: set[UUID] = field(default_factory=set)
    covered: set[UUID] = field(default_factory=set)
    headings: set[tuple[str, date]] = field(default_factory=set)

    def fill(self, candidates: Iterable[ContextCandidate]) -> None:
        """Take candidates by score until nothing fits. Above its category's share, a candidate yields to those with nearby
        scores."""
        waiting = [(-one.score, one.value.id, number, False, one) for number, one in enumerate(candidates)]
        heapify(waiting)
        misses = 0
        while waiting and misses < _MISSES and self.tokens < self.budget:
            negated, key, number, ceded, one = heappop(waiting)
            category = self._category(one)
            if not ceded and self.used[category] >= WEIGHTS.shares[category] * self.budget:
                heappush(waiting, (negated + WEIGHTS.ceded, key, number, True, one))
            elif not self.repeats(one):
                misses = 0 if self.take(one) else misses + 1

    def read(self, chosen: Iterable[ContextCandidate], *, lines: int) -> None:
        """Take the chosen candidates in order while the budget lasts; due ones always get a place.

        lines: the number of lines kept if messages are among them, unless more are due.
        """
        those = list(chosen)
        said = {one.value.id: one for one in those if isinstance(one.value, StoredMessage)}
        told = {key for one in those for key in one.sources if key in said and _covers([one], said[key])}
        self.covered.update(told)
        order: dict[UUID, ContextCandidate] = {}
        for one in sorted(those, key=lambda one: (not one.due, -one.reach)):
            for other in (*(said[key] for key in one.sources if key in said and key not in told), one):
                if not self.repeats(other):
                    self.take(other)
        for one in those:
            for other in (*(said[key] for key in one.sources if key in said and key not in told), one):
                order.setdefault(other.value.id, other)
        places = {key: place for place, key in enumerate(order)}
        self.taken.sort(
            key=lambda one: (
                _is_replaced(one),
                min(places[key] for key in (one.value.id, *one.sources) if key in places),
            )
        )
        for one in [one for one in reversed(self.taken) if not one.due][: max(0, len(self.taken) - lines)]:
            if self.shown:
                self.taken.remove(one)
                self.shown.discard(one.value.id)

    def bearer(self, one: ContextCandidate) -> str:
        """Return which of several namesakes the candidate is about; empty for all others."""
        return self.bearers.get(one.value.id, "")

    def grouped(self) -> list[Explanation]:
        """Return what was taken, under headings that distinguish namesakes if the budget has room for them."""
        explained = [replace(one.explained(), heading=self.bearer(one)) for one in self.taken]
        groups = list(dict.fromkeys(one.heading for one in explained))
        explained.sort(key=lambda one: groups.index(one.heading))
        if groups[:1] != [""]:  # other lines follow below and need a heading of their own
            explained = [replace(one, heading=one.heading or _BESIDES) for one in explained]
        headings = "\n".join(f"{one}:" for one in {one.heading for one in explained if one.heading})
        if self.tokens + self.count_tokens(headings) <= self.budget:
            return explained
        return [one.explained() for one in self.taken]

    def stand_for(self, candidates: Iterable[ContextCandidate]) -> None:
        """Record memories whose source messages are shown: the prompt contains their content."""
        taken = {one.value.id for one in self.taken}
        self.told = [
            one.value
            for one in candidates
            if isinstance(one.value, Hit) and one.value.id not in taken and not self.shown.isdisjoint(one.sources)
        ]

    def tell_the_rest(self, candidates: Iterable[ContextCandidate]) -> None:
        """Add messages that say more than the memories representing them, best first, while there is room."""
        shown = [one for one in self.taken if one.sources]
        for one in sorted(candidates, key=lambda one: -one.score):
            stand = [memory for memory in shown if one.value.id in memory.sources]
            if not stand or as_compared(one.value.content) in self.said:
                continue
            if isinstance(one.value, StoredMessage) and not _covers(stand, one):
                self.take(one)

    def take(self, one: ContextCandidate) -> bool:
        """Add a candidate if it fits; return whether it did."""
        cost = self.count_tokens(f"{self._lines(one)}\n")
        if self.tokens + cost > self.budget:
            return False
        self.tokens += cost
        self.used[self._category(one)] += cost
        self.taken.append(one)
        self.said.add(as_compared(one.value.content))
        if not self.ordered:
            self.covered.update(one.sources)
        if isinstance(one.value, StoredMessage):
            self.shown.add(one.value.id)
            self.headings.add(group_of(one.value))
        return True

    def repeats(self, one: ContextCandidate) -> bool:
        """Whether this is already shown: the same text, or a memory whose source messages are."""
        if isinstance(one.value, StoredMessage):
            return one.value.id in self.covered or as_compared(one.value.content) in self.said
        told = bool(one.sources) and self.shown.issuperset(one.sources)
        # Under an entity's heading, the last message needs no memory to explain who "he" is.
        said = bool(one.sources) and max(one.sources) in self.shown
        under = said and bool(self.bearer(one)) and self.bearers.get(max(one.sources)) == self.bearer(one)
        return as_compared(one.value.content) in self.said or told or under

    def _lines(self, one: ContextCandidate) -> str:
        """Return the lines that the candidate adds to the text."""
        if self.ordered:
            return context_line(one.explained())
        if not isinstance(one.value, StoredMessage):
            return f"- {memory_note(one.value)}"
        heading = "" if group_of(one.value) in self.headings else f"{day_heading(one.value)}\n"
        return f"{heading}{message_note(one.value)}"

    def _category(self, one: ContextCandidate) -> int:
        if timedelta(0) <= self.now - one.value.said_at < timedelta(days=WEIGHTS.recent):
            return _RECENT
        return _SALIENT if isinstance(one.value, Hit) and one.value.salience >= WEIGHTS.salient else _RELEVANT


def _is_replaced(one: ContextCandidate) -> bool:
    return isinstance(one.value, StoredMessage) and bool(one.value.replaced)


def _covers(memories: Sequence[ContextCandidate], message: ContextCandidate) -> bool:
    """Whether memories cover everything in their source message; their dates cover its time phrases."""
    said, value = message.value.content, message.value
    if any(isinstance(one.value, Hit) and one.value.occurred for one in memories):
        for phrase in reversed(times_in(said, value.said_at)):
            said = f"{said[: phrase.start]} {said[phrase.end :]}"
    told = {word[:_STEM] for one in memories for word in content_words(one.value.content)}
    return all(word[:_STEM] in told for word in content_words(said))


def _context(filling: _Filling, questions: Sequence[Question], partial: bool) -> Context:
    if filling.ordered:
        explained = filling.grouped()
        shown = Context(
            memories=(*(one.memory for one in explained if one.memory), *filling.told),
            messages=tuple(one.message for one in explained if one.message),
            questions=tuple(questions),
            tokens=0,
            partial=partial,
            explanations=tuple(explained),
            ordered=True,
        )
        return replace(shown, tokens=filling.count_tokens(shown.text))
    explained = [one.explained() for one in filling.taken]
    of_memories = sorted((one for one in explained if one.memory), key=lambda one: -one.score)
    subjects: dict[str, int] = {}
    for number, one in enumerate(of_memories):
        subjects.setdefault(_subject(one), number)
    of_memories.sort(key=lambda one: subjects[_subject(one)])
    of_messages = {one.message.id: one for one in explained if one.message}
    messages = in_order([one.message for one in explained if one.message])
    context = Context(
        memories=tuple(one.memory for one in of_memories if one.memory),
        messages=messages,
        questions=tuple(questions),
        tokens=0,
        partial=partial,
        explanations=(*of_memories, *(of_messages[message.id] for message in messages)),
    )
    return replace(context, tokens=filling.count_tokens(context.text))


def _subject(one: Explanation) -> str:
    return one.memory.about[0] if one.memory and one.memory.about else ""


def paths(
    ranked: Sequence[RankedMemory], named: Mapping[UUID, str], plausible: Mapping[UUID, str] | None = None
) -> tuple[Path, ...]:
    """Sort ranked memories into paths; a memory may be on several.

    named: the entities meant, each with its name in the message. plausible: likewise, the entities that may be meant.

    - entity, one for each named: the two best about them, and the oldest lasting one;
      for a plausible entity only that one, which identifies them
    - process: the best process, if its fit is good enough
    - semantic: the memory whose own words fit best
    - relations: memories of other entities that the best hits are about; none is guaranteed
    """
    found = [_of_entity(ranked, entity, name) for entity, name in named.items()]
    found += [_first_known(ranked, entity, name) for entity, name in (plausible or {}).items()]
    alike = _by(ranked, lambda one: one.relevance.fit)[:_MOST]
    semantic = Path(name="semantic", hits=tuple(alike), delivers=_ALIKE)
    found += [_processes(ranked), semantic, _related(ranked, named)]
    return tuple(path for path in found if path.hits)


def without(found: Iterable[Path], memory_ids: Collection[UUID]) -> tuple[Path, ...]:
    """Return the paths without some memories; of the rest, each still delivers its minimum."""
    kept = (replace(path, hits=tuple(one for one in path.hits if one.id not in memory_ids)) for path in found)
    return tuple(path for path in kept if path.hits)


def _of_entity(ranked: Sequence[RankedMemory], entity: UUID, name: str) -> Path:
    about = [one for one in ranked if entity in one.found.entities]
    longest = _oldest(about)
    first = about[:_OF_AN_ENTITY]
    if longest is not None and longest not in first:
        first.append(longest)
    rest = [one for one in about if one not in first]
    return Path(name="entity", subject=name, hits=(*first, *rest)[:_MOST], delivers=len(first))


def _first_known(ranked: Sequence[RankedMemory], entity: UUID, name: str) -> Path:
    first = _oldest([one for one in ranked if entity in one.found.entities])
    return Path(name="entity", subject=name, hits=(first,) if first else (), delivers=1)


def told_in_one_line(
    ranked: Sequence[RankedMemory], others: Collection[UUID], meant: Collection[UUID]
) -> list[RankedMemory]:
    """Drop memories that are only about these others, except each one's oldest lasting memory."""
    kept = {
        first.id
        for other in others
        if (first := _oldest([one for one in ranked if other in one.found.entities])) is not None
    }
    return [
        one
        for one in ranked
        if one.id in kept or one.found.entities.isdisjoint(others) or not one.found.entities.isdisjoint(meant)
    ]


def _oldest(about: Sequence[RankedMemory]) -> RankedMemory | None:
    """Return the oldest lasting memory."""
    first = min(about, key=lambda one: (-one.relevance.foundation, one.found.memory.said_at, one.id), default=None)
    return first if first is not None and first.relevance.foundation > 0 else None


def _processes(ranked: Iterable[RankedMemory]) -> Path:
    fitting = _by([one for one in ranked if one.found.memory.kind is MemoryKind.PROCESS], lambda one: one.relevance.own)
    called_for = bool(fitting) and fitting[0].relevance.own >= _CALLED_FOR
    return Path(name="process", hits=tuple(fitting[:_MOST]), delivers=int(called_for))


def _related(ranked: Iterable[RankedMemory], named: Mapping[UUID, str]) -> Path:
    others = [one for one in ranked if one.relevance.lent >= _LENT and one.found.entities.isdisjoint(named)]
    return Path(name="relations", hits=tuple(_by(others, lambda one: one.relevance.lent)[:_MOST]))


def _by(ranked: Iterable[RankedMemory], key: Callable[[RankedMemory], float]) -> list[RankedMemory]:
    return sorted(ranked, key=lambda one: (-key(one), one.id))


def delivered(found: Sequence[Path]) -> Iterator[RankedMemory]:
    """Yield what the paths must deliver, round robin, so that no path waits for another."""
    for place in range(max((path.delivers for path in found), default=0)):
        yield from (path.hits[place] for path in found if place < min(path.delivers, len(path.hits)))


def called_for(found: Iterable[Path]) -> list[str]:
    """Return the texts of the taught processes that a message calls for."""
    processes = (path for path in found if path.name == "process")
    return [one.found.memory.content for path in processes for one in path.hits[: path.delivers]]
