"""`mosshead service usage` and `budget`: what the LLM costs, and what a tenant may spend.

Tenants are read one by one, because of row-level security.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.markup import escape
from sqlalchemy import Engine

from config.settings import settings
from db import namespaces, usage
from db.usage import By, Cost, TenantBudget
from mosshead.cli.output import Json, print_answer
from mosshead.errors import NotFound
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from workers.cli.output import table, tenant_id_of
from workers.cli.rounds import each_tenant
from workers.dependencies import logged_in

budget_cli = typer.Typer(
    help="Budgets: tokens of the LLM that a tenant may spend within 24 hours.", no_args_is_help=True
)

_TIME = re.compile(r"(\d{1,6})(min|h|d)")
_UNITS = {"min": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}

Tenant = Annotated[str, typer.Argument(metavar="TENANT", help="By its name.")]


def show_usage(
    tenant: Annotated[str | None, typer.Option(help="Of this tenant alone.")] = None,
    namespace: Annotated[str | None, typer.Option(metavar="TENANT/NAME", help="Of this namespace alone.")] = None,
    since: Annotated[str, typer.Option(metavar="TIME", help="How far back to look: 30min, 12h or 7d.")] = "7d",
    by: Annotated[By, typer.Option(help="What to group the costs by.")] = "stage",
    json_output: Json = False,
) -> None:
    """Show how often the LLM was called, and what that cost in tokens."""
    within, (tenant_id, namespace_id) = _time(since), _scope(tenant, namespace)
    with logged_in(settings()) as engine:
        found = costs(engine, by=by, since=within, tenant_id=tenant_id, namespace_id=namespace_id)
    counted = [*((cost.of or "-", _totals([cost])) for cost in found), ("all", _totals(found))]
    rows = [(of, *(f"{count:,}" for count in totals.values())) for of, totals in counted]
    columns = (by, "calls", "prompt tokens", "completion tokens")
    shown = table(columns, rows if found else [], nothing=f"The LLM was not called in the last {since}.")
    each = [{by: cost.of, **_totals([cost])} for cost in found]
    answer = {"since_seconds": within.total_seconds(), "usage": each, **_totals(found)}
    print_answer(json_output, answer, shown)


@budget_cli.command("list")
def list_budgets(json_output: Json = False) -> None:
    """List the tenants with a budget of their own, and what they spent in the last 24 hours."""
    chosen = settings()
    with logged_in(chosen) as engine:
        found = _budgets(engine, default=None)
    rows = [
        (tenant, f"{stands.tokens_per_day:,}", f"{stands.spent:,}", "over" if stands.over else "")
        for tenant, stands in found.items()
    ]
    default = chosen.tenant_tokens_per_day
    answer = {"default": default, "budgets": as_dicts(found)}
    shown = table(("tenant", "tokens a day", "spent", ""), rows, nothing="No tenant has a budget of its own.")
    print_answer(json_output, answer, shown, f"Every other tenant: {_limit(default)}.")


@budget_cli.command("set")
def set_tenants_budget(
    tenant: Tenant,
    tokens: Annotated[
        int, typer.Argument(min=1, max=2**63 - 1, help="Tokens per 24 hours, input and output together.")
    ],
    json_output: Json = False,
) -> None:
    """Set a tenant's own budget. It applies from the next stage of a batch."""
    tenant_id = tenant_id_of(tenant)
    with logged_in(settings()) as engine, tenant_transaction(engine, tenant_id) as connection:
        known = usage.set_budget(connection, tenant_id, tokens)
    if not known:
        raise NotFound(f"{tenant}: no such tenant; set its budget after it has published something")
    _print_limit(tenant, tokens, json_output=json_output)


@budget_cli.command("clear")
def clear_tenants_budget(tenant: Tenant, json_output: Json = False) -> None:
    """Remove a tenant's own budget. MOSSHEAD_TENANT_TOKENS_PER_DAY then applies, if it is set."""
    chosen, tenant_id = settings(), tenant_id_of(tenant)
    with logged_in(chosen) as engine, tenant_transaction(engine, tenant_id) as connection:
        had_one = usage.clear_budget(connection, tenant_id)
    if not had_one:
        raise NotFound(f"{tenant}: has no budget of its own; 'mosshead service budget list' shows the tenants with one")
    _print_limit(tenant, chosen.tenant_tokens_per_day, json_output=json_output)


def _scope(tenant: str | None, namespace: str | None) -> tuple[UUID | None, UUID | None]:
    """Return whose costs to show: a tenant's, one namespace's, or everybody's."""
    if tenant is not None and namespace is not None:
        raise typer.BadParameter("give --tenant or --namespace, not both: a namespace's path begins with its tenant")
    if namespace is not None:
        path = NamespacePath.of(namespace.split("/"))
        return path.tenant_id, path.namespace_id
    return (tenant_id_of(tenant) if tenant is not None else None), None


def _totals(costs: Sequence[Cost]) -> dict[str, int]:
    return {
        name: sum(getattr(cost, name) for cost in costs) for name in ("calls", "prompt_tokens", "completion_tokens")
    }


def _print_limit(tenant: str, tokens_per_day: int | None, *, json_output: bool) -> None:
    answer = {"tenant": tenant, "tokens_per_day": tokens_per_day}
    print_answer(json_output, answer, escape(f"{tenant}: {_limit(tokens_per_day)}."))


def _limit(tokens_per_day: int | None) -> str:
    return f"{tokens_per_day:,} tokens a day" if tokens_per_day else "no limit"


def _time(said: str) -> timedelta:
    match = _TIME.fullmatch(said)
    if not match:
        raise typer.BadParameter(f"--since: {said!r} is not a time span; give one such as 30min, 12h or 7d")
    return int(match[1]) * _UNITS[match[2]]


def as_dicts(budgets: Mapping[str, TenantBudget]) -> list[dict[str, Any]]:
    """Return tenant names with budgets and spending, for JSON."""
    return [{"tenant": tenant, **asdict(stands), "over": stands.over} for tenant, stands in budgets.items()]


def costs(
    engine: Engine,
    *,
    by: By,
    since: timedelta,
    tenant_id: UUID | None = None,
    namespace_id: UUID | None = None,
) -> list[Cost]:
    """Return the costs of all tenants, of one, or of one namespace. Days are in order, other groups by cost, highest first."""
    spent: defaultdict[str | None, list[Cost]] = defaultdict(list)
    for one, connection in each_tenant(engine, [tenant_id] if tenant_id else None):
        for cost in usage.costs(connection, one, by=by, since=since, namespace_id=namespace_id):
            spent[cost.of].append(cost)
    added = [Cost(of, **_totals(ones)) for of, ones in spent.items()]
    return sorted(
        added, key=lambda cost: cost.of or "" if by == "day" else -cost.prompt_tokens - cost.completion_tokens
    )


def over_budget(engine: Engine, *, default: int | None) -> dict[str, TenantBudget]:
    """Return the tenants over budget, by name; the offline rules extract their facts.

    default: the budget of tenants without one of their own. Tenants without work since they ran over are left out.
    """
    with engine.begin() as connection:
        tenants = usage.held_back(connection)
    return {tenant: stands for tenant, stands in _budgets(engine, tenants, default=default).items() if stands.over}


def _budgets(engine: Engine, tenants: Sequence[UUID] | None = None, *, default: int | None) -> dict[str, TenantBudget]:
    found = {
        namespaces.tenant_name(connection, one): stands
        for one, connection in each_tenant(engine, tenants)
        if (stands := usage.standing(connection, one, default=default)) is not None
    }
    return dict(sorted(found.items()))
