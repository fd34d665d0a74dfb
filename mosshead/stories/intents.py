"""What kind of story a request asks for, and of what. Pure: closed lists of English; what they do not know is a timeline."""

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from mosshead.matching import words_of
from mosshead.patterns import lazy_pattern
from mosshead.stories.times import TIME_WORD, times_in, without_spans
from mosshead.wordlists import GRAMMAR


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
class Asked:
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
_TIMES = lazy_pattern(TIME_WORD, re.IGNORECASE)
_OWN = lazy_pattern(r"\b(?:i|me|my|mine|myself|us|we|our|ours)\b", re.IGNORECASE)
_SAYS_NOTHING = GRAMMAR | {
    "story",
    "life",
    "tell",
    "happened",
    "happen",
    "know",
    "remember",
    "recap",
    "summarise",
    "summarize",
    "summary",
    "timeline",
    "history",
    "thing",
    "things",
    "user",
}


def asked_for(request: str, today: date) -> Asked:
    """What a request asks for. today: the day on which it is asked."""
    own = bool(_OWN.search(request[_asking_ends(request) :]))  # "tell me" is about nobody
    times = times_in(request, today)
    intent = _intent(request, timed=bool(times))
    topic = _topic(request)
    in_time = intent is StoryIntent.PERIOD
    return Asked(
        intent=intent,
        topic=f"about {topic}"
        if topic
        else request,  # a name that opens a text may be no name: its capital says nothing
        days=times if in_time else (),
        own=own,
        bare=not _says(_TIMES.sub(" ", topic) if in_time else topic),
    )


def _intent(request: str, *, timed: bool) -> StoryIntent:
    if _CONNECTION.search(without_spans(request)):
        return StoryIntent.CONNECTION
    if _CHANGE.search(request):
        return StoryIntent.CHANGE
    return StoryIntent.PERIOD if timed else StoryIntent.TIMELINE


def _topic(request: str) -> str:
    """The request without what asks for a story: words that stand in many a memory and mean nothing here."""
    left = _FRAME.sub(" ", request[_asking_ends(request) :])
    return " ".join(left.split()).strip(" ?!.,;:")


def _asking_ends(request: str) -> int:
    match = _ASKING.match(request)
    return match.end() if match else 0


def _says(text: str) -> bool:
    return any(word.plain not in _SAYS_NOTHING for word in words_of(text))
