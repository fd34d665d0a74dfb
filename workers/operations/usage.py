"""What the LLM costs, and who has spent what it may: over all tenants, asked one by one, as row-level security has it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Engine

from db import namespaces, usage
from db.usage import By, Cost, TenantBudget
from mosshead.errors import NotFound
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from workers.operations.each import each_tenant


@dataclass(frozen=True, slots=True)
class TenantStanding:
    """How a tenant, by its name, stands to its budget."""

    tenant: str
    standing: TenantBudget

    def as_dict(self) -> dict[str, Any]:
        """For JSON, flat."""
        return {"tenant": self.tenant, **asdict(self.standing), "over": self.standing.over}


def tenant_id_of(name: str) -> UUID:
    """The id of a tenant. Raises InvalidNamespace where nothing can be named so."""
    return NamespacePath.of((name, "-")).tenant_id


def costs(
    engine: Engine,
    *,
    by: By,
    since: timedelta,
    tenant_id: UUID | None = None,
    namespace_id: UUID | None = None,
) -> list[Cost]:
    """What all of them, a tenant, or one namespace of it spent within this time. Days in their order, else the dearest first."""
    found: list[Cost] = []
    for one, connection in each_tenant(engine, [tenant_id] if tenant_id else None):
        found += usage.costs(connection, one, by=by, since=since, namespace_id=namespace_id)
    added = _added(found)
    return sorted(
        added, key=lambda cost: cost.of or "" if by == "day" else -cost.prompt_tokens - cost.completion_tokens
    )


def own_budgets(engine: Engine) -> list[TenantStanding]:
    """How the tenants that have a budget of their own stand, by name."""
    return _standings(engine, default=None)


def over_budget(engine: Engine, *, default: int | None) -> list[TenantStanding]:
    """The tenants for whom the offline rules do the work, because their budget is spent; by name.

    default: the budget of those that have none of their own. A tenant of whom nothing had to be done since is not among them.
    """
    with engine.begin() as connection:
        tenants = usage.held_back(connection)
    return [one for one in _standings(engine, tenants, default=default) if one.standing.over]


def set_budget(engine: Engine, tenant: str, tokens_per_day: int) -> None:
    """Give a tenant a budget of its own. Raises NotFound for one that never published."""
    tenant_id = tenant_id_of(tenant)
    with tenant_transaction(engine, tenant_id) as connection:
        known = usage.set_budget(connection, tenant_id, tokens_per_day)
    if not known:
        raise NotFound(f"{tenant}: no such tenant; a budget can be set once it has published something")


def clear_budget(engine: Engine, tenant: str) -> None:
    """Take a tenant's own budget away. Raises NotFound where it has none."""
    tenant_id = tenant_id_of(tenant)
    with tenant_transaction(engine, tenant_id) as connection:
        had_one = usage.clear_budget(connection, tenant_id)
    if not had_one:
        raise NotFound(f"{tenant}: has no budget of its own; 'python -m workers budget list' shows those that have")


def _standings(engine: Engine, tenants: Sequence[UUID] | None = None, *, default: int | None) -> list[TenantStanding]:
    """How some tenants, or all, stand to the budget that limits them, by name."""
    found = [
        TenantStanding(namespaces.tenant_name(connection, one), stands)
        for one, connection in each_tenant(engine, tenants)
        if (stands := usage.standing(connection, one, default=default)) is not None
    ]
    return sorted(found, key=lambda one: one.tenant)


def _added(costs: Iterable[Cost]) -> list[Cost]:
    """One for each stage, model, namespace or day, whoever the tenants were."""
    sums: defaultdict[str | None, list[int]] = defaultdict(lambda: [0, 0, 0])
    for cost in costs:
        for place, spent in enumerate((cost.calls, cost.prompt_tokens, cost.completion_tokens)):
            sums[cost.of][place] += spent
    return [Cost(of, *spent) for of, spent in sums.items()]
