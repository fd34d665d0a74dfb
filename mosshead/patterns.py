"""Regular expressions that are compiled when they are first looked for, and not when their module is imported."""

import re
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

AS_ASCII = str.maketrans("İıſ\u212a", "Iisk")
"""The four letters that `re.IGNORECASE` takes for ASCII ones, and ``lower`` does not make such: "FRİDAY", "ſunday"."""


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, at the first use, where a wrong source raises: few texts pass the cheaper look before most patterns."""
    return cast("re.Pattern[str]", _Uncompiled(source, flags))


class _Uncompiled:
    """Stands for a pattern; each of its methods becomes the pattern's own the first time that it is asked for."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)  # from here on it is found without this method, as quick as on the pattern itself
        return found


T = TypeVar("T")


def remembered(function: Callable[[str], T]) -> Callable[[str], T]:
    """The same function, which remembers what it made of the latest words; of what is longer than a word, nothing."""
    return _remembered(function, most=16_384, longest=64)


def remembered_of_texts(function: Callable[[str], T]) -> Callable[[str], T]:
    """The same of short texts: what a user said is read again with each message of theirs."""
    return _remembered(function, most=4_096, longest=512)


def _remembered(function: Callable[[str], T], *, most: int, longest: int) -> Callable[[str], T]:
    known = lru_cache(most)(function)

    @wraps(function)
    def of_short(text: str) -> T:
        return known(text) if len(text) <= longest else function(text)

    return of_short
