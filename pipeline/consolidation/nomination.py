"""What an LLM is asked about: facts that bear on something known, each beside the few statements that it may bear on.

All that one person tells is more alike than not, most of all where the name is said each time, so that nearness alone
nominates too much. What repeats, refines or ends a statement takes up its words or is very near to it, or says itself that
something changed, or what something is called. Where a statement has hardly any words, they tell nothing.
Everything here errs towards asking: the 115 facts of the development set of docs/extraction-figures.md that repeat or change a
memory and that the rules leave open are all asked about beside it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Final

from pipeline.consolidation.comparison import telling, tells_a_change
from pipeline.models import Known, NewFact

ALIKE: Final = 0.8
"""Cosine from which a statement is asked about whatever its words."""

IN_COMMON: Final = 0.25
"""The part of the shorter statement's telling words, by weight, from which two may be of one matter."""

IN_COMMON_AT_ONCE: Final = 1 / 3
"""The same for two facts that one person told in one batch: who formed them saw both, and held them apart."""

FEW: Final = 3
"""Telling words, up to which a statement is asked about beside whatever is near: it may say the same in quite other ones."""

MOST: Final = 3
"""Statements that a fact is asked about, the nearest; what a fact is about was among the first three in every case."""

_NAMED: Final = re.compile(r"\b(?:called|(?:nick|re)?named?|names|known as|goes by)\b", re.IGNORECASE)


def nominated(facts: Sequence[NewFact]) -> list[NewFact]:
    """The facts to ask about, in their order, each with no more near it than is asked about; the others bear on nothing."""
    weights = _weights(facts)
    asked = (replace(fact, near=_bearing(fact, weights)) for fact in facts)
    return [fact for fact in asked if fact.near]


def _bearing(fact: NewFact, weights: Mapping[str, float]) -> tuple[tuple[Known, float], ...]:
    # Somebody or something may have been known without the name that it has.
    names = _NAMED.search(fact.fact.content) or (fact.fact.attribute or "").endswith("name")
    whatever_is_near = fact.fact.corrects or tells_a_change(fact.fact.content) or names
    found = [
        (known, similarity)
        for known, similarity in fact.near
        if whatever_is_near
        or similarity >= ALIKE
        or known.injected
        or _of_same_attribute(fact, known)
        or _may_say_the_same(fact, known, weights)
    ]
    return tuple(sorted(found, key=lambda pair: not _of_same_attribute(fact, pair[0]))[:MOST])


def _of_same_attribute(fact: NewFact, known: Known) -> bool:
    return fact.fact.attribute is not None and fact.fact.attribute == known.attribute


def _may_say_the_same(fact: NewFact, known: Known, weights: Mapping[str, float]) -> bool:
    """By their words: enough of them in common, or too few to tell."""
    mine, its = telling(fact.fact.content), telling(known.content)
    at_once = known.earlier_fact is not None and known.said_by == fact.said_by
    common = _weight(mine & its, weights) / (min(_weight(mine, weights), _weight(its, weights)) or 1.0)
    return min(len(mine), len(its)) <= FEW or common >= (IN_COMMON_AT_ONCE if at_once else IN_COMMON)


def _weight(words: Iterable[str], weights: Mapping[str, float]) -> float:
    return sum(weights[word] for word in words)


def _weights(facts: Sequence[NewFact]) -> Mapping[str, float]:
    """What a word weighs: the less, the more of all these statements hold it, as a speaker's name."""
    said = {fact.fact.content for fact in facts} | {known.content for fact in facts for known, _ in fact.near}
    holding = Counter(word for statement in said for word in telling(statement))
    return {word: 1 / sqrt(count) for word, count in holding.items()}
