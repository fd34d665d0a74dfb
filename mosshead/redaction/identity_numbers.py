"""Numbers of passports, national insurance, licences and the like, where they are named as such."""

from collections.abc import Iterator

from mosshead.patterns import lazy_pattern
from mosshead.redaction.text import IS, STILL, FoundSecret, Kind, SecretSentence, in_small

_NUMBER = r"(?:[ \-_]?(?:numbers?|num|no|nr|nummer|numero|#)\.?)?"
_PASSPORT = rf"(?<![a-z])(?:passports?|reisepass|passeport|pasaporte|passaporto|passaporte|paspoort|pasport){_NUMBER}"
_OTHERS = (
    r"(?<![a-z])(?:(?:driver'?s?|driving)[ \-]licen[cs]e|fuhrerschein|permis de conduire|permiso de conducir|patente di guida|"
    r"(?:national|personal) identity|national id|identity card|personalausweis|ausweis|carte d'identite|carta d'identita|"
    r"social insurance|sozialversicherungs|rentenversicherungs|(?:numero de )?securite sociale|steuer[ \-]?id|"
    r"steueridentifikations|tax[ \-]?(?:payer|file)?[ \-]?(?:id|identification|reference)|tax file|tin|utr|tfn|codice fiscale|"
    r"dni|nie|bsn|burgerservice|pesel|cpf|aadhaar|aadhar|pan card|personnummer|medicare|curp)"
    rf"{_NUMBER}"
)
_VALUE = (
    r"[\"'`*(]{0,2}(?P<plain>[a-z]{0,6}\d[a-z0-9]*(?:[ .\-/](?=[a-z]{0,2}\d)[a-z0-9]{1,12}|-[a-z](?![a-z0-9])){0,6})"
)
_LED = rf"(?P<is>{IS}|[\s:#]{{1,3}}){STILL}(?:(?:le|la|il|el|die|the)\s)?{_VALUE}"
_NAMED: tuple[tuple[Kind, SecretSentence], ...] = (
    ("passport number", SecretSentence(_PASSPORT, _LED)),
    ("identity number", SecretSentence(_OTHERS, _LED)),
)
_INSURANCE = lazy_pattern(
    r"(?<![a-z])(?:national insurance|nino|ni(?=[ \-](?:number|no|nr)|\s?[:#=]|\sis\s))(?![a-z])[^\n!?]{0,60}?(?<![a-z0-9])"
    r"([a-ceghj-pr-tw-z][a-ceghj-npr-tw-z](?:[ \-]?\d){6}[ \-]?[a-d])(?![a-z0-9])"
)
_DATE = lazy_pattern(r"\d{1,4}([./\-])\d{1,2}\1\d{1,4}\Z")
_FEWEST_DIGITS, _FEWEST = 5, 7

NEEDS = tuple(
    "passport reisepass passeport pasaporte passaport paspoort pasport licen fuhrerschein permis patente identi national ausweis "
    "insurance versicherung securite steuer tax tin utr tfn codice dni nie bsn burgerservice pesel cpf aadha pan personnummer "
    "medicare curp nino ni".split()
)
"""One of these is in every text, in small letters, in which such a number is found."""


def find_identity_numbers(text: str) -> Iterator[FoundSecret]:
    """Numbers of papers by which a person is known to a state, each after its name."""
    small = in_small(text)
    for kind, sentence in _NAMED:
        for said in sentence.find(small, within=True):
            if _is_number(said.led["plain"]):
                yield FoundSecret(*said.led.span("plain"), kind)
    for match in _INSURANCE.finditer(small):
        yield FoundSecret(*match.span(1), "national insurance number")


def _is_number(value: str) -> bool:
    """Whether a value is long enough, and no date ("my passport: 10.05.2031")."""
    digits = sum(map(str.isdigit, value))
    return digits >= _FEWEST_DIGITS and sum(map(str.isalnum, value)) >= _FEWEST and not _DATE.match(value)
