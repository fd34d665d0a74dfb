"""A time with the zone in which it was said: the moment is stored, and beside it the zone's offset from UTC in minutes."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime

_A_MINUTE = timedelta(minutes=1)


def offset_of(moment: datetime) -> int:
    """How many minutes east of UTC a time was given."""
    return round((moment.utcoffset() or timedelta()) / _A_MINUTE)


def in_zone(moment: datetime, offset: int | None) -> datetime:
    """The same moment as clocks and calendars had it where it was said; in UTC where that was not kept."""
    return moment.astimezone(timezone(offset * _A_MINUTE) if offset else UTC)


_FIRST, _LAST = datetime(2, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
_MOST_AHEAD = timedelta(days=1)
"""A time with the wrong zone lies up to 14 hours ahead; one that lies further ahead is of a clock that is wrong."""

LIES_AHEAD = "lies more than a day ahead of this machine's clock; give the time when it happened, or leave it out"
"""What is wrong with such a time."""


def lies_ahead(moment: datetime) -> bool:
    """Whether a time is later than anything was said by now; what is dated so would outrank all that is said until then."""
    return moment - datetime.now(UTC) > _MOST_AHEAD


def _readable(moment: datetime) -> datetime:
    # Postgres stores more years than Python has, and a time at the edge of them is beyond it in another time zone.
    if not _FIRST <= moment < _LAST:
        raise ValueError("must lie in the years 2 to 9998; give the time when it happened, or leave it out")
    return moment


Moment = Annotated[AwareDatetime, AfterValidator(_readable)]
"""A time with its zone that can be stored, and read back in every zone."""
