"""Card numbers: by issuer, length and Luhn's sum."""

import re
from collections.abc import Iterator

from mosshead.patterns import lazy_pattern
from mosshead.redaction.found import Found
from mosshead.redaction.labels import names_a_thing

# First digits from and to, and the lengths that such a card has (ISO/IEC 7812, as the issuers publish them).
_ISSUERS: tuple[tuple[str, str, range], ...] = (
    ("4", "4", range(13, 20)),
    ("51", "55", range(16, 17)),
    ("2221", "2720", range(16, 17)),
    ("34", "34", range(15, 16)),
    ("37", "37", range(15, 16)),
    ("300", "305", range(14, 20)),
    ("3095", "3095", range(14, 20)),
    ("36", "36", range(14, 20)),
    ("38", "39", range(14, 20)),
    ("3528", "3589", range(16, 20)),
    ("2200", "2205", range(16, 20)),
    ("60", "60", range(16, 20)),
    ("62", "62", range(16, 20)),
    ("644", "659", range(16, 20)),
    ("81", "82", range(16, 20)),
    ("9792", "9792", range(16, 17)),
    ("5018", "5020", range(12, 20)),
    ("5038", "5038", range(12, 20)),
    ("506", "509", range(16, 20)),
    ("56", "58", range(12, 20)),
    ("6304", "6304", range(12, 20)),
    ("6390", "6390", range(12, 20)),
    ("67", "67", range(12, 20)),
)
_NO_ISSUER = "017"
_SHORTEST, _LONGEST = 12, 19
_VISA_LENGTHS = {13, 16, 18, 19}

_DIGITS = lazy_pattern(r"\d+")
_RUN = lazy_pattern(r"\d(?:[ \t\r\n.,/\-_*>|]{0,3}+\d)*+")
# How cards are written: the lengths of the groups of digits.
_LAYOUTS = lazy_pattern(
    r"(?:4,){3}[1-7],(?:3,)?|4,6,[45],|5,5,5,|8,8,|4,4,8,|8,4,4,|4,12,|12,4,|6,10,|6,13,|4,8,4,|6,4,[4-9],"
)
_FIRST_OF_GROUPS = frozenset({1, 2, 3, 4, 5, 6, 8, 12})
_UNIFORM = lazy_pattern(r"(?:1,){12,19}|(?:2,){6,9}1?,?|(?:3,){4,6}[12]?,?|(?:5,){2,3}[1-4],")
_EXPIRY = lazy_pattern(r"(?:0[1-9]|1[0-2])(?:2\d|3\d)|20[23]\d")


def find_cards(text: str) -> Iterator[Found]:
    """Card numbers, in one piece or in groups; never a piece of a longer number, nor what is said to be an order's."""
    for run in _RUN.finditer(text):
        if run.end() - run.start() >= _SHORTEST:
            yield from _cards_in(text, list(_DIGITS.finditer(text, *run.span())))


def _cards_in(text: str, groups: list[re.Match[str]]) -> Iterator[Found]:
    """Cards among groups of digits that nothing but spaces and dashes parts."""
    at = 0
    while at < len(groups):
        size = _card_at(groups, at)
        start = groups[at].start()
        if size and not names_a_thing(text, start) and not _signed(text, start):
            yield Found(start, groups[at + size - 1].end(), "card number")
        at += size or 1


def _card_at(groups: list[re.Match[str]], at: int) -> int:
    """Of how many groups the card consists that begins with a group; 0 where none does. The longest wins."""
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
    """Whether the groups are a piece of a longer number, written in groups as they are. count: 0 to look before alone."""
    size = len(groups[at][0])
    if count == 1:
        return False
    around = [*groups[max(at - 1, 0) : at], *(groups[at + count : at + count + 1] if count else [])]
    return any(len(one[0]) == size and not _EXPIRY.fullmatch(one[0]) for one in around)


def _signed(text: str, start: int) -> bool:
    """A phone number, or a fraction of a number: ``+49…``, ``0.4111…``."""
    return text[max(start - 1, 0) : start] == "+" or bool(re.search(r"\d[.,]$", text[max(start - 2, 0) : start]))


def passes_luhn(digits: str) -> bool:
    """Whether the last digit checks the others (Luhn's formula, ISO/IEC 7812-1)."""
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (doubled + sum(int(digit) for digit in digits[-1::-2])) % 10 == 0
