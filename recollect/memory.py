"""`Memory`: the app's connection to Recollect."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self
from uuid import UUID

from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import OperationalError, ProgrammingError

from recollect import views
from recollect.embedders import Embedder, open_embedder
from recollect.errors import ConfigurationError, EmbedderMismatch, RecollectError
from recollect.namespace import Namespace
from recollect.namespaces import NamespacePath
from recollect.publisher import Publisher
from recollect.queue import EventQueue
from recollect.settings import ClientSettings, client_settings, no_broker
from recollect.urls import cannot_connect, describe, sqlalchemy_url

_SETTING = "RECOLLECT_DATABASE_URL"


class Memory:
    """The long-term memory of an app; one for each process, and safe to share between its threads.

    Publishing goes to the event queue, reading to Postgres. Neither calls an LLM.
    """

    def __init__(
        self, engine: Engine, embedder: Embedder, publisher: Publisher | None, queue: EventQueue | None
    ) -> None:
        """Use `Memory.connect`."""
        self._engine = engine
        self._embedder = embedder
        self._publisher = publisher
        self._queue = queue

    @classmethod
    def connect(
        cls, *, database_url: str | None = None, broker_url: str | None = None, embedder: str | None = None
    ) -> Self:
        """Connect to a running service.

        database_url, broker_url, embedder: by default RECOLLECT_DATABASE_URL, RECOLLECT_BROKER_URL and RECOLLECT_EMBEDDER; never
        DATABASE_URL, which is the app's own. Without a broker the memory can be read and not written.
        Raises ConfigurationError where a setting is missing or wrong, StoreUnavailable where Postgres does not answer,
        ModelMissing where the local embedding model is not installed, EmbedderMismatch where the service embeds with another.
        """
        settings = client_settings(database_url, broker_url, embedder)
        opened = open_embedder(settings.embedder, api_key=settings.openai_api_key, base_url=settings.openai_base_url)
        queue = EventQueue(settings.broker_url) if settings.broker_url else None
        engine = _open_engine(settings)
        try:
            _check(engine, opened)
        except RecollectError:
            engine.dispose()
            raise
        return cls(engine, opened, Publisher(queue) if queue else None, queue)

    def namespace(self, *parts: str, **values: str) -> Namespace:
        """Whose memories: the tenant first, then at least one part more, such as ``namespace("acme", "sarah_123")``.

        values: for templates among the parts, such as ``namespace("acme", "{user_id}", user_id="sarah_123")``.
        Raises InvalidNamespace where a part is empty or a template stays unresolved.
        """
        return Namespace(NamespacePath.of(parts, values), self._engine, self._embedder, self._publisher)

    def publish(self, event: Mapping[str, Any]) -> UUID:
        """Publish one event as docs/events.md shows it, its namespace included, for an app that has its events from elsewhere.

        Returns the event's id. Raises InvalidEvent, which names each field at fault, QueueUnavailable, or ConfigurationError.
        """
        if self._publisher is None:
            raise no_broker()
        return self._publisher.publish_event(event)

    def close(self) -> None:
        """Give the connections back."""
        if self._queue is not None:
            self._queue.close()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _open_engine(settings: ClientSettings) -> Engine:
    return create_engine(
        sqlalchemy_url(settings.database_url, _SETTING),
        pool_pre_ping=True,
        hide_parameters=True,  # an error's text ends up in logs, and parameters are text of conversations
        connect_args={"connect_timeout": 5},
    )


def _check(engine: Engine, embedder: Embedder) -> None:
    where = describe(engine.url)
    try:
        with engine.connect() as connection:
            active = views.active_model(connection)
    except OperationalError as error:
        raise cannot_connect(engine.url, _SETTING, error) from None
    except ProgrammingError:
        raise ConfigurationError(
            f"{_SETTING}: {where} has no Recollect views that this login may read. Run 'python -m workers migrate' there, "
            "and log in as recollect_reader"
        ) from None
    if active is not None and active[0] != embedder.name:
        raise EmbedderMismatch(
            f"RECOLLECT_EMBEDDER: this app embeds with {embedder.name}, the service with {active[0]}; "
            "set the same model on both sides, or similarities between them mean nothing"
        )
