"""`python -m workers status`: whether the service can work, and what waits."""

from dataclasses import asdict, dataclass
from typing import Any

from config.settings import Settings
from db.engine import check_login, open_engine
from db.status import Backlog, backlog
from recollect.errors import QueueUnavailable
from recollect.queue import BROKER_ERRORS, QUEUE, open_connection
from workers.parts import WORKER_URL

STUCK_SECONDS = 300.0
"""How long something may be ready without being claimed before the service counts as stuck."""


@dataclass(frozen=True, slots=True)
class Status:
    """queued_events: published, and not yet taken by the intake. stuck: something waits that nobody claims."""

    queued_events: int
    backlog: Backlog
    offline_rules: bool

    @property
    def stuck(self) -> bool:
        """Whether something has been ready for longer than a busy service needs."""
        return self.backlog.oldest_waiting > STUCK_SECONDS

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "queued_events": self.queued_events,
            **asdict(self.backlog),
            "offline_rules": self.offline_rules,
            "stuck": self.stuck,
        }


def read_status(settings: Settings) -> Status:
    """Ask Postgres and Redis. Raises ConfigurationError, StoreUnavailable or QueueUnavailable where one does not answer."""
    engine = open_engine(settings.login("worker"), setting=WORKER_URL)
    try:
        check_login(engine, setting=WORKER_URL)
        with engine.begin() as connection:
            waiting = backlog(connection)
    finally:
        engine.dispose()
    return Status(_queued(settings.broker()), waiting, not settings.uses_llm)


def _queued(broker_url: str) -> int:
    with open_connection(broker_url) as connection:
        try:
            # Declared, for it exists only once somebody published; that changes nothing else.
            declared = QUEUE(connection.channel()).queue_declare()
        except BROKER_ERRORS as error:
            raise QueueUnavailable(
                f"RECOLLECT_BROKER_URL: cannot connect to {connection.as_uri()} ({type(error).__name__})"
            ) from None
        return int(declared.message_count)
