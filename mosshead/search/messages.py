"""The conversation path: find and rank messages that may answer a question. One statement over the views of version 1.

One scan of the namespace's messages gives the cosine of each with the turn before it, and BM25 (`mosshead.search.scans`);
the best by either, with their neighbours, are ranked. The cosine of a message alone is only computed for those: a message near by
it is also near with the turn before it (docs/benchmarks.md, "How many are ranked").
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from mosshead.embeddings import Vectors
from mosshead.language.dates import Period, periods
from mosshead.language.name_spans import Name, TextWord, places, words_of
from mosshead.language.names import normalise, spelled_out
from mosshead.language.retractions import asks_to_forget
from mosshead.models.messages import StoredMessage
from mosshead.paths import NamespacePath
from mosshead.search.memories import SCORED, TAUGHT
from mosshead.search.scans import (
    MEMORIES,
    MOST_STATEMENTS,
    TURNS,
    Spread,
    Vocabulary,
    bm25,
    cosine,
    exact,
    exact_head,
    memories_head,
    messages_head,
    of_words,
    time_head,
)
from mosshead.search.weights import MessageWeights
from mosshead.store.connection import BinaryVector, Sql, of_namespace
from mosshead.store.memories import message_of
from mosshead.text import as_compared

_EACH = (20, 30, 40, 60, 100, 200, 400)
"""How many messages are found by each raw score: few sizes, because a large namespace has a statement for each."""

_IN_TIME = """(
    (%(since)s::timestamptz is null or said_at >= %(since)s)
    and (%(until)s::timestamptz is null or said_at < %(until)s)
)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Among:
    """Which messages are searched.

    conversation: only those of one; all by default. Word rarity counts over the whole namespace.
    since, until: only those said from a time on, and before a time.
    """

    conversation: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def holds(self, said_at: datetime) -> bool:
        """Whether messages of that time are searched."""
        return (self.since is None or said_at >= self.since) and (self.until is None or said_at < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFound:
    """A message found by a scan.

    cosine: of its text with the question without names. with_before: of it with the turn before. words: BM25.
    itself: whether it was found by its own scores; otherwise it is a neighbour.
    """

    message: StoredMessage
    cosine: float
    with_before: float
    words: float
    itself: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedMessages:
    """The distinct messages that a scan found, and the distribution of the raw scores over all scanned ones.

    The messages are the best ones with their neighbours.
    """

    found: tuple[MessageFound, ...]
    with_before: Spread
    words: Spread


def each_for(shown: int) -> int:
    """Return how many messages to find by each raw score: at least twice the number to show, up to 400.

    More did not help on five conversations of LoCoMo (docs/benchmarks.md, "How many are ranked").
    """
    return next((each for each in _EACH if each >= 2 * shown), _EACH[-1])


def statement_for(
    path: NamespacePath,
    *,
    model: str,
    vector: Vectors,
    message: str,
    among: Among | None = None,
    each: int,
    vocabulary: Vocabulary | None = None,
) -> Sql:
    """Return the statement, in the driver's form, with its parameters; its rows are for `scanned`.

    vector: of the message without names, of unit length. message: the original, for its words. each: how many to find by each raw
    score (`each_for`). vocabulary: of its words, if the namespace has its own indexes, which are then used if all conversations
    are searched.
    """
    among = among or Among()
    parameters = {
        **path.ids,
        "model": model,
        "vector": BinaryVector(vector),
        "message": message,
        "conversation": among.conversation,
        "since": among.since,
        "until": among.until,
        "each": each,
    }
    if vocabulary is None or among.conversation is not None:
        return Sql(_SCAN, parameters)
    by_index = _by_index(path, model, len(vector), each, in_time=among != Among())
    return Sql(by_index, {**parameters, **of_words(vocabulary)})


def scanned(rows: Iterable[Any], told: Collection[str] = (), hidden: Collection[UUID] = ()) -> ScannedMessages:
    """Convert the rows. told: contents that the model sees anyway, in compared form (`mosshead.text.as_compared`).

    hidden: messages not to show; requests to forget are not shown either, because they repeat what to forget.
    """
    given = list(rows)
    found = (
        MessageFound(
            message=message_of(row, replaced=row.replaced or ()),
            cosine=row.cosine,
            with_before=row.with_before,
            words=row.words,
            itself=row.itself,
        )
        for row in given
    )
    return ScannedMessages(
        found=tuple(
            one
            for one in found
            if one.message.id not in hidden
            and (not told or as_compared(one.message.content) not in told)
            and not asks_to_forget(one.message.content)
        ),
        with_before=Spread.of(given, "cosine"),
        words=Spread.of(given, "words"),
    )


_LAST_OF_BEST = """(
    select cosine from scan where searched order by cosine desc offset %(each)s - 1 limit 1
)"""


def _first(score: str, only: str) -> str:
    return f"""(select message_id, conversation_id from scan where searched and {only}
                order by {score} desc, message_id desc limit %(each)s)"""


_ALL = exact(
    TURNS,
    f", conversation_id, {_IN_TIME} as searched",
    "and (%(conversation)s::text is null or conversation_id = %(conversation)s)",
)

_BEST = f"""
    best as materialized (
        {_first("cosine", f"cosine >= coalesce({_LAST_OF_BEST}, '-infinity')")} union {_first("words", "words > 0")}
    )
"""
"""The best by each score. Sorting bare numbers is cheapest: whole rows are sorted only once they are few."""

_PLACED = f"""
    placed as materialized (
        select one.conversation_id, message_id, said_at, place, itself
        from (select distinct conversation_id from best) as one
        cross join lateral (
            select message_id, said_at, row_number() over conversation - 1 as place, found as itself,
                   found or lag(found, 1, false) over conversation or lead(found, 1, false) over conversation as near
            -- In coalesce it stays a subquery, whose rows are hashed: alone it would become a join.
            from (select turn.message_id, turn.said_at, coalesce(turn.message_id in (select message_id from best), false) as found
                  from mosshead_read_v1.turns as turn
                  where {of_namespace("turn")} and turn.model = %(model)s and turn.conversation_id = one.conversation_id
                  -- Left to itself, Postgres would look for each row four times, once for each use of what is found.
                  order by turn.said_at, turn.message_id offset 0) as turn
            window conversation as (order by said_at, message_id)
        ) as turn
        where near
    )
"""
"""The best and their neighbours, with their places: only conversations of the best are ordered, by the primary key."""

_FOUND = f"""
    scored as materialized (
        select turn.message_id, {cosine("turn.embedding")} as cosine, {cosine("turn.with_before")} as with_before,
               {bm25("turn.terms", "turn.length")} as words
        from mosshead_read_v1.turns as turn
        where {of_namespace("turn")} and turn.model = %(model)s and turn.message_id = any(array(select message_id from placed))
    ),
    said as materialized (
        select message_id, role, speaker, content, occurred_at_offset,
               nullif(metadata, cast('{{}}' as jsonb)) as metadata  -- seldom there
        from mosshead_read_v1.messages as message
        where {of_namespace("message")} and message.message_id = any(array(select message_id from placed))
    ),
    taught_by as materialized (
        select source.message_id, source.memory_id from mosshead_read_v1.provenance as source
        where {of_namespace("source")} and source.stance = 'for' and source.message_id = any(array(select message_id from placed))
    ),
    ended as materialized (
        select memory.memory_id, memory.content as ended from mosshead_read_v1.memories as memory
        where {of_namespace("memory")} and memory.known_to is null and memory.state = 'superseded'
          and memory.memory_id = any(array(select memory_id from taught_by))
    ),
    replaced as materialized (
        select message_id, array_agg(ended order by memory_id) filter (where ended is not null) as replaced
        from taught_by full join ended using (memory_id) group by message_id
    ),
    found as materialized (
        select * from placed full join scored using (message_id) full join said using (message_id)
        full join replaced using (message_id)
    )
"""
"""The messages found, with all scores, texts, and memories replaced since."""


def _statement(head: str) -> str:
    """head: contains the tables ``scan`` and ``spread``.

    The generic plan assumes few rows, but there are hundreds: a join by value would be a nested loop. So rows are fetched by
    arrays of ids, and combined by full joins, which are never loops.
    """
    return f"""
    with {head}, {_BEST}, {_PLACED}, {_FOUND}
    select found.*, spread.* from found cross join spread
    where {_IN_TIME}
    order by conversation_id collate "C", place
"""


_SCAN = _statement(exact_head(TURNS, _ALL))


@lru_cache(MOST_STATEMENTS)
def _by_index(path: NamespacePath, model: str, dimensions: int, each: int, *, in_time: bool) -> str:
    return _statement(time_head(path, model, _ALL) if in_time else messages_head(path, model, dimensions, each))


_LENDERS = 100
"""How many memories lend: those whose own words fit best."""


def lending_statement(
    path: NamespacePath, *, model: str, vector: Vectors, message: str, vocabulary: Vocabulary | None = None
) -> Sql:
    """Return the statement, in the driver's form, with its parameters; its rows are for `lent`."""
    parameters = {**path.ids, "model": model, "vector": BinaryVector(vector), "message": message}
    if vocabulary is None:
        return Sql(_LENDING_SCAN, parameters)
    nobody: dict[str, list[UUID]] = {"named": [], "contested": []}
    return Sql(_lending_by_index(path, model, len(vector)), {**parameters, **nobody, **of_words(vocabulary)})


def lent(rows: Iterable[Any]) -> dict[UUID, float]:
    """Return, by message, how well its best memory fits, in standard deviations."""
    return {row.message_id: row.lent for row in rows}


def _lending_statement(head: str) -> str:
    """head: contains the tables ``scan`` and ``spread``. A full join is filtered outside of its table to avoid a loop."""
    return f"""
    with {head},
    best as materialized (
        with one as (select owner_id, cosine, words from scan)
        select owner_id, fit from ({SCORED}) as scored where fit > 0 order by fit desc, owner_id limit {_LENDERS}
    ),
    taken as materialized (
        select message_id, fit from best full join (
            select source.message_id, source.memory_id as owner_id from mosshead_read_v1.provenance as source
            where {of_namespace("source")} and source.stance = 'for' and source.memory_id = any(array(select owner_id from best))
        ) as source using (owner_id)
    )
    select message_id, max(fit) as lent from taken where message_id is not null group by message_id
"""


_LENDING_SCAN = _lending_statement(exact_head(MEMORIES))


@lru_cache(MOST_STATEMENTS)
def _lending_by_index(path: NamespacePath, model: str, dimensions: int) -> str:
    return _lending_statement(f"{TAUGHT}, {memories_head(path, model, dimensions, _LENDERS)}")


_Column = NDArray[np.float64]

_WEIGHTS = MessageWeights()
_LENDERS_OF_CONVERSATION = 3
"""How many of a conversation's best messages lend to the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCues:
    """Further cues of a question.

    words: to search for speakers in. names: all names of the entities that it names, normalised. periods: the times that it
    names.
    """

    words: tuple[TextWord, ...] = ()
    names: frozenset[str] = frozenset()
    periods: tuple[Period, ...] = ()

    def names_speaker(self, speaker: str) -> bool:
        """Whether the question names a speaker."""
        normalised = spelled_out(normalise(speaker))
        parts = tuple(normalised.split())
        name = Name(normalised=normalised, is_person=True, full=parts if len(parts) > 1 else ())
        return normalised in self.names or bool(places(self.words, [name]))


def asked_by(message: str, names: Collection[str], now: datetime) -> QuestionCues:
    """Return a question's cues.

    names: all names of the entities that it names. now: the time of the question, in the asker's zone.
    """
    return QuestionCues(
        words=tuple(words_of(message)),
        names=frozenset(spelled_out(normalise(name)) for name in names),
        periods=periods(message, now.date()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedMessage:
    """A ranked message with the reasons for its rank. found: with its raw scores."""

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
        """The contribution of each nonzero signal, by its name in `MessageWeights`. The parts add up to the score."""
        return {name: float(column[self._row]) for name, column in self._parts.items() if column[self._row]}


def rank_messages(
    scanned: ScannedMessages, *, asked: QuestionCues, lent: Mapping[UUID, float], limit: int | None = None
) -> list[RankedMessage]:
    """Rank the messages found, best first; equals in the order of their conversations.

    A message's own cosine is assumed to be distributed like that with the turn before. lent: what a message's memories lend it,
    in standard deviations. limit: the maximum number.
    """
    if not scanned.found:
        return []
    rows = sorted(scanned.found, key=lambda one: (one.message.conversation or "", one.message.place, one.message.id))
    messages = [one.message for one in rows]
    normalised = {
        "cosine": _normalised([one.cosine for one in rows], scanned.with_before),
        "with_before": _normalised([one.with_before for one in rows], scanned.with_before),
        "words": _normalised([one.words for one in rows], scanned.words),
    }
    parts = _parts(messages, normalised, asked, lent)
    own = _sum(parts)
    parts["conversation"] = _WEIGHTS.conversation * _best_of_conversation(messages, own)
    scores = _sum(parts)
    return [
        RankedMessage(found=rows[row], score=float(scores[row]), _row=row, _parts=parts)
        for row in np.argsort(-scores, kind="stable")[:limit].tolist()
    ]


def _parts(
    messages: Sequence[StoredMessage],
    normalised: Mapping[str, _Column],
    asked: QuestionCues,
    lent: Mapping[UUID, float],
) -> dict[str, _Column]:
    """Return what each signal adds, except for the conversation, which depends on all of them."""
    follows = _follows(messages)
    words, with_before = normalised["words"], normalised["with_before"]
    return {
        "cosine": _WEIGHTS.cosine * normalised["cosine"],
        "with_before": _WEIGHTS.with_before * with_before,
        "words": _WEIGHTS.words * words,
        "with_after": _WEIGHTS.with_after * _of_next(with_before, follows),
        "words_before": _WEIGHTS.words_before * np.concatenate(([0.0], words[:-1] * follows)),
        "words_after": _WEIGHTS.words_after * _of_next(words, follows),
        "speaker": _WEIGHTS.speaker * _said_by_named(messages, asked),
        "when": _WEIGHTS.when * _said_then(messages, asked),
        "asks": _WEIGHTS.asks * np.array([message.content.rstrip().endswith("?") for message in messages]),
        "lent": _WEIGHTS.lent * np.array([lent.get(message.id, 0.0) for message in messages]),
    }


def _normalised(raw: Sequence[float], spread: Spread) -> _Column:
    return (np.array(raw) - spread.mean) / spread.deviation if spread.deviation > 0 else np.zeros(len(raw))


def _follows(messages: Sequence[StoredMessage]) -> NDArray[np.bool_]:
    """Return, for each message but the last, whether the next row is the next message of its conversation."""
    places = np.array([message.place for message in messages])
    same = [one.conversation == other.conversation for one, other in pairwise(messages)]
    follows: NDArray[np.bool_] = np.array(same, dtype=np.bool_) & (places[:-1] + 1 == places[1:])
    return follows


def _of_next(column: _Column, follows: NDArray[np.bool_]) -> _Column:
    return np.concatenate((column[1:] * follows, [0.0]))


def _said_by_named(messages: Sequence[StoredMessage], asked: QuestionCues) -> _Column:
    speakers = {message.speaker for message in messages}
    named = {speaker for speaker in speakers if speaker and asked.names_speaker(speaker)}
    return np.array([float(message.speaker in named) for message in messages])


def _said_then(messages: Sequence[StoredMessage], asked: QuestionCues) -> _Column:
    if not asked.periods:
        return np.zeros(len(messages))
    days = [message.said_at.date() for message in messages]
    fits = {day: max(period.fits(day) for period in asked.periods) for day in set(days)}
    return np.array([fits[day] for day in days])


def _best_of_conversation(messages: Sequence[StoredMessage], scores: _Column) -> _Column:
    """Return, by message, the mean of the best three of its conversation."""
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
