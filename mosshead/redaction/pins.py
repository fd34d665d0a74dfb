"""PINs, codes of doors and safes, and the codes on the back of cards."""

import re
from collections.abc import Iterator

from mosshead.patterns import lazy_pattern
from mosshead.redaction.folding import in_small
from mosshead.redaction.found import Found
from mosshead.redaction.sentences import IS, STILL, Said, Sentence

_PIN = (
    r"(?:(?:(?:sim|atm|card|bank|phone)[ \-]?)?pin(?:s|[ \-]?codes?|[ \-]?numbers?|[ \-]?nummer)?|puk|geheimzahl|"
    r"geheimnummer|codigo pin|"
    r"code pin|code secret|codice pin|passcode|digicode|(?:door|gate|alarm|entry|access|unlock|lock|lockbox|safe|"
    r"garage|locker|keypad|"
    r"building|vault|voicemail|screen|phone|security|tur|haus|tresor|zugangs)[ \-]?(?:code|combination|combo)|"
    r"(?:(?:safe|locker|lock|vault)(?:'s)? )?combination|code de (?:la porte|l'immeuble|l'alarme|la carte)|"
    r"(?:code|numbers?) (?:for|of|to|fur) (?:the |my |our |die |das |den )?(?:\w{2,12} )?"
    r"(?:door|gate|alarm|safe|lock|garage|building|house|locker|vault|card|phone|keypad|apartment|flat|tur|haustur))"
)
_PIN_IS = Sentence(
    _PIN,
    rf"(?P<is>{IS}|"
    rf"[\s?,(\[#\"'`*]{{1,3}}){STILL}[\"'`*#]{{0,3}}"
    r"(?P<plain>\d(?:[ \-]?\d){3,11}(?!\d)[#*]?|\d{1,2}(?:[ \-]{1,3}\d{1,2}){2,3}(?!\d)|"
    r"[a-z]*\d[a-z0-9]{3,11}[#*]?)",
    before="(?<![a-z0-9])",
)
_IS_PIN = lazy_pattern(
    r"(?<![\d.,\-])(\d{4,8})\s(?:is|was|as|ist|est|es)\s(?:still\s|now\s)?(?:my|our|the|your|his|her|mein|meine|"
    r"unser)\s(?:[\w'\-]+\s){0,3}?"
    rf"(?:{_PIN})(?![a-z])"
)
_CVV = lazy_pattern(
    r"(?<![a-z])(?:cvv2?|cvc2?|csc|cvn|card (?:security|verification) (?:code|value)|security code|prufziffer|"
    r"code on the back|"
    r"cryptogramme)(?![a-z])[^\d\n]{0,20}(\d{3,4})(?!\d)"
)
# "my pin code", "the pin code of the card": not the postal code of a place
_OF_A_CARD = lazy_pattern(r"(?<![a-z])(?:my|card|phone|bank|atm|sim|account|mein|meine|mi|mon)(?![a-z])")

PIN_NEEDS = tuple(
    "pin alarm unlock disarm numbers number code puk geheim passcode combination combo cvv cvc csc cvn card prufziffer "
    "cryptogramme".split()
)
"""One of these is in every text, in small letters, in which a PIN is found."""


_WITH = lazy_pattern(
    r"(?<![a-z])(?:alarm|unlock\w*|disarm\w*)(?![a-z])[^.!?\n]{0,40}?\s(?:with|using|by|"
    r"to)\s(?:code\s)?(\d{4,8})(?![\d:])"
)
# "set the alarm to 0630"
_CLOCK = lazy_pattern(r"alarm[^.!?\n]*\sto\s(?:[01]\d|2[0-3])[0-5]\d\Z")
_LIKE_YEAR = lazy_pattern(r"(?:19|20)\d\d\Z")


def find_pins(text: str) -> Iterator[Found]:
    """PINs, and the like."""
    text = in_small(text)
    for said in _PIN_IS.find(text):
        year = _LIKE_YEAR.match(said.led["plain"]) and not said.led["is"].strip(" #,(")
        if not year and not _is_postal(text, said):
            yield Found(*said.led.span("plain"), "PIN")
    for match in _IS_PIN.finditer(text):
        yield Found(*match.span(1), "PIN")
    for match in _WITH.finditer(text):
        if not _CLOCK.match(match[0]):
            yield Found(*match.span(1), "PIN")
    for match in _CVV.finditer(text):
        yield Found(*match.span(1), "card security code")


def _is_postal(text: str, said: Said) -> bool:
    """India's postal codes are called PIN codes, and have six digits."""
    called = re.fullmatch(r"pin[ \-]?codes?", said.word) and re.fullmatch(r"\d{3} ?\d{3}", said.led["plain"])
    return bool(called) and not _OF_A_CARD.search(text, max(said.start - 20, 0), said.subject.stop)
