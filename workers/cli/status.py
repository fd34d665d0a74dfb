"""`mosshead status`: show whether the service works, and what is waiting."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from itertools import islice
from typing import Any

import typer

from config.settings import Settings, settings
from db import housekeeping, search_indexes, status
from db.embedding_models import Model, models
from db.lanes import STAGES
from db.leases import Breaker, answers_to, breakers
from db.status import ServiceFigures
from db.usage import MannerRow, TenantBudget, manners
from mosshead.cli.output import Json, print_answer
from workers.broker import queue_state
from workers.cli.output import duration, fields
from workers.cli.usage import as_dicts, over_budget
from workers.dependencies import MANNER_STANDS, all_providers, logged_in, rules_take_over

STUCK_SECONDS = 300.0
"""Seconds that work may be ready without progress before the service counts as stuck."""

OTHERS_MANY = 0.5
"""Share of non-English messages from which the status names the English-only parts."""

BROKER_ALARM = 0.5
"""Share of Redis's memory from which an operator should look. The spools limit the queue to about 64 MB."""

_REASONS, _SHOWN_REASONS = 20, 5


def show_status(json_output: Json = False) -> None:
    """Check that the service works, and show what is waiting. Exit with status 1 if it does not work."""
    found = read_status(settings())
    print_answer(json_output, found.as_dict(), fields(rows(found)))
    if found.stuck:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class Status:
    """queued_events: published events that the intake has not taken yet. broker_memory: share of `maxmemory` that Redis uses;
    None if there is no limit, or the login may not read it. moving: whether a batch ended within STUCK_SECONDS.

    over_budget: tenants whose token budget is spent, so that the offline rules extract their facts. indexes_due: namespaces that
    need `mosshead service index`. english_only: parts that know only English while most messages are in other languages, with the
    fix for each. refused_tasks: tasks that workers refused within a day, by reason. llm_manners: how models are
    asked for JSON. rules_take_over: because the LLM has failed for too long.
    """

    queued_events: int
    broker_memory: float | None
    figures: ServiceFigures
    breakers: Sequence[Breaker]
    moving: bool
    offline_rules: bool
    over_budget: Mapping[str, TenantBudget]
    indexes_due: int
    models: Sequence[Model]
    refused_tasks: Mapping[str, int]
    llm_manners: Sequence[MannerRow]
    rules_take_over: bool
    english_only: Sequence[str]

    @property
    def stuck(self) -> bool:
        """Whether waiting work is not processed: no worker runs, nothing moves although all providers answer, or Redis is full
        and accepts neither events nor notifications.
        """
        waits = self.figures.waiting_lanes > 0 or bool(self.figures.at_work)
        overdue = max(self.figures.oldest_waiting, self.figures.oldest_due) > STUCK_SECONDS
        idle = overdue and not self.moving and not self.breakers
        return self.broker_full or (waits and self.figures.workers == 0) or idle

    @property
    def broker_full(self) -> bool:
        """Whether Redis refuses writes."""
        return self.broker_memory is not None and self.broker_memory >= 1.0

    def as_dict(self) -> dict[str, Any]:
        """Return flat JSON; docs/reference/monitoring.md explains each field."""
        own = {name: getattr(self, name) for name in Status.__slots__ if name not in {"figures", "moving"}}
        told = {"over_budget": as_dicts(self.over_budget), "models": [one._asdict() for one in self.models]}
        told["llm_manners"] = [one._asdict() for one in self.llm_manners]
        return {**asdict(self.figures), **own, **told, "stuck": self.stuck}


def read_status(settings: Settings) -> Status:
    """Read the status from Postgres and Redis. Raises ConfigurationError, StoreUnavailable or QueueUnavailable."""
    with logged_in(settings) as engine:
        queue = queue_state(settings.broker())
        asked = all_providers(settings)  # nobody asks a provider of earlier settings, so its breaker would stay open
        over = over_budget(engine, default=settings.tenant_tokens_per_day) if settings.uses_llm else {}
        with engine.begin() as connection:
            figures = status.figures(
                connection, within=timedelta(minutes=10), reasons=_REASONS, alive=housekeeping.ALIVE
            )
            return Status(
                queued_events=queue.events,
                broker_memory=queue.full,
                figures=figures,
                breakers=[
                    one for one in breakers(connection) if one.provider in asked or _is_of_a_reflection(one, settings)
                ],
                moving=status.moves(connection, within=timedelta(seconds=STUCK_SECONDS)),
                offline_rules=not settings.uses_llm,
                over_budget=over,
                indexes_due=search_indexes.due(connection),
                models=models(connection),
                refused_tasks=housekeeping.refusals(connection, within=timedelta(days=1)),
                llm_manners=manners(connection, within=MANNER_STANDS) if settings.uses_llm else [],
                rules_take_over=settings.uses_llm and rules_take_over(connection, settings, STAGES[0]),
                english_only=english_only(settings, figures.other_languages),
            )


def english_only(settings: Settings, other_languages: float | None) -> list[str]:
    """Return the English-only parts of the settings with a fix for each, if most messages are in other languages."""
    if other_languages is None or other_languages <= OTHERS_MANY:
        return []
    embedder = (
        "minilm finds little in other languages: 'mosshead service models add e5', then as docs/how-to/models.md says"
    )
    rules = "the offline rules read nothing else: set OPENAI_API_KEY or OPENAI_BASE_URL"
    return [embedder] * (settings.embedder == "minilm") + [rules] * (not settings.uses_llm)


def _is_of_a_reflection(breaker: Breaker, settings: Settings) -> bool:
    """Whether the LLM last failed in a reflection. No stage waits for that, and there may never be another call."""
    return settings.uses_llm and breaker.provider.startswith(answers_to("")[:-1]) and breaker.seconds > 0


def rows(found: Status) -> Iterator[tuple[str, str | None, bool]]:
    """Yield the status for people: name, value or None, and whether it needs attention."""
    figures = found.figures
    yield "state", _state(found), found.stuck
    yield "workers", f"{figures.workers} alive, {figures.slots} slots", figures.workers == 0
    yield "in the queue", f"{found.queued_events:,} events", False
    if found.broker_memory is not None:
        yield "Redis's memory", f"{found.broker_memory:.0%} used", found.broker_memory >= BROKER_ALARM
    yield "in the inbox", f"{figures.backlog:,} events", False
    oldest = f", the first for {duration(figures.oldest_waiting)}" if figures.waiting_lanes else ""
    yield "waiting lanes", f"{figures.waiting_lanes:,}{oldest}", figures.oldest_waiting > STUCK_SECONDS
    yield "at work", _counts(figures.at_work) or "nothing", False
    yield "lag", _lag(figures), False
    yield "failing", _counts(figures.failing) or None, True
    for breaker in found.breakers:
        until = f"tried again in {duration(breaker.seconds)}" if breaker.seconds else "to be tried again now"
        what = f"{breaker.provider}: {breaker.reason}; {breaker.failures} failures in a row, {until}"
        yield "provider away", what, True
    yield "quarantined lanes", _some(figures.quarantined_lanes, "; see 'mosshead service lanes'"), True
    yield from _by_reason(figures.quarantined_by_reason)
    age = duration(figures.newest_dead_letter)
    yield (
        "dead letters",
        _some(figures.dead_letters, f", the newest {age} ago; see 'mosshead service dead list'"),
        True,
    )
    yield from _by_reason(figures.dead_by_reason)
    yield "refused", _some(figures.refused_last_hour, " in the last hour"), True
    arrival = " publishers in the last day; their events have the time of arrival"
    yield "clocks ahead", _some(figures.clocks_ahead, arrival), True
    stranger = " in the last day; something else writes to this Redis"
    yield "refused tasks", _some(sum(found.refused_tasks.values()), stranger), True
    yield from _by_reason(found.refused_tasks)
    yield "indexes due", _some(found.indexes_due, " namespaces; run 'mosshead service index'"), True
    if len(found.models) > 1:
        names = ", ".join(f"{one.name} ({one.state})" for one in found.models)
        yield "embedding models", f"{names}; see 'mosshead service models'", False
    by = "the offline rules, while the LLM is away" if found.rules_take_over else "the LLM"
    yield "facts by", "the offline rules" if found.offline_rules else by, found.rules_take_over
    for advice in found.english_only:
        yield "not in English", f"most messages of the last day; {advice}", True
    for one in found.llm_manners:
        without = "".join(f", without {name}" for name in ("system", "temperature") if not getattr(one, name))
        yield "asked for JSON", f"{one.model} at {one.endpoint}: {one.mode}{without}", False
    yield from _over_budget(found.over_budget)


def _over_budget(tenants: Mapping[str, TenantBudget]) -> Iterator[tuple[str, str, bool]]:
    if tenants:
        whose = "1 tenant" if len(tenants) == 1 else f"{len(tenants):,} tenants"
        yield "over budget", f"{whose}: the offline rules find the facts; see 'mosshead service budget list'", True
    for tenant, stands in islice(tenants.items(), 5):
        yield "", f"{tenant}: {stands.spent:,} tokens in 24 h of {stands.tokens_per_day:,}", False


def _some(count: int, what: str) -> str | None:
    return f"{count:,}{what}" if count else None


def _by_reason(counts: Mapping[str, int]) -> Iterator[tuple[str, str, bool]]:
    for reason, count in islice(counts.items(), _SHOWN_REASONS):
        yield "", f"{count:,} {reason}", False


def _state(found: Status) -> str:
    if not found.stuck:
        away = next((f", without the {one.provider}: {one.reason}" for one in found.breakers), "")
        return f"working{away}"
    if found.broker_full:
        return "stuck: Redis is full"
    return "stuck: no worker is alive" if found.figures.workers == 0 else "stuck: work is due and nothing moves"


def _lag(lag: ServiceFigures) -> str:
    if lag.lag_p50 is None:
        return "nothing took effect in the last 10 minutes"
    return f"{duration(lag.lag_p50)} median, {duration(lag.lag_p95)} p95, {duration(lag.lag_max)} at most"


def _counts(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{name} {count:,}" for name, count in counts.items())
