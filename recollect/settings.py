"""What the app's process is told: by arguments, else by the environment. Never the app's own DATABASE_URL."""

import os
from dataclasses import dataclass

from recollect.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """Where the app finds memory, and with what it embeds."""

    database_url: str
    broker_url: str | None
    embedder: str
    openai_api_key: str | None
    openai_base_url: str | None


def client_settings(database_url: str | None, broker_url: str | None, embedder: str | None) -> ClientSettings:
    """Arguments first, then RECOLLECT_DATABASE_URL, RECOLLECT_BROKER_URL, RECOLLECT_EMBEDDER, OPENAI_API_KEY, OPENAI_BASE_URL.

    Raises ConfigurationError where no database is named.
    """
    environment = os.environ
    database = database_url or environment.get("RECOLLECT_DATABASE_URL")
    if not database:
        raise ConfigurationError(
            "RECOLLECT_DATABASE_URL is not set. Set it, or pass database_url=, such as "
            "postgresql://recollect_reader:PASSWORD@HOST:5432/recollect; 'python -m workers up' prints the one that it made"
        )
    return ClientSettings(
        database_url=database,
        broker_url=broker_url or environment.get("RECOLLECT_BROKER_URL") or None,
        embedder=embedder or environment.get("RECOLLECT_EMBEDDER") or "minilm",
        openai_api_key=environment.get("OPENAI_API_KEY") or None,
        openai_base_url=environment.get("OPENAI_BASE_URL") or None,
    )


def no_broker() -> ConfigurationError:
    """What to raise when something is to be published and no broker is named."""
    return ConfigurationError(
        "RECOLLECT_BROKER_URL is not set. Set it, or pass broker_url= to Memory.connect, such as redis://HOST:6379/0"
    )
