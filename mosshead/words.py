"""What is made of a word, remembered: texts share most of their words, and a read looks several times at the same turns."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final, TypeVar

T = TypeVar("T")

_REMEMBERED: Final = 16_384
_LONGEST: Final = 64


def remembered(function: Callable[[str], T]) -> Callable[[str], T]:
    """The same function, which knows what it made of each of the latest words.

    Of what is longer than words are, nothing is kept: it seldom comes again, and a text without a space may be of any length.
    """
    known = lru_cache(_REMEMBERED)(function)

    @wraps(function)
    def of_word(word: str) -> T:
        return known(word) if len(word) <= _LONGEST else function(word)

    return of_word
