"""What looks like a secret and stands near a word of secrets, though no pattern of sentences leads from one to the other."""

import re
from collections.abc import Iterator

from mosshead.patterns import lazy_pattern
from mosshead.redaction.folding import in_small
from mosshead.redaction.found import Found
from mosshead.redaction.labels import names_a_hash, names_a_thing
from mosshead.redaction.places import Places
from mosshead.redaction.shapes import in_url, is_complex, is_dense, is_opaque, is_public

_TOKEN_HERE = lazy_pattern(r"[\"'`*(\[<{=]{0,3}(?P<value>[^\s\"'`<>]{6,64})")
_TOKEN = lazy_pattern(r"(?<!\S)[\"'`*(\[<{=]{0,3}(?P<value>[^\s\"'`<>]{6,64})")
_LONG_TOKEN = lazy_pattern(r"(?<![A-Za-z0-9+/_=.\-])[A-Za-z0-9+/_~\-]{16,200}={0,2}(?![A-Za-z0-9+/_=\-])")
_END = ".,;:?)]}\"'`*"
_PASSWORDS = lazy_pattern(
    r"passw|passwd|\bpwd?\b|passcode|pass ?phrase|kennwort|mot de passe|\bmdp\b|contrasena|\bsenha|wachtwoord|"
    r"losenord|haslo|пароль|парол|credential|"
    r"\bcreds\b|zugangsdaten|\blog ?-?in\b|logged in|logging in|\blogins?\b|sign in|密码|パスワード|비밀번호|\bsecret\b|\bpin\b"
)
_KEYS = lazy_pattern(
    r"api[ _\-]?keys?|access[ _\-]?(?:key|token|code)|secret|(?<![a-z])tokens?(?![a-z])|credential|\bcreds\b|"
    r"private[ _\-]?key|bearer|auth(?:[ _\-]?(?:key|token|code)|orization)|passw|"
    r"(?:signing|encryption|master|deploy|license|webhook|wallet|account|storage|service)[ _\-]?(?:key|secret)|"
    r"zugangsschlussel|schlussel|clave|cle d'api|chave|chiave|"
    r"токен|ключ|密钥|令牌|session|cookie|mnemonic|seed\b|\bkeys?\b"
)
_STRONG = lazy_pattern(
    r"api[ _\-]?keys?|access[ _\-]?(?:key|token)|secret|private[ _\-]?key|auth[ _\-]?(?:key|token)|bearer|"
    r"credential|wallet|signing key|encryption key|api-schlussel|clave api"
)
_HEX = lazy_pattern(r"(?:0x)?[0-9a-f]{7,}\Z", re.IGNORECASE)
_UUID = lazy_pattern(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z", re.IGNORECASE)
_PLAIN = lazy_pattern(
    r"\d{1,4}(?:st|nd|rd|th|am|pm|gb|mb|kb|ms|px|km|kg|cm|x|k|m|%|\+)?\Z|v?\d+(?:[.\-]\w+)+\Z|1password\d*|"
    r"\w+\.(?:py|js|ts|md|txt|json|ya?ml|pdf|png|jpe?g|csv|html?|docx?|xlsx?|sh|go|rs|java|c|h)\Z",
    re.IGNORECASE,
)
_BEFORE, _AFTER = 90, 50
_LONGEST_WORD = 24  # "subscription" and the like are shorter, with what may follow them
_VERY_COMPLEX = lazy_pattern(
    r"(?=\S*[a-z])(?=\S*[A-Z])(?=\S*\d)(?=[A-Za-z0-9]\S*[!#$%^&*@~])[A-Za-z0-9!#$%^&*@~?_\-]{8,40}\Z"
)


def find_near(text: str) -> Iterator[Found]:
    """Complex words near "password" or "login", dense tokens near "key" or "token"; and words that only a generator makes."""
    small = in_small(text)
    yield from _near_passwords(text, Places(_PASSWORDS, small, longest=_LONGEST_WORD))
    strong, keys = (Places(words, small, longest=_LONGEST_WORD) for words in (_STRONG, _KEYS))
    for match in _LONG_TOKEN.finditer(text):
        if _is_key(text, match, strong, keys):
            yield Found(match.start(), match.end(), "access token")


def _near_passwords(text: str, words: Places) -> Iterator[Found]:
    cut, at = 0, 0
    while match := (_TOKEN_HERE.match(text, at) if 0 < cut == at else None) or _TOKEN.search(text, at):
        start, end = match.span("value")
        begins = cut if match.start() == cut else 0
        at = match.end()
        while end > start and text[end - 1] in _END:
            end -= 1
        value = text[start:end]
        if not is_complex(value) or _PLAIN.match(value):
            continue
        # The link is looked for last: it may begin far before.
        if (_VERY_COMPLEX.match(value) or _around(words, start, end, begins)) and not in_url(text, start, begins):
            yield Found(start, end, "password")
            # What goes on behind a mark is a word again. Were it not taken here, a long run would take a pass for each.
            if end < len(text) and not text[end].isspace():
                cut = at = end


def _is_key(text: str, match: re.Match[str], strong: Places, keys: Places) -> bool:
    value, start, end = match[0], *match.span()
    if not is_dense(value, 12) or _UUID.match(value) or is_public(value) or in_url(text, start):
        return False
    if names_a_hash(text, start) or names_a_thing(text, start):
        return False
    return _around(strong if _HEX.match(value) or not is_opaque(value) else keys, start, end)


def _around(words: Places, start: int, end: int, begins: int = 0) -> bool:
    return words.in_window(max(start - _BEFORE, begins), start) or words.in_window(end, end + _AFTER)
