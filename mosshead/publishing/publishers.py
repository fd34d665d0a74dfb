"""What publishes for a `Memory`: its spool, or the app's own transaction."""

from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import Executable, Result, text
from sqlalchemy.exc import StatementError

from mosshead.errors import ConfigurationError
from mosshead.paths import NamespacePath
from mosshead.publishing.validation import CheckedEvent

if TYPE_CHECKING:
    from mosshead.publishing.spool_publisher import SpoolPublisher


class AppSession(Protocol):
    """What an app may hand over: a session or a connection of its own, to the database that Mosshead is in.

    SQLAlchemy's ``Connection``, ``Session`` and ``scoped_session``; told by what they can do: whoever uses no ORM loads none.
    """

    def execute(self, statement: Executable, parameters: Any = ..., /) -> Result[Any]:
        """Run a statement in the transaction that is under way."""


def publish_checked(
    publisher: "SpoolPublisher | None",
    path: NamespacePath,
    events: Sequence[CheckedEvent],
    *,
    on_sent: Callable[[], object] | None = None,
    session: AppSession | None = None,
) -> None:
    """Publish in the session, else through the publisher; call on_sent for each. Raises ConfigurationError without either."""
    if not events:
        return
    if session is not None:
        publish_in(session, events)
    elif publisher is not None:
        publisher.publish(path, events)
    else:
        raise no_broker()
    if on_sent is not None:
        for _ in events:
            on_sent()


def publish_in(session: AppSession, events: Sequence[CheckedEvent]) -> None:
    """Put events into the inbox, in order, and commit nothing. The inbox numbers them itself.

    The session's login needs the right to: ``grant mosshead_ingest to …``. Whatever the database raises passes through.
    Raises ValueError where it is no session, or one of asyncio, which would run nothing here.
    """
    try:
        done: object = session.execute(_PUBLISH, {"events": f"[{','.join(event.body for event in events)}]"})
    except StatementError as error:
        error.hide_parameters = True  # they are text of a conversation, and the app's engine may show them
        raise
    except (AttributeError, TypeError) as error:
        raise ValueError(
            f"session: {type(session).__name__} does not run SQLAlchemy's statements; give one of its Sessions or Connections"
        ) from error
    if isinstance(done, Coroutine):
        done.close()  # or Python would warn that nobody waits for it
        raise ValueError(  # noqa: TRY004 - as for all that does not fit
            f"session: {type(session).__name__} is asynchronous, and nothing was published; "
            "run this within its run_sync, with the session that it gives: await session.run_sync(lambda inner: …)"
        )


_PUBLISH = text("select mosshead_write_v1.publish(cast(:events as jsonb))")


def no_broker() -> ConfigurationError:
    """What to raise when something is to be published and no broker is named."""
    return ConfigurationError(
        "MOSSHEAD_BROKER_URL is not set. Set it, or pass broker_url= to Memory.connect, such as redis://HOST:6379/0; "
        "or pass session= to publish within a transaction of your own"
    )
