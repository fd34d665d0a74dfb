"""The heads of the two scans where a namespace has indexes of its own: which rows are scored, and how scores lie over all.

A hundred thousand rows are not scored for each message. Those that are come from the index of vectors and from that of words, and
with what is looked up by its key; how cosines lie over all is taken from a sample. What follows is the exact statement's.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from psycopg import sql

from mosshead.paths import NamespacePath
from mosshead.search.scoring import asked, bm25, cosine, spread_of, weighted
from mosshead.store.connection import Statement

Scanned = Literal["memories", "turns"]
"""What a namespace holds that is scanned, and indexed where it is large (`db.search_indexes`); messages are scanned as turns."""

LOOK_ON = "set_config('hnsw.iterative_scan', 'strict_order', true)"
"""An index of vectors holds what is deleted until a vacuum: where that is all that it looked at, it looks on."""

MOST_STATEMENTS = 256
"""So many are kept of those that name their namespace."""

_LOOK = 2
"""So many times as many rows as are wanted the index of vectors looks at (``hnsw.ef_search``), to tell which are nearest."""

_MOST = 5
"""So many times as many rows as are wanted by words are scored at most."""

_SAMPLE = 500
"""Rows by which the mean of all is told within a twentieth of a standard deviation, and that within a thirtieth of itself."""

_FITTING, _FIRST = 32, 12
"""Of each who may be meant so many memories are scored, those nearest to the message and those that were known first."""

_FEW = 4_000
"""So many messages of a span of time are fetched by their keys at most: each takes as long as five that are scanned."""

_LENDING = 100
"""An entity of whom more is known lends little; of its memories those count that were found otherwise."""


def vocabulary_statement(path: NamespacePath, model: str, message: str) -> Statement:
    """The statement for `vocabularies`."""
    return _VOCABULARY, {**path.ids, "model": model, "message": message}


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTerm:
    """A word of a message, as it is stemmed. holders: so many rows of the scope hold it. term: its place (``mosshead.term``)."""

    lexeme: str
    holders: int
    term: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The words of a message that a scope knows. rows: how many there are in it."""

    rows: int
    words: tuple[SearchTerm, ...]

    def rarity(self, word: SearchTerm) -> float:
        """What a word is worth in BM25 (`mosshead.search.scoring`)."""
        return math.log(1 + (self.rows - word.holders + 0.5) / (word.holders + 0.5))


def vocabularies(rows: Iterable[Any]) -> dict[Scanned, Vocabulary]:
    """What is known of a message's words to the memories and to the turns, of those of the two that have indexes."""
    given = [row for row in rows if row.holders > 0]
    words: dict[str, list[SearchTerm]] = {}
    for row in given:
        if row.lexeme:
            term = SearchTerm(lexeme=row.lexeme, holders=row.holders, term=row.term)
            words.setdefault(row.scanned, []).append(term)
    return {
        row.scanned: Vocabulary(rows=row.holders, words=tuple(words.get(row.scanned, ())))
        for row in given
        if not row.lexeme
    }


def parameters(vocabulary: Vocabulary) -> dict[str, Any]:
    """What a head takes beside the scope, the vector and the message."""
    mean, variance = spread_of_rare(vocabulary)
    return {
        "sought": queries(vocabulary),
        "common": weighted(common(vocabulary)),
        "rare_mean": mean,
        "rare_variance": variance,
    }


def memories_head(path: NamespacePath, model: str, dimensions: int, each: int) -> str:
    """The head for memories. It takes the processes, which are scored in any case, from the table ``taught``.

    each: so many of the best by cosine are wanted, and by words.
    """
    scope = scope_in_literals("vector", path, model=model, owner_kind="memory")
    rows = f"mosshead_read_v1.embeddings as vector where {scope}"
    scored = f"select owner_id, {cosine('embedding')} as cosine, {bm25('terms', 'length')} as words from {rows}"
    return f"""
    {asked("memories")},
    sought as materialized (
        (select owner_id from {rows} {_by_vector("vector.embedding", dimensions, each)}) union {_holding("memories", each)}
    ),
    {_about(path, model)},
    scanned as materialized ({scored} and owner_id = any(array(
        select owner_id from sought union select owner_id from about union select owner_id from taught))),
    spread as materialized (
        select {spread_of("cosine")}, {_WORDS_SPREAD}
        from (select {cosine("embedding")} as cosine, {_COMMON} as words from {rows} {_sample("vector.owner_id")}) as sample
    )"""


def _about(path: NamespacePath, model: str) -> str:
    """What fits best of each who may be meant, and what was known of them first; of most that is all that is known.

    As table ``links``, too: whom the memories that were sought are about.
    """
    of_one = f"""
        mosshead_read_v1.traits as trait
        where {scope_in_literals("trait", path, model=model)}
          and trait.owner_kind = 'memory' and trait.entity_id = one.entity_id"""
    every = f"select trait.owner_id, trait.embedding from {of_one}"
    known = f"({every} and trait.compact union all {every} and not trait.compact) as trait"
    meant = "cast(%(named)s as uuid[]) || cast(%(contested)s as uuid[])"
    return f"""
    links as materialized (
        select link.memory_id, link.entity_id from mosshead_read_v1.memory_entities as link
        where {scope_in_literals("link", path)} and link.certainty = 'sure'
          and link.memory_id = any(array(select owner_id from sought))
    ),
    about as materialized (
        select one.entity_id, known.owner_id from unnest({meant}) as one (entity_id) cross join lateral (
            (select owner_id from {known} order by {cosine("embedding")} desc, owner_id limit {_FITTING})
            union (select trait.owner_id from {of_one} order by trait.owner_id limit {_FIRST})
        ) as known
        union
        select entity_id, memory_id from links where entity_id = any({meant})
    )"""


def lent_scored(path: NamespacePath, model: str) -> str:
    """What may be related, with its scores, as table ``lent``: what is known of those in ``lending``, if it is not too much.

    By whom, as table ``links_lent``: of whom much is known, only those of the memories that were sought.
    """
    return f"""
    few as materialized (
        select link.memory_id, lending.entity_id from lending cross join lateral (
            select array(
                select trait.owner_id from mosshead_read_v1.traits as trait
                where {scope_in_literals("trait", path, model=model)} and trait.entity_id = lending.entity_id
                limit {_LENDING + 1}
            ) as those
        ) as one cross join unnest(those) as link (memory_id) where cardinality(those) <= {_LENDING}
    ),
    links_lent as materialized (select memory_id, entity_id from links union select memory_id, entity_id from few),
    lent as materialized (
        select owner_id, cosine, words from scanned where owner_id in (select owner_id from sought)
        union
        select owner_id, {cosine("embedding")}, {bm25("terms", "length")} from mosshead_read_v1.embeddings as vector
        where {scope_in_literals("vector", path, model=model, owner_kind="memory")}
          and owner_id = any(array(select memory_id from few))
    )"""


def messages_head(path: NamespacePath, model: str, dimensions: int, each: int) -> str:
    """The head for messages. each: so many of the best by each score are wanted."""
    rows = f"mosshead_read_v1.turns as turn where {scope_in_literals('turn', path, model=model)}"
    return f"""
    {asked("turns")},
    sought as materialized (
        (select message_id from {rows} {_by_vector("turn.with_before", dimensions, each)}) union {_holding("turns", each)}
    ),
    scan as materialized ({_scored_turns(rows)}),
    {_turns_spread(rows)}"""


def time_head(path: NamespacePath, model: str, scan: str) -> str:
    """The head for messages of a span of time: these by their keys, or, where they are many, all that are scanned.

    scan: the rows of the scan.
    """
    rows = f"mosshead_read_v1.turns as turn where {scope_in_literals('turn', path, model=model)}"
    # Row-level security lets no coalesce into the index, but what a subquery gives.
    said = f"""
        mosshead_read_v1.messages as message where {scope_in_literals("message", path)}
          and message.occurred_at >= (select coalesce(cast(%(since)s as timestamptz), '-infinity'))
          and message.occurred_at < (select coalesce(cast(%(until)s as timestamptz), 'infinity'))"""
    return f"""
    {asked("turns")},
    span as materialized (select count(*) <= {_FEW} as few from (select from {said} limit {_FEW + 1}) as one),
    sought as materialized (select message.message_id from {said} and (select few from span)),
    scan as materialized (
        {_scored_turns(rows)} union all select * from ({scan}) as turn where not (select few from span)),
    {_turns_spread(rows)}"""


def _scored_turns(rows: str) -> str:
    return f"""
        select message_id, conversation_id, true as searched, {_WITH_BEFORE}, {bm25("terms", "length")} as words
        from {rows} and message_id = any(array(table sought))"""


def _turns_spread(rows: str) -> str:
    return f"""
    spread as materialized (
        select {spread_of("with_before")}, {_WORDS_SPREAD}
        from (select {_WITH_BEFORE}, {_COMMON} as words from {rows} {_sample("turn.message_id")}) as sample
    )"""


def in_literals(alias: str, scope: Mapping[str, object]) -> str:
    """The condition that a row is of a scope, for a statement that has parameters. scope: values by column.

    A partial index serves only a statement that names its scope in literals.
    """
    given = {column: sql.Literal(str(value)).as_string(None).replace("%", "%%") for column, value in scope.items()}
    return " and ".join(f"{alias}.{column} = {value}" for column, value in given.items())


def scope_in_literals(alias: str, path: NamespacePath, **more: str) -> str:
    """The same of a namespace. more: values of further columns."""
    return in_literals(alias, {**path.ids, **more})


def nearest_first(column: str, dimensions: int, *, looked_at: int, vector: str = "%(vector)s") -> str:
    """SQL behind a condition in literals: by the index of vectors, the nearest first. looked_at: so many rows at least.

    How far the index looks is set where it is read: the statement may be the only one of its transaction.
    """
    sized = f"halfvec({dimensions})"
    return f"""
        and (select set_config('hnsw.ef_search', '{looked_at}', true)) is not null
        and (select {LOOK_ON}) is not null
        order by ({column}::{sized}) <#> cast({vector} as {sized})"""


def _by_vector(column: str, dimensions: int, each: int) -> str:
    return f"{nearest_first(column, dimensions, looked_at=_LOOK * each)} limit {each}"


def _holding(scanned: Scanned, each: int) -> str:
    return f"""
        select mosshead_read_v1.holding(
            '{scanned}', %(namespace_id)s, %(model)s, cast(%(sought)s as text[]), {each}, {_MOST * each})"""


def _sample(key: str) -> str:
    """Ids begin with the time at which they were made; the order of their hashes has nothing to do with it."""
    return f"order by uuid_hash({key}) limit {_SAMPLE}"


_WITH_BEFORE = f"{cosine('with_before')} as with_before"
_COMMON = bm25("terms", "length", "cast(%(common)s as sparsevec)")

_WORDS_SPREAD = """
    avg(words) + %(rare_mean)s as words_mean, sqrt(var_pop(words) + %(rare_variance)s) as words_deviation"""
"""The common words' from a sample, the others' from how many rows hold them."""

_VOCABULARY = """
    select vocabulary.scanned, vocabulary.lexeme, vocabulary.holders, vocabulary.term from mosshead_read_v1.vocabulary
    where vocabulary.tenant_id = %(tenant_id)s and vocabulary.namespace_id = %(namespace_id)s and vocabulary.model = %(model)s
      and vocabulary.scanned in ('memories', 'turns')
      and vocabulary.lexeme = any(array['']  || tsvector_to_array(to_tsvector('english', %(message)s)))
      and exists (
          select from mosshead_read_v1.scopes
          where scopes.tenant_id = %(tenant_id)s and scopes.namespace_id = %(namespace_id)s and scopes.model = %(model)s
            and case vocabulary.scanned when 'turns' then scopes.turns_indexed else scopes.indexed end)
"""

_CHOOSING = 6
"""So many words of a message choose rows, its rarest. Each more doubles the combinations."""

_EXPECTED = (60, 300)
"""So many rows each query may be expected to find, if words had nothing to do with each other; they have, and it finds more."""

_COMMON_WORD = 0.01
"""A part of all rows: of a word that more hold, a sample of some hundreds tells enough."""


def common(vocabulary: Vocabulary) -> dict[int, float]:
    """The words of which a sample tells how they lie, and which come together: how rare each is, by its place."""
    return {word.term: vocabulary.rarity(word) for word in vocabulary.words if _is_common(vocabulary, word)}


def spread_of_rare(vocabulary: Vocabulary) -> tuple[float, float]:
    """The mean and the variance of what all other words add to BM25, of which a sample holds too few.

    As if all rows were of the same length, and each of these words had nothing to do with any other.
    """
    rare = [word for word in vocabulary.words if not _is_common(vocabulary, word)]
    shares = [(word.holders / vocabulary.rows, vocabulary.rarity(word)) for word in rare]
    return (
        sum(share * rarity for share, rarity in shares),
        sum(share * (1 - share) * rarity**2 for share, rarity in shares),
    )


def _is_common(vocabulary: Vocabulary, word: SearchTerm) -> bool:
    return word.holders > _COMMON_WORD * vocabulary.rows


def queries(vocabulary: Vocabulary) -> list[str]:
    """What rows are looked for, as Postgres's tsquery: each finds what the one before finds, and more.

    The first finds those with the combinations of words that are worth most.
    """
    chosen = sorted(vocabulary.words, key=lambda word: (word.holders, word.lexeme))[:_CHOOSING]
    every = _by_worth(vocabulary, chosen)
    found: list[str] = []
    for expected in _EXPECTED:
        query = _any_of(_least(_within(every, expected)), chosen)
        if query and query not in found:
            found.append(query)
    return found


def _by_worth(vocabulary: Vocabulary, chosen: Sequence[SearchTerm]) -> list[tuple[int, float]]:
    """The combinations of the words, those worth most first: as bits, and how many rows hold these and no others of them."""
    every = [(0, 0.0, float(vocabulary.rows))]
    for place, word in enumerate(chosen):
        share, rarity = word.holders / vocabulary.rows, vocabulary.rarity(word)
        held = [(words | 1 << place, worth + rarity, rows * share) for words, worth, rows in every]
        every = [(words, worth, rows * (1 - share)) for words, worth, rows in every] + held
    return [(words, rows) for words, _, rows in sorted(every[1:], key=lambda one: (-one[1], one[0]))]


def _within(every: Iterable[tuple[int, float]], expected: float) -> list[int]:
    """The first, and those after it that together are expected to be held by no more rows than that."""
    taken: list[int] = []
    total = 0.0
    for words, rows in every:
        total += rows
        if taken and total > expected:
            break
        taken.append(words)
    return taken


def _least(combined: Iterable[int]) -> list[int]:
    """Without those that hold another: who has all words has some of them."""
    least: list[int] = []
    for words in sorted(combined, key=int.bit_count):
        if not any(other & words == other for other in least):
            least.append(words)
    return least


def _any_of(combined: Sequence[int], chosen: Sequence[SearchTerm]) -> str:
    """Some words are common to many of the combinations: each stands once before those that it is in, the commonest outermost.

    Postgres weighs the query for each row that holds any of the words, and so is done in two thirds of the time.
    """
    if not combined:
        return ""
    place = max(combined).bit_length() - 1
    escaped, bit = chosen[place].lexeme.replace("\\", "\\\\").replace("'", "''"), 1 << place
    outer = f"'{escaped}'"
    rest = [words ^ bit for words in combined if words & bit]
    held = outer if 0 in rest else f"({outer} & {_any_of(rest, chosen)})"
    others = _any_of([words for words in combined if not words & bit], chosen)
    return f"({held} | {others})" if others else held
