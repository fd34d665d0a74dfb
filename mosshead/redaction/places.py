"""Where words stand in a text, so that many windows of it are looked through for the price of one."""

import re
from bisect import bisect_left
from functools import cached_property

from mosshead.patterns import lazy_pattern

_LONGEST_CUT = 8
"""Of what a pattern matches only where a word ends behind it: "logins"."""
_CUT = lazy_pattern(r"\w\w")


class Places:
    """The places in a text where a pattern matches.

    longest: of what the pattern matches.
    """

    def __init__(self, pattern: re.Pattern[str], text: str, *, longest: int = 0) -> None:
        self._pattern, self._text, self._longest = pattern, text, longest

    def in_window(self, start: int, end: int) -> bool:
        """As ``pattern.search(text, start, end)``, which sees what stands before the window."""
        for at in range(bisect_left(self._starts, start), len(self._starts)):
            if self._starts[at] >= end:
                break
            if self._starts[at] < end - self._longest or self._pattern.match(self._text, self._starts[at], end):
                return True
        # A window's end makes a word of what goes on behind it.
        cuts = _CUT.fullmatch(self._text, max(end - 1, 0), end + 1)
        return bool(cuts and self._pattern.search(self._text, max(start, end - _LONGEST_CUT), end))

    def in_piece(self, start: int, end: int) -> bool:
        """As ``pattern.search(text[start:end])``, where no match reaches across the end."""
        at = bisect_left(self._starts, start + 1)
        if at < len(self._starts) and self._starts[at] < end:
            return True
        # A piece's start makes a word of what goes on from before it.
        return bool(self._pattern.match(self._text[start:end]))

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = list[int](), 0
        while match := self._pattern.search(self._text, at):
            starts.append(match.start())
            at = match.start() + 1
        return starts
