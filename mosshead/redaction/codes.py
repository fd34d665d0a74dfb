"""Codes that are good once, and codes for emergencies."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from mosshead.patterns import lazy_pattern
from mosshead.redaction.folding import in_small
from mosshead.redaction.found import Found
from mosshead.redaction.labels import names_a_thing
from mosshead.redaction.places import Places

_NUMBER = lazy_pattern(
    r"(?<![\w.,$€£#/\-+])(?:[a-z]-)?(\d{3}[ \-]\d{3,5}|\d{2}[ \-]\d{2}[ \-]\d{2}|\d{4,8})"
    r"(?!\w|[.,:/\-]\d|\s?(?:%|€|£|\$)|\s(?:usd|eur|gbp|rupees|dollars|euros?|times|people|users|words|characters|"
    r"minutes|days|hours|km|kg)\b)"
)
_CODE = r"(?:codes?|otps?|passcodes?|tans?|pass ?words?|codigo|codice|kode|kod|код|验证码|認証コード|인증번호)"
_TWO_FACTOR = (
    r"(?:verif\w*|one[ \-]time|2fa|mfa|two[ \-](?:factor|step)|multi[ \-]factor|authenticat\w*|otps?|sms|"
    r"text(?:ed)? me|sign[ \-]?in|"
    r"log[ \-]?in|security|confirm\w*|activation|bestatigung\w*|sicherheits\w*|einmal\w*|verifizierung\w*|"
    r"anmelde\w*|mtan|sms-?tan|"
    r"phototan|validation|seguridad|sicurezza|подтвержден\w*|验证|認証|인증)"
)
_STRONG = lazy_pattern(
    rf"(?<![a-z])(?:{_TWO_FACTOR}[ \-]?{_CODE}|one[ \-]time (?:pass\w*|pin|code)|otps?|2fa|mfa|m?tan|"
    rf"authenticator|验证码|認証コード|인증번호)(?![a-z])"
)
_CODE_WORD = lazy_pattern(rf"(?<![a-z]){_CODE}(?![a-z])")
_TWO_FACTOR_WORD = lazy_pattern(rf"(?<![a-z]){_TWO_FACTOR}(?![a-z])")
_CODE_IS = lazy_pattern(
    r"(?:(?<!\w)(?:the|your|my|a|sms|new|its|der|dein|le|el|il)\s(?:\w+\s)?code(?:\s(?:is|was|ist|est|es|e)|"
    r"\s?:)\s*\Z|^\W*code\s?:\s*\Z)"
)
_OTHER_CODE = lazy_pattern(
    r"(?:zip|postal|post|area|dial\w*|error|exit|status|promo|discount|coupon|voucher|product|country|currency|qr|"
    r"item|project|dress|order|cost|"
    r"source|swift|sort|ifsc|hs|tax|naics|icd|cpt|response|http|return|airport|time ?zone|colou?r|hex|class|"
    r"course|stock|referral|gift|booking|"
    r"fare|tariff|vendor|store|model|plu|diagnos\w+|fault|part|batch|building|postleitzahl|plz|train|flight|"
    r"reservation)s?[ \-]?codes?\W{0,3}(?:is|was|:)?\s*\Z"
)
_FOLLOWS = lazy_pattern(
    rf"\W{{0,3}}(?:is|ist|est|es|-)\s(?:your|the|my|dein|ihr|votre|tu|su)\s(?:[\w.\-]+\s){{0,3}}?{_CODE}(?![a-z])"
)
_TO_VERIFY = lazy_pattern(
    r"\s(?:to|for|zum|pour|para)\s(?:\w+\s){0,2}?(?:sign|log|verify|confirm|authenticat|2fa|mfa|login|bestatig|anmeld)"
)
_SENT = lazy_pattern(
    r"(?<![a-z])(?:sms|text(?: message)?|2fa|verification|authenticator|otp)(?![a-z])[^.!?\n]{0,20}[:\-]\s*\Z|"
    r"authenticator\s(?:app\s)?(?:shows|says)\s\Z"
)
_YEAR = lazy_pattern(r"(?:19|20)\d\d")
_BEFORE, _NEAR = 160, 48

_ONE = r"(?:\d{1,2}[.)]\s)?(?=[a-z\-]*\d|[a-f]{4})[a-z0-9]{3,12}(?:[ \-](?=[a-z]*\d|[a-f]{4})[a-z0-9]{3,12}){0,11}"
_RECOVERY = lazy_pattern(
    r"(?<![a-z])(?:recovery|backup|back-up|rescue|emergency|scratch|wiederherstellungs|ersatz)[ \-]?(?:codes?|"
    r"keys?)(?![a-z])"
    rf"[^\n\d]{{0,60}}?[:\s]\s*({_ONE}(?:[\s,;|/]{{1,3}}(?:and\s)?{_ONE}){{0,20}})"
)

NEEDS = tuple("recover backup back-up rescue emergency scratch wiederherstell ersatz".split())
"""One of these is in every text, in small letters, in which a recovery code is found."""


ONE_TIME_NEEDS = tuple(
    "code otp tan pass codigo codice kode kod код 验证码 認証コード 인증번호 sms text 2fa mfa verif authenticat "
    "time sign log confirm bestatig anmeld".split()
)
"""One of these is in every text, in small letters, in which a one-time code is found."""

_BASE32 = r"[a-z2-7]{4}"
_AUTHENTICATOR = lazy_pattern(
    r"(?<![a-z])(?:t?otp|2fa|mfa|2[ \-]step|(?:two|multi)[ \-](?:factor|step)|otpauth|"
    r"authenticat(?:or|ion)|autentica\w{2,8}|authentifi\w{2,8}|"
    r"(?:zwei|deux|double|dos|due|dois)[ \-](?:faktor|facteurs?|factores|fattori|fatores)|"
    r"set-?up[ \-](?:key|code)|"
    r"secret(?:[ \-]key)?|manual (?:key|code))(?![a-z])[^\n]{0,80}?[\s:=\"'`*(]"
    rf"({_BASE32}(?:([ \-]){_BASE32}(?:\2{_BASE32}){{2,14}}(?:\2[a-z2-7]{{1,3}})?|(?:{_BASE32}){{3,15}}))(?![a-z0-9=])"
)
_NO_VOWEL = lazy_pattern(r"(?<![A-Z2-7])[B-DF-HJ-NP-TV-XZ2-7]{4}")
_MIXED_GROUP = lazy_pattern(r"(?<![a-zA-Z0-9])(?=[A-Za-z]*[2-7])(?=[2-7]*[A-Za-z])[A-Za-z2-7]{4,}")

AUTHENTICATOR_NEEDS = tuple(
    "otp 2fa mfa 2-step 2 step factor two multi authentic autentica authentifi facto facteur fakto fattor fator setup set-up "
    "secret manual".split()
)
"""One of these is in every text, in small letters, in which the key of an authenticator is found."""


def find_authenticator(text: str) -> Iterator[Found]:
    """Keys that an authenticator's codes are made from: base32, in one piece or in groups of four, where they are named so."""
    for match in _AUTHENTICATOR.finditer(in_small(text)):
        start, end = match.span(1)
        end = start + len(_of_one_case(text[start:end]))
        value = text[start:end]
        # Words of four letters are no key. Of sixteen characters by chance hardly ever none is a figure.
        if _MIXED_GROUP.search(value) or (value.isupper() and _NO_VOWEL.search(value)):
            yield Found(start, end, "authenticator key")


def _of_one_case(value: str) -> str:
    """A key in groups without the words behind it, in which a sentence goes on."""
    between = " " if " " in value else "-"
    groups = value.split(between)
    upper = value[:4].upper() == value[:4]
    alike = list(takewhile(lambda group: group == (group.upper() if upper else group.lower()), groups))
    if len(groups) > 1 and not upper:
        del alike[
            len(alike) // 4 * 4 :
        ]  # in small letters a group looks as a word does, and keys have 16 or 32 characters
    return between.join(alike)


def find_one_time(text: str) -> Iterator[Found]:
    """One-time codes: numbers of 4 to 8 digits, where the words around speak of a code and of why it is needed."""
    small = in_small(text)
    words = _Words(*(Places(pattern, small) for pattern in (_CODE_WORD, _STRONG, _TWO_FACTOR_WORD)))
    for match in _NUMBER.finditer(small):
        if _is_one_time(small, match, words):
            yield Found(match.start(), match.end(), "one-time code")


def find_recovery(text: str) -> Iterator[Found]:
    """Recovery codes, one or a list of them."""
    for match in _RECOVERY.finditer(in_small(text)):
        yield Found(*match.span(1), "recovery code")


class _Words(NamedTuple):
    """The words of a text that speak of codes: of any, of one for signing in, of signing in."""

    code: Places
    strong: Places
    two_factor: Places


def _is_one_time(text: str, match: re.Match[str], words: _Words) -> bool:
    if not _is_said_to_be_one(text, match, words):
        return False
    near = text[max(match.start() - _NEAR, 0) : match.start()]
    return not _OTHER_CODE.search(near) and not names_a_thing(text, match.start())


def _is_said_to_be_one(text: str, match: re.Match[str], words: _Words) -> bool:
    start, end = match.span()
    before, near = max(start - _BEFORE, 0), max(start - _NEAR, 0)
    six = sum(map(str.isdigit, match[1])) == 6
    if _FOLLOWS.match(text, end) or (six and (_TO_VERIFY.match(text, end) or _SENT.search(text[near:start]))):
        return True
    if not words.code.in_piece(near, start):
        # "the 2FA app says 482913"
        return six and words.strong.in_piece(near, start)
    named = words.strong.in_piece(near, start) or words.two_factor.in_piece(before, start)
    if _CODE_IS.search(text[near:start]):
        return six or named
    return named and not _YEAR.fullmatch(match[1])
