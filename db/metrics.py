"""The figures that a monitor reads every few seconds: cheap statements over all tenants, without ids or text.

`db.status` answers an operator once, and reads whole tables. These statements read partial indexes of waiting and running work,
and a short window of what ended.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import Connection

from db.housekeeping import ALIVE
from db.keys import seconds
from db.lanes import REFLECT, STAGES
from db.leases import EMBEDDER, LLM
from mosshead.store.connection import Sql

WINDOW: Final = timedelta(minutes=5)
"""How far the figures of ended work look back; their names contain it."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One statement. gauges: the meaning of its last columns, by name. labels: its first columns."""

    sql: Sql
    gauges: Mapping[str, str]
    labels: Sequence[str] = ()

    def rows(self, connection: Connection, *, milliseconds: int) -> list[tuple[Any, ...]]:
        """Read it in its own transaction, with a timeout. Raises DBAPIError if that is exceeded."""
        with connection.begin():
            # Only for this transaction: behind a pooler, another client gets the connection afterwards.
            Sql("select set_config('statement_timeout', %(milliseconds)s::text, true)").run(
                connection, milliseconds=milliseconds
            )
            return [tuple(row) for row in self.sql.run(connection)]


# The first two parts read partial indexes: with many idle namespaces, few lanes have work.
_LANES = Sql(f"""
    select coalesce(sum(pending), 0), coalesce({seconds("now() - min(waiting_since)")}, 0), count(*) filter (where due),
           count(*) filter (where held), count(*) filter (where stopped)
    from (
        select pending, first_pending_at as waiting_since, ready_at <= now() and erase_due_at is null as due,
               false as held, false as stopped
        from mosshead.lanes where batch_id is null and ready_at is not null and quarantined_at is null
        union all
        select lane.pending, least(lane.first_pending_at, batch.waiting_since), false,
               lane.lease_until is not null and lane.lease_until >= now(), lane.quarantined_at is not null
        from mosshead.lanes as lane join mosshead.batches as batch using (tenant_id, namespace_id, batch_id)
        where lane.batch_id is not null
        union all
        select pending, null, false, false, true
        from mosshead.lanes where batch_id is null and quarantined_at is not null
    ) as lane
""")

_OPEN_BATCHES = Sql(
    """
    select stage, count(batch_id)
    from unnest(%(stages)s::text[]) as known (stage)
    left join (select stage, batch_id from mosshead.batches where finished_at is null) as batch using (stage)
    group by stage
""",
    {"stages": [*STAGES, REFLECT]},
)

_ENDED_BATCHES = Sql(
    """
    select outcome, count(batch_id)
    from unnest(array['done', 'dead', 'split']) as known (outcome)
    left join (
        select stage as outcome, batch_id from mosshead.batches where finished_at > now() - %(within)s::interval
    ) as batch using (outcome)
    group by outcome
""",
    {"within": WINDOW},
)

_LAG = Sql(
    f"""
    select unnest(array['0.5', '0.95', '0.99', '1']), unnest(lags) from (
        select percentile_cont(array[0.5, 0.95, 0.99, 1]) within group (order by {seconds("applied_at - waiting_since")}) as lags
        from mosshead.batches where applied_at > now() - %(within)s::interval
    ) as lasted
""",
    {"within": WINDOW},
)

_DEAD_LETTERS = Sql("""
    select origin, count(letter_id)
    from unnest(array['stage', 'intake']) as known (origin) left join mosshead.dead_letters using (origin) group by origin
""")

_WORKERS = Sql(
    "select count(*), coalesce(sum(slots), 0) from mosshead.workers where seen_at > now() - %(alive)s::interval",
    {"alive": ALIVE},
)

_PROVIDERS = Sql(
    """
    select provider, coalesce(failures, 0), coalesce(greatest(open_until, probe_until) > now(), false)::integer
    from (select unnest(%(known)s::text[]) as provider union select provider from mosshead.breakers) as asked
    left join mosshead.breakers using (provider)
""",
    {"known": [LLM, EMBEDDER]},
)

_USAGE = Sql("select * from mosshead.usage_within(%(within)s::interval)", {"within": WINDOW})

_MEMORIES = Sql("""
    select coalesce(sum(scope.memories), 0), count(*)
    from mosshead.scopes as scope join mosshead.models as model on model.model = scope.model and model.active
""")

MEASURES: Final[Mapping[str, Measure]] = {
    "lanes": Measure(
        _LANES,
        {
            "backlog_events": "Events in the inbox that neither took effect nor died.",
            "oldest_waiting_seconds": "Seconds since the oldest of these was received, without quarantined namespaces.",
            "lanes_due": "Namespaces with due work that wait for a slot.",
            "slots_busy": "Namespaces that a task is working on.",
            "lanes_quarantined": "Namespaces that are stopped until an operator resumes them.",
        },
    ),
    "workers": Measure(
        _WORKERS,
        {"workers": "Workers that are alive.", "slots": "Tasks that live workers can run at once, busy or free."},
    ),
    "open_batches": Measure(_OPEN_BATCHES, {"batches_open": "Running batches, by stage."}, ("stage",)),
    "ended_batches": Measure(
        _ENDED_BATCHES, {"batches_ended_last_5m": "Batches that ended within 5 minutes."}, ("outcome",)
    ),
    "lag": Measure(
        _LAG,
        {
            "lag_seconds": "From the arrival of a batch's first event until it took effect, within 5 minutes; NaN where none did."
        },
        ("quantile",),
    ),
    "providers": Measure(
        _PROVIDERS,
        {
            "provider_failures": "Failures of a provider in a row; 0 once it answers.",
            "provider_away": "1 while a failed provider is not called.",
        },
        ("provider",),
    ),
    "dead_letters": Measure(_DEAD_LETTERS, {"dead_letters": "Events that were given up or refused."}, ("origin",)),
    "usage": Measure(
        _USAGE,
        {
            "llm_calls_last_5m": "Calls of the LLM within 5 minutes.",
            "llm_prompt_tokens_last_5m": "Tokens sent to the LLM.",
            "llm_completion_tokens_last_5m": "Tokens in the LLM's answers.",
        },
        ("stage", "model"),
    ),
    "memories": Measure(_MEMORIES, {"memories": "Active memories.", "namespaces": "Namespaces that hold anything."}),
}
"""By name, most important first, in case the time does not suffice for all."""
