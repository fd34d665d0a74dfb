"""`Memory`: the app's connection to Mosshead."""

import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypedDict
from uuid import UUID

from sqlalchemy import Engine, create_engine, event

from mosshead import fork_safety
from mosshead.api.namespace import Namespace
from mosshead.api.session import Session
from mosshead.api.settings import ClientSettings, client_settings, open_publisher
from mosshead.arguments import checked_seconds
from mosshead.bridge import apart
from mosshead.deadline import READ_SECONDS, bounded, ends_within
from mosshead.embeddings import CachedEmbedder, Embedder, open_embedder, spec_of
from mosshead.errors import EmbedderMismatch, MossheadError
from mosshead.paths import NamespacePath, NamespacePrefix, with_context
from mosshead.publishing.publishers import AppSession, check_event, publish_checked
from mosshead.store import memories
from mosshead.store.pending import Overlay
from mosshead.urls import NOT_PREPARED, has_several_hosts, session_name, sqlalchemy_url

if TYPE_CHECKING:
    from mosshead.api.groups import NamespaceGroup
    from mosshead.embedded import EmbeddedService
    from mosshead.publishing.shipper import SpoolPublisher

_SETTING = "MOSSHEAD_DATABASE_URL"
ASYNCHRONOUS = "psycopg_async"
"""SQLAlchemy driver for engines used through `mosshead.bridge`."""

_POOL_SECONDS = 0.05
"""Seconds to wait for a free connection per attempt; `mosshead.store.connection` retries until the read's deadline."""


class Memory:
    """An app's connection to Mosshead. Open one per process; it is thread-safe and fork-safe.

    Publishing writes to a local spool, which is shipped to the event queue. Reads go to Postgres. Neither calls an LLM.
    """

    def __init__(self, engine: Engine, embedder: Embedder, publisher: "SpoolPublisher | None") -> None:
        """Use `Memory.connect` or `Memory.embedded`."""
        self._engine = engine
        self._embedder = embedder
        self._publisher = publisher
        self._overlay = Overlay()
        self._service: EmbeddedService | None = None
        fork_safety.watch_engine(engine)

    @classmethod
    def connect(
        cls,
        *,
        database_url: str | None = None,
        broker_url: str | None = None,
        embedder: str | None = None,
        spool_dir: str | Path | None = None,
        spool_bytes: int | None = None,
        signing_key: str | None = None,
        read_timeout: float = READ_SECONDS,
        check: bool = True,
    ) -> Self:
        """Connect to a running service, and ship events that an earlier process left in the spool.

        Args:
            database_url: By default MOSSHEAD_DATABASE_URL, never DATABASE_URL. If neither it nor a broker is set, connect to
                the service this user runs on this machine (``mosshead up``). The log names the server.
            broker_url: By default MOSSHEAD_BROKER_URL. Without a broker, writes need ``session=``.
            embedder: By default MOSSHEAD_EMBEDDER, else "minilm".
            spool_dir: By default MOSSHEAD_SPOOL_DIR, else a folder in the user's state directory (docs/how-to/publish.md).
            spool_bytes: By default MOSSHEAD_SPOOL_BYTES, else 256 MiB.
            signing_key: By default MOSSHEAD_SIGNING_KEY.
            read_timeout: Seconds allowed for a read (docs/explanation/reading.md).
            check: Query Postgres now. If False, an app can start and publish while Postgres is down; the first read then
                raises the connection errors.

        Raises:
            ConfigurationError: A setting is missing or wrong.
            StoreUnavailable: Postgres does not answer.
            ModelMissing: The local embedding model is not installed.
            EmbedderMismatch: The service uses a different embedding model.
        """
        settings = client_settings(
            database_url=database_url,
            broker_url=broker_url,
            embedder=embedder,
            spool_dir=spool_dir,
            spool_bytes=spool_bytes,
            signing_key=signing_key,
        )
        engine, opened = open_reading(settings, read_timeout)
        return cls(engine, opened, begin_reading(engine, settings, check=check))

    @classmethod
    def embedded(cls, *, path: str | Path | None = None) -> Self:
        """Start a private service on this machine, for a notebook or a test, and connect to it.

        The service stops when the memory is closed or this process ends. It needs ``pip install 'mosshead[service]'``. It reads
        its settings from the environment but ignores the server addresses there.

        Args:
            path: The data folder, for one process at a time; by default a temporary folder, deleted at the end.

        Raises:
            ConfigurationError: The service is not installed or does not start. For other errors see `connect`.
        """
        service = start_service(path)
        try:
            memory = cls.connect(**addresses_of(service))
        except BaseException:
            service.stop()
            raise
        memory._service = service  # noqa: SLF001 - it is ours
        return memory

    @property
    def engine(self) -> Engine:
        """The SQLAlchemy engine, for extensions that span namespaces."""
        return self._engine

    def namespace(self, *parts: str, **values: str) -> Namespace:
        """Return a namespace by its path: the tenant and at least one more part, such as ``namespace("acme", "sarah_123")``.

        Nothing is read or sent.

        Args:
            values: Values for templates in the parts, such as ``namespace("acme", "{user_id}", user_id="sarah_123")``;
                missing ones are taken from `mosshead.values`.

        Raises:
            InvalidNamespace: A part is empty, or a template is unresolved.
        """
        path = NamespacePath.of(parts, with_context(values))
        return Namespace(Session(path, self._engine, self._embedder, self._publisher, self._overlay))

    def group(self, *parts: str, **values: str) -> "NamespaceGroup":
        """Return the group of namespaces whose paths begin with these parts, the tenant first, to query them together.

        The arguments and errors are those of `namespace`.
        """
        from mosshead.api.groups import NamespaceGroup  # loaded on demand: few apps query groups

        return NamespaceGroup(NamespacePrefix.of(parts, with_context(values)), self._engine, self._embedder)

    def warm_up(self) -> None:
        """Load the reading code and the embedding model now, so that the first read is as fast as the others.

        This takes 0.3 s with the local model. Call it before forking workers, so that they share the loaded code and model. A
        ``gc.freeze()`` after it keeps the garbage collector from scanning them (docs/how-to/publish.md).

        Raises:
            ConfigurationError: The model's files are not the expected ones.
        """
        warm_up(self._embedder)

    def publish(self, event: Mapping[str, Any], *, session: AppSession | None = None) -> UUID:
        """Publish one ready-made event with its namespace (docs/reference/events.md), and return its id.

        Args:
            session: As for `Namespace.publish`.

        Raises:
            InvalidEvent: Fields are invalid; the error names each. For other errors see `Namespace.publish`.
            ConfigurationError: No broker is configured.
        """
        checked = check_event(event)
        publish_checked(self._publisher, checked.path, [checked], session=session)
        return checked.event_id

    def close(self) -> None:
        """Ship spooled events for at most two seconds, and close the connections. Unshipped events stay in the spool.

        Also stop the service that `embedded` started.
        """
        if self._publisher is not None:
            apart(self._publisher.close)
        # A read still running in another thread returns its connection later; close it then.
        event.listen(self._engine.pool, "checkin", _close_returned)
        self._engine.dispose()
        if self._service is not None:
            apart(self._service.stop)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _close_returned(connection: Any, _record: object) -> None:
    if connection is not None:
        connection.close()


def open_reading(
    settings: ClientSettings, read_timeout: float, *, driver: str = "psycopg"
) -> tuple[Engine, CachedEmbedder]:
    """Return the engine and the embedder, without querying either. For errors see `Memory.connect`."""
    embedder = open_embedder(settings.embedder, **settings.endpoint._asdict(), own_process=settings.embedder_process)
    engine = _open_engine(settings, embedder.name, checked_seconds("read_timeout", read_timeout), driver)
    _compare_models(engine, embedder)
    return engine, embedder


def begin_reading(engine: Engine, settings: ClientSettings, *, check: bool) -> "SpoolPublisher | None":
    """Query Postgres if ``check`` is set, and return the publisher. For errors see `Memory.connect`."""
    try:
        if check:
            with ends_within(engine), engine.connect():
                pass
        return apart(lambda: open_publisher(settings))
    except MossheadError:
        engine.dispose()
        raise


def start_service(path: str | Path | None) -> "EmbeddedService":
    """Start the service of `Memory.embedded`. Raises ConfigurationError."""
    from mosshead.embedded import EmbeddedService
    from mosshead.embeddings.local.files import provide_model

    provide_model(os.environ.get("MOSSHEAD_EMBEDDER") or "minilm")
    return EmbeddedService.start(path)


class ServiceAddresses(TypedDict):
    """The arguments of `Memory.connect` that locate a service."""

    database_url: str
    broker_url: str
    spool_dir: Path


def addresses_of(service: "EmbeddedService") -> ServiceAddresses:
    """Return the server addresses of an embedded service, and a spool folder beside its data."""
    found = service.announcement
    return {
        "database_url": found.database_url,
        "broker_url": found.broker_url,
        "spool_dir": service.data_dir / "spool",
    }


def warm_up(embedder: Embedder) -> None:
    """Load the reading code and the local embedding model."""
    import_module("mosshead.context.message_search")
    embedder.count_tokens("")


def _open_engine(settings: ClientSettings, model: str, read_seconds: float, driver: str) -> Engine:
    url = sqlalchemy_url(settings.database_url, _SETTING).set(drivername=f"postgresql+{driver}")
    engine = create_engine(
        url,
        # No pre-ping, which would cost a round trip per read: `mosshead.store.connection` replaces dead connections.
        hide_parameters=True,  # errors end up in logs, and parameters contain conversation text
        connect_args={
            "connect_timeout": 2 if has_several_hosts(url) else 5,  # a read must reach the next one
            "fallback_application_name": session_name(model),
            **({} if settings.prepared_statements else NOT_PREPARED),
        },
        pool_size=settings.connections,
        max_overflow=0,  # keep every connection open: opening one costs more than a read
        pool_use_lifo=True,
        pool_timeout=None if driver == ASYNCHRONOUS else _POOL_SECONDS,  # asyncio cancels the wait at the deadline
    )
    return bounded(engine, read_seconds)


def _compare_models(engine: Engine, embedder: Embedder) -> None:
    """Check on new connections that the service uses the app's embedding model, until one of them confirms it."""
    agree = False

    @event.listens_for(engine, "connect")
    def compare(connection: Any, _record: Any) -> None:
        nonlocal agree
        if agree:
            return
        live = memories.live_models(connection)
        connection.rollback()
        if live and embedder.name not in live:
            raise EmbedderMismatch(
                f"MOSSHEAD_EMBEDDER: this app embeds with {embedder.name}, the service with {' and '.join(live)}; "
                f"set it to {' or '.join(map(spec_of, live))} here, too: similarities between different models are meaningless"
            )
        agree = True
