"""The scores that a scan gives, as SQL over the views of version 1: the cosine of a vector, and BM25 of words beside it.

BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, section 3.4; k1 = 1.2, b = 0.75) with its two parts
taken apart: what occurrences weigh, n · 2.2 / (n + 1.2), is stored with a text as a sparse vector, and its length counts as a
factor, which is 1 for a text of the average length. For a word that occurs once, and in a text of the average length, that is
BM25 to the digit. So a text takes one inner product, with a vector that holds how rare each word of the question is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from mosshead.models.messages import Spread
from mosshead.search.weights import MemoryWeights
from mosshead.store.connection import of_namespace

_K1, _B = 1.2, 0.75
_TERMS = 1 << 29
"""Places of a sparse vector (``mosshead.term``)."""


def asked(scanned: str) -> str:
    """The common tables of a question's words, for `bm25`. scanned: what they are looked for in, "memories" or "turns"."""
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


def weighted(rarities: Mapping[int, float]) -> str:
    """Words as `bm25` takes them, for a parameter. rarities: by the places of the words (``mosshead.term``)."""
    return f"{{{','.join(f'{term}:{rarity}' for term, rarity in rarities.items())}}}/{_TERMS}"


def cosine(vector: str) -> str:
    """The cosine of a row's vector with the question's; both have unit length."""
    return f"-({vector} <#> cast(%(vector)s as halfvec))"


def spread_of(score: str) -> str:
    """How a score lies over all rows, as two columns."""
    return f"avg({score}) as {score}_mean, stddev_pop({score}) as {score}_deviation"


def spread_in(rows: Sequence[Any], score: str) -> Spread:
    """How a score lies over all, by these two columns, which every row has."""
    if not rows:
        return Spread(mean=0.0, deviation=0.0)
    return Spread(mean=getattr(rows[0], f"{score}_mean"), deviation=getattr(rows[0], f"{score}_deviation"))


WEIGHTS = MemoryWeights()


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """How much a memory has to do with a message, in standard deviations over the namespace, in parts that add up.

    dense, lexical: the normalised cosine and BM25, weighted. entity: it is about somebody who is named. process: it is a process
    of their house. foundation: it is what has long been so of somebody who is named. when: it is of a
    time that is named. lent: by what is known of the same entities.
    """

    dense: float
    lexical: float
    entity: float = 0.0
    process: float = 0.0
    foundation: float = 0.0
    when: float = 0.0
    lent: float = 0.0

    @property
    def fit(self) -> float:
        """How well its own words fit."""
        return self.dense + self.lexical

    @property
    def own(self) -> float:
        """All but what is lent."""
        return self.fit + self.entity + self.process + self.foundation + self.when

    @property
    def total(self) -> float:
        """All parts together."""
        return self.own + self.lent


def base(relevance: float, salience: float, strength: float) -> float:
    """What a memory scores at any age. relevance: in standard deviations; salience: 0 to 10; strength: 0 to 1."""
    return relevance * WEIGHTS.relevance + salience * WEIGHTS.salience + strength * WEIGHTS.strength


def recency_boost(said_at: datetime, now: datetime) -> float:
    """+0.15 for what was said less than 7 days ago, +0.08 for less than 30, +0.03 for less than 90, else 0; 0 for the future."""
    age = now - said_at
    if age < timedelta(0):
        return 0.0
    return next((boost for days, boost in WEIGHTS.recency if age < timedelta(days=days)), 0.0)
