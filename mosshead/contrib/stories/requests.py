"""What kind of story a request asks for, and of what. Pure: closed lists of English; what they do not know is a timeline."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from mosshead.entities.matching import words_of
from mosshead.language.times import Interval, Period, periods
from mosshead.language.wordlists import GRAMMAR, MONTHS, WEEKDAYS
from mosshead.patterns import AS_ASCII, lazy_pattern


class StoryIntent(StrEnum):
    """What kind of story is asked for.

    timeline: of somebody or something, from the first to the last. connection: how two came together and what joins them. change:
    how something became otherwise. period: what happened in a time.
    """

    TIMELINE = "timeline"
    CONNECTION = "connection"
    CHANGE = "change"
    PERIOD = "period"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRequest:
    """A request as a story takes it.

    topic: what is looked for, without the words that ask for a story. days: the first and the last of each time that it names,
    for a period alone. own: the user is one of those whom it is about. bare: it is about nothing but a time or the user.
    """

    intent: StoryIntent
    topic: str
    days: tuple[tuple[date, date], ...] = ()
    own: bool = False
    bare: bool = False


_CONNECTION = lazy_pattern(
    r"\b(?:(?:get|got|getting|gotten|come|came) to know|know(?:s|n)? (?:each other|one another)"
    r"|how (?:do|does|did)\b.{1,60}\bknow\b"
    r"|how (?:did|do|have|had)\b.{1,80}\b(?:meet|met)\b|how\b.{1,60}\bmet\b|each other|one another"
    r"|(?:connect|relat|link)(?:ed|s|ions?)\b|has? to do with|have to do with|between\b.{1,80}\band\b)",
    re.IGNORECASE,
)

_CHANGE = lazy_pattern(
    r"\b(?:chang(?:e|es|ed|ing)|evolv(?:e|es|ed|ing)|develop(?:ed|s|ment)?|over time|over the (?:years|months)|used to"
    r"|become|became|turned? into|still|any ?more|no longer)\b",
    re.IGNORECASE,
)

_ASKING = lazy_pattern(
    r"^\W*(?:please\W+)?(?:(?:can|could|would|will) you\W+)?(?:please\W+)?"
    r"(?:(?:tell|give|show|write|remind)(?: (?:me|us))?\W+(?:of |about )?)?"
    r"(?:(?:the|a|my|our)?\W*(?:whole |full |short |brief |complete |life )*(?:story|stories|timeline|history|chronicle|course)"
    r"\W*(?:of|about|behind|between|with|how)?\W+"
    r"|what(?: all)?(?: has| have| had| was| is)?(?: ever)?\W*(?:happen(?:ed|s|ing)?|going on|went on|became|become)\W+"
    r"(?:(?:with|to|in|on|of|during|between|at)\b)?\W*"
    r"|how (?:did|do|does|has|have|had|is|are|was|were|come)\W+|what (?:is|are|was|were|has|have|do|did)\W+|about\W+)*",
    re.IGNORECASE,
)

_FRAME = lazy_pattern(
    r"\b(?:(?:first )?(?:get|got|getting|gotten|come|came) to know|know(?:n|s)?|each other|one another|connected|related|linked"
    r"|connections?|relations?|chang(?:e|es|ed|ing)|evolv(?:e|es|ed|ing)|develop(?:ed|s)?|over time|over the (?:years|months)"
    r"|happen(?:ed|s|ing)?|opinions? (?:of|on|about)|views? (?:of|on|about))\b",
    re.IGNORECASE,
)

_COUNTS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
TIME_WORD = (
    rf"\b(?:{'|'.join((*MONTHS, *WEEKDAYS))}|today|yesterday|last|this|past|(?:day|week|month|year)s?|ago|no|{_COUNTS}"
    r"|[0-9][0-9a-z-]*)\b"
)

_TIMES = lazy_pattern(TIME_WORD, re.IGNORECASE)
_OWN = lazy_pattern(r"\b(?:i|me|my|mine|myself|us|we|our|ours)\b", re.IGNORECASE)

_SAYS_NOTHING = GRAMMAR | frozenset(
    """
    story life tell happened happen know remember recap summarise summarize summary timeline history thing things user
    """.split()
)


def asked_for(request: str, today: date) -> StoryRequest:
    """What a request asks for. today: the day on which it is asked."""
    times = times_in(request, today)
    intent = _intent(request, timed=bool(times))
    asked = _ASKING.sub("", request, count=1)
    # Without what asks for a story, too: words that stand in many a memory and mean nothing here.
    topic = " ".join(_FRAME.sub(" ", asked).split()).strip(" ?!.,;:")
    in_time = intent is StoryIntent.PERIOD
    says = words_of(_TIMES.sub(" ", topic) if in_time else topic)
    return StoryRequest(
        intent=intent,
        # A name that opens a text may be no name: its capital says nothing.
        topic=f"about {topic}" if topic else request,
        days=times if in_time else (),
        own=bool(_OWN.search(asked)),  # "tell me" is about nobody
        bare=all(word.plain in _SAYS_NOTHING for word in says),
    )


def _intent(request: str, *, timed: bool) -> StoryIntent:
    # "Between … and …" of two times is none of two people.
    if _CONNECTION.search(_SPAN.sub(" ", request.translate(AS_ASCII))):
        return StoryIntent.CONNECTION
    if _CHANGE.search(request):
        return StoryIntent.CHANGE
    return StoryIntent.PERIOD if timed else StoryIntent.TIMELINE


_TIME = rf"{TIME_WORD}(?:[\s,]+(?:of\s+)?{TIME_WORD}){{0,4}}"

_SPAN = lazy_pattern(
    rf"\b(?:between|from)\s+(?P<first>{_TIME})\s+(?:and|to|till|until)\s+(?P<last>{_TIME})", re.IGNORECASE
)

_OPEN = lazy_pattern(rf"\b(?P<side>since|after|before|until|till)\s+(?P<time>{_TIME})", re.IGNORECASE)

_LATEST = lazy_pattern(
    rf"\b(?:last|past)\s+(?P<many>\d{{1,3}}|{_COUNTS})\s+(?P<unit>day|week|month|year)s\b", re.IGNORECASE
)

_FIRST, _LAST = date.min.toordinal(), date.max.toordinal()

Days = tuple[date, date]


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
