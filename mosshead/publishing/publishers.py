"""Check and redact outgoing events, and store them in the app's own transaction or in the spool."""

import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from sqlalchemy import Executable, text
from sqlalchemy.exc import StatementError

from mosshead.bridge import apart, awaited, crossed
from mosshead.errors import ConfigurationError, InvalidEvent
from mosshead.events import MAX_EVENT_BYTES, AnyEvent, parse_event
from mosshead.events.commands import Erase, Import
from mosshead.events.envelope import TOO_DEEP
from mosshead.events.transcripts import in_event_form
from mosshead.paths import REPLAY, NamespacePath
from mosshead.redaction import redact_event
from mosshead.timestamps import LIES_AHEAD, lies_ahead

if TYPE_CHECKING:
    from mosshead.publishing.shipper import SpoolPublisher

KEEP_SECONDS = 60
"""How long a spool keeps received events by default: an asynchronous replica usually lags by seconds."""

_NOBODY = UUID(int=0)
_NUMBER = '{{"publisher":"{}","publisher_sequence":{},'
_NUMBER_BYTES = len(_NUMBER.format(_NOBODY, 2**63)) - 1  # replaces the body's opening brace


@dataclass(frozen=True, slots=True)
class CheckedEvent:
    """A valid, redacted event. body: JSON text without ``publisher`` and ``publisher_sequence``. erasure: Set if it is one."""

    event_id: UUID
    path: NamespacePath
    body: str
    erasure: Erase | None = None


def check_events(path: NamespacePath, events: Sequence[Mapping[str, Any]]) -> list[CheckedEvent]:
    """Check all events of a namespace; ``occurred_at`` is now by default. Raises InvalidEvent."""
    # Override the event's own namespace, which would get another namespace's numbers.
    return [check_event({**event, "namespace": path.parts}) for event in events]


def check_event(given: object) -> CheckedEvent:
    """Check a ready-made event that contains its namespace. Raises InvalidEvent."""
    if isinstance(given, Mapping):
        given = in_event_form(given) if given.get("type") == "message" else given
        given = {"occurred_at": datetime.now(UTC), **given, "publisher": _NOBODY, "publisher_sequence": 1}
    event = redact_event(taken_here(parse_event(given)))
    times = {"occurred_at": event.occurred_at}
    if isinstance(event, Import):
        said = {f"memories.{number}.occurred_at": one.occurred_at for number, one in enumerate(event.memories)}
        times |= {name: moment for name, moment in said.items() if moment}
    faults = [f"{name}: {LIES_AHEAD}" for name, moment in times.items() if lies_ahead(moment)]
    body = _as_json(event)
    size = len(body.encode()) + _NUMBER_BYTES
    if size > MAX_EVENT_BYTES:
        faults.append(f"{size:,} bytes as JSON, at most {MAX_EVENT_BYTES:,}; split it, or omit what is not text")
    if faults:
        raise InvalidEvent(f"event not accepted: {'; '.join(faults)}")
    return CheckedEvent(
        event.event_id, NamespacePath(event.namespace), body, event if isinstance(event, Erase) else None
    )


def _as_json(event: AnyEvent) -> str:
    numbers = {"publisher", "publisher_sequence"}
    try:
        fields = event.model_dump(exclude_none=True, exclude=numbers)
        # Pydantic's own JSON would turn the exit of a signal handler that comes in between into an error of the event.
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"), default=_as_text, allow_nan=False)
    except RecursionError:  # the caller is deep in calls already
        raise InvalidEvent(f"event not accepted: event: {TOO_DEEP}") from None
    except ValueError:  # JSON has no such number
        return event.model_dump_json(exclude_none=True, exclude=numbers)


def _as_text(value: UUID | datetime) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def taken_here(event: AnyEvent) -> AnyEvent:
    """Return the event. Raises InvalidEvent if its namespace is the target of a replay."""
    if NamespacePath(event.namespace).is_replay:
        raise InvalidEvent(
            f"event not accepted: namespace: {REPLAY!r} is reserved for replays; publish to the path without it"
        )
    return event


def numbered(body: str, publisher: UUID, number: int) -> str:
    """Return the event as it is sent: a checked body with its publisher and number."""
    return _NUMBER.format(publisher, number) + body[1:]


class AppSession(Protocol):
    """An app's own session or connection to Mosshead's database.

    It may be SQLAlchemy's ``Connection``, ``Session`` or ``scoped_session``, or for an `AsyncNamespace` an async counterpart. It
    is a protocol, so that apps without an ORM need not import one.
    """

    def execute(self, statement: Executable, parameters: Any = ..., /) -> Any:
        """Run a statement in the current transaction."""


def publish_checked(
    publisher: "SpoolPublisher | None",
    path: NamespacePath,
    events: Sequence[CheckedEvent],
    *,
    on_sent: Callable[[], object] | None = None,
    session: AppSession | None = None,
) -> None:
    """Publish in the session, else through the publisher. Raises ConfigurationError without either. on_sent: Called per event."""
    if not events:
        return
    if session is not None:
        publish_in(session, events)
    elif publisher is not None:
        apart(lambda: publisher.publish(path, events), spool=True)
    else:
        raise no_broker()
    if on_sent is not None:
        for _ in events:
            on_sent()


def publish_in(session: AppSession, events: Sequence[CheckedEvent]) -> None:
    """Insert events into the inbox in order, without committing. The inbox numbers them itself.

    The session's login needs ``grant mosshead_ingest to …``. Database errors are passed on. Raises ValueError if it is not a
    session, or if it is an async one outside an `AsyncMemory`, where it would run nothing.
    """
    try:
        done: object = session.execute(_PUBLISH, {"events": f"[{','.join(event.body for event in events)}]"})
        if isinstance(done, Coroutine) and crossed():
            awaited(done)
            return
    except StatementError as error:
        error.hide_parameters = True  # they contain conversation text, and the app's engine may show them
        raise
    except (AttributeError, TypeError) as error:
        raise ValueError(
            f"session: {type(session).__name__} does not run SQLAlchemy statements; pass a SQLAlchemy Session or Connection"
        ) from error
    if isinstance(done, Coroutine):
        done.close()  # or Python would warn that it was never awaited
        raise ValueError(  # noqa: TRY004 - as for every invalid argument
            f"session: {type(session).__name__} is asynchronous, and nothing was published; "
            "call this within run_sync, with the session it passes: await session.run_sync(lambda inner: …)"
        )


_PUBLISH = text("select mosshead_write_v1.publish(cast(:events as jsonb))")


def no_broker() -> ConfigurationError:
    """Return the error for publishing without a broker."""
    return ConfigurationError(
        "MOSSHEAD_BROKER_URL is not set. Set it, or pass broker_url= to Memory.connect, such as redis://HOST:6379/0; "
        "or pass session= to publish within your own transaction"
    )
