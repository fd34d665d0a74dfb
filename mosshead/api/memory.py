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
from mosshead.urls import session_name, sqlalchemy_url

if TYPE_CHECKING:
    from mosshead.api.groups import NamespaceGroup
    from mosshead.embedded import EmbeddedService
    from mosshead.publishing.shipper import SpoolPublisher

_SETTING = "MOSSHEAD_DATABASE_URL"
_CONNECTIONS = 20
"""The most that an app's process holds; they are opened as threads need them."""

ASYNCHRONOUS = "psycopg_async"
"""The driver of an engine for `mosshead.bridge`."""

_POOL_SECONDS = 0.05
"""How long to wait for a connection at a time; `mosshead.store.connection` waits again until the read has to end."""


class Memory:
    """The long-term memory of an app; one for each process, safe to share between its threads and to use after a fork.

    Publishing goes to a local spool and from there to the event queue, reading to Postgres. Neither calls an LLM.
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
        """Connect to a running service, and ship what an earlier process left in the spool.

        database_url, broker_url, embedder: by default MOSSHEAD_DATABASE_URL, MOSSHEAD_BROKER_URL and MOSSHEAD_EMBEDDER; never
        DATABASE_URL, which is the app's own. Without a broker the memory can be read, and written with ``session=`` alone. Where
        neither names a server, the service that this user runs on this machine is taken, if there is one (``mosshead up``). The
        log says which it is.
        spool_dir, spool_bytes, signing_key: by default MOSSHEAD_SPOOL_DIR, MOSSHEAD_SPOOL_BYTES and MOSSHEAD_SIGNING_KEY
        (docs/how-to/publish.md).
        read_timeout: seconds that a read may take, whatever Postgres does (docs/explanation/reading.md).
        check: ask Postgres at once. Without it, an app that starts while Postgres is down can publish, and the first read raises
        what connecting would.
        Raises ConfigurationError where a setting is missing or wrong, StoreUnavailable where Postgres does not answer,
        ModelMissing where the local embedding model is not installed, EmbedderMismatch where the service embeds with another.
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
        """Start a service of one's own on this machine, for a notebook or a test, and connect to it.

        It stops when the memory is closed or this process ends, in whatever way. It needs ``pip install 'mosshead[service]'``,
        takes the service's settings from the environment, and uses none of the servers that the environment names.
        path: the folder that keeps the memories, for one process at a time; without one they are in a temporary folder, which is
        deleted at the end.
        Raises ConfigurationError where the service is not installed or does not start, and as `connect`.
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
        """What reads, for an extension that belongs to no namespace; `Namespace.session` has it, too."""
        return self._engine

    def namespace(self, *parts: str, **values: str) -> Namespace:
        """Whose memories: the tenant first, then at least one part more, such as ``namespace("acme", "sarah_123")``.

        values: for templates among the parts, such as ``namespace("acme", "{user_id}", user_id="sarah_123")``; what is not given
        is taken from `mosshead.values`, as it is now.
        Raises InvalidNamespace where a part is empty or a template stays unresolved, before anything is read or sent.
        """
        path = NamespacePath.of(parts, with_context(values))
        return Namespace(Session(path, self._engine, self._embedder, self._publisher, self._overlay))

    def group(self, *parts: str, **values: str) -> "NamespaceGroup":
        """Group all namespaces whose path begins with some parts, the tenant first, to query them together.

        values: for templates among the parts, as for `namespace`. Raises InvalidNamespace.
        """
        from mosshead.api.groups import NamespaceGroup  # few apps ask several namespaces at once

        return NamespaceGroup(NamespacePrefix.of(parts, with_context(values)), self._engine, self._embedder)

    def warm_up(self) -> None:
        """Load what the first read would have to load, so that it is no slower than others: what reads, and the embedding model.

        0.3 s with the local model. An app that forks its workers calls it before, and they share what is loaded.
        ``gc.freeze()`` after it keeps Python's garbage collector from going through that again (docs/explanation/reading.md).
        Raises ConfigurationError where the model's files are not the right ones.
        """
        warm_up(self._embedder)

    def publish(self, event: Mapping[str, Any], *, session: AppSession | None = None) -> UUID:
        """Publish one event as docs/reference/events.md shows it, its namespace included, for an app that has its events from
        elsewhere.

        session: as for `Namespace.publish`. Returns the event's id. Raises InvalidEvent, which names each field at fault, and
        otherwise as `Namespace.publish`, or ConfigurationError where no broker is named.
        """
        checked = check_event(event)
        publish_checked(self._publisher, checked.path, [checked], session=session)
        return checked.event_id

    def close(self) -> None:
        """Ship what was published last, for two seconds at most, and give the connections back. What is left stays spooled.

        A service that `embedded` started is stopped.
        """
        if self._publisher is not None:
            apart(self._publisher.close)
        # A read under way in another thread gives its connection back later, to a pool that nobody empties any more.
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
    """Return what reads and what embeds; neither is asked anything yet. Raises as `Memory.connect`."""
    embedder = open_embedder(settings.embedder, **settings.endpoint._asdict())
    engine = _open_engine(settings, embedder.name, checked_seconds("read_timeout", read_timeout), driver)
    _compare_models(engine, embedder)
    return engine, embedder


def begin_reading(engine: Engine, settings: ClientSettings, *, check: bool) -> "SpoolPublisher | None":
    """Ask Postgres if it is to be checked, and return what publishes. Raises as `Memory.connect`."""
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
    """The arguments of `Memory.connect` that lead to a service."""

    database_url: str
    broker_url: str
    spool_dir: Path


def addresses_of(service: "EmbeddedService") -> ServiceAddresses:
    """Return where an embedded service is, and the spool beside its data."""
    found = service.announcement
    return {
        "database_url": found.database_url,
        "broker_url": found.broker_url,
        "spool_dir": service.data_dir / "spool",
    }


def warm_up(embedder: Embedder) -> None:
    """Load the modules that read, and the local embedding model, as the first read would."""
    import_module("mosshead.context.message_search")
    embedder.count_tokens("")


def _open_engine(settings: ClientSettings, model: str, read_seconds: float, driver: str) -> Engine:
    engine = create_engine(
        sqlalchemy_url(settings.database_url, _SETTING).set(drivername=f"postgresql+{driver}"),
        # No pre-ping, which would be a round trip for each read: `mosshead.store.connection` replaces connections that have died.
        hide_parameters=True,  # an error's text ends up in logs, and parameters are text of conversations
        connect_args={"connect_timeout": 5, "fallback_application_name": session_name(model)},
        pool_size=_CONNECTIONS,
        max_overflow=0,  # what is opened is kept: a connection costs more than a read
        pool_use_lifo=True,
        pool_timeout=None if driver == ASYNCHRONOUS else _POOL_SECONDS,  # asyncio cuts a wait off by itself
    )
    return bounded(engine, read_seconds)


def _compare_models(engine: Engine, embedder: Embedder) -> None:
    """Let no connection be used before one of them has said that the service embeds with the app's model."""
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
                f"set it to {' or '.join(map(spec_of, live))} here, too: similarities between two models mean nothing"
            )
        agree = True
