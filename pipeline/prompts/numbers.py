"""The numbers that a text holds, in one form however they are written: 1,000 is 1000, 50k is 50000, 3pm is 15:00. Pure.

Texts are folded (`pipeline.prompts.vocabulary`): in small letters, with the figures of ASCII.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

Number = tuple[frozenset[str], ...]
"""What a number may be, each as parts that must all have been said: "3:30" is half past three, or three and thirty."""

_ZERO_TO_NINETEEN = """
zero one two three four five six seven eight nine
ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
"""
_UNITS = _ZERO_TO_NINETEEN.split()
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_FACTORS = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_SHORT_FACTORS = {"k": "thousand", "m": "million", "mn": "million", "mio": "million", "bn": "billion"}
_NUMBER_WORDS = (
    {word: number for number, word in enumerate(_UNITS)}
    | {word: ten * 10 for ten, word in enumerate(_TENS, start=2)}
    | {"once": 1, "twice": 2, "first": 1, "second": 2, "third": 3}
    | _FACTORS
)
_PAST = {"half past": (0, 30), "quarter past": (0, 15), "quarter to": (-1, 45)}
_NOON = 12

_THOUSANDS = re.compile(r"(?<=\d)(?:[,'’_](?=\d{3}(?!\d))|,(?=(?:\d\d,){1,5}\d{3}(?!\d)))")
_NUMBER = re.compile(
    r"(?<!\d)(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d))? ?(?P<half>[ap])\.?m\b"
    r"|\b(?P<on_clock>\d{1,2})(?::|\.(?=\d\d ?uhr\b))(?P<past>[0-5]\d)\b"
    rf"|\b(?P<before>{'|'.join(_PAST)}) (?P<spoken>\d{{1,2}}|{'|'.join(_UNITS[1:13])})\b"
    rf"|(?P<number>\d+(?:\.\d+)?)(?: ?(?P<factor>{'|'.join((*_FACTORS, *_SHORT_FACTORS))})\b)?"
)


def numbers(text: str) -> Iterator[Number]:
    """The numbers that are written with figures, and the times of day."""
    for match in _NUMBER.finditer(_THOUSANDS.sub("", text)):
        if match["number"]:
            yield _counted(match["number"], match["factor"])
        elif match["half"]:
            yield _of_half_a_day(match["hour"], match["minute"] or "", match["half"])
        elif match["before"]:
            yield _spoken(match["before"], match["spoken"])
        else:
            hour, minute = match["on_clock"], match["past"]
            alone = () if int(minute) else (_parts(hour),)
            yield (*_on_a_dial(int(hour), int(minute)), _parts(hour, minute), *alone)


def spelt_numbers(words: Sequence[str]) -> Iterator[str]:
    """The numbers that some words say: three is 3, twenty one is 21, two dozen is 24."""
    yield from (str(_NUMBER_WORDS[word]) for word in words if word in _NUMBER_WORDS)
    for one, other in pairwise(words):
        if one in _TENS and other in _UNITS[1:10]:
            yield str(_NUMBER_WORDS[one] + _NUMBER_WORDS[other])
        elif one in _NUMBER_WORDS and other in _FACTORS:
            yield str(_NUMBER_WORDS[one] * _FACTORS[other])


def _counted(number: str, factor: str | None) -> Number:
    if factor is None:
        return (_parts(number),)
    return _parts(number), _parts(f"{Decimal(number) * _FACTORS[_SHORT_FACTORS.get(factor, factor)]:f}")


def _of_half_a_day(hour: str, minute: str, half: str) -> Number:
    time = _time(int(hour) % _NOON + (_NOON if half == "p" else 0), int(minute or 0))
    return time, _parts(hour, *([minute] if minute else []))


def _spoken(before: str, hour: str) -> Number:
    hours, minute = _PAST[before]
    number = int(hour) if hour.isdigit() else _UNITS.index(hour)
    return *_on_a_dial(number + hours, minute), _parts(str(number))


def _on_a_dial(hour: int, minute: int) -> Number:
    """A time of day whose half is not told: half past three is at night, or in the afternoon; 15:30 is in the afternoon."""
    halves = (hour,) if hour > _NOON else (hour % _NOON, hour % _NOON + _NOON)
    return tuple(_time(one, minute) for one in halves)


def _time(hour: int, minute: int) -> frozenset[str]:
    return frozenset({f"{hour}:{minute:02}"})


def _parts(*written: str) -> frozenset[str]:
    return frozenset(map(_in_one_form, written))


def _in_one_form(number: str) -> str:
    """05 is 5, 3.50 is 3.5. As text, because digits can be many."""
    whole, _, fraction = number.partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole
