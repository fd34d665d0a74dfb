"""How common the words of a message are in a large namespace: by which rows are looked for, and how BM25 lies. Pure.

Where all rows are scanned, scores tell all of that. Where an index of words leads to rows, it matters which rows it leads to: of
a hundred thousand, a common word leads to most. So rows are looked for that hold several of the common words, or one rare one.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_CHOOSING = 6
"""So many words of a message choose rows, its rarest. Each more doubles the combinations."""

_EXPECTED = (60, 300)
"""So many rows each query may be expected to find, if words had nothing to do with each other; they have, and it finds more."""


_COMMON_WORD = 0.01
"""A part of all rows: of a word that more hold, a sample of some hundreds tells enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of a message, as it is stemmed. holders: so many rows of the scope hold it. term: its place (``mosshead.term``)."""

    lexeme: str
    holders: int
    term: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The words of a message that a scope knows. rows: how many there are in it."""

    rows: int
    words: tuple[Word, ...]

    def rarity(self, word: Word) -> float:
        """What a word is worth in BM25 (`mosshead.reading.words_sql`)."""
        return math.log(1 + (self.rows - word.holders + 0.5) / (word.holders + 0.5))


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


def _is_common(vocabulary: Vocabulary, word: Word) -> bool:
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


@dataclass(frozen=True, slots=True)
class _Combination:
    """Some of the chosen words, as bits. rows: those that hold these and no others of them, if words were independent."""

    words: int
    worth: float
    rows: float


def _by_worth(vocabulary: Vocabulary, chosen: Sequence[Word]) -> list[_Combination]:
    every = [(0, 0.0, float(vocabulary.rows))]
    for place, word in enumerate(chosen):
        share, rarity = word.holders / vocabulary.rows, vocabulary.rarity(word)
        held = [(words | 1 << place, worth + rarity, rows * share) for words, worth, rows in every]
        every = [(words, worth, rows * (1 - share)) for words, worth, rows in every] + held
    return [_Combination(*one) for one in sorted(every[1:], key=lambda one: (-one[1], one[0]))]


def _within(every: Iterable[_Combination], expected: float) -> list[int]:
    """The first, and those after it that together are expected to be held by no more rows than that."""
    taken: list[int] = []
    total = 0.0
    for one in every:
        total += one.rows
        if taken and total > expected:
            break
        taken.append(one.words)
    return taken


def _least(combined: Iterable[int]) -> list[int]:
    """Without those that hold another: who has all words has some of them."""
    least: list[int] = []
    for words in sorted(combined, key=int.bit_count):
        if not any(other & words == other for other in least):
            least.append(words)
    return least


def _any_of(combined: Sequence[int], chosen: Sequence[Word]) -> str:
    """Some words are common to many of the combinations: each stands once before those that it is in, the commonest outermost.

    Postgres weighs the query for each row that holds any of the words, and so is done in two thirds of the time.
    """
    if not combined:
        return ""
    place = max(combined).bit_length() - 1
    outer, bit = _quoted(chosen[place].lexeme), 1 << place
    rest = [words ^ bit for words in combined if words & bit]
    held = outer if 0 in rest else f"({outer} & {_any_of(rest, chosen)})"
    others = _any_of([words for words in combined if not words & bit], chosen)
    return f"({held} | {others})" if others else held


def _quoted(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
