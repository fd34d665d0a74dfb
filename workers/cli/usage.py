"""`python -m workers usage` and `budget`: what the LLM costs, and what a tenant may spend."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated
from uuid import UUID

import typer

from config.settings import settings
from db.usage import By, Cost
from mosshead.paths import NamespacePath
from workers.cli.output import Json, console, logged_in, print_json, print_table, say
from workers.operations import usage

budget_cli = typer.Typer(
    help="Budgets: tokens of the LLM that a tenant may spend within 24 hours.", no_args_is_help=True
)

_TIME = re.compile(r"(\d{1,6})(min|h|d)")
_UNITS = {"min": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}

Tenant = Annotated[str, typer.Argument(metavar="TENANT", help="By its name.")]


def show_usage(
    tenant: Annotated[str | None, typer.Option(help="Of this tenant alone.")] = None,
    namespace: Annotated[str | None, typer.Option(metavar="TENANT/NAME", help="Of this namespace alone.")] = None,
    since: Annotated[str, typer.Option(metavar="TIME", help="So far back: 30min, 12h or 7d.")] = "7d",
    by: Annotated[By, typer.Option(help="What to add up by.")] = "stage",
    json_output: Json = False,
) -> None:
    """Show how often the LLM was called, and what that cost in tokens."""
    within, (tenant_id, namespace_id) = _time(since), _scope(tenant, namespace)
    with logged_in(settings()) as engine:
        found = usage.costs(engine, by=by, since=within, tenant_id=tenant_id, namespace_id=namespace_id)
    if json_output:
        each = [{by: cost.of, **_totals([cost])} for cost in found]
        print_json({"since_seconds": within.total_seconds(), "usage": each, **_totals(found)})
        return
    counted = [*((cost.of or "-", _totals([cost])) for cost in found), ("all", _totals(found))]
    rows = [(of, *(f"{count:,}" for count in totals.values())) for of, totals in counted]
    columns = (by, "calls", "prompt tokens", "completion tokens")
    print_table(columns, rows if found else [], nothing=f"The LLM was not called in the last {since}.")


@budget_cli.command("list")
def list_budgets(json_output: Json = False) -> None:
    """List the tenants that have a budget of their own, with what they spent in the last 24 hours."""
    chosen = settings()
    with logged_in(chosen) as engine:
        found = usage.own_budgets(engine)
    if json_output:
        print_json({"default": chosen.tenant_tokens_per_day, "budgets": [one.as_dict() for one in found]})
        return
    rows = [
        (one.tenant, f"{one.standing.tokens_per_day:,}", f"{one.standing.spent:,}", "over" if one.standing.over else "")
        for one in found
    ]
    print_table(("tenant", "tokens a day", "spent", ""), rows, nothing="No tenant has a budget of its own.")
    console.print(f"Every other tenant: {_limit(chosen.tenant_tokens_per_day)}.")


@budget_cli.command("set")
def set_tenants_budget(
    tenant: Tenant,
    tokens: Annotated[int, typer.Argument(min=1, max=2**63 - 1, help="Within 24 hours, in and out together.")],
    json_output: Json = False,
) -> None:
    """Give a tenant a budget of its own. It counts from the next stage of a batch on."""
    with logged_in(settings()) as engine:
        usage.set_budget(engine, tenant, tokens)
    _tell(tenant, tokens, json_output=json_output)


@budget_cli.command("clear")
def clear_tenants_budget(tenant: Tenant, json_output: Json = False) -> None:
    """Take a tenant's own budget away; MOSSHEAD_TENANT_TOKENS_PER_DAY limits it, where that is set."""
    chosen = settings()
    with logged_in(chosen) as engine:
        usage.clear_budget(engine, tenant)
    _tell(tenant, chosen.tenant_tokens_per_day, json_output=json_output)


def _scope(tenant: str | None, namespace: str | None) -> tuple[UUID | None, UUID | None]:
    """Whose costs are asked for: a tenant's, one namespace's, or everybody's."""
    if tenant is not None and namespace is not None:
        raise typer.BadParameter("give --tenant or --namespace, not both: a namespace's path begins with its tenant")
    if namespace is not None:
        path = NamespacePath.of(namespace.split("/"))
        return path.tenant_id, path.namespace_id
    return (usage.tenant_id_of(tenant) if tenant is not None else None), None


def _totals(costs: Sequence[Cost]) -> dict[str, int]:
    return {
        name: sum(getattr(cost, name) for cost in costs) for name in ("calls", "prompt_tokens", "completion_tokens")
    }


def _tell(tenant: str, tokens_per_day: int | None, *, json_output: bool) -> None:
    """What limits a tenant from now on."""
    if json_output:
        print_json({"tenant": tenant, "tokens_per_day": tokens_per_day})
    else:
        say(f"{tenant}: {_limit(tokens_per_day)}.")


def _limit(tokens_per_day: int | None) -> str:
    return f"{tokens_per_day:,} tokens a day" if tokens_per_day else "no limit"


def _time(said: str) -> timedelta:
    match = _TIME.fullmatch(said)
    if not match:
        raise typer.BadParameter(f"--since: {said!r} is no time; give one such as 30min, 12h or 7d")
    return int(match[1]) * _UNITS[match[2]]
