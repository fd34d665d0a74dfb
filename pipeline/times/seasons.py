"""What comes again each year, and the year itself: "in May", "last summer", "at Christmas", "winter 2019", "since 2012"."""

import re
from datetime import date, timedelta

from mosshead.kinds import Granularity
from pipeline.models import Occurrence
from pipeline.times.clocks import on_day
from pipeline.times.spans import (
    Frame,
    Reader,
    month_number,
    month_of,
    months_on,
    nearest_year,
    year_of,
    year_of_nearest,
)
from pipeline.times.words import HOLIDAYS, LEADS, MONTH, PLAIN_MONTH, SEASON_STARTS, YEAR

_HOLIDAYS = "|".join(sorted(HOLIDAYS, key=len, reverse=True)).replace("'", "['’]?")
_HOLIDAY_DATES = {name.replace("'", ""): date for name, date in HOLIDAYS.items()}


def _month(match: re.Match[str], frame: Frame) -> Occurrence:
    month, groups = month_number(match["month"]), match.groupdict()
    if groups.get("year"):
        return month_of(frame, int(match["year"]), month)
    which, today = (groups.get("which") or "").lower(), frame.today
    if which == "last":
        return month_of(frame, today.year - (month >= today.month), month)
    if which == "next":
        return month_of(frame, today.year + (month <= today.month), month)
    if which == "this":
        return month_of(frame, today.year, month)
    return month_of(frame, year_of_nearest(frame, month), month)


def _season(match: re.Match[str], frame: Frame) -> Occurrence:
    start, groups = SEASON_STARTS[match["season"].lower()], match.groupdict()
    if groups.get("year"):
        return month_of(frame, int(match["year"]), start, 3)
    which, today = (groups.get("which") or "").lower(), frame.today
    year = today.year - 1
    current_or_next = next(y for y in range(year, year + 3) if _season_end(y, start) > today)
    running = date(current_or_next, start, 1) <= today
    if "last" in which or "past" in which:
        return month_of(frame, current_or_next - 1, start, 3)
    if which == "next":
        return month_of(frame, current_or_next + running, start, 3)
    return month_of(frame, current_or_next - (frame.past and not running and which != "this"), start, 3)


def _season_end(year: int, start: int) -> date:
    end_year, month = months_on(year, start, 3)
    return date(end_year, month, 1)


def _year(match: re.Match[str], frame: Frame) -> Occurrence:
    return year_of(frame, int(match["year"]))


def _holiday(match: re.Match[str], frame: Frame) -> Occurrence:
    month, day = _HOLIDAY_DATES[match["holiday"].lower().replace("'", "").replace("’", "")]
    if match["year"]:
        return on_day(match, frame, date(int(match["year"]), month, day))
    which = (match["which"] or "").lower()
    back = frame.past if not which else which == "last"
    nearest = nearest_year(Frame(frame.said_at, back), month, day)
    return frame.days(nearest, nearest + timedelta(days=1), Granularity.DAY)


IN_A_YEAR: tuple[tuple[str, Reader], ...] = (
    (rf"\b{MONTH},? (?:of )?{YEAR}\b", _month),
    (rf"\b(?:the )?(?P<season>spring|summer|autumn|fall|winter)(?: of)? {YEAR}\b", _season),
)
OF_EACH_YEAR: tuple[tuple[str, Reader], ...] = (
    (rf"\b(?P<which>last|next|this) {MONTH}\b", _month),
    (rf"\b{LEADS}[ -](?:early |late |mid-? ?)?(?P<which>){MONTH}(?! (?:be|have|not|well|or may)\b)", _month),
    (r"\b(?P<which>last|this past|next|this) (?P<season>spring|summer|autumn|fall|winter)\b", _season),
    (r"\b(?:in|over|during) (?:the )?(?P<season>spring|summer|autumn|winter)\b", _season),
    (rf"\b(?:(?P<which>last|next|this) )?(?P<holiday>{_HOLIDAYS})\b(?:,? {YEAR})?", _holiday),
    (rf"\b(?:in|of|during|since|around|by|back in|year) {YEAR}\b(?!-)", _year),
    (rf"\b(?:(?P<which>last|next|this) )?{PLAIN_MONTH}{MONTH}(?= (?:is|was|will)\b)", _month),
)
