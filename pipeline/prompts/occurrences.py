"""Times as a model writes them, made into intervals, or dropped where they make no sense."""

from datetime import datetime, time, timedelta, tzinfo

from mosshead.kinds import Granularity
from pipeline.facts import Occurrence
from pipeline.prompts.extraction import ExtractedTime
from pipeline.prompts.vocabulary import Vocabulary

_YEARS = range(1000, 9000)  # far enough from the ends of datetime that a change of zone cannot overflow
_SPANS = {
    Granularity.MINUTE: timedelta(minutes=1),
    Granularity.HOUR: timedelta(hours=1),
    Granularity.PART_OF_DAY: timedelta(hours=6),
    Granularity.DAY: timedelta(days=1),
    Granularity.WEEK: timedelta(weeks=1),
}
_MONTHS = {Granularity.MONTH: 1, Granularity.SEASON: 3, Granularity.YEAR: 12}
_MONTHS_OF_THE_YEAR = "january february march april may june july august september october november december"
_MONTH_NAMES = _MONTHS_OF_THE_YEAR.split()
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LAST_MOMENT = timedelta(microseconds=1)
_TIMES_OF_DAY = frozenset({Granularity.MINUTE, Granularity.HOUR})
_WITHIN_A_DAY = _TIMES_OF_DAY | {Granularity.PART_OF_DAY}
_ABBREVIATED = 3
_NOON = 12
_SECONDS_PER_MINUTE = 60


def occurrence_of(given: ExtractedTime | None, zone: tzinfo | None) -> Occurrence | None:
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
    return Occurrence(start=start, end=end, granularity=given.granularity)


def words_for(occurred: Occurrence | None) -> Vocabulary:
    """The names and numbers with which a fact may speak of its own time, though the message said only "yesterday at seven"."""
    if occurred is None:
        return Vocabulary.of(())
    moments = (occurred.start, occurred.end - _LAST_MOMENT)
    clock = _clock_words(occurred.start) if occurred.granularity in _TIMES_OF_DAY else ()
    return Vocabulary.of((*(word for moment in moments for word in _date_words(moment)), *clock))


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
    month, day = _MONTH_NAMES[moment.month - 1], _DAY_NAMES[moment.weekday()]
    names = (month, month[:_ABBREVIATED], day, day[:_ABBREVIATED])
    return (*names, str(moment.year), str(moment.month), str(moment.day))


def _clock_words(moment: datetime) -> tuple[str, ...]:
    half = "am" if moment.hour < _NOON else "pm"
    return (str(moment.hour), str(moment.hour % _NOON or _NOON), str(moment.minute), half)
