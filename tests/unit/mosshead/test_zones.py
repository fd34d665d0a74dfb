"""Messages have the day of the place where they were said."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from mosshead.timestamps import in_zone, offset_of

ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(
    datetime(3, 1, 1, tzinfo=None),  # noqa: DTZ001 - the strategy brings the zone
    datetime(9998, 1, 1, tzinfo=None),  # noqa: DTZ001
    timezones=ZONES,
)


@given(TIMES, ZONES)
def test_moment_and_offset_give_the_original_time(said: datetime, session: timezone) -> None:
    """session: the zone in which the database returns the moment."""
    again = in_zone(said.astimezone(session), offset_of(said))
    assert (again, again.isoformat()) == (said, said.isoformat())


def test_moment_without_a_stored_zone_is_shown_in_utc() -> None:
    berlin = datetime(2026, 3, 2, 1, 30, tzinfo=timezone(timedelta(hours=1)))
    assert in_zone(berlin, None).isoformat() == in_zone(berlin, 0).isoformat() == "2026-03-02T00:30:00+00:00"
    assert offset_of(datetime(2026, 3, 2, tzinfo=UTC)) == 0
