"""Regular expressions compiled on first use instead of on import."""

import re
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

AS_ASCII = str.maketrans("İıſ\u212a", "Iisk")
"""The four letters that `re.IGNORECASE` treats as ASCII but ``lower`` does not convert: "FRİDAY", "ſunday"."""


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Compile like `re.compile`, but on first use, where a wrong source raises. Cheaper checks make most uses rare."""
    return cast("re.Pattern[str]", _Uncompiled(source, flags))


class _Uncompiled:
    """Stands for a pattern; each method becomes the pattern's own on first use."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)  # later look-ups bypass this method
        return found


T = TypeVar("T")


def remembered(function: Callable[[str], T]) -> Callable[[str], T]:
    """Cache a function of words; longer texts are not cached."""
    return _remembered(function, most=16_384, longest=64)


def remembered_of_texts(function: Callable[[str], T]) -> Callable[[str], T]:
    """Cache a function of short texts: a user's messages are read again with each new one."""
    return _remembered(function, most=4_096, longest=512)


def _remembered(function: Callable[[str], T], *, most: int, longest: int) -> Callable[[str], T]:
    known = lru_cache(most)(function)

    @wraps(function)
    def of_short(text: str) -> T:
        return known(text) if len(text) <= longest else function(text)

    return of_short
