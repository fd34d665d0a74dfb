"""The conversation path: the messages of a namespace that may answer a question. One statement, over the views of version 1.

One scan of the namespace's messages gives the cosine of each with the turn before it, and BM25 (`mosshead.reading.words_sql`);
the best by either, with their neighbours, are what `mosshead.reading.messages` ranks. The cosine of a message alone is computed
for those only: what is near by it is near with the turn before it, too (docs/locomo-figures.md, "How many are ranked").
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from pgvector import HalfVector

from mosshead.contents import as_compared
from mosshead.embedders import Vectors
from mosshead.namespaces import NamespacePath
from mosshead.reading.around_sql import message_of
from mosshead.reading.found import MessageFound, Spread
from mosshead.reading.indexed_sql import messages_head, time_head
from mosshead.reading.indexed_sql import parameters as of_words
from mosshead.reading.vocabulary import Vocabulary
from mosshead.reading.words_sql import asked, bm25, cosine, spread_of

_EACH = (20, 30, 40, 60, 100, 200, 400)
"""So many messages are found by each raw score: few sizes, for a large namespace has a statement for each."""

_STATEMENTS = 256
"""So many are kept of those that name their namespace."""

_IN_TIME = """(
    (cast(%(since)s as timestamptz) is null or said_at >= %(since)s)
    and (cast(%(until)s as timestamptz) is null or said_at < %(until)s)
)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Among:
    """Which messages are searched.

    conversation: those of one; of all by default. How rare a word is counts over all of the namespace.
    since, until: those said not before, and before.
    """

    conversation: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def holds(self, said_at: datetime) -> bool:
        """Whether what was said then is searched."""
        return (self.since is None or said_at >= self.since) and (self.until is None or said_at < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the model sees anyway, so that it is not found: texts, and the latest so many messages of a conversation.

    contents: as they are compared (`mosshead.contents.as_compared`), which `scanned` does.
    """

    contents: Collection[str] = ()
    conversation: str | None = None
    latest: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """What a scan found, and how its raw scores lie over all that was scanned."""

    found: tuple[MessageFound, ...]
    with_before: Spread
    words: Spread


def each_for(shown: int) -> int:
    """How many are found by each raw score where so many may be shown: at least twice as many, up to 400.

    More than that brought nothing on five conversations of LoCoMo (docs/locomo-figures.md, "How many are ranked").
    """
    return next((each for each in _EACH if each >= 2 * shown), _EACH[-1])


def statement_for(
    path: NamespacePath,
    *,
    model: str,
    vector: Vectors,
    message: str,
    among: Among | None = None,
    told: Told | None = None,
    each: int,
    vocabulary: Vocabulary | None = None,
) -> tuple[str, dict[str, Any]]:
    """The statement, as the driver takes it, and its parameters; its rows are for `scanned`.

    vector: of the message with nobody's name in it, of unit length. message: as it is, for its words. each: so many are found by
    each raw score (`each_for`). vocabulary: of its words, where the namespace has indexes of its own, which are used then if
    messages of all conversations are searched.
    """
    among, told = among or Among(), told or Told()
    parameters = {
        "tenant_id": path.tenant_id,
        "namespace_id": path.namespace_id,
        "model": model,
        "vector": HalfVector(vector),
        "message": message,
        "conversation": among.conversation,
        "since": among.since,
        "until": among.until,
        "told_conversation": told.conversation,
        "latest": told.latest,
        "each": each,
    }
    if vocabulary is None or among.conversation is not None:
        return _SCAN, parameters
    by_index = _by_index(path, model, len(vector), each) if among == Among() else _in_time(path, model)
    return by_index, {**parameters, **of_words(vocabulary)}


def scanned(rows: Iterable[Any], told: Told | None = None) -> Scanned:
    """The rows as values, without what is told anyway."""
    given, contents = list(rows), frozenset(told.contents if told else ())
    found = tuple(map(_found, given))
    return Scanned(
        found=tuple(one for one in found if as_compared(one.message.content) not in contents) if contents else found,
        with_before=_spread(given, "with_before"),
        words=_spread(given, "words"),
    )


def _found(row: Any) -> MessageFound:
    return MessageFound(
        message=message_of(row), cosine=row.cosine, with_before=row.with_before, words=row.words, itself=row.itself
    )


def _spread(rows: list[Any], score: str) -> Spread:
    if not rows:
        return Spread(mean=0.0, deviation=0.0)
    return Spread(mean=getattr(rows[0], f"{score}_mean"), deviation=getattr(rows[0], f"{score}_deviation"))


def _scope(alias: str) -> str:
    return f"{alias}.tenant_id = %(tenant_id)s and {alias}.namespace_id = %(namespace_id)s"


_LAST_OF_BEST = """(
    select with_before from scan where searched order by with_before desc offset %(each)s - 1 limit 1
)"""


def _first(score: str, only: str) -> str:
    return f"""(select message_id, conversation_id from scan where searched and {only}
                order by {score} desc, message_id desc limit %(each)s)"""


def _scored(only: str) -> str:
    return f"""
        select turn.message_id, turn.conversation_id, {_IN_TIME} as searched,
               {cosine("turn.with_before")} as with_before, {bm25("turn.terms", "turn.length")} as words
        from mosshead_read_v1.turns as turn
        where {_scope("turn")} and turn.model = %(model)s and {only}
          and (cast(%(conversation)s as text) is null or turn.conversation_id = %(conversation)s)
    """


_ALL = f"{_scored('turn.compact')} union all {_scored('not turn.compact')}"
"""Each half of the scan has an index of its own."""

_SCANNED = f"""
    {asked("turns")},
    scan as materialized ({_ALL}),
    spread as materialized (select {spread_of("with_before")}, {spread_of("words")} from scan)
"""
"""The scan, and how each score lies over it."""

_BEST = f"""
    best as materialized (
        {_first("with_before", f"with_before >= coalesce({_LAST_OF_BEST}, '-infinity')")} union {_first("words", "words > 0")}
    )
"""
"""The best by each score. To sort bare numbers takes least: the rows are sorted where they are few."""

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
                  where {_scope("turn")} and turn.model = %(model)s and turn.conversation_id = one.conversation_id
                  -- Left to itself, Postgres would look for each row four times, once for each use of what is found.
                  order by turn.said_at, turn.message_id offset 0) as turn
            window conversation as (order by said_at, message_id)
        ) as turn
        where near
    )
"""
"""The best and their neighbours, with their places: only conversations of the best are put in order, by the primary key."""

_FOUND = f"""
    scored as materialized (
        select turn.message_id, {cosine("turn.embedding")} as cosine, {cosine("turn.with_before")} as with_before,
               {bm25("turn.terms", "turn.length")} as words
        from mosshead_read_v1.turns as turn
        where {_scope("turn")} and turn.model = %(model)s and turn.message_id = any(array(select message_id from placed))
    ),
    said as materialized (
        select message_id, role, speaker, content, occurred_at_offset,
               nullif(metadata, cast('{{}}' as jsonb)) as metadata  -- seldom there
        from mosshead_read_v1.messages as message
        where {_scope("message")} and message.message_id = any(array(select message_id from placed))
    ),
    found as materialized (
        select * from placed full join scored using (message_id) full join said using (message_id)
    ),
    told as materialized (
        select message_id from mosshead_read_v1.turns as turn
        where {_scope("turn")} and turn.model = %(model)s and turn.conversation_id = %(told_conversation)s
        order by said_at desc, message_id desc limit %(latest)s
    )
"""
"""What is found, with all its scores and as it was said, and what the model sees anyway."""


def _statement(head: str) -> str:
    """head: with the tables ``scan`` and ``spread``.

    It is planned once for all namespaces, for a few rows, and meets hundreds: a join by value would be a nested loop. So rows are
    fetched by arrays of ids, and put together by full joins, which are never loops.
    """
    return f"""
    with {head}, {_BEST}, {_PLACED}, {_FOUND}
    select found.*, spread.* from found cross join spread
    where {_IN_TIME} and message_id <> all(array(select message_id from told))
    order by conversation_id collate "C", place
"""


_SCAN = _statement(_SCANNED)


@lru_cache(_STATEMENTS)
def _by_index(path: NamespacePath, model: str, dimensions: int, each: int) -> str:
    return _statement(messages_head(path, model, dimensions, each))


@lru_cache(_STATEMENTS)
def _in_time(path: NamespacePath, model: str) -> str:
    return _statement(time_head(path, model, _ALL))
