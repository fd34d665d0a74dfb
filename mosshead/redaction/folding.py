"""A text as the finders read it: plain digits, letters, dashes, quotes and spaces, and nothing that cannot be seen.

A secret can be written with full-width digits, or with zero-width characters in between. It is found in the folded text, and cut
out of the text itself. Gaps, as between the columns of a table, are folded too: a pattern may try each of their places with each
other.
"""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from mosshead.patterns import lazy_pattern

_BESIDE = 8
_GAP = lazy_pattern(rf"\s{{{2 * _BESIDE + 2},}}")

_QUOTES = {"\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u2039": "'", "\u203a": "'"}
_QUOTES |= dict.fromkeys("“”„‟«»「」『』", '"')
_LETTERS = {
    "\u0142": "l",
    "\u0141": "L",
    "\u00f8": "o",
    "\u00d8": "O",
    "\u0111": "d",
    "\u0131": "i",
}  # no accent to take off
_LINES = {"\u2028": "\n", "\u2029": "\n", "\u0085": "\n"}
_PLAIN = _QUOTES | _LINES | _LETTERS
_UNSEEN = frozenset("\u115f\u1160\u3164\uffa0\u2800")


class Folded(NamedTuple):
    """A folded text. places: of each of its characters in the text, or None where they are the same."""

    text: str
    places: Sequence[int] | None

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where in the text itself a piece of the folded one stands."""
        if self.places is None:
            return start, end
        return self.places[start], self.places[end - 1] + 1


def fold(text: str) -> Folded:
    """Fold a text; each of its characters becomes one character or none."""
    if "\\" in text:
        # In JSON the letter of "\\n" would seem to belong to what follows.
        text = text.replace("\\n", " \n").replace("\\t", "  ").replace("\\r", "  ")
    folded = text if text.isascii() else text.translate(_FOLDS)
    places = None if len(folded) == len(text) else [place for place, char in enumerate(text) if _FOLDS[ord(char)]]
    return _without_gaps(Folded(folded, places))


def _without_gaps(folded: Folded) -> Folded:
    """Of each gap the blanks on either side, and a line's end from between: nothing is found across that."""
    text, places = folded
    kept, at = list[int](), 0
    for gap in _GAP.finditer(text):
        first, last = gap.start() + _BESIDE, gap.end() - _BESIDE
        line_end = text.find("\n", first, last)
        kept += [*range(at, first), *([line_end] if line_end >= 0 else [])]
        at = last
    if not at:
        return folded
    kept += range(at, len(text))
    return Folded(
        "".join([text[place] for place in kept]), kept if places is None else [places[place] for place in kept]
    )


def in_small(text: str) -> str:
    """The text in small letters, each at its place. Patterns read it several times faster than they read with IGNORECASE."""
    small = text.lower()
    # Of all letters the dotted capital I alone becomes two; folding has made a plain one of it.
    return small if len(small) == len(text) else text.replace("\u0130", "I").lower()


class _Folds(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold(chr(code))
        return folded


def _fold(char: str) -> str:
    category = unicodedata.category(char)
    if category in {"Cf", "Mn", "Me"} or char in _UNSEEN:
        return ""
    if category == "Pd" or char == "\u2212":
        return "-"
    if category == "Zs":
        return " "
    if category == "Nd":
        return str(unicodedata.digit(char))
    # Without its accent, too: "contraseña" is then one word, whichever way it was typed.
    plain = "".join(one for one in unicodedata.normalize("NFKD", char) if not unicodedata.combining(one))
    return _PLAIN.get(char) or (plain if len(plain) == 1 else char)


_FOLDS = _Folds()
