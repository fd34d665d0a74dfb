"""What an LLM is asked about: facts that bear on something known, each beside the few statements that it may bear on.

All that one person tells is more alike than not, most of all where the name is said each time, so that nearness alone
nominates too much. What repeats, refines or ends a statement takes up its words or is very near to it, or says itself that
something changed.
Everything here errs towards asking: of 115 facts of the development set of docs/extraction-figures.md that repeat or change a
memory and that the rules leave open, 112 are asked about beside it; the other three are more precise, and become memories of
their own.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Final

from pipeline.agreement import tells_a_change
from pipeline.decisions import Known, NewFact
from pipeline.wording import telling

ALIKE: Final = 0.8
"""Cosine from which a statement is asked about whatever its words."""

IN_COMMON: Final = 0.25
"""The part of the shorter statement's telling words, by weight, from which two may be of one matter."""

MOST: Final = 3
"""Statements that a fact is asked about, the nearest; what a fact is about was among the first three in every case."""


def nominated(facts: Sequence[NewFact]) -> list[NewFact]:
    """The facts to ask about, in their order, each with no more near it than is asked about; the others bear on nothing."""
    weights = _weights(facts)
    asked = (replace(fact, near=_bearing(fact, weights)) for fact in facts)
    return [fact for fact in asked if fact.near]


def _bearing(fact: NewFact, weights: Mapping[str, float]) -> tuple[tuple[Known, float], ...]:
    changes = fact.fact.corrects or tells_a_change(fact.fact.content)
    found = [
        (known, similarity)
        for known, similarity in fact.near
        if changes
        or similarity >= ALIKE
        or known.injected
        or _of_same_attribute(fact, known)
        or _in_common(fact.fact.content, known.content, weights) >= IN_COMMON
    ]
    return tuple(sorted(found, key=lambda pair: not _of_same_attribute(fact, pair[0]))[:MOST])


def _of_same_attribute(fact: NewFact, known: Known) -> bool:
    return fact.fact.attribute is not None and fact.fact.attribute == known.attribute


def _in_common(one: str, other: str, weights: Mapping[str, float]) -> float:
    """From 0 to 1: the weight of the words of both by that of the words of the one with less."""
    left, right = telling(one), telling(other)
    less = min(sum(weights[word] for word in words) for words in (left, right))
    return sum(weights[word] for word in left & right) / less if less else 0.0


def _weights(facts: Sequence[NewFact]) -> Mapping[str, float]:
    """What a word weighs: the less, the more of all these statements hold it, as a speaker's name."""
    said = {fact.fact.content for fact in facts} | {known.content for fact in facts for known, _ in fact.near}
    holding = Counter(word for statement in said for word in telling(statement))
    return {word: 1 / sqrt(count) for word, count in holding.items()}
