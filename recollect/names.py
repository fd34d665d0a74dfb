"""Names of entities: the form in which they are compared, and where they may stand in a text."""

import unicodedata

from recollect.patterns import lazy_pattern

MAX_WORDS = 5
"""A name of more words is not looked for in a text."""

INSIDE = r"[$*·]|(?<=[A-Z])!(?=[a-z])"
"""Signs that stand between letters of a name: "Ke$ha", "E*TRADE", "DALL·E", "P!nk"; "Hi!Peter" is two words."""

AFTER = r"[+#]{1,2}(?![^\W_])"
"""Signs that end a name: "C++", "C#", "Disney+"."""

_WORD = lazy_pattern(rf"[^\W_]+(?:(?:[.'’&-]|{INSIDE})[^\W_]+)*(?:{AFTER})?")
_POSSESSIVE = lazy_pattern(r"['’]s?$")
_ADDRESSED, _SHOUTED = "@#", "!?"

LEADING = frozenset("the a an der die das mr mrs ms miss dr prof professor sir".split())
"""What may stand before a name, or be left out: articles and titles."""

_SPACES = '-‐‑‒–—/,;:()"“”„«»_'
_NOTHING = ".'’ʼ`´"
_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "a", "œ": "o"}
_PLAIN = str.maketrans({**dict.fromkeys(_SPACES, " "), **dict.fromkeys(_NOTHING), **_LETTERS})
_LEADING = lazy_pattern(rf"^(?:(?:{'|'.join(sorted(LEADING))}) )+(?=.)")
_UMLAUT = lazy_pattern("(?<=[aou])e")


def normalise(name: str) -> str:
    """A name in lower case, without accents, possessive and surplus space: "Müller's" is "muller".

    Nor does it keep what people leave out: "Yahoo!" is "yahoo", and "#general" is "general".
    """
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(character for character in decomposed if not unicodedata.combining(character))
    owned = (_POSSESSIVE.sub("", word) for word in plain.split())
    return " ".join(word.lstrip(_ADDRESSED).rstrip(_SHOUTED) or word for word in owned if word)


def spelled_out(normalised: str) -> str:
    """A normalised name without its article or title, its hyphens and its apostrophes: "the o'hara-smith" is "ohara smith"."""
    return _LEADING.sub("", " ".join(word for word in normalised.translate(_PLAIN).split(" ") if word))


def name_key(normalised: str) -> str:
    """What a name is looked up by, coarser than what makes two names the same: "mueller" and "muller" have one key.

    The SQL function ``recollect.name_key`` gives the same.
    """
    return _UMLAUT.sub("", spelled_out(normalised))


def possible_names(text: str) -> list[str]:
    """Every run of one to five words of a text, normalised: what an alias may match. Longer ones first."""
    words = [normalise(word) for word in _WORD.findall(text)]
    runs = {
        " ".join(words[start : start + length])
        for length in range(1, MAX_WORDS + 1)
        for start in range(len(words) - length + 1)
    }
    return sorted(runs, key=lambda run: (-len(run.split()), run))
