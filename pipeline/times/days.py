"""One day, by its date or by its name: "3 May 2019", "2019-05-03", "yesterday evening", "on Friday"."""

import re
from datetime import date, timedelta

from pipeline.models import Occurrence
from pipeline.times.clocks import Clock, at_clock, on_day
from pipeline.times.spans import Frame, Reader, coming, day_number, latest, month_number, nearest_year, weekday_number
from pipeline.times.words import DAY_WORDS, MONTH, ORDINAL, PART, WEEKDAY, YEAR


def _numbered_date(match: re.Match[str], frame: Frame) -> Occurrence:
    return on_day(match, frame, date(int(match["year"]), int(match["month"]), int(match["day"])))


def _at_minute(match: re.Match[str], frame: Frame) -> Occurrence:
    day = date(int(match["year"]), int(match["month"]), int(match["day"]))
    return at_clock(frame, day, Clock(int(match["hour"]), int(match["minute"])))


def _calendar_date(match: re.Match[str], frame: Frame) -> Occurrence:
    month, day = month_number(match["month"]), day_number(match["day"])
    if match["year"]:
        return on_day(match, frame, date(int(match["year"]), month, day))
    if match["weekday"]:
        return on_day(match, frame, _that_is_a(weekday_number(match["weekday"]), month, day, frame))
    return on_day(match, frame, nearest_year(frame, month, day))


def _that_is_a(weekday: int, month: int, day: int, frame: Frame) -> date:
    """ "Saturday 29 March" says by its weekday which year is meant, whatever the direction."""
    near = (date(frame.today.year + step, month, day) for step in ((0, -1) if frame.past else (0, 1)))
    found = (one for one in near if one.weekday() == weekday)
    return next(found, None) or nearest_year(frame, month, day)


def _near_day(match: re.Match[str], frame: Frame) -> Occurrence:
    return on_day(match, frame, frame.today + timedelta(days=DAY_WORDS[match["word"].lower()]))


def _weekday(match: re.Match[str], frame: Frame) -> Occurrence:
    """ "last Friday" is the latest before today, "next Friday" that of the coming week, a bare one the nearest."""
    target = weekday_number(match["weekday"])
    which = (match["which"] or "").lower().split()[-1:]
    today = frame.today
    if which == ["next"]:
        return on_day(match, frame, today - timedelta(days=today.weekday()) + timedelta(days=7 + target))
    if which == ["this"]:
        return on_day(match, frame, today - timedelta(days=today.weekday()) + timedelta(days=target))
    if which in (["last"], ["past"]) or (not which and frame.past):
        return on_day(match, frame, latest(frame, target))
    return on_day(match, frame, coming(frame, target))


_NAMED = rf"(?:{WEEKDAY},? (?:the )?)?"

NUMBERED_DAYS: tuple[tuple[str, Reader], ...] = (
    (rf"\b{YEAR}-(?P<month>[01]\d)-(?P<day>[0-3]\d)[T ](?P<hour>[0-2]\d):(?P<minute>[0-5]\d)", _at_minute),
    (rf"\b{YEAR}[-/](?P<month>[01]?\d)[-/](?P<day>[0-3]?\d)\b", _numbered_date),
    (rf"\b(?P<day>[0-3]?\d)\.(?P<month>[01]?\d)\.{YEAR}\b", _numbered_date),
)
DATED_DAYS: tuple[tuple[str, Reader], ...] = (
    (rf"\b{_NAMED}{ORDINAL} (?:of )?{MONTH}(?! (?:be|have|not)\b)(?:,? {YEAR})?", _calendar_date),
    (rf"\b{_NAMED}{MONTH} (?:the )?{ORDINAL}\b(?:,? {YEAR})?", _calendar_date),
)
NEAR_DAYS: tuple[tuple[str, Reader], ...] = (
    (rf"\b(?P<word>(?:the )?day (?:before yesterday|after tomorrow)|yesterday|tomorrow){PART}", _near_day),
    (r"\b(?P<word>today)", _near_day),
    (r"\b(?P<word>last|this) (?P<part>night|morning|afternoon|evening)\b", _near_day),
    (r"\b(?P<word>to)(?P<part>night)\b", _near_day),
)
DAYS_OF_WEEK: tuple[tuple[str, Reader], ...] = (
    (rf"\b(?<!\ba )(?:(?P<which>last|next|this past|this coming|this|past) )?{WEEKDAY}\b{PART}", _weekday),
)
