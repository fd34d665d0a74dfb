"""Circuit breakers: a provider that does not answer is left alone for a while, by all workers. No tenant's, and no text."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, text


@dataclass(frozen=True, slots=True)
class Breaker:
    """A provider that failed of late. seconds: until it is tried again, 0 where it may be now. failures: in a row."""

    provider: str
    seconds: float
    failures: int
    reason: str


def paused(connection: Connection) -> list[str]:
    """The providers that nobody may ask at this moment."""
    return list(connection.execute(_PAUSED).scalars())


def admit(connection: Connection, provider: str, *, probe: timedelta) -> bool:
    """Whether a provider may be asked. Where it failed before, one asks and the others wait, for as long as ``probe`` at most."""
    if connection.execute(_KNOWN, {"provider": provider}).one_or_none() is None:
        return True
    return connection.execute(_ADMIT, {"provider": provider, "probe": probe}).rowcount > 0


def leave(connection: Connection, providers: Collection[str]) -> None:
    """Whoever tried these is through and cannot tell whether they answer, as it never asked: another may try."""
    connection.execute(_LEAVE, {"providers": list(providers)})


def trip(
    connection: Connection, provider: str, reason: str, *, pause: timedelta | None, first: timedelta, most: timedelta
) -> timedelta:
    """Leave a provider alone; returns for how long.

    pause: what it asked for; else ``first``, doubled with each failure in a row, and never above ``most``.
    """
    parameters = {"provider": provider, "reason": reason, "pause": pause, "first": first, "most": most}
    return timedelta(seconds=float(connection.execute(_TRIP, parameters).scalar_one()))


def close(connection: Connection, provider: str) -> None:
    """The provider answered: all may ask it again."""
    connection.execute(_CLOSE, {"provider": provider})


def breakers(connection: Connection) -> list[Breaker]:
    """The providers that failed and have not answered since."""
    return [Breaker(row.provider, float(row.seconds), row.failures, row.reason) for row in connection.execute(_ALL)]


_PAUSED = text("select provider from mosshead.breakers where greatest(open_until, probe_until) > now()")

_KNOWN = text("select 1 from mosshead.breakers where provider = :provider")

_ADMIT = text("""
    update mosshead.breakers set probe_until = now() + cast(:probe as interval)
    where provider = :provider and greatest(open_until, probe_until) <= now()
""")

_LEAVE = text("""
    update mosshead.breakers set probe_until = null where provider = any(:providers) and probe_until is not null
""")

# What fails while it is left alone was under way before: that is the same outage, and no failure more.
_TRIP = text("""
    insert into mosshead.breakers as breaker (provider, open_until, failures, reason)
    values (:provider, now() + coalesce(cast(:pause as interval), cast(:first as interval)), 1, :reason)
    on conflict (provider) do update set
        reason = excluded.reason, probe_until = null,
        failures = breaker.failures + case when breaker.open_until <= now() then 1 else 0 end,
        open_until = greatest(breaker.open_until, now() + coalesce(cast(:pause as interval),
            case when breaker.open_until > now() then '0'
            else least(cast(:first as interval) * power(2, least(breaker.failures, 10)), cast(:most as interval)) end))
    returning extract(epoch from open_until - now())
""")

_CLOSE = text("delete from mosshead.breakers where provider = :provider")

_ALL = text("""
    select provider, greatest(extract(epoch from greatest(open_until, probe_until) - now()), 0) as seconds, failures, reason
    from mosshead.breakers order by provider
""")
