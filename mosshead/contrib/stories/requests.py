"""Parse the kind and topic of a story from a request. Pure: closed lists of English; anything unknown is a timeline."""

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import zip_longest

from mosshead.language.dates import period_of, phrases_on
from mosshead.language.dates.spans import MONTH_NAME
from mosshead.language.name_spans import words_of
from mosshead.language.wordlists import GRAMMAR
from mosshead.patterns import AS_ASCII, lazy_pattern


class StoryIntent(StrEnum):
    """The kind of story.

    timeline: of somebody or something, from start to end. connection: how two came together and what connects them. change: how
    something changed. period: what happened in a time.
    """

    TIMELINE = "timeline"
    CONNECTION = "connection"
    CHANGE = "change"
    PERIOD = "period"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRequest:
    """A parsed request.

    topic: what to search for, without the words that ask for a story. days: the first and last day of each named time, only for a
    period. own: whether it is also about the user. bare: whether it is only about a time or the user.
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

_OWN = lazy_pattern(r"\b(?:i|me|my|mine|myself|us|we|our|ours)\b", re.IGNORECASE)

_SAYS_NOTHING = GRAMMAR | frozenset(
    """
    story life tell happened happen know remember recap summarise summarize summary timeline history thing things user
    """.split()
)


def asked_for(request: str, today: date) -> StoryRequest:
    """Parse a request. today: the day of the request."""
    times, timeless = _times(request, today)
    intent = _intent(request, timeless, timed=bool(times))
    asked, topic = _ASKING.sub("", request, count=1), _topic(request)
    in_time = intent is StoryIntent.PERIOD
    says = words_of(_topic(timeless) if in_time else topic)
    return StoryRequest(
        intent=intent,
        # The first word of a text may not be a name: it is capitalized anyway.
        topic=f"about {topic}" if topic else request,
        days=times if in_time else (),
        own=bool(_OWN.search(asked)),  # "tell me" is about nobody
        bare=all(word.plain in _SAYS_NOTHING for word in says),
    )


def _intent(request: str, timeless: str, *, timed: bool) -> StoryIntent:
    """timeless: the request without its times, since a "between … and …" of times does not connect two people."""
    if _CONNECTION.search(timeless):
        return StoryIntent.CONNECTION
    if _CHANGE.search(request):
        return StoryIntent.CHANGE
    return StoryIntent.PERIOD if timed else StoryIntent.TIMELINE


def _topic(request: str) -> str:
    """Return the request without the words that ask for a story; many memories contain them, but they mean nothing here."""
    left = _FRAME.sub(" ", _ASKING.sub("", request, count=1))
    return " ".join(left.split()).strip(" ?!.,;:")


_BARE = lazy_pattern(
    rf"\b(?:between|from|since|after|before|until|till|to|and)\s+(?=(?:19|20)\d\d\b)|\b(?:after|before)\s+(?={MONTH_NAME}\b)",
    re.IGNORECASE,
)
"""Words before a year or month that name a time in requests; "in" does so everywhere."""

_AND = lazy_pattern(r"\s+(?:and|to|till|until)\s+", re.IGNORECASE)
_FIRST, _LAST = date.min.toordinal(), date.max.toordinal()

Days = tuple[date, date]
"""The first and the last day."""


def times_in(request: str, today: date) -> tuple[Days, ...]:
    """Return the first and last day of each time that a request names. today: the day of the request."""
    return _times(request, today)[0]


def _times(request: str, today: date) -> tuple[tuple[Days, ...], str]:
    """Return the times of a request, and the request without them."""
    text = _BARE.sub(r"\g<0>in ", request.translate(AS_ASCII))
    found: list[Days] = []
    rest, end = "", 0
    phrases = phrases_on(text, today)
    for phrase, following in zip_longest(phrases, phrases[1:]):
        if phrase.start < end:
            continue  # it was the end of a span
        said, stop = (*text[end : phrase.start].split()[-1:], text[phrase.start : phrase.end].split()[0]), phrase.end
        lead = next((word for word in map(str.lower, said) if word in _LEADS), "")
        one = period_of(text, phrase)
        days = one.first, one.last
        if lead in {"between", "from"} and following and _AND.fullmatch(text, phrase.end, following.start):
            other, stop = period_of(text, following), following.end
            days = min(one.first, other.first), max(one.last, other.last)
        found.append(_open(lead, *days, today))
        rest, end = f"{rest}{text[end : phrase.start]}; ", stop
    return tuple(dict.fromkeys(found)), rest + text[end:]


_LEADS = frozenset({"between", "from", "since", "after", "before", "until", "till"})


def _open(lead: str, first: date, last: date, today: date) -> Days:
    """Return the open-ended span that a time begins or ends."""
    match lead:
        case "since":
            return first, max(first, today)
        case "after":
            return _later(last, 1), max(_later(last, 1), today)
        case "before":
            return date.min, _later(first, -1)
        case "until" | "till":
            return date.min, last
        case _:
            return first, last


def _later(day: date, days: int) -> date:
    return date.fromordinal(min(max(day.toordinal() + days, _FIRST), _LAST))
