"""The scans of a namespace: which rows are scored for a question, exactly or by indexes, and the distribution of all scores.

A row has two scores: the cosine of a vector, and BM25 of its words (Robertson and Zaragoza, "The Probabilistic Relevance
Framework", 2009, section 3.4; k1 = 1.2, b = 0.75) with its two parts separated: the weight of occurrences, n · 2.2 / (n + 1.2),
is stored with a text as a sparse vector, and its length is a factor, which is 1 for a text of average length. For a word that
occurs once, and for a text of average length, this is exactly BM25. So a text needs one inner product, with a vector of the
rarity of each word of the question.

A hundred thousand rows cannot be scored for each message. If a namespace has its own indexes, the rows come from the vector
index, the word index, and look-ups by key; the distribution of cosines comes from a sample. After its head, a statement is the
same in both cases.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

from psycopg import sql

from mosshead.paths import NamespacePath
from mosshead.store.connection import Sql, of_namespace

Scanned = Literal["memories", "turns"]
"""The contents of a namespace that are scanned, and indexed if large (`db.search_indexes`); messages are scanned as turns."""

LOOK_ON = "set_config('hnsw.iterative_scan', 'strict_order', true)"
"""A vector index holds deleted rows until a vacuum: with this it continues if it has seen only those."""

MOST_STATEMENTS = 256
"""How many statements that name their namespace are cached."""

_LOOK = 2
"""How many rows the vector index examines (``hnsw.ef_search``) per row wanted."""

_MOST = 5
"""How many rows are scored at most per row wanted by words."""

_SAMPLE = 500
"""Rows of a sample: they give the mean within a twentieth of a standard deviation, and the deviation within a thirtieth."""

_FITTING, _FIRST = 32, 12
"""Memories scored per candidate: those nearest to the message, and the oldest."""

_FEW = 4_000
"""Maximum messages of a time span to fetch by key: each takes as long as scanning five."""

_LENDING = 100
"""An entity with more memories lends little; of its memories only those found otherwise count."""


class ScanTable(NamedTuple):
    """A table to scan. rows: a view's rows under the alias ``one``, for further conditions; vector: the column to compare."""

    scanned: Scanned
    rows: str
    key: str
    vector: str


MEMORIES = ScanTable(
    "memories", "mosshead_read_v1.embeddings as one where one.owner_kind = 'memory' and", "owner_id", "embedding"
)
TURNS = ScanTable("turns", "mosshead_read_v1.turns as one where", "message_id", "with_before")


def exact(table: ScanTable, columns: str = "", more: str = "") -> str:
    """Return a namespace's rows with both scores; each half has its own index. columns: further ones. more: a condition."""
    all_rows = f"{of_namespace('one')} and one.model = %(model)s {more}"
    halves = (_scored(table, f"{all_rows} and {half}", columns) for half in ("one.compact", "not one.compact"))
    return " union all ".join(halves)


def exact_head(table: ScanTable, scan: str = "") -> str:
    """Return the head that scores all rows. scan: rows from `exact`; all of the namespace by default."""
    return _head(table, scan or exact(table), f"select {spread_of('cosine')}, {spread_of('words')} from scan")


def memories_head(path: NamespacePath, model: str, dimensions: int, each: int) -> str:
    """Return the head for memories by indexes. It takes processes, which are always scored, from the table ``taught``.

    each: how many of the best by cosine, and by words, are wanted.
    """
    scope = scope_in_literals("one", path, model=model)
    those = "select owner_id from sought union select owner_id from about union select owner_id from taught"
    scan = _scored(MEMORIES, f"{scope} and owner_id = any(array({those}))")
    return _indexed_head(MEMORIES, scope, scan, _sought(MEMORIES, scope, dimensions, each), _about(path, model))


def messages_head(path: NamespacePath, model: str, dimensions: int, each: int) -> str:
    """Return the head for messages by indexes. each: how many of the best by each score are wanted."""
    scope = scope_in_literals("one", path, model=model)
    return _indexed_head(TURNS, scope, _sought_turns(scope), _sought(TURNS, scope, dimensions, each))


def time_head(path: NamespacePath, model: str, scan: str) -> str:
    """Return the head for messages of a time span: by key, or by scanning if there are many.

    scan: rows from `exact`.
    """
    scope = scope_in_literals("one", path, model=model)
    # Row-level security does not let a coalesce use the index, but it does a subquery's result.
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
    """Return the tables ``scan``, rows with scores, and ``spread``, their distribution. before: tables that ``scan`` needs."""
    tables = (_asked(table.scanned), *before, f"scan as materialized ({scan})", f"spread as materialized ({spread})")
    return ", ".join(tables)


def _indexed_head(table: ScanTable, scope: str, scan: str, *before: str) -> str:
    """Return the head for some rows of a scope. A sample and the frequency of rare words give the scores' distribution."""
    words = bm25("terms", "length", "%(common)s::sparsevec")
    # Ids begin with their creation time; the order of their hashes is independent of it.
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
    """Return the table ``sought``: the rows that indexes find, an equal number by vector and by words."""
    nearest = nearest_first(f"one.{table.vector}", dimensions, looked_at=_LOOK * each)
    return f"""
    sought as materialized (
        (select {table.key} from {table.rows} {scope} {nearest} limit {each})
        union
        select mosshead_read_v1.holding(
            '{table.scanned}', %(namespace_id)s, %(model)s, %(sought)s::text[], {each}, {_MOST * each})
    )"""


def _about(path: NamespacePath, model: str) -> str:
    """Return the best and the oldest memories of each candidate; most have no others.

    Also the table ``links``: the entities of the memories sought.
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
    """Return the table ``lent``: possibly related memories with scores, about the entities in ``lending`` with few memories.

    Also the table ``links_lent`` of their entities: for entities with many memories, only links of those sought.
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
    """Return the condition that a row belongs to a scope, for a statement with parameters. scope: values by column.

    Only statements with the scope in literals can use a partial index.
    """
    given = {column: sql.Literal(str(value)).as_string(None).replace("%", "%%") for column, value in scope.items()}
    return " and ".join(f"{alias}.{column} = {value}" for column, value in given.items())


def scope_in_literals(alias: str, path: NamespacePath, **more: str) -> str:
    """The same for a namespace. more: values of further columns."""
    return in_literals(alias, {**path.ids, **more})


def nearest_first(column: str, dimensions: int, *, looked_at: int, vector: str = "%(vector)s") -> str:
    """Return SQL to follow a condition in literals: order by the vector index, nearest first. looked_at: the minimum number of
    rows examined.

    The setting is made in the same statement, which may be the only one of its transaction.
    """
    sized = f"halfvec({dimensions})"
    return f"""
        and (select set_config('hnsw.ef_search', '{looked_at}', true)) is not null
        and (select {LOOK_ON}) is not null
        order by ({column}::{sized}) <#> cast({vector} as {sized})"""


_K1, _B = 1.2, 0.75
_TERMS = 1 << 29
"""Dimensions of a sparse vector (``mosshead.term``)."""


def _asked(scanned: Scanned) -> str:
    """Return the common tables of a question's words, for `bm25`. scanned: what to search."""
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
    """Return SQL for the BM25 of a row. terms, length: its columns. words: the rarity of each word that counts."""
    share = f"-({terms} <#> {words}) * cast({_K1 + 1} as float8)"
    return f"coalesce({share} / (cast({1 + _K1 * (1 - _B)} as float8) + (select slope from asked) * {length}), 0)"


def cosine(vector: str) -> str:
    """Return SQL for the cosine of a row's vector with the question's; both have unit length."""
    return f"-({vector} <#> %(vector)s::halfvec)"


def spread_of(score: str) -> str:
    """Return SQL for the distribution of a score over all rows, as two columns."""
    return f"avg({score}) as {score}_mean, stddev_pop({score}) as {score}_deviation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The distribution of one raw score over all scanned rows, of which only the best are returned."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, rows: Sequence[Any], score: str) -> Self:
        """Read it from the two columns of `spread_of`, which every row has."""
        if not rows:
            return cls(mean=0.0, deviation=0.0)
        return cls(mean=getattr(rows[0], f"{score}_mean"), deviation=getattr(rows[0], f"{score}_deviation"))

    def normalised(self, raw: float) -> float:
        """Return the standard deviations above the mean; 0 if all are equal."""
        return (raw - self.mean) / self.deviation if self.deviation > 0 else 0.0


def vocabulary_statement(path: NamespacePath, model: str, message: str) -> Sql:
    """Return the statement for `vocabularies`."""
    return Sql(_VOCABULARY, {**path.ids, "model": model, "message": message})


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTerm:
    """A stemmed word of a message. holders: how many rows of the scope contain it. term: its dimension (``mosshead.term``)."""

    lexeme: str
    holders: int
    term: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The words of a message that a scope contains. rows: of the scope."""

    rows: int
    words: tuple[SearchTerm, ...]

    def rarity(self, word: SearchTerm) -> float:
        """Return the weight of a word in BM25."""
        return math.log(1 + (self.rows - word.holders + 0.5) / (word.holders + 0.5))


def vocabularies(rows: Iterable[Any]) -> dict[Scanned, Vocabulary]:
    """Return a message's vocabularies in the memories and in the turns, for those of the two with indexes."""
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
    """Return a head's parameters besides the scope, the vector and the message."""
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
            and case when vocabulary.scanned = 'turns' then scopes.turns_indexed else scopes.indexed end)
"""

_CHOOSING = 6
"""How many words of a message select rows: its rarest. Each further word doubles the combinations."""

_EXPECTED = (60, 300)
"""Expected rows per query if words were independent; they are not, so it finds more."""

_COMMON_WORD = 0.01
"""Share of rows above which a sample of some hundreds suffices for a word."""


def common(vocabulary: Vocabulary) -> dict[int, float]:
    """Return the words whose distribution, and joint occurrence, a sample shows: the rarity of each, by dimension."""
    return {word.term: vocabulary.rarity(word) for word in vocabulary.words if _is_common(vocabulary, word)}


def spread_of_rare(vocabulary: Vocabulary) -> tuple[float, float]:
    """Return the mean and variance of what the other words, too rare for a sample, add to BM25.

    This assumes that all rows have the same length, and that the words are independent.
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
    """Return queries as Postgres's tsquery, each finding more rows than the one before.

    The first finds rows with the most valuable combinations of words.
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
    """Return the combinations of words, most valuable first: as bits, with the number of rows with exactly these."""
    every = [(0, 0.0, float(vocabulary.rows))]
    for place, word in enumerate(chosen):
        share, rarity = word.holders / vocabulary.rows, vocabulary.rarity(word)
        held = [(words | 1 << place, worth + rarity, rows * share) for words, worth, rows in every]
        every = [(words, worth, rows * (1 - share)) for words, worth, rows in every] + held
    return [(words, rows) for words, _, rows in sorted(every[1:], key=lambda one: (-one[1], one[0]))]


def _within(every: Iterable[tuple[int, float]], expected: float) -> list[int]:
    """Return the first combination, and those after it up to an expected total of rows."""
    taken: list[int] = []
    total = 0.0
    for words, rows in every:
        total += rows
        if taken and total > expected:
            break
        taken.append(words)
    return taken


def _least(combined: Iterable[int]) -> list[int]:
    """Drop combinations that contain another: a row with all the words has the smaller set, too."""
    least: list[int] = []
    for words in sorted(combined, key=int.bit_count):
        if not any(other & words == other for other in least):
            least.append(words)
    return least


def _any_of(combined: Sequence[int], chosen: Sequence[SearchTerm]) -> str:
    """Build a query for any of the combinations, with common words factored out, the commonest outermost.

    Postgres evaluates it for each row with any of the words; this form saves a third of the time.
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
