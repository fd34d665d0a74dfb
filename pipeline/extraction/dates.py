"""Date a fact: resolve time phrases in its source messages by code, and check the model's proposal against them.

Code resolves time phrases better than a model, which miscounts weekdays and forgets time zones; the model knows which phrase
belongs to the fact. So phrases in the quote and its clause outrank the model; those further away can only confirm it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from itertools import chain
from typing import Literal

from mosshead.language.dates import TimePhrase, times_in
from mosshead.language.dates.spans import FINER, NAMES_A_TIME, RECURRING, months_on
from mosshead.language.verbs import tense_at
from mosshead.language.wordlists import MONTHS, WEEKDAYS
from mosshead.models.kinds import OF_A_DAY, Granularity, MemoryKind
from mosshead.models.occurrence import FactOccurrence
from pipeline.extraction.mentions import SourceVocabulary
from pipeline.extraction.prompt import ExtractedTime
from pipeline.models import Message

_SLACK = timedelta(minutes=1)
"""By how much an end may fall short: models like 23:59."""

_MOST_CHARACTERS = 400
_LONGEST_LEAD = 20
_ORDER = tuple(Granularity)
_STOPS = ".!?…"
_SENTENCE_END = re.compile(rf"[{_STOPS}]+(?=\s|$)|\n")
_CLAUSE_END = re.compile(r"[;:()]|\b(?:and|but|because|so|while|although|though)\b", re.IGNORECASE)
_SUBORDINATE = re.compile(r"\b(?:since|when|which|who|that|if|until|after|before)\b", re.IGNORECASE)
_WORD = re.compile(r"\w{3,}")
_PLAN = re.compile(r"\b(?:will|(?:is|are) (?:going|about) to|(?:plans?|intends?) to)\b")
_SINCE = re.compile(r"\bsince (?:the |early |late |about |around )*", re.IGNORECASE)
_AGAIN = re.compile(rf"(?:{RECURRING}) *(?:\w+ )?$", re.IGNORECASE)

_ANAPHORIC = re.compile(
    r"\b(?:the|that) (?:day|night|week|weekend|month|year|morning|evening) (?:after|before)\b(?! (?:tomorrow|yesterday))"
    r"|\bthe (?:next|following|same) \w+|\b(?:days?|weeks?|months?|years?|hours?) (?:later|after|before)\b|\bthat same\b",
    re.IGNORECASE,
)
"""Relative to another time, which the model may know and code does not."""

_RECURRING = re.compile(RECURRING, re.IGNORECASE)
_FINER = re.compile(FINER, re.IGNORECASE)
_NAMES_A_TIME = re.compile(NAMES_A_TIME, re.IGNORECASE)

_ENGLISH = re.compile(
    r"\b(?:the|my|and|i'm|i've|was|have|with|you|our|she|they|this|that|it's|am|his|her|would)\b", re.IGNORECASE
)
"""Signs of English, the only language whose time words are known well enough to rule out a time."""

DatedBy = Literal["model", "rules", "both"]


@dataclass(frozen=True, slots=True)
class Dated:
    """When a fact happened, and who determined it; both None if it has no time."""

    occurred: FactOccurrence | None = None
    by: DatedBy | None = None


@dataclass(frozen=True, slots=True)
class _Reading:
    """A resolved time phrase. other: its reading in the other direction, if tense does not decide."""

    text: str
    phrase: TimePhrase
    other: FactOccurrence | None

    @property
    def occurred(self) -> FactOccurrence:
        return self.phrase.occurred


def date_fact(
    kind: MemoryKind,
    content: str,
    *,
    quote: str,
    quoted: Message | None,
    sources: Sequence[Message],
    proposed: FactOccurrence | None,
) -> Dated:
    """Determine when a fact happened.

    quote: verbatim words of the message ``quoted``, which is None without a quote. sources: all its messages. proposed: the
    model's answer.
    """
    told, sentence = _told(quote, quoted, content) if quoted else ((), "")
    if proposed is not None:
        return _checked(proposed, told, sentence, content, sources)
    happens = kind is MemoryKind.EVENT or (kind is MemoryKind.FACT and _PLAN.search(content) is not None)
    if not told or not happens:
        return Dated()
    return Dated(_nearest(told, content).occurred, "rules")


def _checked(
    proposed: FactOccurrence, told: Sequence[_Reading], sentence: str, content: str, sources: Sequence[Message]
) -> Dated:
    texts = [message.content[: 10 * _MOST_CHARACTERS] for message in sources]
    far = (one for text, message in zip(texts, sources, strict=True) for one in _placed(text, message, content))
    for reading in chain(told, far):
        agreed = next((one for one in (reading.occurred, reading.other) if one and _same(one, proposed)), None)
        if agreed:
            return Dated(agreed, "both")
    text = "\n".join(texts)
    if any(_is_within(proposed, reading.occurred) for reading in told) and _FINER.search(text):
        return Dated(proposed, "model")
    if told:
        return Dated(_nearest(told, content).occurred, "rules")
    if _RECURRING.search(sentence) and _RECURRING.search(content):
        return Dated()
    may_know = _NAMES_A_TIME.search(text) or not _ENGLISH.search(text)
    return Dated(proposed, "model") if may_know or any(_on_its_day(proposed, one) for one in sources) else Dated()


def _told(quote: str, message: Message, content: str) -> tuple[Sequence[_Reading], str]:
    """Return the times of a quote, or the only one of its clause; and the sentences around it."""
    start = message.content.find(quote) if quote else -1
    if start < 0:
        return (), ""
    end = start + len(quote.rstrip(_STOPS))
    left, right = _sentence(message.content, start, end)
    text = message.content[left:right]
    start, end = start - left, end - left
    found = list(_placed(text, message, content))
    told = [one for one in found if one.phrase.start < end and one.phrase.end > start]
    if not told and len(found) == 1 and _beside(text, (start, end), found[0].phrase):
        told = found
    return () if _ANAPHORIC.search(quote) else told, text


def _beside(text: str, quote: tuple[int, int], phrase: TimePhrase) -> bool:
    """Whether a phrase and the quote are in the same clause."""
    start, end = quote
    between = text[end : phrase.start] if phrase.start >= end else text[phrase.end : start]
    return _CLAUSE_END.search(between) is None and _SUBORDINATE.search(between) is None


def _placed(text: str, message: Message, content: str) -> Iterator[_Reading]:
    """Yield each time phrase of a text, resolved."""
    back = {phrase.start: phrase for phrase in times_in(text, message.occurred_at, past=True)}
    ahead = {phrase.start: phrase for phrase in times_in(text, message.occurred_at, past=False)}
    for start in sorted(back.keys() & ahead.keys()):
        phrase = back[start]
        if _AGAIN.search(text[max(start - _MOST_CHARACTERS, 0) : start]) or _RECURRING.search(
            text[start : phrase.end + 1]
        ):
            continue
        past, sure = _direction(text, phrase, content)
        chosen, other = (back, ahead) if past else (ahead, back)
        yield _Reading(text, chosen[start], None if sure else other[start].occurred)


def _direction(text: str, phrase: TimePhrase, content: str) -> tuple[bool, bool]:
    """Whether a phrase looks back, and whether that is certain: the tenses of message and fact agree."""
    since = _SINCE.search(text, max(phrase.start - _LONGEST_LEAD, 0), phrase.end)
    if since is not None and since.end() >= phrase.start:
        return True, True
    left, right = _sentence(text, phrase.start, phrase.end)
    said = tense_at(text[left:right], phrase.start - left, phrase.end - left)
    told = tense_at(content, len(content), len(content))
    chosen = said if told is None else told
    return chosen is not False, said is not None and told in {said, None}


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of the sentence around some words, within a limit on each side."""
    left, right = max(start - _MOST_CHARACTERS, 0), end + _MOST_CHARACTERS
    left = max((one.end() for one in _SENTENCE_END.finditer(text, left, start)), default=left)
    ending = _SENTENCE_END.search(text, end, right)
    return left, ending.end() if ending else right


def _clause(text: str, phrase: TimePhrase) -> str:
    starts = [match.end() for match in _CLAUSE_END.finditer(text, 0, phrase.start)]
    end = _CLAUSE_END.search(text, phrase.end)
    return text[starts[-1] if starts else 0 : end.start() if end else len(text)]


def _nearest(readings: Sequence[_Reading], content: str) -> _Reading:
    """Choose the time that the fact names, else the one whose clause shares most words with it, else the shortest."""
    folded = content.casefold()
    words = set(_WORD.findall(folded))

    def fits(reading: _Reading) -> tuple[bool, int, timedelta]:
        text, phrase, occurred = reading.text, reading.phrase, reading.occurred
        named = text[phrase.start : phrase.end].casefold().strip(" .,") in folded
        shared = words.intersection(_WORD.findall(_clause(text, phrase).casefold()))
        return named, len(shared), occurred.start - occurred.end

    return max(readings, key=fits)


def _same(one: FactOccurrence, other: FactOccurrence) -> bool:
    return _instant(one.start) == _instant(other.start) and abs(_instant(one.end) - _instant(other.end)) <= _SLACK


def _is_within(fine: FactOccurrence, coarse: FactOccurrence) -> bool:
    """Compare by the beginning: a night ends on the next day but belongs to the day before."""
    finer = _ORDER.index(fine.granularity) < _ORDER.index(coarse.granularity)
    return finer and _instant(coarse.start) <= _instant(fine.start) < _instant(coarse.end)


def _on_its_day(occurred: FactOccurrence, message: Message) -> bool:
    day = message.occurred_at.date()
    start, end = (moment.astimezone(message.occurred_at.tzinfo) for moment in (occurred.start, occurred.end))
    return start.date() == day and end - start <= timedelta(days=1)


def _instant(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


_YEARS = range(1000, 9000)  # no zone conversion can overflow datetime's range

_SPANS = {
    Granularity.MINUTE: timedelta(minutes=1),
    Granularity.HOUR: timedelta(hours=1),
    Granularity.PART_OF_DAY: timedelta(hours=6),
    Granularity.DAY: timedelta(days=1),
    Granularity.WEEK: timedelta(weeks=1),
}

_MONTHS = {Granularity.MONTH: 1, Granularity.SEASON: 3, Granularity.YEAR: 12}
_TIMES_OF_DAY = frozenset({Granularity.MINUTE, Granularity.HOUR})
_ABBREVIATED = 3
_NOON = 12
_SECONDS_PER_MINUTE = 60


def occurrence_of(given: ExtractedTime | None, zone: tzinfo | None) -> FactOccurrence | None:
    """Convert a model's interval; None if it is no time or ends before it starts.

    zone: of the message, for times without an offset. A missing end, or one equal to the start, means one unit of the
    granularity. Whole days begin at midnight, even if the model wrote the hour at which the message was sent.
    """
    start = _time(given.start, zone) if given else None
    if given is None or start is None:
        return None
    end = start if given.end is None else _time(given.end, zone)
    if (
        end is not None
        and given.granularity not in OF_A_DAY - {Granularity.DAY}
        and _of_the_same_hour(start, end, zone)
    ):
        start, end = _midnight(start), _midnight(end)
    if end == start:
        end = _one_later(start, given.granularity)
    if end is None or end < start:
        return None
    return FactOccurrence(start=start, end=end, granularity=given.granularity)


def words_for(occurred: FactOccurrence | None) -> SourceVocabulary:
    """Return words and numbers that a fact may use for its time, even if the message said only "yesterday at seven"."""
    if occurred is None:
        return SourceVocabulary.of(())
    moments = (occurred.start, occurred.end - timedelta(microseconds=1))
    words = [word for moment in moments for word in _date_words(moment)]
    if occurred.granularity in _TIMES_OF_DAY:
        hour, minute = occurred.start.hour, occurred.start.minute
        words += [str(hour), str(hour % _NOON or _NOON), str(minute), "am" if hour < _NOON else "pm"]
    return SourceVocabulary.of(words)


def _time(text: str, zone: tzinfo | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.year not in _YEARS:
        return None
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    offset = zoned.utcoffset()
    return zoned if offset is not None and offset.seconds % _SECONDS_PER_MINUTE == 0 else None


def _of_the_same_hour(start: datetime, end: datetime, zone: tzinfo | None) -> bool:
    """Whether a clock time stands for whole days. The zone's midnight may be written with another offset."""
    return start.time() == end.time() and start.astimezone(zone or start.tzinfo).time() != time()


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _one_later(start: datetime, granularity: Granularity) -> datetime:
    if granularity in _SPANS:
        return start + _SPANS[granularity]
    year, month = months_on(start.year, start.month, _MONTHS[granularity])
    return start.replace(year=year, month=month, day=1)


def _date_words(moment: datetime) -> tuple[str, ...]:
    month, day = MONTHS[moment.month - 1], WEEKDAYS[moment.weekday()]
    names = (month, month[:_ABBREVIATED], day, day[:_ABBREVIATED])
    return (*names, str(moment.year), str(moment.month), str(moment.day))
