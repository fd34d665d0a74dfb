"""`redact`: remove the secrets of a text."""

from collections.abc import Iterator

from mosshead.patterns import lazy_pattern
from mosshead.redaction import numbers, passwords, tokens
from mosshead.redaction.text import MARK, FoundSecret, fold, in_small, mark

_SHORTEST = 5
"""Minimum length of a text with a secret: three characters and a label ("pw:abc")."""

_SHORTEST_NUMBER, _SHORTEST_WORD = 12, 16
"""Minimum digits of a card; minimum letters of a key."""

_DIGIT = lazy_pattern(r"\d")
_PASSES_BY_SECRET, _PASSES_BY_RUN = 4, 3
"""Passes in which a mark replaces a secret, and then the whole run of characters. An attacker's text may reveal one per pass."""

_BLANKS, _RUN = " \t\n\r", lazy_pattern(r"\S*")
FINDERS = sorted((*passwords.FINDERS, *numbers.FINDERS, *tokens.FINDERS), key=lambda one: one.shortest)
"""Finders, ordered by the minimum length of text that they need."""


def redact(text: str) -> str:
    """Replace each secret by ``[redacted: card number]`` and the like. Redacting the result changes nothing."""
    # Nothing is found across a mark. So a piece without secrets is done, and each pass has less text to search.
    if _is_too_plain(text):
        return text
    left, done = [(piece, 0) for piece in reversed(MARK.split(text))], list[str]()
    while left:
        piece, passes = left.pop()
        parts = [] if _is_too_plain(piece) or MARK.fullmatch(piece) else _parts(piece, passes)
        left += [(part, passes + 1) for part in reversed(parts)]
        done += [] if parts else [piece]
    return "".join(done)


def _is_too_plain(text: str) -> bool:
    """Whether a text is too short for a secret, like most JSON values: a few characters, a small number or a word."""
    if len(text) < _SHORTEST:
        return True
    if not text.isascii():
        return False
    return (len(text) < _SHORTEST_NUMBER and text.isdigit()) or (len(text) < _SHORTEST_WORD and text.isalpha())


def _parts(text: str, passes: int) -> list[str]:
    """Replace the secrets of a text by marks, after many passes all of it, and return the parts; none if nothing is found."""
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


def _joined(found: list[FoundSecret]) -> list[FoundSecret]:
    """Merge overlapping secrets into one that covers both, with the kind of the longer."""
    joined = found[:1]
    for one in found[1:]:
        last = joined[-1]
        if one.start >= last.end:
            joined.append(one)
        else:
            longer = one if one.end - one.start > last.end - last.start else last
            joined[-1] = FoundSecret(last.start, max(last.end, one.end), longer.kind)
    return joined


def _widened(text: str, secrets: list[FoundSecret]) -> Iterator[FoundSecret]:
    """Widen secrets to the whole run of characters around them, from blank to blank."""
    at = 0
    for one in secrets:
        if one.end > at:
            start = max(at, *(text.rfind(blank, at, one.start) + 1 for blank in _BLANKS))
            run = _RUN.match(text, one.end)
            at = run.end() if run else one.end
            yield FoundSecret(start, at, one.kind)
