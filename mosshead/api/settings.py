"""The client's settings: from arguments, else the environment, else a service running on this machine. Never from DATABASE_URL,
which is the app's own."""

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mosshead.announcement import find_announcement, state_folder, user_folder
from mosshead.embeddings import Endpoint
from mosshead.errors import ConfigurationError
from mosshead.publishing.publishers import KEEP_SECONDS, no_broker
from mosshead.publishing.signing import SigningKey, parse_key
from mosshead.publishing.spool import Spool, spool_path
from mosshead.urls import sqlalchemy_url

if TYPE_CHECKING:
    from mosshead.publishing.shipper import SpoolPublisher

_log = logging.getLogger("mosshead")

_DEFAULT_SPOOL_BYTES = 256 * 2**20
_DEFAULT_CONNECTIONS = 20


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """The servers, embedder and publishing settings of an app.

    Attributes:
        spool_bytes: The maximum size of the spool.
        embedder_process: Whether a local embedder gets a process of its own.
        keep_seconds: How long the spool keeps received events.
        connections: The maximum number of read connections.
        prepared_statements: Whether connections prepare statements.
    """

    database_url: str
    broker_url: str | None
    embedder: str
    embedder_process: bool
    endpoint: Endpoint
    spool_dir: Path
    spool_bytes: int
    keep_seconds: int
    signing_key: SigningKey | None
    connections: int
    prepared_statements: bool


def client_settings(
    *,
    database_url: str | None = None,
    broker_url: str | None = None,
    embedder: str | None = None,
    spool_dir: str | Path | None = None,
    spool_bytes: int | None = None,
    signing_key: str | None = None,
) -> ClientSettings:
    """Read each setting from its argument, else from MOSSHEAD_ and the argument's name in the environment.

    If neither names a server, use the service that this user runs on this machine (`mosshead up`). Everything
    else is read from the environment only.

    Raises:
        ConfigurationError: No database is configured and no service runs here, or a setting is invalid.
    """
    environment = os.environ
    database, broker = _addresses(database_url, broker_url)
    folder = spool_dir or environment.get("MOSSHEAD_SPOOL_DIR")
    key = signing_key or environment.get("MOSSHEAD_SIGNING_KEY")
    return ClientSettings(
        database_url=database,
        broker_url=broker,
        embedder=embedder or environment.get("MOSSHEAD_EMBEDDER") or "minilm",
        embedder_process=_flag(environment, "MOSSHEAD_EMBEDDER_PROCESS", default=False),
        endpoint=Endpoint.chosen(
            url=environment.get("MOSSHEAD_EMBEDDING_URL") or None,
            api_key=environment.get("MOSSHEAD_EMBEDDING_API_KEY") or None,
            openai_url=environment.get("OPENAI_BASE_URL") or None,
            openai_api_key=environment.get("OPENAI_API_KEY") or None,
        ),
        spool_dir=Path(folder) if folder else state_folder(),
        spool_bytes=spool_bytes
        if spool_bytes is not None
        else _number(environment, "MOSSHEAD_SPOOL_BYTES", _DEFAULT_SPOOL_BYTES, "bytes, such as 268435456 for 256 MiB"),
        keep_seconds=_number(environment, "MOSSHEAD_SPOOL_KEEP_SECONDS", KEEP_SECONDS, "seconds from 0, such as 60"),
        signing_key=parse_key(key) if key else None,
        connections=_number(
            environment, "MOSSHEAD_CONNECTIONS", _DEFAULT_CONNECTIONS, "connections from 1, such as 20", least=1
        ),
        prepared_statements=_flag(environment, "MOSSHEAD_PREPARED_STATEMENTS", default=True),
    )


def _addresses(database_url: str | None, broker_url: str | None) -> tuple[str, str | None]:
    """Return the addresses of Postgres and Redis. If either is configured, ignore a service running on this machine."""
    database = database_url or os.environ.get("MOSSHEAD_DATABASE_URL")
    broker = broker_url or os.environ.get("MOSSHEAD_BROKER_URL") or None
    if database:
        _log.info("memory: using the server from %s", "database_url=" if database_url else "MOSSHEAD_DATABASE_URL")
        return database, broker
    if broker is None and (found := find_announcement(user_folder())):
        _log.info("memory: using the local service in %s", found.data_dir)
        return found.database_url, found.broker_url
    raise ConfigurationError(
        "MOSSHEAD_DATABASE_URL is not set. Set it, or pass database_url=, such as "
        "postgresql://mosshead_reader:PASSWORD@HOST:5432/mosshead, or run the service on this machine with 'mosshead up'"
    )


def _number(environment: Mapping[str, str], name: str, default: int, what: str, *, least: int = 0) -> int:
    given = environment.get(name) or str(default)
    if not given.isdecimal() or int(given) < least:
        raise ConfigurationError(f"{name}: a number of {what}")
    return int(given)


def _flag(environment: Mapping[str, str], name: str, *, default: bool) -> bool:
    given = environment.get(name) or str(default)
    if given.lower() not in {"true", "false"}:
        raise ConfigurationError(f"{name}: true or false")
    return given.lower() == "true"


def open_publisher(settings: ClientSettings) -> "SpoolPublisher | None":
    """Open an app's publisher; return None if no broker is configured. Raises ConfigurationError if an address is invalid."""
    if settings.broker_url is None:
        return None
    # Imported only with a broker: apps that only read, or publish in their own transactions, need none of it.
    from mosshead.publishing.queue import EventQueue
    from mosshead.publishing.shipper import SpoolPublisher

    return SpoolPublisher(
        spool=open_spool(settings),
        queue=EventQueue(settings.broker_url),
        database_url=sqlalchemy_url(settings.database_url, "MOSSHEAD_DATABASE_URL"),
        key=settings.signing_key,
        prepared=settings.prepared_statements,
    )


def open_spool(settings: ClientSettings) -> Spool:
    """Return an app's spool; its file is opened on first use. Raises ConfigurationError if no broker is configured."""
    if settings.broker_url is None:
        raise no_broker()
    path = spool_path(settings.spool_dir, broker_url=settings.broker_url, database_url=settings.database_url)
    return Spool(path, most_bytes=settings.spool_bytes, keep_seconds=settings.keep_seconds)
