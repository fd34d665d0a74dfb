"""Cached LLM answers, their costs, and the budgets of tenants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb
from sqlalchemy import Connection

from db.keys import OF_BATCH, BatchRef, LaneRef, insert
from mosshead.store.connection import OF_NAMESPACE, Sql

_MOST_TOKENS = 2**31 - 1

By = Literal["stage", "model", "namespace", "day"]
"""How to group costs. A day is in UTC; a namespace is named by its path, with slashes."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of the calls of one stage, model, namespace or day, in tokens; of: None if unknown."""

    of: str | None
    calls: int
    prompt_tokens: int
    completion_tokens: int


def kept_answer(connection: Connection, lane: LaneRef, key: bytes) -> Mapping[str, Any] | None:
    """Return the answer stored under a key, if any."""
    result: Mapping[str, Any] | None = Sql(f"""
        select result from mosshead.step_results where {OF_NAMESPACE} and key = %(key)s
    """).scalar(connection, lane.scope, key=key)
    return result


def keep_answer(
    connection: Connection, batch: BatchRef, key: bytes, *, prompt: str, model: str, result: Mapping[str, Any]
) -> None:
    """Store an answer, so that repeating its stage does not pay for it again.

    Nothing is stored for a batch that has ended or is gone: an erasure takes the lane from its worker, and the answer holds text
    of the conversation.
    """
    # For share: a process that is ending the batch either ends it first, or waits and then deletes the answer, too.
    there = Sql(f"""
        select from mosshead.batches where {OF_NAMESPACE} and batch_id = %(batch_id)s and finished_at is null for share
    """).exists(connection, batch.scope)
    if there:
        Sql("""
            insert into mosshead.step_results (tenant_id, namespace_id, key, prompt, model, result)
            values (%(tenant_id)s, %(namespace_id)s, %(key)s, %(prompt)s, %(model)s, %(result)s) on conflict do nothing
        """).run(connection, batch.lane.scope, key=key, prompt=prompt, model=model, result=Jsonb(result))


def forget_refusals(connection: Connection, batch: BatchRef) -> None:
    """Delete a batch's cached refusals, so that they are asked again: the endpoint was at fault."""
    Sql(f"""
        delete from mosshead.step_results where {OF_NAMESPACE} and result ->> 'refused_for' = %(batch_id)s::uuid::text
    """).run(connection, batch.scope)


class MannerRow(NamedTuple):
    """How to ask an endpoint's model for JSON: `mosshead.llm.modes.Manner`."""

    endpoint: str
    model: str
    mode: str
    system: bool
    temperature: bool


def manners(connection: Connection, *, within: timedelta) -> Sequence[MannerRow]:
    """Return the manners found within this time; later they are tested again, as endpoints improve."""
    rows = Sql("""
        select endpoint, model, mode, system, temperature from mosshead.llm_manners
        where found_at > now() - %(within)s::interval order by endpoint, model
    """).run(connection, within=within)
    return [MannerRow(*row) for row in rows]


def keep_manner(connection: Connection, found: MannerRow) -> None:
    """Store how a model must be asked."""
    Sql("""
        insert into mosshead.llm_manners (endpoint, model, mode, system, temperature)
        values (%(endpoint)s, %(model)s, %(mode)s, %(system)s, %(temperature)s)
        on conflict (endpoint, model) do update set mode = excluded.mode, system = excluded.system,
            temperature = excluded.temperature, found_at = excluded.found_at
    """).run(connection, found._asdict())


def log_usage(
    connection: Connection,
    lane: LaneRef,
    usage_id: UUID,
    *,
    stage: str,
    prompt: str,
    model: str,
    prompt_tokens: int,
    completion_tokens: int,
) -> None:
    """Store the cost of one LLM call, in tokens, and its stage."""
    call = {"usage_id": usage_id, "stage": stage, "prompt": prompt, "model": model}
    # An endpoint can report any number, and the answer is paid for anyway.
    given = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
    tokens = {name: min(max(number, 0), _MOST_TOKENS) for name, number in given.items()}
    insert(connection, "usage", [{**lane.scope, **call, **tokens}])


def costs(
    connection: Connection, tenant_id: UUID, *, by: By, since: timedelta, namespace_id: UUID | None = None
) -> Sequence[Cost]:
    """Return what a tenant, which must be set, or one of its namespaces spent within this time."""
    rows = Sql(f"""
        select {_OF[by]} as of, count(*) as calls, sum(prompt_tokens) as prompt_tokens,
               sum(completion_tokens) as completion_tokens
        from mosshead.usage left join mosshead.namespaces using (tenant_id, namespace_id)
        where tenant_id = %(tenant_id)s and at > now() - %(since)s::interval
          and (%(namespace_id)s::uuid is null or namespace_id = %(namespace_id)s)
        group by of
    """).run(connection, tenant_id=tenant_id, namespace_id=namespace_id, since=since)
    return [Cost(*row) for row in rows]


def stage_of(connection: Connection, batch: BatchRef) -> str:
    """Return the stage of a batch."""
    return str(Sql(f"select stage from mosshead.batches where {OF_BATCH}").value(connection, batch.scope))


_OF: Mapping[By, str] = {
    "stage": "stage",
    "model": "model",
    "namespace": "array_to_string(path, '/')",
    "day": "to_char(at at time zone 'UTC', 'YYYY-MM-DD')",
}


@dataclass(frozen=True, slots=True)
class TenantBudget:
    """A tenant's budget for 24 hours, and what it spent in the last 24, in tokens.

    own: whether the tenant has its own budget, not the default.
    """

    tokens_per_day: int
    spent: int
    own: bool

    @property
    def over(self) -> bool:
        """Whether the budget is spent."""
        return self.spent >= self.tokens_per_day


def standing(connection: Connection, tenant_id: UUID, *, default: int | None) -> TenantBudget | None:
    """Return a tenant's budget and spending; None if it has no limit. The tenant must be set, here and below, unless stated
    otherwise.

    default: the budget of a tenant without its own.
    """
    row = Sql("""
        select tokens_per_day, own, case when tokens_per_day is null then 0 else (
            select coalesce(sum(prompt_tokens::bigint + completion_tokens), 0)::bigint from mosshead.usage
            where tenant_id = %(tenant_id)s and at > now() - interval '24 hours') end as spent
        from (
            select coalesce(budget.tokens_per_day, %(default)s::bigint) as tokens_per_day,
                   budget.tenant_id is not null as own
            from (values (%(tenant_id)s::uuid)) as asked (tenant_id)
            left join mosshead.budgets as budget using (tenant_id)) as limited
    """).one(connection, tenant_id=tenant_id, default=default)
    return None if row.tokens_per_day is None else TenantBudget(row.tokens_per_day, row.spent, row.own)


def set_budget(connection: Connection, tenant_id: UUID, tokens_per_day: int) -> bool:
    """Set a tenant's own budget; return False if there is no such tenant."""
    return Sql("""
        insert into mosshead.budgets (tenant_id, tokens_per_day)
        select tenant_id, %(tokens)s from mosshead.tenants where tenant_id = %(tenant_id)s
        on conflict (tenant_id) do update set tokens_per_day = excluded.tokens_per_day, set_at = excluded.set_at
    """).changes(connection, tenant_id=tenant_id, tokens=tokens_per_day)


def clear_budget(connection: Connection, tenant_id: UUID) -> bool:
    """Remove a tenant's own budget; return False if it has none."""
    return Sql("delete from mosshead.budgets where tenant_id = %(tenant_id)s").changes(connection, tenant_id=tenant_id)


def note_over_budget(connection: Connection, batch: BatchRef) -> bool:
    """Note that a batch did without the LLM because of the budget; return False if that was already noted."""
    return Sql(f"""
        update mosshead.batches set over_budget_at = now()
        where {OF_NAMESPACE} and batch_id = %(batch_id)s and over_budget_at is null
    """).changes(connection, batch.scope)


def held_back(connection: Connection) -> Sequence[UUID]:
    """Return the tenants with a batch that did without the LLM in the last 24 hours. Sees all tenants."""
    return Sql("""
        select distinct tenant_id from mosshead.batches where over_budget_at > now() - interval '24 hours'
    """).scalars(connection)
