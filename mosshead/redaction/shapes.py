"""What a token looks like: opaque as keys are, complex as passwords are, or nothing of the kind."""

import re

from mosshead.patterns import lazy_pattern

_RUN_OF_LOWER = lazy_pattern(r"[a-z]{3,}")
_VOWEL = lazy_pattern(r"[aeiouy]")
_MOST_IN_WORDS = 0.45  # random base64 has a tenth of its characters in such runs with a vowel, CamelCase a half
# Images, documents, public keys, IPFS: by the base64 of how such files begin.
_PUBLIC = lazy_pattern(
    r"iVBORw0KGgo|/9j/|R0lGOD|UklGR|PHN2Zy|PD94bW|JVBERi0|UEsDB|Qk[0-9A-Za-z]|AAAAB3NzaC1|AAAAC3NzaC1|AAAAE2Vj|"
    r"AAAAFGFz|AAAAI|"
    r"Qm[1-9A-HJ-NP-Za-km-z]{44}\Z|sha\d+-|md5-|[13][1-9A-HJ-NP-Za-km-z]{25,34}\Z|0x[0-9A-Fa-f]{40}\Z"
)
_LONGEST_LINK = 300
_SYMBOL = lazy_pattern(r"[!#$%^&*@~?]")
_DIGIT = lazy_pattern(r"[0-9]")
_LETTER = lazy_pattern(r"[A-Za-z]")
_URL_OR_ADDRESS = lazy_pattern(
    r"[a-z]+://|www\.|[\w.+\-]+@[\w\-]+\.[\w.\-]+\Z|[@#<{(/]|\w+\(|-{2}|\$[{(]|.*\]\(", re.IGNORECASE
)


def mixes_letters_and_digits(token: str) -> bool:
    """Whether a token holds both."""
    if token.isascii():
        return bool(_DIGIT.search(token) and _LETTER.search(token))
    return any(map(str.isdigit, token)) and any(map(str.isalpha, token))


def is_opaque(token: str) -> bool:
    """Whether a long token is drawn from both cases and digits, and not made of words: a key, no name and no hex hash."""
    uppers, lowers = sum(map(str.isupper, token)), sum(map(str.islower, token))
    if min(uppers, lowers) < 3 or not (any(map(str.isdigit, token)) or len(token) >= 40):
        return False
    words = filter(_VOWEL.search, _RUN_OF_LOWER.findall(token))
    return sum(map(len, words)) < _MOST_IN_WORDS * len(token)


def is_dense(token: str, least: int) -> bool:
    """Whether a token has a stretch of that many letters and digits, with both among them."""
    return any(len(run) >= least and mixes_letters_and_digits(run) for run in re.split(r"[^A-Za-z0-9]+", token))


def is_public(token: str) -> bool:
    """Whether a token begins as images, documents and public keys do."""
    return bool(_PUBLIC.match(token))


def is_complex(token: str) -> bool:
    """Whether a short token mixes characters as passwords do: ``Tr0ub4dor&3``, ``hunter2!x``; no address, link or code."""
    if not mixes_letters_and_digits(token):
        return False
    mixed = _SYMBOL.search(token, 1) or (any(map(str.isupper, token[1:])) and any(map(str.islower, token)))
    return bool(mixed) and not _URL_OR_ADDRESS.match(token)


def in_url(text: str, place: int, begins: int = 0) -> bool:
    """Whether a place is inside a link or an image's data, whose parts are names of things. begins: where the text does."""
    before = text[max(place - _LONGEST_LINK, begins) : place]
    word = before[max(map(before.rfind, " \n\t\"'<")) + 1 :]
    return "://" in word or ";base64," in word or word.endswith("data:")
