"""`redact`: a text without its secrets."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from mosshead.patterns import lazy_pattern
from mosshead.redaction import numbers, passwords
from mosshead.redaction.numbers import (
    find_authenticator,
    find_cards,
    find_ibans,
    find_identity_numbers,
    find_one_time,
    find_pins,
    find_recovery,
    find_social_security,
)
from mosshead.redaction.passwords import find_logins, find_named, find_passwords, find_seeds
from mosshead.redaction.text import MARK, FoundSecret, fold, in_small, mark
from mosshead.redaction.tokens import find_near, find_tokens

_LONG_TOKEN = lazy_pattern(r"[a-z0-9+/_.\-]{16}|private key")
_SHORTEST = 5
"""Characters of a text in which a secret can be found: one of three, and what says that it is one ("pw:abc")."""

_SHORTEST_NUMBER, _SHORTEST_WORD = 12, 16
"""Figures of a card; letters of a key."""

_DIGIT = lazy_pattern(r"\d")
_PASSES_BY_SECRET, _PASSES_BY_RUN = 4, 3
"""Passes in which a mark takes the place of a secret, and further ones in which it takes that of the whole run of characters.

In what people write a third pass finds nothing. A text can be made so that each pass cuts one secret off it and bares the next.
"""

_BLANKS, _RUN = " \t\n\r", lazy_pattern(r"\S*")


class Finder(NamedTuple):
    """A finder, and a quick look at a text in small letters: where it says no, the finder finds nothing there.

    shortest: characters of a text in which it finds something. digits: whether there must be one. stems: one of them is in every
    such text; none where any will do. looks_so: whether a text in small letters looks so at all.
    """

    find: Callable[[str], Iterator[FoundSecret]]
    shortest: int
    digits: bool = False
    stems: tuple[str, ...] = ()
    looks_so: Callable[[str], bool] | None = None

    def may_find(self, small: str, *, digits: bool) -> bool:
        """digits: whether there are any in the text."""
        if len(small) < self.shortest or (self.digits and not digits) or (self.looks_so and not self.looks_so(small)):
            return False
        for stem in self.stems:  # rather than any(), which takes twice as long
            if stem in small:
                return True
        return not self.stems


FINDERS = (
    Finder(find_passwords, 5, stems=passwords.NEEDS),
    Finder(find_pins, 6, digits=True, stems=numbers.PIN_NEEDS),
    Finder(find_logins, 8, stems=passwords.LOGIN_NEEDS),
    Finder(find_one_time, 8, digits=True, stems=numbers.ONE_TIME_NEEDS),
    Finder(find_near, 8, digits=True),
    Finder(find_named, 9, stems=passwords.NAMED_NEEDS),
    Finder(find_identity_numbers, 9, digits=True, stems=numbers.IDENTITY_NEEDS),
    Finder(find_tokens, 11, looks_so=lambda small: bool(_LONG_TOKEN.search(small))),
    Finder(find_social_security, 11, digits=True),
    Finder(find_cards, 12, digits=True),
    Finder(find_recovery, 13, stems=numbers.RECOVERY_NEEDS),
    Finder(find_ibans, 15, digits=True),
    Finder(find_authenticator, 16, stems=numbers.AUTHENTICATOR_NEEDS),
    Finder(find_seeds, 47, looks_so=lambda small: sum(map(small.count, " \n-,")) > 10),
)
"""From the one that finds something in the shortest text to the one that needs the longest."""


def redact(text: str) -> str:
    """The text with each secret replaced by ``[redacted: card number]`` and the like. What it gave back, it leaves as it is."""
    # What was redacted parts a text, and nothing is found across it. So a piece in which nothing is found is done, and of the
    # others there is less to look at each time.
    if _is_too_plain(text):
        return text
    left, done = [(piece, 0) for piece in reversed(_parts_by_marks(text))], list[str]()
    while left:
        piece, passes = left.pop()
        parts = [] if _is_too_plain(piece) or MARK.fullmatch(piece) else _parts(piece, passes)
        left += [(part, passes + 1) for part in reversed(parts)]
        done += [] if parts else [piece]
    return "".join(done)


def _is_too_plain(text: str) -> bool:
    """Whether a text is too short for a secret, as most values of a JSON are: of a few characters, a small number or a word."""
    if len(text) < _SHORTEST:
        return True
    if not text.isascii():
        return False
    return (len(text) < _SHORTEST_NUMBER and text.isdigit()) or (len(text) < _SHORTEST_WORD and text.isalpha())


def _parts_by_marks(text: str) -> list[str]:
    """Marks, and what stands between them."""
    if "[redacted: " not in text:
        return [text]
    parts, at = list[str](), 0
    for marked in MARK.finditer(text):
        parts += [text[at : marked.start()], marked[0]]
        at = marked.end()
    return [*parts, text[at:]]


def _parts(text: str, passes: int) -> list[str]:
    """A text with a mark in the place of each secret that is found in it, in parts; none where nothing is found.

    passes: how often the text was looked through before. In the end a mark takes the place of all that is left of it, so that no
    text is read more often than that, and no secret stays.
    """
    folded = fold(text)
    found = sorted(_found(folded.text))
    if found and passes >= _PASSES_BY_SECRET + _PASSES_BY_RUN:
        return [mark(found[0].kind)]
    secrets = _joined(found)
    parts, at = list[str](), 0
    for secret in secrets if passes < _PASSES_BY_SECRET else _widened(folded.text, secrets):
        start, end = folded.place(secret.start, secret.end)
        parts += [text[at:start], mark(secret.kind)]
        at = end
    return [*parts, text[at:]] if parts else parts


def _found(text: str) -> Iterator[FoundSecret]:
    small = in_small(text)
    digits = bool(_DIGIT.search(small))
    for finder in FINDERS:
        if len(small) < finder.shortest:
            break
        if finder.may_find(small, digits=digits):
            yield from finder.find(text)


def _joined(found: list[FoundSecret]) -> Iterator[FoundSecret]:
    """Without overlaps: of two secrets that overlap, one that reaches over both, of the kind of the longer."""
    current: FoundSecret | None = None
    for one in found:
        if current is None or one.start >= current.end:
            if current:
                yield current
            current = one
        else:
            longer = one if one.end - one.start > current.end - current.start else current
            current = FoundSecret(current.start, max(current.end, one.end), longer.kind)
    if current:
        yield current


def _widened(text: str, secrets: Iterator[FoundSecret]) -> Iterator[FoundSecret]:
    """Secrets with the whole run of characters around them, from blank to blank."""
    at = 0
    for one in secrets:
        if one.end > at:
            start = max(at, *(text.rfind(blank, at, one.start) + 1 for blank in _BLANKS))
            run = _RUN.match(text, one.end)
            at = run.end() if run else one.end
            yield FoundSecret(start, at, one.kind)
