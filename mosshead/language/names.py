"""Entity names: their normal form, and where they may stand in a text."""

import unicodedata
from collections.abc import Iterable

from mosshead.language.wordlists import CALENDAR
from mosshead.patterns import lazy_pattern, remembered

MAX_WORDS = 5
"""Longer names are not searched for in texts."""

MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963"
    "\u0966-\u096f\u0971-\u0dff\u0e00-\u0eff\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17dc-\u17ff\u3099\u309a"
)
"""For character classes: combining accents, vowels and tones, which ``\\w`` does not match."""

LETTER = rf"(?:[^\W_]|[{MARKS}])"
"""A pattern of one letter, digit or combining mark."""

NO_FIGURE = rf"(?:(?!\d){LETTER})"
"""The same without digits; the ranges of marks include those of India and further east."""

INSIDE = r"[$*·]|(?<=[A-Z])!(?=[a-z])"
"""A pattern of signs inside names: "Ke$ha", "E*TRADE", "DALL·E", "P!nk"; "Hi!Peter" is two words."""

AFTER = r"[+#]{1,2}(?![^\W_])"
"""A pattern of signs at the end of names: "C++", "C#", "Disney+"."""

_WORD = lazy_pattern(rf"{LETTER}+(?:(?:[.'’&-]|{INSIDE}){LETTER}+)*(?:{AFTER})?")
_POSSESSIVE = lazy_pattern(r"['’]s?$")
_ENDS = lazy_pattern(r"[.!?:;\n…][\W_]*$")
"""The end of the preceding sentence."""
_AROUND = 5
_SHORTEST_NAME, _STEM = 3, 5
_GERMAN = frozenset(
    "ich mein meine meinen meiner der das dem ein eine einen einer ist wie wer wo und nicht kein keine".split()
)
"""German words: German capitalises every noun."""
_ADDRESSED, _SHOUTED = "@#", "!?"

LEADING = frozenset("the a an der die das mr mrs ms miss dr prof professor sir".split())
"""Articles and titles, which may precede a name or be omitted."""

_SPACES = '-‐‑‒–—/,;:()"“”„«»_'
_NOTHING = ".'’ʼ`´"
_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "a", "œ": "o"}
_PLAIN = str.maketrans({**dict.fromkeys(_SPACES, " "), **dict.fromkeys(_NOTHING), **_LETTERS})
_LEADING = lazy_pattern(rf"^(?:(?:{'|'.join(sorted(LEADING))}) )+(?=.)")
_UMLAUT = lazy_pattern("(?<=[aou])e")
_NUKTA = 7


def normalise(name: str) -> str:
    """Normalise a name to lower case, without accents, possessive and extra spaces: "Müller's" becomes "muller".

    Marks that make another letter stay: パリ is Paris and バリ is Bali, เสือ a tiger and เสื้อ a shirt. Signs that people omit go:
    "Yahoo!" becomes "yahoo", and "#general" becomes "general".
    """
    owned = (_POSSESSIVE.sub("", word) for word in without_accents(name.casefold()).split())
    return " ".join(word.lstrip(_ADDRESSED).rstrip(_SHOUTED) or word for word in owned if word)


def without_accents(text: str) -> str:
    """Decompose a text (NFKD) and drop the marks that people omit."""
    if text.isascii():
        return text
    return "".join(character for character in unicodedata.normalize("NFKD", text) if not _is_accent(character))


def _is_accent(mark: str) -> bool:
    """Whether people omit a mark: not Indian and Southeast Asian vowels and tones, nor the voicing marks of kana."""
    kind = unicodedata.combining(mark)
    return kind == _NUKTA or (kind > 0 and not ("\u0900" <= mark <= "\u1aaf" or mark in "\u3099\u309a"))


def spelled_out(normalised: str) -> str:
    """Strip article or title, hyphens and apostrophes from a normalised name: "the o'hara-smith" becomes "ohara smith"."""
    return _LEADING.sub("", " ".join(word for word in normalised.translate(_PLAIN).split(" ") if word))


@remembered
def name_key(normalised: str) -> str:
    """Return a name's lookup key, coarser than name equality: "mueller" and "muller" share one.

    The SQL function ``mosshead.name_key`` returns the same.
    """
    return _UMLAUT.sub("", spelled_out(normalised))


def possible_names(text: str) -> list[str]:
    """Return every run of one to five words of a text, normalised, that an alias may match. Longer ones first."""
    words = [normalise(word) for word in _WORD.findall(text)]
    runs = {
        " ".join(words[start : start + length])
        for length in range(1, MAX_WORDS + 1)
        for start in range(len(words) - length + 1)
    }
    return sorted(runs, key=lambda run: (-len(run.split()), run))


def strange_names(text: str, known: Iterable[str]) -> list[str]:
    """Return words written like names, except days and months, that occur in none of the known texts.

    The first word of a sentence is capitalised anyway, as is every German noun. Stems count: "Lisboetas" makes "Lisboa" known.
    """
    found = list(_WORD.finditer(text))
    if not _GERMAN.isdisjoint(word[0].casefold() for word in found):
        return []
    written = [
        word[0]
        for word in found[1:]
        if word[0][0].isupper()
        and len(word[0]) >= _SHORTEST_NAME
        and not _ENDS.search(text[max(0, word.start() - _AROUND) : word.start()])
        and word[0].casefold() not in CALENDAR
    ]
    if not written:
        return []
    read = without_accents("\n".join(known)).casefold()
    return [name for name in written if without_accents(_POSSESSIVE.sub("", name)).casefold()[:_STEM] not in read]
