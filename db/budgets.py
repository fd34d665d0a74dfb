"""Budgets: how many tokens of the LLM a tenant may spend within 24 hours. The hours roll, on the database's clock."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, text

from db.refs import BatchRef


@dataclass(frozen=True, slots=True)
class Standing:
    """How a tenant stands: what it may spend within 24 hours, and what it spent within the last 24, in tokens.

    own: the tenant has a budget of its own, and not the one of those who have none.
    """

    tokens_per_day: int
    spent: int
    own: bool

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return self.spent >= self.tokens_per_day


def standing(connection: Connection, tenant_id: UUID, *, default: int | None) -> Standing | None:
    """How a tenant stands; None where nothing limits it. Its tenant must be set, here and below, unless it says otherwise.

    default: the budget of a tenant that has none of its own.
    """
    row = connection.execute(_STANDING, {"tenant_id": tenant_id, "default": default}).one()
    return None if row.tokens_per_day is None else Standing(row.tokens_per_day, row.spent, row.own)


def set_budget(connection: Connection, tenant_id: UUID, tokens_per_day: int) -> bool:
    """Give a tenant a budget of its own; False where there is no such tenant."""
    return connection.execute(_SET, {"tenant_id": tenant_id, "tokens": tokens_per_day}).rowcount > 0


def clear_budget(connection: Connection, tenant_id: UUID) -> bool:
    """Take a tenant's own budget away; False where it has none."""
    return connection.execute(_CLEAR, {"tenant_id": tenant_id}).rowcount > 0


def note_over_budget(connection: Connection, batch: BatchRef) -> bool:
    """Keep that a batch went without the LLM because of the budget; False where that was known."""
    return connection.execute(_NOTE, batch.scope).rowcount > 0


def held_back(connection: Connection) -> Sequence[UUID]:
    """The tenants of whom a batch went without the LLM within the last 24 hours. Sees all tenants."""
    return connection.execute(_HELD_BACK).scalars().all()


_STANDING = text("""
    select tokens_per_day, own, case when tokens_per_day is null then 0 else (
        select coalesce(sum(prompt_tokens::bigint + completion_tokens), 0)::bigint from mosshead.usage
        where tenant_id = :tenant_id and at > now() - interval '24 hours') end as spent
    from (
        select coalesce(budget.tokens_per_day, cast(:default as bigint)) as tokens_per_day,
               budget.tenant_id is not null as own
        from (values (cast(:tenant_id as uuid))) as asked (tenant_id)
        left join mosshead.budgets as budget using (tenant_id)) as limited
""")

_SET = text("""
    insert into mosshead.budgets (tenant_id, tokens_per_day)
    select tenant_id, :tokens from mosshead.tenants where tenant_id = :tenant_id
    on conflict (tenant_id) do update set tokens_per_day = excluded.tokens_per_day, set_at = excluded.set_at
""")

_CLEAR = text("delete from mosshead.budgets where tenant_id = :tenant_id")

_NOTE = text("""
    update mosshead.batches set over_budget_at = now()
    where tenant_id = :tenant_id and namespace_id = :namespace_id and batch_id = :batch_id and over_budget_at is null
""")

_HELD_BACK = text("""
    select distinct tenant_id from mosshead.batches where over_budget_at > now() - interval '24 hours'
""")
