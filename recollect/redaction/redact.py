"""`redact`: a text without its secrets."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from recollect.patterns import lazy_pattern
from recollect.redaction import codes, identity_numbers, logins, named, passwords, pins
from recollect.redaction.accounts import find_ibans, find_social_security
from recollect.redaction.cards import find_cards
from recollect.redaction.codes import find_authenticator, find_one_time, find_recovery
from recollect.redaction.folding import fold, in_small
from recollect.redaction.found import MARK, Found, mark
from recollect.redaction.identity_numbers import find_identity_numbers
from recollect.redaction.logins import find_logins
from recollect.redaction.named import find_named
from recollect.redaction.near import find_near
from recollect.redaction.passwords import find_passwords
from recollect.redaction.pins import find_pins
from recollect.redaction.seeds import find_seeds
from recollect.redaction.tokens import find_tokens

_LONG_TOKEN = lazy_pattern(r"[A-Za-z0-9+/_.\-]{16}|private key", re.IGNORECASE)
_SHORTEST = 5
"""Characters of a text in which a secret can be found: one of three, and what says that it is one ("pw:abc")."""

_SHORTEST_NUMBER, _SHORTEST_WORD = 12, 16
"""Figures of a card; letters of a key."""

_DIGIT = lazy_pattern(r"\d")


class Finder(NamedTuple):
    """A finder, and a quick look at a text in small letters: where it is False, the finder finds nothing there."""

    find: Callable[[str], Iterator[Found]]
    may_find: Callable[[str], bool]


def _any_of(stems: Sequence[str]) -> Callable[[str], bool]:
    return lambda lowered: any(stem in lowered for stem in stems)


FINDERS = (
    Finder(find_tokens, lambda lowered: bool(_LONG_TOKEN.search(lowered))),
    Finder(find_cards, lambda lowered: bool(_DIGIT.search(lowered))),
    Finder(find_ibans, lambda lowered: bool(_DIGIT.search(lowered))),
    Finder(find_social_security, lambda lowered: bool(_DIGIT.search(lowered))),
    Finder(find_passwords, _any_of(passwords.NEEDS)),
    Finder(find_logins, _any_of(logins.NEEDS)),
    Finder(find_pins, lambda lowered: bool(_DIGIT.search(lowered)) and any(stem in lowered for stem in pins.NEEDS)),
    Finder(find_named, _any_of(named.NEEDS)),
    Finder(find_one_time, lambda lowered: bool(_DIGIT.search(lowered))),
    Finder(find_recovery, _any_of(codes.NEEDS)),
    Finder(find_authenticator, _any_of(codes.AUTHENTICATOR_NEEDS)),
    Finder(
        find_identity_numbers,
        lambda lowered: bool(_DIGIT.search(lowered)) and any(stem in lowered for stem in identity_numbers.NEEDS),
    ),
    Finder(
        find_seeds,
        lambda lowered: lowered.count(" ") + lowered.count("\n") + lowered.count("-") + lowered.count(",") > 10,
    ),
    Finder(find_near, lambda lowered: bool(_DIGIT.search(lowered))),
)


def redact(text: str) -> str:
    """The text with each secret replaced by ``[redacted: card number]`` and the like. What it gave back, it leaves as it is."""
    # What was redacted parts a text, and nothing is found across it. So a piece in which nothing is found is done, and of the
    # others there is less to look at each time.
    left, done = _parts_by_marks(text)[::-1], list[str]()
    while left:
        piece = left.pop()
        parts = [] if _is_too_plain(piece) or MARK.fullmatch(piece) else _parts(piece)
        left += parts[::-1]
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


def _parts(text: str) -> list[str]:
    """A text with a mark in the place of each secret that is found in it, in parts; none where nothing is found."""
    folded = fold(text)
    small = in_small(folded.text)
    found = sorted(one for finder in FINDERS if finder.may_find(small) for one in finder.find(folded.text))
    parts, at = list[str](), 0
    for secret in _joined(found):
        start, end = folded.place(secret.start, secret.end)
        parts += [text[at:start], mark(secret.kind)]
        at = end
    return [*parts, text[at:]] if parts else parts


def _joined(found: list[Found]) -> Iterator[Found]:
    """Without overlaps: of two secrets that overlap, one that reaches over both, of the kind of the longer."""
    current: Found | None = None
    for one in found:
        if current is None or one.start >= current.end:
            if current:
                yield current
            current = one
        else:
            longer = one if one.end - one.start > current.end - current.start else current
            current = Found(current.start, max(current.end, one.end), longer.kind)
    if current:
        yield current
