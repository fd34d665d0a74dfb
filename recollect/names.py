"""Names of entities: the form in which they are compared, and where they may stand in a text."""

import re
import unicodedata

MAX_WORDS = 5
"""A name of more words is not looked for in a text."""

_WORD = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*", re.UNICODE)
_POSSESSIVE = re.compile(r"['’]s?$")


def normalise(name: str) -> str:
    """A name in lower case, without accents, possessive and surplus space: "Müller's" is "muller"."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(character for character in decomposed if not unicodedata.combining(character))
    return " ".join(bare for word in plain.split() if (bare := _POSSESSIVE.sub("", word)))


def possible_names(text: str) -> list[str]:
    """Every run of one to five words of a text, normalised: what an alias may match. Longer ones first."""
    words = [normalise(word) for word in _WORD.findall(text)]
    runs = {
        " ".join(words[start : start + length])
        for length in range(1, MAX_WORDS + 1)
        for start in range(len(words) - length + 1)
    }
    return sorted(runs, key=lambda run: (-len(run.split()), run))


def without(text: str, name: str) -> str:
    """A text without the words of a name; what is left says which bearer of the name is meant."""
    words = set(normalise(name).split())
    return " ".join(word for word in text.split() if normalise(word.strip('.,;:!?"()')) not in words)
