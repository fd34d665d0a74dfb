"""The conversation path: the messages of a namespace that may answer a question. One statement, over the views of version 1.

One scan of the namespace's messages gives the cosines, and their words the exact BM25; the best by each, with their neighbours,
are what `recollect.reading.messages` ranks.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from math import pi
from typing import Any

from pgvector import HalfVector

from recollect.embedders import Vectors
from recollect.namespaces import NamespacePath
from recollect.reading.around_sql import message_of
from recollect.reading.found import MessageFound, Spread

EACH = 100
"""So many messages are found by each raw score; with the neighbours of all, some 400."""

_K1, _B = 1.2, 0.75
_RANK = 10 * pi * pi / 6
_COSINES = ("cosine", "with_before")

_IN_TIME = """
    (cast(%(since)s as timestamptz) is null or said_at >= %(since)s)
    and (cast(%(until)s as timestamptz) is null or said_at < %(until)s)
"""

_SLOTS = (4, 6, 8, 10, 12, 16, 24, 32, 48, 64)
"""For so many different words there are statements. Of more, the first are looked for."""

_WORD = re.compile(r"\w+")
_JOINED = re.compile(r"\w[^\w\s]+(?=\w)")
_STOPS = frozenset(
    """
    a about all am an and any are as at be been before but by can did do does for from had has have he her his how i if in into is
    it its me more most my no not of on or our she so some than that the their them then there these they this those to up was we
    were what when where which who whom why will with you your
    """.split()
)
"""Of the words that Postgres's English dictionary leaves out, the commonest: a statement for fewer words takes less time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Among:
    """Which messages are searched.

    conversation: those of one, and they alone count for how rare a word is; of all by default. since, until: those said not
    before, and before.
    """

    conversation: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the model sees anyway, so that it is not found: texts, and the latest so many messages of a conversation."""

    contents: Collection[str] = ()
    conversation: str | None = None
    latest: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """What a scan found, and how the raw scores lie over all that was searched."""

    found: tuple[MessageFound, ...]
    cosine: Spread
    with_before: Spread
    words: Spread


def statement_for(
    path: NamespacePath,
    *,
    model: str,
    vector: Vectors,
    message: str,
    among: Among | None = None,
    told: Told | None = None,
    each: int = EACH,
) -> tuple[str, dict[str, Any]]:
    """The statement, as the driver takes it, and its parameters; its rows are for `scanned`.

    vector: of the message without names, of unit length. message: with them, for its words.
    """
    among, told = among or Among(), told or Told()
    return _scan(_slots_for(message)), {
        "tenant_id": path.tenant_id,
        "namespace_id": path.namespace_id,
        "model": model,
        "vector": HalfVector(vector).to_text(),
        "message": message,
        "conversation": among.conversation,
        "since": among.since,
        "until": among.until,
        "contents": list(told.contents),
        "told_conversation": told.conversation,
        "latest": told.latest,
        "each": each,
    }


def scanned(rows: Iterable[Any]) -> Scanned:
    """The rows as values."""
    given = list(rows)
    return Scanned(
        found=tuple(
            MessageFound(message=message_of(row), cosine=row.cosine, with_before=row.with_before, words=row.words)
            for row in given
        ),
        cosine=_spread(given, "cosine"),
        with_before=_spread(given, "with_before"),
        words=_spread(given, "words"),
    )


def _spread(rows: list[Any], score: str) -> Spread:
    if not rows:
        return Spread(mean=0.0, deviation=0.0)
    return Spread(mean=getattr(rows[0], f"{score}_mean"), deviation=getattr(rows[0], f"{score}_deviation"))


def _slots_for(message: str) -> int:
    words = {word.lower() for word in _WORD.findall(message)} - _STOPS
    # What is joined by a hyphen, a slash or a dot is looked for as a whole too.
    most = len(words) + len(_JOINED.findall(message))
    return next((slots for slots in _SLOTS if most <= slots), _SLOTS[-1])


@cache
def _scan(slots: int) -> str:
    """The statement for so many different words.

    It is planned once for all namespaces, for a few rows, and meets thousands: a join by value would be a nested loop. So rows of
    the scan are chosen by subqueries that are hashed, and put together by full joins, which are never loops.
    """
    numbers = range(1, slots + 1)
    queries = ", ".join(f"cast(max(quoted) filter (where number = {n}) as tsquery) as query_{n}" for n in numbers)
    return f"""
    with asked as materialized (
        select cast(string_agg(quoted, ' | ') as tsquery) as query, {queries}
        from (select '''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''' as quoted,
                     row_number() over (order by positions[1], lexeme) as number
              from unnest(to_tsvector('english', %(message)s))) as word
        where number <= {slots}
    ),
    scan as materialized (
        select message_id, said_at, cosine, with_before, length, holds, conversation_id, {", ".join(map(_rank, numbers))}
        from (select turn.message_id, turn.conversation_id, turn.said_at, turn.length, turn.words,
                     turn.words @@ (select query from asked) as holds,
                     -(turn.embedding <#> cast(%(vector)s as halfvec)) as cosine,
                     -(turn.with_before <#> cast(%(vector)s as halfvec)) as with_before
              from recollect_read_v1.turns as turn
              where {_scope("turn")} and turn.model = %(model)s
                and (cast(%(conversation)s as text) is null or turn.conversation_id = %(conversation)s)
              offset 0) as turn
    ),
    extent as materialized (
        select {", ".join(_spread_of(score) for score in _COSINES)}, cast(count(*) as float8) as messages,
               cast(avg(length) as float8) as average, {", ".join(map(_rarity, numbers))}
        from scan
    ),
    holding as materialized (
        select message_id, said_at, conversation_id, {" + ".join(map(_bm25, numbers))} as words
        from scan cross join extent where holds
    ),
    {_SPREAD}, {_BEST}, {_PLACED}, {_FOUND}
    select found.*, spread.*, message.role, message.speaker, message.content, message.metadata
    from found
    join recollect_read_v1.messages as message on {_scope("message")} and message.message_id = found.message_id
    cross join spread
    where {_IN_TIME} and found.message_id <> all(array(select message_id from told))
      and message.content <> all(cast(%(contents)s as text[]))
    order by found.conversation_id collate "C", found.place
    """


def _scope(alias: str) -> str:
    return f"{alias}.tenant_id = %(tenant_id)s and {alias}.namespace_id = %(namespace_id)s"


def _rank(number: int) -> str:
    return f"case when holds then nullif(ts_rank(words, (select query_{number} from asked)), 0) end as rank_{number}"


def _rarity(number: int) -> str:
    having = f"count(rank_{number})"
    return f"cast(ln(1 + (count(*) - {having} + 0.5) / ({having} + 0.5)) as float8) as rarity_{number}"


def _spread_of(score: str) -> str:
    return f"avg({score}) as {score}_mean, stddev_pop({score}) as {score}_deviation"


def _bm25(number: int) -> str:
    """What a word adds to a text: Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), 3.4."""
    # ts_rank of one word that occurs n times is a tenth of the sum of 1/i² for i from 1 to n, divided by π²/6 (calc_rank_or in
    # tsrank.c). What is missing from π²/6 is 1/(n + 0.5), as near as n needs. All is float8: numeric takes longer than the scan.
    often = f"round(1 / (cast({_RANK} as float8) * (0.1 - cast(rank_{number} as float8))) - 0.5)"
    length = f"(cast({_K1 * (1 - _B)} as float8) + cast({_K1 * _B} as float8) * length / average)"
    weight = f"rarity_{number} * cast({_K1 + 1} as float8) / (1 + {length} / {often})"
    return f"case when rank_{number} is not null then {weight} else 0 end"


def _last_of_best(score: str) -> str:
    return f"(select {score} from scan where {_IN_TIME} order by {score} desc offset %(each)s - 1 limit 1)"


def _first(score: str, source: str) -> str:
    return f"""(select message_id, conversation_id from {source} where {_IN_TIME}
                order by {score} desc, message_id desc limit %(each)s)"""


def _is_in(found: str, message: str = "message_id") -> str:
    # In coalesce it stays a subquery, whose rows are hashed: alone it would become a join.
    return f"coalesce({message} in (select message_id from {found}), false)"


_SPREAD = """
    spread as materialized (
        select cosine_mean, cosine_deviation, with_before_mean, with_before_deviation, coalesce(share * mean, 0) as words_mean,
               coalesce(sqrt(share * (variance + (1 - share) * mean * mean)), 0) as words_deviation
        from extent
        cross join (select count(*) as held, avg(words) as mean, var_pop(words) as variance from holding) as held
        cross join lateral (select held / nullif(messages, 0) as share) as part
    )
"""
"""How each score lies over all messages. Of the words those that hold none are 0, and are not looked at again."""

_BEST = f"""
    nearest as materialized (
        select message_id, said_at, conversation_id, cosine, with_before from scan
        where {" or ".join(f"{score} >= coalesce({_last_of_best(score)}, '-infinity')" for score in _COSINES)}
    ),
    best as materialized (
        {_first("cosine", "nearest")} union {_first("with_before", "nearest")} union {_first("words", "holding")}
    )
"""
"""The best by each score. To sort bare numbers takes least: the rows are sorted where they are few."""

_PLACED = f"""
    placed as materialized (
        select one.conversation_id, message_id, place
        from (select distinct conversation_id from best) as one
        cross join lateral (
            select message_id, row_number() over conversation - 1 as place,
                   found or lag(found, 1, false) over conversation or lead(found, 1, false) over conversation as near
            from (select turn.message_id, turn.said_at, {_is_in("best", "turn.message_id")} as found
                  from recollect_read_v1.turns as turn
                  where {_scope("turn")} and turn.model = %(model)s and turn.conversation_id = one.conversation_id) as turn
            window conversation as (order by said_at, message_id)
        ) as turn
        where near
    )
"""
"""The best and their neighbours, with their places: only conversations of the best are put in order, by the primary key."""

_FOUND = f"""
    found as materialized (
        select message_id, said_at, placed.conversation_id, place, cosine, with_before, coalesce(words, 0) as words
        from placed
        full join (select message_id, said_at, cosine, with_before from scan where {_is_in("placed")}) as near using (message_id)
        full join (select message_id, words from holding where {_is_in("placed")}) as held using (message_id)
    ),
    told as materialized (
        select message_id from recollect_read_v1.turns as turn
        where {_scope("turn")} and turn.model = %(model)s and turn.conversation_id = %(told_conversation)s
        order by said_at desc, message_id desc limit %(latest)s
    )
"""
"""What is found, with its scores, and what the model sees anyway."""
