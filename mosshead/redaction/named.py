"""Keys and tokens by the name that they are given: settings, headers, cookies, and sentences."""

import re
from collections.abc import Iterator

from mosshead.patterns import lazy_pattern
from mosshead.redaction.folding import in_small
from mosshead.redaction.found import Found, Kind
from mosshead.redaction.labels import names_a_hash, names_a_thing
from mosshead.redaction.sentences import IS, KEY_VALUE, STILL, Said, Sentence, trimmed
from mosshead.redaction.shapes import is_complex, is_dense, is_opaque, mixes_letters_and_digits
from mosshead.redaction.words import is_placeholder

_KEY = (
    r"(?:api[ _\-]?keys?|access[ _\-]?keys?(?:[ _\-]?id)?|secret[ _\-]?(?:access[ _\-]?)?keys?|private[ _\-]?keys?|"
    r"(?:account|auth|signing|encryption|master|deploy|license|app|wallet|service|integration|storage|bot|root|"
    r"user|rest|webhook|"
    r"subscription|session|stream)[ _\-]?keys?|(?<![a-z])(?:keys?|auth|sid|sig|session|secrets?|tokens?)|[_\-]keys?|"
    r"(?:client|app|shared|signing|webhook|consumer)[ _\-]?secrets?|_secrets?|(?<=[a-z])tokens?|_tokens?|token|"
    r"sess(?:ion)?[_\- ]?ids?|sessid|(?:csrf|xsrf)[\w\-]{0,20}|cookies?|signature|x-amz-credential|credentials?|"
    r"authorization|bearer|"
    r"jeton|schlussel|cle (?:d'api|api|secrete)|chave(?: de api)?|clave(?: de)? api|chiave(?: api)?|токен|ключ|密钥|令牌)"
)
_KEY_IS = Sentence(
    _KEY,
    rf"(?P<is>{IS}|\s*\\?[\"'`]?\s*[=:>]\s*|[\s:?,]{{1,3}}){STILL}{KEY_VALUE}",
    after=r"(?:\s?\([^)\n]{1,30}\))?",
)
_HEADER = lazy_pattern(
    r"(?<![a-z])(?:(?:proxy-)?authorization\\?[\"']?\s*[:=]\s*\\?[\"']?"
    r"(?:bearer|basic|token|digest|negotiate|apikey|api-key|aws4-hmac-sha256)?\s*|"
    rf"x-[a-z\-]{{2,30}}(?:key|token|secret)\\?[\"']?\s*[:=]\s*\\?[\"']?|(?P<scheme>bearer|basic)\s+){KEY_VALUE}"
)
_COOKIES = lazy_pattern(r"(?<![a-z])(?:set-)?cookie\s?:\s*([^\n]{3,4000})")
_COOKIE = lazy_pattern(r"[\w.\-]+=([^\s;,\"']{8,})")
_URL_USER = lazy_pattern(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.\-]{1,20}://([A-Za-z0-9_\-]{20,200})@(?=[\w.\-]+)")
# Vague words, after which only a longer value is one; "auth", "session" and "key" have other things after them.
_WEAK = lazy_pattern(r"(?:signature|sig|cookies?|auth|session|sid|credentials?|authorization|keys?|schlussel|ключ)\Z")
_UUID = lazy_pattern(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z", re.IGNORECASE)
_DASHED = lazy_pattern(r"(?=.*\d)(?:[A-Z0-9]{3,8}-){2,9}[A-Z0-9]{3,8}\Z")
_LETTERS = lazy_pattern(r"[A-Za-z]+(?:[_\-][A-Za-z]+)*")
_SHORTEST_OF_LETTERS, _SHORTEST_SAID = 12, 16
_MOST_VOWELS = 0.28  # of letters drawn by chance a fifth are vowels, of words more than a third
_STANDS_FOR_A_KEY = lazy_pattern(
    r"your|here|key|token|secret|example|placeholder|change|replace|insert|dummy|sample|test|todo|fixme|value|name|string|xxx|"
    r"redact|omit|hidden|generat|paste|enter|provide|credential|config|setting|environment|variable|default|optional|required|"
    r"undefined|(.)\1{4}",
    re.IGNORECASE,
)
"""What stands for a key in a manual, or names it in a program."""
_OF_ANYTHING = frozenset({"_key", "_keys", "-key", "-keys", " key"})
"""Words of a name that may be any key's ("sort_key", "primary_key")."""

NAMED_NEEDS = tuple(
    "key auth sid sig session sess secret token csrf xsrf cookie signature cred bearer basic jeton schlussel cle "
    "chave clave chiave "
    "токен ключ 密钥 令牌 ://".split()
)
"""One of these is in every text, in small letters, in which a named key is found."""


def find_named(text: str) -> Iterator[Found]:
    """Keys and tokens, by their names."""
    small = in_small(text)
    for said in _KEY_IS.find(small, within=True):
        start, end = trimmed(text, *said.led.span("plain"))
        if _is_key(text[start:end], said) and not names_a_hash(text, start) and not names_a_thing(text, start):
            yield Found(start, end, _kind_of(said.word))
    for match in _HEADER.finditer(small):
        start, end = trimmed(text, *match.span("plain"))
        if _is_token(text, start, end, least=12 if match["scheme"] else 0):
            yield Found(start, end, "access token")
    for cookies in _COOKIES.finditer(small):
        for cookie in _COOKIE.finditer(text, *cookies.span(1)):
            if mixes_letters_and_digits(cookie[1]):
                yield Found(*cookie.span(1), "access token")
    for match in _URL_USER.finditer(text):
        if mixes_letters_and_digits(match[1]):
            yield Found(*match.span(1), "access token")


def _is_token(text: str, start: int, end: int, *, least: int) -> bool:
    """Whether what a header leads to is a token. least: how long one is behind a word alone, as in "a basic Python3 course"."""
    value = text[start:end]
    if text[end : end + 1] == "=":
        return True
    return is_dense(value, least) if least else mixes_letters_and_digits(value) or is_opaque(value)


def _is_key(value: str, said: Said) -> bool:
    """Whether what a key's word leads to is a key: dense letters and digits, more of them the vaguer the word is."""
    if is_placeholder(value) or "://" in value or "(" in value:
        return False
    assigned = bool(said.led["is"].strip(" ?,"))
    weak = bool(_WEAK.match(said.word))
    least = 12 if weak else 8
    if not assigned:
        least += 8
    if _UUID.match(value):
        return assigned
    if assigned and not weak and _is_of_letters(value, said):
        return True
    if assigned and not weak and _DASHED.match(value):
        return True
    return is_dense(value, least) or (assigned and len(value) >= 16 and (is_opaque(value) or is_complex(value)))


def _is_of_letters(value: str, said: Said) -> bool:
    """Whether a value of letters alone is a key. Right behind "=", as in a setting, any is; in a sentence one that is no word."""
    value = value.rstrip("!")
    if not _LETTERS.fullmatch(value) or _STANDS_FOR_A_KEY.search(value) or said.word in _OF_ANYTHING:
        return False
    letters = re.sub(r"[^A-Za-z]", "", value).lower()
    vowels = sum(map(letters.count, "aeiouy"))
    if said.led["is"].strip(" \"'`\\") == "=" and len(letters) >= _SHORTEST_OF_LETTERS:
        return letters == value.lower() or vowels <= _MOST_VOWELS * len(letters)
    return len(letters) >= _SHORTEST_SAID and vowels <= _MOST_VOWELS * len(letters)


def _kind_of(word: str) -> Kind:
    return "API key" if "key" in word else "access token"
