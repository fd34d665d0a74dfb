"""The times that an event may bear."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime

_FIRST, _LAST = datetime(2, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


def _readable(moment: datetime) -> datetime:
    # Postgres stores more years than Python has, and a time at the edge of them is beyond it in another time zone.
    if not _FIRST <= moment < _LAST:
        raise ValueError("must lie in the years 2 to 9998; give the time when it happened, or leave it out")
    return moment


Moment = Annotated[AwareDatetime, AfterValidator(_readable)]
"""A time with its zone that can be stored, and read back in every zone."""
