"""`redact`: a text without its secrets."""

from collections.abc import Iterator

from mosshead.patterns import lazy_pattern
from mosshead.redaction import numbers, passwords, tokens
from mosshead.redaction.text import MARK, FoundSecret, fold, in_small, mark

_SHORTEST = 5
"""Characters of a text in which a secret can be found: one of three, and what says that it is one ("pw:abc")."""

_SHORTEST_NUMBER, _SHORTEST_WORD = 12, 16
"""Figures of a card; letters of a key."""

_DIGIT = lazy_pattern(r"\d")
_PASSES_BY_SECRET, _PASSES_BY_RUN = 4, 3
"""Passes in which a mark replaces a secret, and then the whole run of characters. An attacker's text may bare one in each."""

_BLANKS, _RUN = " \t\n\r", lazy_pattern(r"\S*")
FINDERS = sorted((*passwords.FINDERS, *numbers.FINDERS, *tokens.FINDERS), key=lambda one: one.shortest)
"""From the one that finds something in the shortest text to the one that needs the longest."""


def redact(text: str) -> str:
    """The text with each secret replaced by ``[redacted: card number]`` and the like. What it gave back, it leaves as it is."""
    # What was redacted parts a text, and nothing is found across it. So a piece in which nothing is found is done, and of the
    # others there is less to look at each time.
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
    """Whether a text is too short for a secret, as most values of a JSON are: of a few characters, a small number or a word."""
    if len(text) < _SHORTEST:
        return True
    if not text.isascii():
        return False
    return (len(text) < _SHORTEST_NUMBER and text.isdigit()) or (len(text) < _SHORTEST_WORD and text.isalpha())


def _parts(text: str, passes: int) -> list[str]:
    """Replace the secrets of a text, in the end all of it, by marks, and return the parts; none where nothing is found."""
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
    """Without overlaps: of two secrets that overlap, one that reaches over both, of the kind of the longer."""
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
    """Secrets with the whole run of characters around them, from blank to blank."""
    at = 0
    for one in secrets:
        if one.end > at:
            start = max(at, *(text.rfind(blank, at, one.start) + 1 for blank in _BLANKS))
            run = _RUN.match(text, one.end)
            at = run.end() if run else one.end
            yield FoundSecret(start, at, one.kind)
