"""The scans of a namespace: which rows are scored for a question, exactly or by its indexes, and how the scores lie over all.

A row has two scores: the cosine of a vector, and BM25 of its words (Robertson and Zaragoza, "The Probabilistic Relevance
Framework", 2009, section 3.4; k1 = 1.2, b = 0.75) with its two parts taken apart: what occurrences weigh, n · 2.2 / (n + 1.2), is
stored with a text as a sparse vector, and its length counts as a factor, which is 1 for a text of the average length. For a word
that occurs once, and in a text of the average length, that is BM25 to the digit. So a text takes one inner product, with a vector
that holds how rare each word of the question is.

A hundred thousand rows are not scored for each message. Where a namespace has indexes of its own, those that are come from the
index of vectors and from that of words, and with what is looked up by its key; how cosines lie over all is taken from a sample.
What follows the head of a statement is the same for both.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

from psycopg import sql

from mosshead.paths import NamespacePath
from mosshead.store.connection import Sql, of_namespace

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


class ScanTable(NamedTuple):
    """What is scanned. rows: a view's rows under the alias ``one``, for further conditions; vector: what is compared of a row."""

    scanned: Scanned
    rows: str
    key: str
    vector: str


MEMORIES = ScanTable(
    "memories", "mosshead_read_v1.embeddings as one where one.owner_kind = 'memory' and", "owner_id", "embedding"
)
TURNS = ScanTable("turns", "mosshead_read_v1.turns as one where", "message_id", "with_before")


def exact(table: ScanTable, columns: str = "", more: str = "") -> str:
    """All rows of a namespace with both scores; each half has its own index. columns: further ones. more: a condition."""
    all_rows = f"{of_namespace('one')} and one.model = %(model)s {more}"
    halves = (_scored(table, f"{all_rows} and {half}", columns) for half in ("one.compact", "not one.compact"))
    return " union all ".join(halves)


def exact_head(table: ScanTable, scan: str = "") -> str:
    """The head where all rows are scored. scan: as `exact` gives them; all of the namespace by default."""
    return _head(table, scan or exact(table), f"select {spread_of('cosine')}, {spread_of('words')} from scan")


def memories_head(path: NamespacePath, model: str, dimensions: int, each: int) -> str:
    """The head for memories by indexes. It takes the processes, which are scored in any case, from the table ``taught``.

    each: so many of the best by cosine are wanted, and by words.
    """
    scope = scope_in_literals("one", path, model=model)
    those = "select owner_id from sought union select owner_id from about union select owner_id from taught"
    scan = _scored(MEMORIES, f"{scope} and owner_id = any(array({those}))")
    return _indexed_head(MEMORIES, scope, scan, _sought(MEMORIES, scope, dimensions, each), _about(path, model))


def messages_head(path: NamespacePath, model: str, dimensions: int, each: int) -> str:
    """The head for messages by indexes. each: so many of the best by each score are wanted."""
    scope = scope_in_literals("one", path, model=model)
    return _indexed_head(TURNS, scope, _sought_turns(scope), _sought(TURNS, scope, dimensions, each))


def time_head(path: NamespacePath, model: str, scan: str) -> str:
    """The head for messages of a span of time: these by their keys, or, where they are many, all that are scanned.

    scan: the rows that `exact` gives.
    """
    scope = scope_in_literals("one", path, model=model)
    # Row-level security lets no coalesce into the index, but what a subquery gives.
    said = f"""
        mosshead_read_v1.messages as message where {scope_in_literals("message", path)}
          and message.occurred_at >= (select coalesce(%(since)s::timestamptz, '-infinity'))
          and message.occurred_at < (select coalesce(%(until)s::timestamptz, 'infinity'))"""
    span = f"""
    span as materialized (select count(*) <= {_FEW} as few from (select from {said} limit {_FEW + 1}) as one),
    sought as materialized (select message.message_id from {said} and (select few from span))"""
    rows = f"{_sought_turns(scope)} union all select * from ({scan}) as turn where not (select few from span)"
    return _indexed_head(TURNS, scope, rows, span)


def _head(table: ScanTable, scan: str, spread: str, *before: str) -> str:
    """Tables ``scan``, the rows with their scores, and ``spread``, how these lie over all. before: what ``scan`` needs."""
    tables = (_asked(table.scanned), *before, f"scan as materialized ({scan})", f"spread as materialized ({spread})")
    return ", ".join(tables)


def _indexed_head(table: ScanTable, scope: str, scan: str, *before: str) -> str:
    """The head of some rows of a scope. How the scores of all lie a sample tells, and of rare words how many rows hold them."""
    words = bm25("terms", "length", "%(common)s::sparsevec")
    # Ids begin with the time at which they were made; the order of their hashes has nothing to do with it.
    spread = f"""
        select {spread_of("cosine")},
               avg(words) + %(rare_mean)s as words_mean, sqrt(var_pop(words) + %(rare_variance)s) as words_deviation
        from (select {cosine(table.vector)} as cosine, {words} as words from {table.rows} {scope}
              order by uuid_hash({table.key}) limit {_SAMPLE}) as sample"""
    return _head(table, scan, spread, *before)


def _scored(table: ScanTable, where: str, columns: str = "") -> str:
    return f"""
        select {table.key}{columns}, {cosine(table.vector)} as cosine, {bm25("terms", "length")} as words
        from {table.rows} {where}"""


def _sought_turns(scope: str) -> str:
    return _scored(TURNS, f"{scope} and message_id = any(array(table sought))", ", conversation_id, true as searched")


def _sought(table: ScanTable, scope: str, dimensions: int, each: int) -> str:
    """Table ``sought``: what indexes find, so many by the vector and as many by words."""
    nearest = nearest_first(f"one.{table.vector}", dimensions, looked_at=_LOOK * each)
    return f"""
    sought as materialized (
        (select {table.key} from {table.rows} {scope} {nearest} limit {each})
        union
        select mosshead_read_v1.holding(
            '{table.scanned}', %(namespace_id)s, %(model)s, %(sought)s::text[], {each}, {_MOST * each})
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
    meant = "%(named)s::uuid[] || %(contested)s::uuid[]"
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
        select owner_id, cosine, words from scan where owner_id in (select owner_id from sought)
        union
        {_scored(MEMORIES, f"{scope_in_literals('one', path, model=model)} and owner_id = any(array(select memory_id from few))")}
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


_K1, _B = 1.2, 0.75
_TERMS = 1 << 29
"""Places of a sparse vector (``mosshead.term``)."""


def _asked(scanned: Scanned) -> str:
    """The common tables of a question's words, for `bm25`. scanned: what they are looked for in."""
    of_all = f"{of_namespace('vocabulary')} and vocabulary.model = %(model)s and vocabulary.scanned = '{scanned}'"
    return f"""
    extent as materialized (
        select cast(holders as float8) as texts, greatest(cast(occurrences as float8) / nullif(holders, 0), 1) as length
        from mosshead_read_v1.vocabulary where {of_all} and lexeme = ''
    ),
    asked as materialized (
        select cast('{{' || coalesce(string_agg(term || ':' || rarity, ','), '') || '}}/{_TERMS}' as sparsevec) as terms,
               cast({_K1 * _B} as float8) / (select length from extent) as slope
        from (
            select term, max(ln(1 + (extent.texts - holders + 0.5) / (holders + cast(0.5 as float8)))) as rarity
            from mosshead_read_v1.vocabulary cross join extent
            where {of_all} and holders > 0 and lexeme = any(tsvector_to_array(to_tsvector('english', %(message)s)))
            group by term
        ) as word
    )"""


def bm25(terms: str, length: str, words: str = "(select terms from asked)") -> str:
    """BM25 of a row. terms, length: its columns. words: how rare each word is that counts."""
    share = f"-({terms} <#> {words}) * cast({_K1 + 1} as float8)"
    return f"coalesce({share} / (cast({1 + _K1 * (1 - _B)} as float8) + (select slope from asked) * {length}), 0)"


def cosine(vector: str) -> str:
    """The cosine of a row's vector with the question's; both have unit length."""
    return f"-({vector} <#> %(vector)s::halfvec)"


def spread_of(score: str) -> str:
    """How a score lies over all rows, as two columns."""
    return f"avg({score}) as {score}_mean, stddev_pop({score}) as {score}_deviation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How one raw score lies over all that was scanned, of which what is found is the best part."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, rows: Sequence[Any], score: str) -> Self:
        """By the two columns of `spread_of`, which every row has."""
        if not rows:
            return cls(mean=0.0, deviation=0.0)
        return cls(mean=getattr(rows[0], f"{score}_mean"), deviation=getattr(rows[0], f"{score}_deviation"))

    def normalised(self, raw: float) -> float:
        """How many standard deviations above the mean; 0 where all are equal."""
        return (raw - self.mean) / self.deviation if self.deviation > 0 else 0.0


def vocabulary_statement(path: NamespacePath, model: str, message: str) -> Sql:
    """The statement for `vocabularies`."""
    return Sql(_VOCABULARY, {**path.ids, "model": model, "message": message})


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
        """What a word is worth in BM25."""
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


def of_words(vocabulary: Vocabulary) -> dict[str, Any]:
    """What a head takes beside the scope, the vector and the message."""
    mean, variance = spread_of_rare(vocabulary)
    rarities = ",".join(f"{term}:{rarity}" for term, rarity in common(vocabulary).items())
    return {
        "sought": queries(vocabulary),
        "common": f"{{{rarities}}}/{_TERMS}",
        "rare_mean": mean,
        "rare_variance": variance,
    }


_VOCABULARY = f"""
    select vocabulary.scanned, vocabulary.lexeme, vocabulary.holders, vocabulary.term from mosshead_read_v1.vocabulary
    where {of_namespace("vocabulary")} and vocabulary.model = %(model)s
      and vocabulary.scanned in ('memories', 'turns')
      and vocabulary.lexeme = any(array[''] || tsvector_to_array(to_tsvector('english', %(message)s)))
      and exists (
          select from mosshead_read_v1.scopes
          where {of_namespace("scopes")} and scopes.model = %(model)s
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
