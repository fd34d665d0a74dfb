"""Words that two texts have in common, whatever their endings: "baker" and "bakes", "apprentice" and "apprenticeship"."""

import re

from mosshead.names import NO_FIGURE
from mosshead.patterns import lazy_pattern
from mosshead.tracking.vocabulary import FUNCTION

_CONTENT_WORD = lazy_pattern(rf"{NO_FIGURE}{{3,}}")
_EMPTY = FUNCTION | {
    "user",
    "users",
    "person",
    "people",
    "man",
    "woman",
    "thing",
    "things",
    "get",
    "make",
    "how",
    "old",
}
_SHORTEST_STEM = 4
_OF_ANOTHER = r"(?<!\bis )(?<!\bas )(?<!\bwas )(?<!^)\b(?:the|his|her|their) (?:\w+ )?{noun}\b"


def content_words(text: str) -> frozenset[str]:
    """The words of a text that say something, in lower case."""
    return frozenset(word for word in _CONTENT_WORD.findall(text.lower()) if word not in _EMPTY)


def shared(words: frozenset[str], others: frozenset[str]) -> float:
    """The share of some words that occur among others, 0 to 1; 0 where there are none."""
    return sum(any(_alike(word, other) for other in others) for word in words) / len(words) if words else 0.0


def names_another(noun: str, text: str) -> bool:
    """Whether a noun means another than whom the text is about: "Ann held the ladder for the electrician"."""
    return bool(noun) and re.search(_OF_ANOTHER.format(noun=re.escape(noun)), text) is not None


def _alike(word: str, other: str) -> bool:
    stem = max(_SHORTEST_STEM, min(len(word), len(other)) - 2)
    return word == other or (len(word) >= stem and word[:stem] == other[:stem])
