"""Where words stand in a text, so that many windows of it are looked through for the price of one."""

import re
from bisect import bisect_left
from functools import cached_property


class Places:
    """The places in a text where a pattern matches.

    longest: of what the pattern matches. A match that a window's end may cut is looked for again, as the window shows it.
    """

    def __init__(self, pattern: re.Pattern[str], text: str, *, longest: int = 0) -> None:
        self._pattern, self._text, self._longest = pattern, text, longest

    def in_window(self, start: int, end: int) -> bool:
        """As ``pattern.search(text, start, end)``, which sees what stands before the window."""
        whole = end - self._longest
        return self._begins_in(start, whole) or bool(self._pattern.search(self._text, max(start, whole, 0), end))

    def in_piece(self, start: int, end: int) -> bool:
        """As ``pattern.search(text[start:end])``, where no match reaches across the end."""
        return self._begins_in(start + 1, end) or bool(self._pattern.match(self._text[start:end]))

    def _begins_in(self, start: int, end: int) -> bool:
        at = bisect_left(self._starts, start)
        return at < len(self._starts) and self._starts[at] < end

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = list[int](), 0
        while match := self._pattern.search(self._text, at):
            starts.append(match.start())
            at = match.start() + 1
        return starts
