"""Find secret numbers: cards, accounts, codes, PINs, and numbers of passports, national insurance, licences and the like."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from string import ascii_uppercase

from mosshead.patterns import lazy_pattern
from mosshead.redaction.text import (
    IS,
    STILL,
    Finder,
    FoundSecret,
    Kind,
    Places,
    SecretSentence,
    SecretStatement,
    in_small,
    names_a_thing,
)

_ISSUERS = tuple(
    (first, last or first, range(int(shortest), int(longest or shortest) + 1))
    for first, last, shortest, longest in re.findall(
        r"(\d+)(?:-(\d+))?:(\d+)(?:-(\d+))?",
        "4:13-19 51-55:16 2221-2720:16 34:15 37:15 300-305:14-19 3095:14-19 36:14-19 38-39:14-19 3528-3589:16-19 "
        "2200-2205:16-19 60:16-19 62:16-19 644-659:16-19 81-82:16-19 9792:16 5018-5020:12-19 5038:12-19 506-509:16-19 "
        "56-58:12-19 6304:12-19 6390:12-19 67:12-19",
    )
)
"""Ranges of first digits, and the lengths of their cards (ISO/IEC 7812, as the issuers publish them)."""

_NO_ISSUER = "017"
_SHORTEST, _LONGEST = 12, 19
_VISA_LENGTHS = {13, 16, 18, 19}
_DIGITS = lazy_pattern(r"\d+")
_RUN = lazy_pattern(r"\d(?:[ \t\r\n.,/\-_*>|]{0,3}+\d)*+")

# How cards are written: lengths of the digit groups.
_LAYOUTS = lazy_pattern(
    r"(?:4,){3}[1-7],(?:3,)?|4,6,[45],|5,5,5,|8,8,|4,4,8,|8,4,4,|4,12,|12,4,|6,10,|6,13,|4,8,4,|6,4,[4-9],"
)
_FIRST_OF_GROUPS = frozenset({1, 2, 3, 4, 5, 6, 8, 12})
_UNIFORM = lazy_pattern(r"(?:1,){12,19}|(?:2,){6,9}1?,?|(?:3,){4,6}[12]?,?|(?:5,){2,3}[1-4],")
_EXPIRY = lazy_pattern(r"(?:0[1-9]|1[0-2])(?:2\d|3\d)|20[23]\d")
_SIGNED = lazy_pattern(r"(?:\+|\d[.,])\Z")  # a phone number or a fraction: +49…, 0.4111…


def find_cards(text: str) -> Iterator[FoundSecret]:
    """Find card numbers, in one piece or in groups; never part of a longer number, nor one called an order number."""
    for run in _RUN.finditer(text):
        groups = list(_DIGITS.finditer(text, *run.span())) if run.end() - run.start() >= _SHORTEST else []
        at = 0
        while at < len(groups):
            size = _card_at(groups, at)
            start = groups[at].start()
            if size and not names_a_thing(text, start) and not _SIGNED.search(text[max(start - 2, 0) : start]):
                yield FoundSecret(start, groups[at + size - 1].end(), "card number")
            at += size or 1


def _card_at(groups: list[re.Match[str]], at: int) -> int:
    """Return the number of groups of the longest card that begins with a group; 0 if there is none."""
    digits, sizes, best = "", "", 0
    first = groups[at][0]
    if first[0] in _NO_ISSUER:
        return 0
    if len(first) < _SHORTEST and (len(first) not in _FIRST_OF_GROUPS or _goes_on(groups, at, 0)):
        return 0
    for count, group in enumerate(groups[at : at + _LONGEST], 1):
        digits += group[0]
        if len(digits) > _LONGEST:
            break
        sizes += f"{len(group[0])},"
        if len(digits) < _SHORTEST or not (count == 1 or _LAYOUTS.fullmatch(sizes) or _UNIFORM.fullmatch(sizes)):
            continue
        if not _goes_on(groups, at, count) and _is_card(digits):
            best = count
    return best


def _is_card(digits: str) -> bool:
    if digits[0] == "4" and len(digits) not in _VISA_LENGTHS:
        return False
    issued = any(first <= digits[: len(first)] <= last and len(digits) in lengths for first, last, lengths in _ISSUERS)
    return issued and passes_luhn(digits)


def _goes_on(groups: list[re.Match[str]], at: int, count: int) -> bool:
    """Whether the groups are part of a longer number in such groups. count: 0 to look only before."""
    size = len(groups[at][0])
    if count == 1:
        return False
    around = [*groups[max(at - 1, 0) : at], *(groups[at + count : at + count + 1] if count else [])]
    return any(len(one[0]) == size and not _EXPIRY.fullmatch(one[0]) for one in around)


def passes_luhn(digits: str) -> bool:
    """Whether the last digit is the right check digit (Luhn's formula, ISO/IEC 7812-1)."""
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (doubled + sum(int(digit) for digit in digits[-1::-2])) % 10 == 0


_IBAN = lazy_pattern(
    r"(?:(?<![A-Za-z0-9])|(?<=IBAN)|(?<=iban)|(?<=Iban))[A-Za-z]{2}[ \-]?\d{2}(?=[ \-.\n]{0,2}[A-Za-z0-9])"
)
_LENGTHS = {
    entry[:2]: int(entry[3:])
    for entry in (
        "AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BI:27 BR:29 BY:28 CH:21 CR:22 CY:28 CZ:24 DE:22 "
        "DJ:27 DK:18 DO:28 EE:20 EG:29 ES:24 FI:18 FK:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 HN:28 "
        "HR:21 HU:28 IE:22 IL:23 IQ:23 IS:26 IT:27 JO:30 KW:30 KZ:20 LB:28 LC:32 LI:21 LT:20 LU:20 LV:21 LY:25 "
        "MC:27 MD:24 ME:22 MK:19 MN:20 MR:27 MT:31 MU:30 NI:28 NL:18 NO:15 OM:23 PK:24 PL:28 PS:29 PT:25 QA:29 "
        "RO:24 RS:22 RU:33 SA:24 SC:31 SD:18 SE:24 SI:19 SK:24 SM:27 SO:23 ST:25 SV:28 TL:23 TN:24 TR:26 UA:29 "
        "VA:22 VG:24 XK:20 YE:30"
    ).split()
}
_AS_NUMBERS = {ord(letter): str(number) for number, letter in enumerate(ascii_uppercase, 10)}
_SSN = lazy_pattern(r"(?<![\d\-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?!-?\d)")
_SSN_NAMED = lazy_pattern(
    r"(?<![a-z])(?:ssn|itin|social security(?: number| no\.?)?|social)(?![a-z])\W{0,3}(?:(?:is|was|number)\W{1,3}){0,2}"
    r"(\d{3}[\- .]?\d{2}[\- .]?\d{4})(?!\d)"
)


def find_social_security(text: str) -> Iterator[FoundSecret]:
    """Find social security numbers: with dashes anywhere, otherwise only after their name."""
    for match in _SSN.finditer(text):
        if not names_a_thing(text, match.start()):
            yield FoundSecret(match.start(), match.end(), "social security number")
    for match in _SSN_NAMED.finditer(in_small(text)):
        yield FoundSecret(*match.span(1), "social security number")


def find_ibans(text: str) -> Iterator[FoundSecret]:
    """Find IBANs, in one piece or in groups."""
    for match in _IBAN.finditer(text):
        length = _LENGTHS.get(match[0][:2].upper())
        whole = _of_length(length).match(text, match.start()) if length else None
        if whole and passes_mod_97("".join(filter(str.isalnum, whole[0]))):
            yield FoundSecret(*whole.span(), "IBAN")


@cache
def _of_length(length: int) -> re.Pattern[str]:
    return re.compile(rf"[A-Za-z0-9](?:[ \-.\n\r\t_]{{0,2}}[A-Za-z0-9]){{{length - 1}}}(?![A-Za-z0-9])")


def passes_mod_97(iban: str) -> bool:
    """Whether an IBAN's two check digits match the rest (ISO 13616)."""
    return int((iban[4:] + iban[:4]).upper().translate(_AS_NUMBERS)) % 97 == 1


_NUMBER = lazy_pattern(
    r"(?<![\w.,$€£#/\-+])(?:[a-z]-)?(\d{3}[ \-]\d{3,5}|\d{2}[ \-]\d{2}[ \-]\d{2}|\d{4,8})"
    r"(?!\w|[.,:/\-]\d|\s?(?:%|€|£|\$)|\s(?:usd|eur|gbp|rupees|dollars|euros?|times|people|users|words|characters|"
    r"minutes|days|hours|km|kg)\b)"
)
_CODE = r"(?:codes?|otps?|passcodes?|tans?|pass ?words?|codigo|codice|kode|kod|код|验证码|認証コード|인증번호)"
_TWO_FACTOR = (
    r"(?:verif\w*|one[ \-]time|2fa|mfa|two[ \-](?:factor|step)|multi[ \-]factor|authenticat\w*|otps?|sms|"
    r"text(?:ed)? me|sign[ \-]?in|log[ \-]?in|security|confirm\w*|activation|bestatigung\w*|sicherheits\w*|einmal\w*|"
    r"verifizierung\w*|anmelde\w*|mtan|sms-?tan|phototan|validation|seguridad|sicurezza|подтвержден\w*|验证|認証|"
    r"인증)"
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
    r"item|project|dress|order|cost|source|swift|sort|ifsc|hs|tax|naics|icd|cpt|response|http|return|airport|"
    r"time ?zone|colou?r|hex|class|course|stock|referral|gift|booking|fare|tariff|vendor|store|model|plu|diagnos\w+|"
    r"fault|part|batch|building|postleitzahl|plz|train|flight|reservation)s?[ \-]?codes?\W{0,3}(?:is|was|:)?\s*\Z"
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
_RECOVERY_STEMS = tuple("recover backup back-up rescue emergency scratch wiederherstell ersatz".split())
_ONE_TIME_STEMS = tuple(
    "code otp tan pass codigo codice kode kod код 验证码 認証コード 인증번호 sms text 2fa mfa verif authenticat "
    "time sign log confirm bestatig anmeld".split()
)
_BASE32 = r"[a-z2-7]{4}"
_AUTHENTICATOR = lazy_pattern(
    r"(?<![a-z])(?:t?otp|2fa|mfa|2[ \-]step|(?:two|multi)[ \-](?:factor|step)|otpauth|"
    r"authenticat(?:or|ion)|autentica\w{2,8}|authentifi\w{2,8}|"
    r"(?:zwei|deux|double|dos|due|dois)[ \-](?:faktor|facteurs?|factores|fattori|fatores)|set-?up[ \-](?:key|code)|"
    r"secret(?:[ \-]key)?|manual (?:key|code))(?![a-z])[^\n]{0,80}?[\s:=\"'`*(]"
    rf"({_BASE32}(?:([ \-]){_BASE32}(?:\2{_BASE32}){{2,14}}(?:\2[a-z2-7]{{1,3}})?|(?:{_BASE32}){{3,15}}))(?![a-z0-9=])"
)
_NO_VOWEL = lazy_pattern(r"(?<![A-Z2-7])[B-DF-HJ-NP-TV-XZ2-7]{4}")
_MIXED_GROUP = lazy_pattern(r"(?<![a-zA-Z0-9])(?=[A-Za-z]*[2-7])(?=[2-7]*[A-Za-z])[A-Za-z2-7]{4,}")
_AUTHENTICATOR_STEMS = tuple(
    "otp 2fa mfa 2-step 2 step factor two multi authentic autentica authentifi facto facteur fakto fattor fator setup set-up "
    "secret manual".split()
)


def find_authenticator(text: str) -> Iterator[FoundSecret]:
    """Find the base32 keys of authenticators, in one piece or in groups of four, if named as such."""
    for match in _AUTHENTICATOR.finditer(in_small(text)):
        start, end = match.span(1)
        end = start + len(_of_one_case(text[start:end]))
        value = text[start:end]
        # Words of four letters are not a key: sixteen random characters almost always contain a digit.
        if _MIXED_GROUP.search(value) or (value.isupper() and _NO_VOWEL.search(value)):
            yield FoundSecret(start, end, "authenticator key")


def _of_one_case(value: str) -> str:
    """Cut the words of the continuing sentence off a key in groups."""
    between = " " if " " in value else "-"
    groups = value.split(between)
    upper = value[:4].upper() == value[:4]
    alike = list(takewhile(lambda group: group == (group.upper() if upper else group.lower()), groups))
    # In lower case a group looks like a word, and keys have 16 or 32 characters.
    whole = len(alike) if len(groups) == 1 or upper else len(alike) // 4 * 4
    return between.join(alike[:whole])


def find_one_time(text: str) -> Iterator[FoundSecret]:
    """Find one-time codes: numbers of 4 to 8 digits near words about a code and its purpose."""
    small = in_small(text)
    code, strong, two_factor = (Places(pattern, small) for pattern in (_CODE_WORD, _STRONG, _TWO_FACTOR_WORD))
    for match in _NUMBER.finditer(small):
        near = small[max(match.start() - _NEAR, 0) : match.start()]
        if _is_one_time(small, match, code, strong, two_factor) and not (
            _OTHER_CODE.search(near) or names_a_thing(small, match.start())
        ):
            yield FoundSecret(match.start(), match.end(), "one-time code")


def find_recovery(text: str) -> Iterator[FoundSecret]:
    """Find recovery codes, one or a list."""
    for match in _RECOVERY.finditer(in_small(text)):
        yield FoundSecret(*match.span(1), "recovery code")


def _is_one_time(text: str, match: re.Match[str], code: Places, strong: Places, two_factor: Places) -> bool:
    """code, strong, two_factor: words about any code, about one for signing in, and about signing in."""
    start, end = match.span()
    before, near = max(start - _BEFORE, 0), max(start - _NEAR, 0)
    six = sum(map(str.isdigit, match[1])) == 6
    if _FOLLOWS.match(text, end) or (six and (_TO_VERIFY.match(text, end) or _SENT.search(text[near:start]))):
        return True
    if not code.in_piece(near, start):
        return six and strong.in_piece(near, start)  # "the 2FA app says 482913"
    named = strong.in_piece(near, start) or two_factor.in_piece(before, start)
    if _CODE_IS.search(text[near:start]):
        return six or named
    return named and not _YEAR.fullmatch(match[1])


_PIN = (
    r"(?:(?:(?:sim|atm|card|bank|phone)[ \-]?)?pin(?:s|[ \-]?codes?|[ \-]?numbers?|[ \-]?nummer)?|puk|geheimzahl|"
    r"geheimnummer|codigo pin|code pin|code secret|codice pin|passcode|digicode|(?:door|gate|alarm|entry|access|"
    r"unlock|lock|lockbox|safe|garage|locker|keypad|building|vault|voicemail|screen|phone|security|tur|haus|tresor|"
    r"zugangs)[ \-]?(?:code|combination|combo)|"
    r"(?:(?:safe|locker|lock|vault)(?:'s)? )?combination|code de (?:la porte|l'immeuble|l'alarme|la carte)|"
    r"(?:code|numbers?) (?:for|of|to|fur) (?:the |my |our |die |das |den )?(?:\w{2,12} )?"
    r"(?:door|gate|alarm|safe|lock|garage|building|house|locker|vault|card|phone|keypad|apartment|flat|tur|haustur))"
)
_PIN_IS = SecretSentence(
    _PIN,
    rf"(?P<is>{IS}|[\s?,(\[#\"'`*]{{1,3}}){STILL}[\"'`*#]{{0,3}}"
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
    r"code on the back|cryptogramme)(?![a-z])[^\d\n]{0,20}(\d{3,4})(?!\d)"
)
# "my pin code", "the pin code of the card": not the postal code of a place
_OF_A_CARD = lazy_pattern(r"(?<![a-z])(?:my|card|phone|bank|atm|sim|account|mein|meine|mi|mon)(?![a-z])")
_PIN_STEMS = tuple(
    "pin alarm unlock disarm numbers number code puk geheim passcode combination combo cvv cvc csc cvn card prufziffer "
    "cryptogramme".split()
)
_WITH = lazy_pattern(
    r"(?<![a-z])(?:alarm|unlock\w*|disarm\w*)(?![a-z])[^.!?\n]{0,40}?\s(?:with|using|by|"
    r"to)\s(?:code\s)?(\d{4,8})(?![\d:])"
)

# "set the alarm to 0630"
_CLOCK = lazy_pattern(r"alarm[^.!?\n]*\sto\s(?:[01]\d|2[0-3])[0-5]\d\Z")
_LIKE_YEAR = lazy_pattern(r"(?:19|20)\d\d\Z")


def find_pins(text: str) -> Iterator[FoundSecret]:
    """Find PINs and the like."""
    text = in_small(text)
    for said in _PIN_IS.find(text):
        year = _LIKE_YEAR.match(said.led["plain"]) and not said.led["is"].strip(" #,(")
        if not year and not _is_postal(text, said):
            yield FoundSecret(*said.led.span("plain"), "PIN")
    for match in _IS_PIN.finditer(text):
        yield FoundSecret(*match.span(1), "PIN")
    for match in _WITH.finditer(text):
        if not _CLOCK.match(match[0]):
            yield FoundSecret(*match.span(1), "PIN")
    for match in _CVV.finditer(text):
        yield FoundSecret(*match.span(1), "card security code")


def _is_postal(text: str, said: SecretStatement) -> bool:
    """Whether it is an Indian postal code: they are called PIN codes, and have six digits."""
    called = re.fullmatch(r"pin[ \-]?codes?", said.word) and re.fullmatch(r"\d{3} ?\d{3}", said.led["plain"])
    return bool(called) and not _OF_A_CARD.search(text, max(said.start - 20, 0), said.subject.stop)


_NUMBER_OF_A_PAPER = r"(?:[ \-_]?(?:numbers?|num|no|nr|nummer|numero|#)\.?)?"
_PASSPORT = rf"(?<![a-z])(?:passports?|reisepass|passeport|pasaporte|passaporto|passaporte|paspoort|pasport){_NUMBER_OF_A_PAPER}"
_OTHER_PAPERS = (
    r"(?<![a-z])(?:(?:driver'?s?|driving)[ \-]licen[cs]e|fuhrerschein|permis de conduire|permiso de conducir|patente di guida|"
    r"(?:national|personal) identity|national id|identity card|personalausweis|ausweis|carte d'identite|carta d'identita|"
    r"social insurance|sozialversicherungs|rentenversicherungs|(?:numero de )?securite sociale|steuer[ \-]?id|"
    r"steueridentifikations|tax[ \-]?(?:payer|file)?[ \-]?(?:id|identification|reference)|tax file|tin|utr|tfn|codice fiscale|"
    r"dni|nie|bsn|burgerservice|pesel|cpf|aadhaar|aadhar|pan card|personnummer|medicare|curp)"
    rf"{_NUMBER_OF_A_PAPER}"
)
_OF_A_PAPER = (
    r"[\"'`*(]{0,2}(?P<plain>[a-z]{0,6}\d[a-z0-9]*(?:[ .\-/](?=[a-z]{0,2}\d)[a-z0-9]{1,12}|-[a-z](?![a-z0-9])){0,6})"
)
_PAPER_IS = rf"(?P<is>{IS}|[\s:#]{{1,3}}){STILL}(?:(?:le|la|il|el|die|the)\s)?{_OF_A_PAPER}"
_PAPERS: tuple[tuple[Kind, SecretSentence], ...] = (
    ("passport number", SecretSentence(_PASSPORT, _PAPER_IS)),
    ("identity number", SecretSentence(_OTHER_PAPERS, _PAPER_IS)),
)
_INSURANCE = lazy_pattern(
    r"(?<![a-z])(?:national insurance|nino|ni(?=[ \-](?:number|no|nr)|\s?[:#=]|\sis\s))(?![a-z])[^\n!?]{0,60}?(?<![a-z0-9])"
    r"([a-ceghj-pr-tw-z][a-ceghj-npr-tw-z](?:[ \-]?\d){6}[ \-]?[a-d])(?![a-z0-9])"
)
_DATE = lazy_pattern(r"\d{1,4}([./\-])\d{1,2}\1\d{1,4}\Z")
_FEWEST_FIGURES, _FEWEST = 5, 7
_PAPER_STEMS = tuple(
    "passport reisepass passeport pasaporte passaport paspoort pasport licen fuhrerschein permis patente identi national ausweis "
    "insurance versicherung securite steuer tax tin utr tfn codice dni nie bsn burgerservice pesel cpf aadha pan personnummer "
    "medicare curp nino ni".split()
)


def find_identity_numbers(text: str) -> Iterator[FoundSecret]:
    """Find the numbers of identity papers, each after its name."""
    small = in_small(text)
    for kind, sentence in _PAPERS:
        for said in sentence.find(small, within=True):
            if _is_of_a_paper(said.led["plain"]):
                yield FoundSecret(*said.led.span("plain"), kind)
    for match in _INSURANCE.finditer(small):
        yield FoundSecret(*match.span(1), "national insurance number")


def _is_of_a_paper(value: str) -> bool:
    """Whether a value is long enough, and not a date ("my passport: 10.05.2031")."""
    digits = sum(map(str.isdigit, value))
    return digits >= _FEWEST_FIGURES and sum(map(str.isalnum, value)) >= _FEWEST and not _DATE.match(value)


FINDERS = (
    Finder(find_pins, 6, digits=True, stems=_PIN_STEMS),
    Finder(find_one_time, 8, digits=True, stems=_ONE_TIME_STEMS),
    Finder(find_identity_numbers, 9, digits=True, stems=_PAPER_STEMS),
    Finder(find_social_security, 11, digits=True),
    Finder(find_cards, 12, digits=True),
    Finder(find_recovery, 13, stems=_RECOVERY_STEMS),
    Finder(find_ibans, 15, digits=True),
    Finder(find_authenticator, 16, stems=_AUTHENTICATOR_STEMS),
)
