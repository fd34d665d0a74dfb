"""The times that a request names, as days: "in 2023", "between March and May", "since 2020", "the last three months". Pure.

A message is ranked by the times that `mosshead.reading.periods` finds; a story is of the days themselves, and of those between.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from mosshead.patterns import AS_ASCII, lazy_pattern
from mosshead.reading.periods import Interval, Period, periods

TIME_WORD = (
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)day|today|yesterday|last|this|past|day|week|month|year|weeks|months|years|days|ago|no|two|three|four|five|six|seven"
    r"|eight|nine|ten|eleven|twelve|[0-9][0-9a-z-]*)\b"
)
_TIME = rf"{TIME_WORD}(?:[\s,]+(?:of\s+)?{TIME_WORD}){{0,4}}"
_SPAN = lazy_pattern(
    rf"\b(?:between|from)\s+(?P<first>{_TIME})\s+(?:and|to|till|until)\s+(?P<last>{_TIME})", re.IGNORECASE
)
_OPEN = lazy_pattern(rf"\b(?P<side>since|after|before|until|till)\s+(?P<time>{_TIME})", re.IGNORECASE)
_LATEST = lazy_pattern(
    r"\b(?:last|past)\s+(?P<many>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s+"
    r"(?P<unit>day|week|month|year)s\b",
    re.IGNORECASE,
)
_FIRST, _LAST = date.min.toordinal(), date.max.toordinal()

Days = tuple[date, date]
"""The first and the last."""


def times_in(request: str, today: date) -> tuple[Days, ...]:
    """The first and the last day of each time that a request names. today: the day on which it is asked."""
    found: list[Days] = []
    left = request.translate(AS_ASCII)
    for pattern, read in ((_SPAN, _between), (_OPEN, _open), (_LATEST, _latest)):
        for match in reversed([*pattern.finditer(left)]):
            if days := [*read(match, today)]:
                found += days
                left = f"{left[: match.start()]}; {left[match.end() :]}"
    found += (one.days(today) for one in periods(left, today))
    return tuple(dict.fromkeys(found))


def without_spans(request: str) -> str:
    """A request without its "between … and …" of two times, which is none of two people."""
    return _SPAN.sub(" ", request.translate(AS_ASCII))


def _between(match: re.Match[str], today: date) -> Iterator[Days]:
    last = _time(match["last"], today)
    if last is None:
        return
    ends = last.days(today)
    first = _time(match["first"], today)
    if first is None and isinstance(last, Period) and last.month and match["first"].isdecimal():
        first = replace(last, day=min(max(int(match["first"]), 1), 31))  # "between 3 and 5 May"
    if first is None:
        return
    if isinstance(first, Period) and isinstance(last, Period) and not first.year and first.month:
        # "Between November and March 2024", and "between March and May": the ones before the last.
        later = last.month is not None and first.month > last.month
        first = replace(first, year=max(1, ends[0].year - later))
    begins = first.days(today)
    yield min(begins[0], ends[0]), max(begins[1], ends[1])


def _open(match: re.Match[str], today: date) -> Iterator[Days]:
    time = _time(match["time"], today)
    if time is None:
        return
    first, last = time.days(today)
    match match["side"].lower():
        case "since":
            yield first, max(first, today)
        case "after":
            yield _later(last, 1), max(_later(last, 1), today)
        case "before":
            yield date.min, _later(first, -1)
        case _:
            yield date.min, last


def _latest(match: re.Match[str], today: date) -> Iterator[Days]:
    """As many of its unit ago as it says, up to today."""
    for one in periods(f"{match['many']} {match['unit']} ago", today):
        begins, ends = one.days(today)
        yield _later(begins, (ends - begins).days // 2), today


def _time(text: str, today: date) -> Period | Interval | None:
    return next(iter(periods(f"on {text}", today)), None)


def _later(day: date, days: int) -> date:
    return date.fromordinal(min(max(day.toordinal() + days, _FIRST), _LAST))
