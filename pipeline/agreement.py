"""Whether two statements say the same. Similarity only nominates: "vegetarian" and "not vegetarian" are 0.975 alike, Monday and
Tuesday 0.947 (MiniLM), so that names, numbers, days, negation and the words themselves must agree."""

import re

from recollect.names import normalise

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_FILLERS = frozenset(
    "a an the is are was were be been being has have had do does did of to in on at for with and or that this it its as by "
    "from user user's very really quite just also so too".split()
)
_NEGATIONS = frozenset("no not never none nobody nothing without neither nor cannot hardly".split())
_ENDINGS = ("ing", "ies", "es", "ed", "s", "e")


def same_statement(one: str, other: str) -> bool:
    """Whether two statements are the same but for case, accents, punctuation and space."""
    return _plain(one) == _plain(other)


def agree(one: str, other: str) -> bool:
    """Whether two statements use the same telling words, whatever their order and endings, and are both negated or neither is."""
    return _negated(one) == _negated(other) and _telling(one) == _telling(other)


def is_more_precise(one: str, other: str) -> bool:
    """Whether one says all that the other says, and more: "John Doe" and "John"."""
    more, less = _plain(one).split(), _plain(other).split()
    return len(more) > len(less) > 0 and _negated(one) == _negated(other) and set(less) < set(more)


def _plain(statement: str) -> str:
    return " ".join(_WORD.findall(normalise(statement)))


def _negated(statement: str) -> int:
    return sum(map(_is_negation, _plain(statement).split())) % 2


def _telling(statement: str) -> set[str]:
    return {_stem(word) for word in _plain(statement).split() if word not in _FILLERS and not _is_negation(word)}


def _is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith(("n't", "n’t"))


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
