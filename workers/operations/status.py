"""`python -m workers status`: whether the service can work, and what waits."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from redis.exceptions import ResponseError

from config.settings import Settings
from db import housekeeping, refused_tasks, search_indexes, status
from db.embedding_models import Model, models
from db.providers import Breaker, breakers
from db.status import Backlog, DeadLetters, Lag, Workforce
from mosshead.errors import QueueUnavailable
from mosshead.publishing.queue import BROKER_ERRORS, QUEUE, open_connection
from workers.cli.output import logged_in
from workers.operations import usage
from workers.operations.usage import TenantStanding
from workers.providers import all_providers

STUCK_SECONDS = 300.0
"""How long something may be ready, and nothing move, before the service counts as stuck."""

BROKER_ALARM = 0.5
"""The part of Redis's memory from which on somebody should look. The spools keep the queue to some 64 MB."""

_LAG_WITHIN = timedelta(minutes=10)
_REASONS = 20
_REFUSED_WITHIN = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Status:
    """queued_events: published, and not yet taken by the intake. broker_memory: the part of its `maxmemory` that Redis uses; None
    where it has no such limit, or the login may not look. moving: whether a batch ended within STUCK_SECONDS.

    over_budget: the tenants for whom the offline rules do the work, because what they may spend is spent. indexes_due: namespaces
    for which `python -m workers index` has something to do. refused_tasks: what workers refused from Celery's queues within a
    day, by reason.
    """

    queued_events: int
    broker_memory: float | None
    backlog: Backlog
    lag: Lag
    dead_letters: DeadLetters
    breakers: Sequence[Breaker]
    workforce: Workforce
    moving: bool
    offline_rules: bool
    over_budget: Sequence[TenantStanding]
    indexes_due: int
    models: Sequence[Model]
    refused_tasks: Mapping[str, int]

    @property
    def stuck(self) -> bool:
        """Whether something waits that nobody takes up: there is no worker, nothing moves though no provider is away, or Redis is
        full, and takes neither events nor hints.
        """
        waits = self.backlog.waiting_lanes > 0 or bool(self.backlog.at_work)
        overdue = max(self.backlog.oldest_waiting, self.backlog.oldest_due) > STUCK_SECONDS
        idle = overdue and not self.moving and not self.breakers
        return self.broker_full or (waits and self.workforce.workers == 0) or idle

    @property
    def broker_full(self) -> bool:
        """Whether Redis refuses what is written."""
        return self.broker_memory is not None and self.broker_memory >= 1.0

    def as_dict(self) -> dict[str, Any]:
        """For JSON, flat; docs/operating.md says what each field means."""
        return {
            "queued_events": self.queued_events,
            "broker_memory": self.broker_memory,
            **asdict(self.backlog),
            **asdict(self.lag),
            **asdict(self.dead_letters),
            "breakers": [asdict(breaker) for breaker in self.breakers],
            **asdict(self.workforce),
            "offline_rules": self.offline_rules,
            "over_budget": [one.as_dict() for one in self.over_budget],
            "indexes_due": self.indexes_due,
            "models": [one._asdict() for one in self.models],
            "refused_tasks": dict(self.refused_tasks),
            "stuck": self.stuck,
        }


def read_status(settings: Settings) -> Status:
    """Ask Postgres and Redis. Raises ConfigurationError, StoreUnavailable or QueueUnavailable where one does not answer."""
    with logged_in(settings) as engine:
        queued, memory = _broker(settings.broker())
        limit = settings.tenant_tokens_per_day
        asked = all_providers(settings)  # of another, which the settings named once, nobody will hear that it is back
        over = usage.over_budget(engine, default=limit) if settings.uses_llm else []
        with engine.begin() as connection:
            return Status(
                queued_events=queued,
                broker_memory=memory,
                backlog=status.backlog(connection),
                lag=status.lag(connection, within=_LAG_WITHIN),
                dead_letters=status.dead_letters(connection, reasons=_REASONS),
                breakers=[one for one in breakers(connection) if one.provider in asked],
                workforce=status.workforce(connection, alive=housekeeping.ALIVE),
                moving=status.moves(connection, within=timedelta(seconds=STUCK_SECONDS)),
                offline_rules=not settings.uses_llm,
                over_budget=over,
                indexes_due=search_indexes.due(connection),
                models=models(connection),
                refused_tasks=refused_tasks.by_reason(connection, within=_REFUSED_WITHIN),
            )


def _broker(broker_url: str) -> tuple[int, float | None]:
    """How many events wait in the queue, and which part of its memory Redis uses."""
    with open_connection(broker_url) as connection:
        try:
            # Not by kombu, which asks within a transaction: a full Redis refuses those, even of reads.
            with connection.channel().conn_or_acquire() as redis:
                return int(redis.llen(QUEUE.name)), _memory(redis)
        except BROKER_ERRORS as error:
            raise QueueUnavailable(
                f"MOSSHEAD_BROKER_URL: cannot connect to {connection.as_uri()} ({type(error).__name__})"
            ) from None


def _memory(redis: Any) -> float | None:
    try:
        found = redis.info("memory")
    except ResponseError:  # the login may not look
        return None
    return round(found["used_memory"] / found["maxmemory"], 3) if found.get("maxmemory") else None
