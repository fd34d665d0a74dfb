"""How many messages workers refused from Celery's queues and channels, by the hour and the reason. No tenant's, and no text."""

from collections.abc import Mapping
from datetime import timedelta

from sqlalchemy import Connection

from mosshead.store.connection import Sql


def add(connection: Connection, counts: Mapping[str, int]) -> None:
    """Add what one process refused, by reason, to the counts of this hour."""
    # In the order of the reasons: two workers that store theirs at once would otherwise wait for each other.
    Sql("""
        insert into mosshead.refused_tasks as stored (hour, reason, times)
        values (date_trunc('hour', now()), :reason, :times)
        on conflict (hour, reason) do update set times = stored.times + excluded.times
    """).run_each(connection, [{"reason": reason, "times": counts[reason]} for reason in sorted(counts)])


def by_reason(connection: Connection, *, within: timedelta) -> Mapping[str, int]:
    """What was refused within this time, to the hour; the most frequent reason first."""
    rows = Sql("""
        select reason, sum(times) as times from mosshead.refused_tasks
        where hour > now() - cast(:within as interval) - interval '1 hour'
        group by reason order by times desc, reason
    """).run(connection, within=within)
    return {row.reason: int(row.times) for row in rows}


def clear(connection: Connection, *, age: timedelta) -> int:
    """Forget counts that are older; returns how many rows there were."""
    return Sql("""
        delete from mosshead.refused_tasks where hour < now() - cast(:age as interval)
    """).changed(connection, age=age)
