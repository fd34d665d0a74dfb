"""A time with the zone in which it was said, stored as a moment and the zone's UTC offset in minutes."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime

_A_MINUTE = timedelta(minutes=1)


def offset_of(moment: datetime) -> int:
    """Return a time's UTC offset in minutes."""
    return round((moment.utcoffset() or timedelta()) / _A_MINUTE)


def in_zone(moment: datetime, offset: int | None) -> datetime:
    """Return a moment in the zone in which it was said; in UTC if that is unknown."""
    return moment.astimezone(timezone(offset * _A_MINUTE) if offset else UTC)


_FIRST, _LAST = datetime(2, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
_MOST_AHEAD = timedelta(days=1)
"""A wrong zone puts a time at most 14 hours ahead; beyond that, the clock is wrong."""

LIES_AHEAD = "lies more than a day ahead of this machine's clock; give the time when it happened, or leave it out"
"""The error for such a time."""


def lies_ahead(moment: datetime) -> bool:
    """Whether a time is too far in the future; it would outrank everything said until then."""
    return moment - datetime.now(UTC) > _MOST_AHEAD


def _readable(moment: datetime) -> datetime:
    # Postgres stores more years than Python supports, and a time at the limit may exceed it in another time zone.
    if not _FIRST <= moment < _LAST:
        raise ValueError("must lie in the years 2 to 9998; give the time when it happened, or leave it out")
    return moment


Moment = Annotated[AwareDatetime, AfterValidator(_readable)]
"""A zoned time that can be stored, and read back in every zone."""
