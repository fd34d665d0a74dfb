"""When a fact happened: what its source messages say, read by code, held against what a model says.

Code reads time phrases better than a model does, which counts weekdays badly and forgets zones; the model knows which phrase
belongs to the fact. So the phrases of the quote, and of the clause around it, outrank the model; those further off can only
agree with it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Literal

from mosshead.language.dates import TimePhrase, times_in
from mosshead.language.dates.spans import FINER, NAMES_A_TIME, RECURRING
from mosshead.language.verbs import tense_at
from mosshead.language.wordlists import MONTHS, WEEKDAYS
from mosshead.models.kinds import Granularity, MemoryKind
from mosshead.models.occurrence import FactOccurrence
from pipeline.extraction.mentions import SourceVocabulary
from pipeline.extraction.prompt import ExtractedTime
from pipeline.models import Message

_SLACK = timedelta(minutes=1)
"""By which an end may fall short: models like 23:59."""

_MOST_CHARACTERS = 400
_LONGEST_LEAD = 20
_ORDER = tuple(Granularity)
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)|\n")
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
"""Reckoned from another time, which the model may know and code does not."""

_RECURRING = re.compile(RECURRING, re.IGNORECASE)
_FINER = re.compile(FINER, re.IGNORECASE)
_NAMES_A_TIME = re.compile(NAMES_A_TIME, re.IGNORECASE)

_ENGLISH = re.compile(
    r"\b(?:the|my|and|i'm|i've|was|have|with|you|our|she|they|this|that|it's|am|his|her|would)\b", re.IGNORECASE
)
"""Words that tell English, the one language whose words for times are known well enough to say that there is none."""

DatedBy = Literal["model", "rules", "both"]


@dataclass(frozen=True, slots=True)
class Dated:
    """When a fact happened, and who says so; both None where it has no time."""

    occurred: FactOccurrence | None = None
    by: DatedBy | None = None


@dataclass(frozen=True, slots=True)
class _Reading:
    """A time phrase as code reads it. other: as it reads in the other direction, where its tense does not tell.

    words: the phrase. around: the clause that holds it.
    """

    occurred: FactOccurrence
    other: FactOccurrence | None
    words: str
    around: str


def date_fact(
    kind: MemoryKind,
    content: str,
    *,
    quote: str,
    quoted: Message | None,
    sources: Sequence[Message],
    proposed: FactOccurrence | None,
) -> Dated:
    """When a fact happened.

    quote: verbatim words of the message ``quoted``, which may be None where there is no quote. sources: all its messages.
    proposed: what the model says.
    """
    told = _readings(quote, quoted, content) if quoted else _Readings()
    if proposed is not None:
        most = 10 * _MOST_CHARACTERS
        far = [reading for one in sources for _, reading in _placed(one.content[:most], one, content)]
        return _checked(proposed, told, far, content, sources)
    happens = kind is MemoryKind.EVENT or (kind is MemoryKind.FACT and _PLAN.search(content) is not None)
    if not told.strong or not happens:
        return Dated()
    return Dated(_nearest(told.strong, content).occurred, "rules")


@dataclass(frozen=True, slots=True)
class _Readings:
    """strong: of the quote, or the only one of the clause around it. weak: of the rest of its sentence.

    again: it tells of what recurs.
    """

    strong: tuple[_Reading, ...] = ()
    weak: tuple[_Reading, ...] = ()
    again: bool = False


def _checked(
    proposed: FactOccurrence, told: _Readings, far: Sequence[_Reading], content: str, sources: Sequence[Message]
) -> Dated:
    for reading in (*told.strong, *told.weak, *far):
        agreed = next((one for one in (reading.occurred, reading.other) if one and _same(one, proposed)), None)
        if agreed:
            return Dated(agreed, "both")
    texts = "\n".join(message.content[: 10 * _MOST_CHARACTERS] for message in sources)
    if any(_is_within(proposed, reading.occurred) for reading in told.strong) and _FINER.search(texts):
        return Dated(proposed, "model")
    if told.strong:
        return Dated(_nearest(told.strong, content).occurred, "rules")
    if told.again and _RECURRING.search(content):
        return Dated()
    may_know = _NAMES_A_TIME.search(texts) or not _ENGLISH.search(texts)
    return Dated(proposed, "model") if may_know or any(_on_its_day(proposed, one) for one in sources) else Dated()


def _readings(quote: str, message: Message, content: str) -> _Readings:
    """The times of the sentences that a quote stands in."""
    start = message.content.find(quote) if quote else -1
    if start < 0:
        return _Readings()
    end = start + len(quote)
    left = max(start - _MOST_CHARACTERS, 0)
    left = max((m.end() for m in _SENTENCE_END.finditer(message.content, left, start)), default=left)
    ending = _SENTENCE_END.search(message.content, max(end - 1, start), end + _MOST_CHARACTERS)
    text = message.content[left : ending.end() if ending else end + _MOST_CHARACTERS]
    placed = list(_placed(text, message, content))
    inner = [reading for phrase, reading in placed if phrase.start < end - left and phrase.end > start - left]
    if not inner and len(placed) == 1 and _beside(text, (start - left, end - left), placed[0][0]):
        inner = [placed[0][1]]
    strong = () if _ANAPHORIC.search(quote) else tuple(inner)
    weak = tuple(reading for _, reading in placed if reading not in strong)
    return _Readings(strong, weak, _RECURRING.search(text) is not None)


def _beside(text: str, quote: tuple[int, int], phrase: TimePhrase) -> bool:
    """Whether no other clause stands between a phrase and the quote."""
    start, end = quote
    between = text[end : phrase.start] if phrase.start >= end else text[phrase.end : start]
    return _CLAUSE_END.search(between) is None and _SUBORDINATE.search(between) is None


def _placed(text: str, message: Message, content: str) -> Iterator[tuple[TimePhrase, _Reading]]:
    """Each time phrase of a text, with how it reads."""
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
        doubt = None if sure else other[start].occurred
        yield phrase, _Reading(chosen[start].occurred, doubt, text[start : phrase.end], _clause(text, phrase))


def _direction(text: str, phrase: TimePhrase, content: str) -> tuple[bool, bool]:
    """Whether a phrase looks back, and whether that is sure: the message's tense and that of the fact say the same."""
    said, told = _tense(text, phrase), tense_at(content, len(content), len(content))
    chosen = said if told is None else told
    return chosen is not False, said is not None and told in {said, None}


def _tense(text: str, phrase: TimePhrase) -> bool | None:
    if _since(text, phrase):
        return True
    left = max(phrase.start - _MOST_CHARACTERS, 0)
    left = max((m.end() for m in _SENTENCE_END.finditer(text, left, phrase.start)), default=left)
    ending = _SENTENCE_END.search(text, phrase.end)
    right = min(ending.end() if ending else len(text), phrase.end + _MOST_CHARACTERS)
    return tense_at(text[left:right], phrase.start - left, phrase.end - left)


def _since(text: str, phrase: TimePhrase) -> bool:
    since = _SINCE.search(text, max(phrase.start - _LONGEST_LEAD, 0), phrase.end)
    return since is not None and since.end() >= phrase.start


def _clause(text: str, phrase: TimePhrase) -> str:
    starts = [match.end() for match in _CLAUSE_END.finditer(text, 0, phrase.start)]
    end = _CLAUSE_END.search(text, phrase.end)
    return text[starts[-1] if starts else 0 : end.start() if end else len(text)]


def _nearest(readings: Sequence[_Reading], content: str) -> _Reading:
    """Of several times the one that the fact names, else in whose clause most of the fact's words stand, else the narrowest."""
    folded = content.casefold()
    words = set(_WORD.findall(folded))

    def fits(reading: _Reading) -> tuple[bool, int, timedelta]:
        named = reading.words.casefold().strip(" .,") in folded
        occurred = reading.occurred
        return named, len(words & set(_WORD.findall(reading.around.casefold()))), occurred.start - occurred.end

    return max(readings, key=fits)


def _same(one: FactOccurrence, other: FactOccurrence) -> bool:
    return _instant(one.start) == _instant(other.start) and abs(_instant(one.end) - _instant(other.end)) <= _SLACK


def _is_within(fine: FactOccurrence, coarse: FactOccurrence) -> bool:
    """By where it begins: a night ends on the next day, and is of the day before."""
    finer = _ORDER.index(fine.granularity) < _ORDER.index(coarse.granularity)
    return finer and _instant(coarse.start) <= _instant(fine.start) < _instant(coarse.end)


def _on_its_day(occurred: FactOccurrence, message: Message) -> bool:
    day = message.occurred_at.date()
    start, end = (moment.astimezone(message.occurred_at.tzinfo) for moment in (occurred.start, occurred.end))
    return start.date() == day and end - start <= timedelta(days=1)


def _instant(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


_YEARS = range(1000, 9000)  # far enough from the ends of datetime that a change of zone cannot overflow

_SPANS = {
    Granularity.MINUTE: timedelta(minutes=1),
    Granularity.HOUR: timedelta(hours=1),
    Granularity.PART_OF_DAY: timedelta(hours=6),
    Granularity.DAY: timedelta(days=1),
    Granularity.WEEK: timedelta(weeks=1),
}

_MONTHS = {Granularity.MONTH: 1, Granularity.SEASON: 3, Granularity.YEAR: 12}
_TIMES_OF_DAY = frozenset({Granularity.MINUTE, Granularity.HOUR})
_WITHIN_A_DAY = _TIMES_OF_DAY | {Granularity.PART_OF_DAY}
_ABBREVIATED = 3
_NOON = 12
_SECONDS_PER_MINUTE = 60


def occurrence_of(given: ExtractedTime | None, zone: tzinfo | None) -> FactOccurrence | None:
    """The interval that a model gave, or None where it is no time or ends before it starts.

    zone: of the message, for times without an offset. A missing end, or one that equals the start, is one unit of the
    granularity later. What lasts for whole days begins at midnight, also where the model wrote the hour at which it was said.
    """
    start = _time(given.start, zone) if given else None
    if given is None or start is None:
        return None
    end = start if given.end is None else _time(given.end, zone)
    if end is not None and given.granularity not in _WITHIN_A_DAY and _of_the_same_hour(start, end, zone):
        start, end = _midnight(start), _midnight(end)
    if end == start:
        end = _one_later(start, given.granularity)
    if end is None or end < start:
        return None
    return FactOccurrence(start=start, end=end, granularity=given.granularity)


def words_for(occurred: FactOccurrence | None) -> SourceVocabulary:
    """The names and numbers with which a fact may speak of its own time, though the message said only "yesterday at seven"."""
    if occurred is None:
        return SourceVocabulary.of(())
    moments = (occurred.start, occurred.end - timedelta(microseconds=1))
    clock = _clock_words(occurred.start) if occurred.granularity in _TIMES_OF_DAY else ()
    return SourceVocabulary.of((*(word for moment in moments for word in _date_words(moment)), *clock))


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
    """Whether a time of day stands where whole days were meant; the midnight of the zone may be written in another."""
    return start.time() == end.time() and start.astimezone(zone or start.tzinfo).time() != time()


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _one_later(start: datetime, granularity: Granularity) -> datetime:
    if granularity in _SPANS:
        return start + _SPANS[granularity]
    months = start.month - 1 + _MONTHS[granularity]
    return start.replace(year=start.year + months // 12, month=months % 12 + 1, day=1)


def _date_words(moment: datetime) -> tuple[str, ...]:
    month, day = MONTHS[moment.month - 1], WEEKDAYS[moment.weekday()]
    names = (month, month[:_ABBREVIATED], day, day[:_ABBREVIATED])
    return (*names, str(moment.year), str(moment.month), str(moment.day))


def _clock_words(moment: datetime) -> tuple[str, ...]:
    half = "am" if moment.hour < _NOON else "pm"
    return (str(moment.hour), str(moment.hour % _NOON or _NOON), str(moment.minute), half)
