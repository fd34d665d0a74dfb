"""Passwords, by what is said of them in a sentence or a setting."""

import re
from collections.abc import Iterator

from mosshead.patterns import lazy_pattern
from mosshead.redaction.folding import in_small
from mosshead.redaction.found import Found
from mosshead.redaction.sentences import IS, STILL, VALUE, Said, Sentence, matches, trimmed
from mosshead.redaction.shapes import is_complex, mixes_letters_and_digits
from mosshead.redaction.words import is_no_value, is_plain_word, phrase_end

# Long words also at the end of others (DB_PASSWORD, WLAN-Passwort); short ones by themselves.
_WORDS = (
    r"(?:passw(?:or|oe)[dt]s?|passwd|pswd|pwd|pass words?|pass[ \-]?codes?|pass[ \-_]?phrases?|kenn?wort|"
    r"losungswort|mots? de passe|"
    r"contrasenas?|clave de acceso|palavra[ \-]passe|parola d'ordine|wachtwoord|losenord(?:et)?|adgangskode|"
    r"passord(?:et)?|salasana|"
    r"пароль|密码|密碼|ハスワート|비밀번호|(?:wifi|wi-fi|wlan|router|login|network|netzwerk)[ \-]?(?:key|pass|schlussel)|_pass|"
    r"safe ?word|"
    r"(?:secret|security) (?:word|answer)|zugangscode|(?<![a-z0-9])(?:pw|p/w|psw|mdp|mi clave|la clave (?:de|"
    r"del)|senhas?|haslo|heslo|jelszo|sifre|"
    r"parolam|parola mea))"
)
_PASSWORD_IS = Sentence(_WORDS, rf"(?P<is>{IS}){STILL}{VALUE}")
_PASSWORD_THEN = lazy_pattern(rf"(?P<word>{_WORDS})(?![a-z])(?:\?|!|,|\s-|\)|\]|\.{{1,3}}|…)?\s+(?:again\s+)?{VALUE}")
_CHANGED = lazy_pattern(
    rf"(?:chang|set|reset|updat|switch|rotat|geandert|setz|mis|"
    rf"cambi)[a-z]*\s(?:[^.!?\n]{{0,30}}\s)?(?P<word>{_WORDS})(?![a-z])(?:\s[^.!?\n:]{{0,40}}?)??\s(?:to|auf|in|as|"
    rf"a|en|zu|from)\s+{STILL}{VALUE}"
)
_OF_WORDS = (
    r"(?:my|our|the|your|his|her|their|a|new|mein|unser|das|dein|mon|notre|mi|il mio|la mia|minha)\s(?:[\w'\-]+\s){0,4}?"
    rf"(?:{_WORDS})(?![a-z])(?!\s*(?:manager|polic|field|hint|reset|generator|length|rule|vault|book|safe|app))"
)
_IS_PASSWORD = lazy_pattern(
    rf"(?<!\S)[\"'`*(]{{0,2}}(?P<plain>[^\s\"'`<>][^\s\"`]{{2,80}}?)[\"'`*),]{{0,2}}\s(?:is|was|as|ist|est|es|e|will be|"
    rf"als|,)\s(?:still\s|now\s|also\s)?{_OF_WORDS}"
)
# "my password? It's hunter2", "hunter2 … that's my password"
_IT_IS = lazy_pattern(
    rf"(?:{_WORDS})(?![a-z])[^\n]{{0,60}}?\s(?:it|that|this)(?:'s| is| was)\s+{STILL}{VALUE}|"
    rf"(?<!\S)(?P<before>[^\s\"'`<>]{{4,80}})(?:\s[^.!?\n]{{0,40}}?)?\s(?:it|that|this|which)(?:'s| is|"
    rf" was)\s{_OF_WORDS}"
)

_SAYS_IT_IS = lazy_pattern(r"\s(?:it|that|this|which)(?:'s| is| was)\s")

NEEDS = tuple(
    "answer passw pswd pwd pass kenwort kennwort losungswort mot contrasen clave palavra parola wachtwoord losenord adgangskode "
    "salasana парол 密 ハス 비밀 key schlussel word zugang pw p/w psw mdp senha haslo heslo jelszo sifre".split()
)
"""One of these is in every text, in small letters, in which a password is found."""


def find_passwords(text: str) -> Iterator[Found]:
    """Passwords, by what is said of them."""
    small = in_small(text)
    for said in _PASSWORD_IS.find(small, within=True, is_secret=lambda said: bool(_said(text, said))):
        yield from _said(text, said)
    for match in matches(_CHANGED, small):
        yield from password_in(text, match, loosely=True)
    for match in matches(_PASSWORD_THEN, small):
        yield from password_in(text, match, loosely=_stands_quoted(match))
    for match in _IS_PASSWORD.finditer(small):
        start, end = match.span("plain")
        if not is_no_value(text[start:end], said=True):
            yield Found(*trimmed(text, start, end), "password")
    for match in _IT_IS.finditer(small) if _SAYS_IT_IS.search(small) else ():
        if match["before"] is None:
            yield from password_in(text, match, loosely=False)
        else:
            start, end = match.span("before")
            value = text[start:end].rstrip(",;:")
            if looks_made_up(value):
                yield Found(start, start + len(value), "password")


def _said(text: str, said: Said) -> list[Found]:
    sentence = slice(said.start, said.led.end())
    return list(password_in(text, said.led, sentence=sentence, loosely=_leads_to_it(said)))


def _leads_to_it(said: Said) -> bool:
    """Not so in "I changed my password on Friday" and "gave my password to Bob"; "on" is "is" in Finnish alone."""
    told = said.led["quoted"] is not None or said.word.startswith("salasana")
    return told or said.led["is"].strip() not in {"on", "to"}


def _stands_quoted(match: re.Match[str]) -> bool:
    """As in SQL: ``WITH PASSWORD 'sunshine'``; not a column of several ("password, 'email'"), nor two words."""
    value, between = match["quoted"], match.string[match.end("word") : match.start("quoted")]
    return (
        value is not None and "," not in between and not re.search(r"\s", value) and not is_no_value(value, said=True)
    )


def password_in(text: str, match: re.Match[str], *, loosely: bool, sentence: slice | None = None) -> Iterator[Found]:
    """The value that a password's word leads to, where it is one. loosely: any word that is said to be the password.

    sentence: from the word to the value, where the match is a part of it.
    """
    quoted = match["quoted"] is not None
    start, end = match.span("quoted") if quoted else trimmed(text, *match.span("plain"))
    value = text[start:end]
    if not loosely and not looks_made_up(value) and not re.fullmatch(r"\d{6,12}", value):
        return
    phrase = phrase_end(text, end) if not quoted and loosely and is_plain_word(value) else end
    whole = text[sentence or slice(*match.span())]
    said = loosely and ":" not in whole and "=" not in whole
    if phrase == end and (start >= end or is_no_value(value, said=said, quoted=quoted)):
        return
    yield Found(start, phrase, "password")


def looks_made_up(value: str) -> bool:
    """Whether a word is no plain word: a password then needs less to be said of it."""
    return is_complex(value) or (mixes_letters_and_digits(value) and len(value) >= 5)
