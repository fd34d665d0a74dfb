"""A time with the zone in which it was said: the moment is stored, and beside it the zone's offset from UTC in minutes."""

from datetime import UTC, datetime, timedelta, timezone

_A_MINUTE = timedelta(minutes=1)


def offset_of(moment: datetime) -> int:
    """How many minutes east of UTC a time was given."""
    return round((moment.utcoffset() or timedelta()) / _A_MINUTE)


def in_zone(moment: datetime, offset: int | None) -> datetime:
    """The same moment as clocks and calendars had it where it was said; in UTC where that was not kept."""
    return moment.astimezone(timezone(offset * _A_MINUTE) if offset else UTC)
