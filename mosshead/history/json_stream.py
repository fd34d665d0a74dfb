"""Read JSON in pieces: an array of conversations of any length, with only one in memory."""

import json
from collections.abc import Iterator
from typing import Any, Final, NoReturn, TextIO

from mosshead.errors import InvalidEvent

_CHUNK: Final = 1 << 16
_LONGEST: Final = 1 << 28
"""Maximum characters of a value; a longer one is broken. It prevents reading all of a file that is invalid from some point."""

_BLANK: Final = " \t\r\n"
_decoder = json.JSONDecoder()


class JsonStream:
    """Reads values, or the members and items of the next one, from a text. Raises InvalidEvent, which names the file."""

    def __init__(self, source: TextIO, name: str) -> None:
        """name: of the file, for errors."""
        self._source, self._name = source, name
        self._text, self._at, self._before, self._ended = "", 0, 0, False

    def peek(self) -> str:
        """Return the next non-blank character; empty at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _BLANK:
                    return self._text[self._at]
                self._at += 1
            if not self._fill():
                return ""

    def value(self) -> Any:
        """Read the whole next value."""
        self.peek()
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._at)
            except ValueError:
                if not self._fill():
                    self._fail()
            except RecursionError:
                self._fail()
            else:
                # A number at the end of the text read so far may continue.
                if end < len(self._text) or not self._fill():
                    self._at = end
                    return value

    def items(self) -> Iterator[Any]:
        """Yield the items of the next array."""
        for _ in self.places():
            yield self.value()

    def places(self) -> Iterator[None]:
        """Stop before each item of the next array; the caller reads it."""
        yield from self._inside("[", "]")

    def members(self) -> Iterator[str]:
        """Yield the keys of the next object; the caller reads each value."""
        for _ in self._inside("{", "}"):
            key = self.value()
            self._take(":")
            if not isinstance(key, str):
                self._fail()
            yield key

    def _inside(self, begin: str, end: str) -> Iterator[None]:
        self._take(begin)
        if self.peek() == end:
            self._at += 1
            return
        while True:
            yield
            if self.peek() == end:
                self._at += 1
                return
            self._take(",")

    def _take(self, character: str) -> None:
        if self.peek() != character:
            self._fail()
        self._at += 1

    def _fill(self) -> bool:
        """Double the buffer, so that a long value is parsed only a few times."""
        if self._ended or len(self._text) - self._at > _LONGEST:
            return False
        more = self._source.read(max(_CHUNK, len(self._text) - self._at))
        self._ended = not more
        self._before += self._at
        self._text, self._at = self._text[self._at :] + more, 0
        return bool(more)

    def _fail(self) -> NoReturn:
        raise InvalidEvent(
            f"{self._name}: not JSON from character {self._before + self._at:,} on; is the file whole? Download it again"
        ) from None
