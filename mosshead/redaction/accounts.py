"""Numbers of bank accounts (IBAN: by country, length and remainder), and US social security numbers (by their ranges)."""

import re
from collections.abc import Iterator
from functools import cache
from string import ascii_uppercase

from mosshead.patterns import lazy_pattern
from mosshead.redaction.folding import in_small
from mosshead.redaction.found import Found
from mosshead.redaction.labels import names_a_thing

_IBAN = lazy_pattern(
    r"(?:(?<![A-Za-z0-9])|(?<=IBAN)|(?<=iban)|(?<=Iban))[A-Za-z]{2}[ \-]?\d{2}(?=[ \-.\n]{0,2}[A-Za-z0-9])"
)
_LENGTHS = {
    country: int(length)
    for country, length in (
        entry.split(":")
        for entry in (
            "AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BI:27 BR:29 BY:28 CH:21 CR:22 CY:28 CZ:24 "
            "DE:22 DJ:27 "
            "DK:18 DO:28 EE:20 EG:29 ES:24 FI:18 FK:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 HN:28 "
            "HR:21 HU:28 "
            "IE:22 IL:23 IQ:23 IS:26 IT:27 JO:30 KW:30 KZ:20 LB:28 LC:32 LI:21 LT:20 LU:20 LV:21 LY:25 MC:27 "
            "MD:24 ME:22 "
            "MK:19 MN:20 MR:27 MT:31 MU:30 NI:28 NL:18 NO:15 OM:23 PK:24 PL:28 PS:29 PT:25 QA:29 RO:24 RS:22 "
            "RU:33 SA:24 "
            "SC:31 SD:18 SE:24 SI:19 SK:24 SM:27 SO:23 ST:25 SV:28 TL:23 TN:24 TR:26 UA:29 VA:22 VG:24 XK:20 YE:30"
        ).split()
    )
}

_AS_NUMBERS = {ord(letter): str(number) for number, letter in enumerate(ascii_uppercase, 10)}

_SSN = lazy_pattern(r"(?<![\d\-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?!-?\d)")
_SSN_NAMED = lazy_pattern(
    r"(?<![a-z])(?:ssn|itin|social security(?: number| no\.?)?|social)(?![a-z])\W{0,3}(?:(?:is|was|number)\W{1,3}){0,2}"
    r"(\d{3}[\- .]?\d{2}[\- .]?\d{4})(?!\d)"
)


def find_social_security(text: str) -> Iterator[Found]:
    """Social security numbers: with dashes anywhere, else after their name."""
    for match in _SSN.finditer(text):
        if not names_a_thing(text, match.start()):
            yield Found(match.start(), match.end(), "social security number")
    for match in _SSN_NAMED.finditer(in_small(text)):
        yield Found(*match.span(1), "social security number")


def find_ibans(text: str) -> Iterator[Found]:
    """IBANs, in one piece or in groups."""
    for match in _IBAN.finditer(text):
        length = _LENGTHS.get(match[0][:2].upper())
        whole = _of_length(length).match(text, match.start()) if length else None
        if whole and passes_mod_97("".join(filter(str.isalnum, whole[0]))):
            yield Found(*whole.span(), "IBAN")


@cache
def _of_length(length: int) -> re.Pattern[str]:
    """So many letters and digits, with single spaces or dashes between them, or two."""
    return re.compile(rf"[A-Za-z0-9](?:[ \-.\n\r\t_]{{0,2}}[A-Za-z0-9]){{{length - 1}}}(?![A-Za-z0-9])")


def passes_mod_97(iban: str) -> bool:
    """Whether an IBAN's two check digits fit the rest of it (ISO 13616)."""
    return int((iban[4:] + iban[:4]).upper().translate(_AS_NUMBERS)) % 97 == 1
