"""Circuit breakers: a provider that does not answer is left alone for a while, by all workers. No tenant's, and no text."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection

from mosshead.store.connection import Sql


@dataclass(frozen=True, slots=True)
class Breaker:
    """A provider that failed of late. seconds: until it is tried again, 0 where it may be now. failures: in a row."""

    provider: str
    seconds: float
    failures: int
    reason: str


def paused(connection: Connection) -> list[str]:
    """The providers that nobody may ask at this moment."""
    return Sql("""
        select provider from mosshead.breakers where greatest(open_until, probe_until) > now()
    """).scalars(connection)


def admit(connection: Connection, provider: str, *, probe: timedelta) -> bool:
    """Whether a provider may be asked. Where it failed before, one asks and the others wait, for as long as ``probe`` at most."""
    row = Sql("select 1 from mosshead.breakers where provider = :provider").row(connection, provider=provider)
    if row is None:
        return True
    return Sql("""
        update mosshead.breakers set probe_until = now() + cast(:probe as interval)
        where provider = :provider and greatest(open_until, probe_until) <= now()
    """).changes(connection, provider=provider, probe=probe)


def leave(connection: Connection, providers: Collection[str]) -> None:
    """Whoever tried these is through and cannot tell whether they answer, as it never asked: another may try at once."""
    if providers:
        Sql("""
            update mosshead.breakers set probe_until = null where provider = any(:providers) and probe_until is not null
        """).run(connection, providers=list(providers))


def trip(
    connection: Connection,
    provider: str,
    reason: str,
    *,
    pause: timedelta | None,
    first: timedelta = timedelta(seconds=2),
    most: timedelta = timedelta(minutes=5),
) -> timedelta:
    """Leave a provider alone; returns for how long.

    pause: what it asked for; else ``first``, doubled with each failure in a row, and never above ``most``.
    """
    # What fails while it is left alone was under way before: that is the same outage, and no failure more.
    found = Sql("""
        insert into mosshead.breakers as breaker (provider, open_until, failures, reason)
        values (:provider, now() + coalesce(cast(:pause as interval), cast(:first as interval)), 1, :reason)
        on conflict (provider) do update set
            reason = excluded.reason, probe_until = null,
            failures = breaker.failures + case when breaker.open_until <= now() then 1 else 0 end,
            open_until = greatest(breaker.open_until, now() + coalesce(cast(:pause as interval),
                case when breaker.open_until > now() then '0'
                else least(cast(:first as interval) * power(2, least(breaker.failures, 10)), cast(:most as interval)) end))
        returning extract(epoch from open_until - now())
    """).value(connection, provider=provider, reason=reason, pause=pause, first=first, most=most)
    return timedelta(seconds=float(found))


def close(connection: Connection, provider: str) -> None:
    """The provider answered: all may ask it again."""
    Sql("delete from mosshead.breakers where provider = :provider").run(connection, provider=provider)


def breakers(connection: Connection) -> list[Breaker]:
    """The providers that failed and have not answered since."""
    rows = Sql("""
        select provider, greatest(extract(epoch from greatest(open_until, probe_until) - now()), 0) as seconds, failures, reason
        from mosshead.breakers order by provider
    """).run(connection)
    return [Breaker(row.provider, float(row.seconds), row.failures, row.reason) for row in rows]
