"""The intake: take messages from the queue, validate each, and store it in the inbox or the dead letters.

The library redacts the events that it publishes. Messages from other senders may still contain secrets, so the intake redacts
every event, and every body that it keeps with a dead letter.
"""

import json
import time
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from hashlib import sha256
from typing import Annotated, Any
from uuid import UUID

import structlog
from pydantic import AfterValidator, AwareDatetime, BaseModel, Field, StringConstraints, ValidationError
from sqlalchemy import Connection as DatabaseConnection
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db import inbox
from db.engine import check_login, open_engine
from mosshead.errors import ConfigurationError, InvalidEvent, SignatureRefused
from mosshead.events import MAX_EVENT_BYTES, parse_event
from mosshead.events.envelope import MAX_NUMBER
from mosshead.paths import NamespacePath
from mosshead.publishing.broker import Broker, broker_at
from mosshead.publishing.publishers import taken_here
from mosshead.publishing.signing import MAX_SIGNED_BYTES, TenantKey, open_signed, parse_keys
from mosshead.redaction import redact, redact_event, redact_fields, redact_json
from mosshead.serialization import json_object
from workers.arrivals import Arrivals, QueuedMessage, open_arrivals
from workers.broker import HEARTBEAT_SECONDS, check_broker
from workers.failures import describe, is_of_values
from workers.transport import JSON

_SETTING = "MOSSHEAD_INGEST_URL"
_AT_ONCE = 200
_IN_HAND, _BYTES_IN_HAND = 10 * _AT_ONCE, 64 * 2**20
"""How much the intake reads ahead, to find small messages behind large ones. Spools let the queue grow to the same size."""

_DRAIN_SECONDS = 0.05
_IDLE_SECONDS = 0.25
"""How long the intake waits for a message. After a request to stop, it ends within twice this time."""

_BACK_OFF_SECONDS = 0.5

_MOST_READ = 16 * MAX_EVENT_BYTES
_DEEPEST = 100
_SIGNED = b'{"signed":'
_LARGE_BYTES = 32 * 2**10
_HEAD = 8 * 2**10
"""The part kept of a body that is not a JSON object: all of it below _LARGE_BYTES, else the first _HEAD bytes, because searching
for secrets takes time."""

_BEYOND = 4096  # redacted along with the kept part of a body, so that no half of a secret remains at its end

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Accepted:
    """A valid event, as JSON text for the inbox. body: The message that contained it."""

    event: str
    body: bytes


@dataclass(frozen=True, slots=True)
class RefusedMessage:
    """A message that the inbox does not take. reason: Contains no conversation text.

    event: The message as JSON text, if its envelope is valid and its sender may use its number. The number then counts as
    received, so that later events need not wait.
    """

    reason: str
    body: bytes
    event: str | None = None

    def as_json(self) -> str:
        """Return the dead letter for ``mosshead_write_v1.refuse``. Cut an oversized body before reading it."""
        kept = b"" if self.event is not None else _kept(self.body)
        letter = {
            "reason": self.reason,
            "digest": sha256(self.body).hexdigest(),
            "bytes": len(self.body),
            "body": b64encode(kept).decode(),
        }
        return f'{json.dumps(letter)[:-1]}, "event": {self.event or "null"}}}'


Arrival = Accepted | RefusedMessage

Store = Callable[[Sequence[Arrival]], int]
"""Stores arrivals in the inbox or the dead letters, and returns how many events were new."""


def run_intake(settings: Settings, stopped: Callable[[], bool]) -> None:
    """Consume until ``stopped``. Wait for an unavailable broker or database, keeping the messages in hand.

    Raises ConfigurationError or StoreUnavailable at the start if a setting, the login or the broker is unsuitable.
    """
    broker_url, keys = settings.broker(), signing_keys(settings)
    engine = open_engine(settings.login("ingest"), setting=_SETTING, prepared=settings.prepared_statements)
    check_login(engine, setting=_SETTING)
    check_broker(broker_url, stopped)
    store = partial(_store, engine=engine, settings=settings, stopped=stopped)
    _log.info("intake_started", signed=bool(keys))
    while not stopped():
        try:
            _consume(broker_at(broker_url), keys, store, stopped)
        except Exception as error:  # noqa: BLE001 - the edge of the process; unstored messages come again
            _log.warning("intake_interrupted", error=describe(error))
            time.sleep(_BACK_OFF_SECONDS)
    engine.dispose()
    _log.info("intake_stopped")


def signing_keys(settings: Settings) -> dict[str, TenantKey]:
    """Return the signing keys by kid; empty if events need not be signed. Raises ConfigurationError."""
    if settings.signing_keys is None:
        return {}
    keys = parse_keys(settings.signing_keys.get_secret_value())
    if not keys:  # such as "," for two empty keys: treated as unset, it would admit everybody
        raise ConfigurationError("MOSSHEAD_SIGNING_KEYS: holds no key; unset it where events need not be signed")
    return keys


@dataclass(frozen=True, slots=True)
class _InHand:
    """A received message that is not stored yet. waits: Whether the quick messages in hand are stored first."""

    message: QueuedMessage
    waits: bool

    @property
    def size(self) -> int:
        return len(self.message.body)


def _consume(broker: Broker, keys: Mapping[str, TenantKey], store: Store, stopped: Callable[[], bool]) -> None:
    in_hand: list[_InHand] = []

    def receive_message(message: QueuedMessage) -> None:
        in_hand.append(_InHand(message, waits=takes_long(message.body)))

    with broker.open(heartbeat=HEARTBEAT_SECONDS) as connection:
        # Connect first: opening a channel would sleep for 2 s before each retry, even if the broker is back.
        broker.connect(connection)
        arrivals = open_arrivals(broker, connection, receive_message, ahead=_IN_HAND)
        try:
            _take(arrivals, in_hand, partial(_take_in, in_hand, keys, store, arrivals), stopped)
        finally:
            arrivals.put_back([one.message for one in in_hand])


def _take(arrivals: Arrivals, in_hand: list[_InHand], take_in: Callable[[], None], stopped: Callable[[], bool]) -> None:
    try:
        while not stopped():
            try:
                _gather(arrivals.drain, in_hand)
            finally:
                # Even if the broker is gone: the messages in hand need not wait for its return.
                take_in()
    finally:
        arrivals.stop()
        take_in()


def _gather(drain: Callable[[float], None], in_hand: list[_InHand]) -> None:
    """Wait for a message, then take all that are ready, so that a burst is one transaction."""
    timeout = _DRAIN_SECONDS if in_hand else _IDLE_SECONDS
    size = sum(one.size for one in in_hand)
    while len(in_hand) < _IN_HAND and size < _BYTES_IN_HAND:
        before = len(in_hand)
        try:
            drain(timeout)
        except TimeoutError:
            return
        size += sum(one.size for one in in_hand[before:])
        timeout = _DRAIN_SECONDS


def _take_in(in_hand: list[_InHand], keys: Mapping[str, TenantKey], store: Store, arrivals: Arrivals) -> None:
    """Store the quick messages, then the oldest of the others, so that large events cause no long delay.

    Redacting 250 KB can take a second; a chat message has about 1 KB. Two hundred quick messages fit into one transaction
    within the statement timeout. Large bodies that are not JSON objects count as quick: waiting, they would fill the intake's
    buffer and hold back chat messages in the queue.
    """
    quick = [one for one in in_hand if not one.waits]
    slow = [one for one in in_hand if one.waits]
    for portion in (quick[:_AT_ONCE], slow[:1]):
        if portion:
            stored = store([_judge_message(one.message, keys) for one in portion])
            _log.info("events_received", received=len(portion), stored=stored)
            taken = set(map(id, portion))
            in_hand[:] = [one for one in in_hand if id(one) not in taken]
            arrivals.stored([one.message for one in portion])


def _judge_message(message: QueuedMessage, keys: Mapping[str, TenantKey]) -> Arrival:
    if message.content_type != JSON:
        return RefusedMessage(
            "event: not a message of Mosshead's; publish with the library, which knows its form", message.body
        )
    return judge(message.body, keys)


def _store(arrivals: Sequence[Arrival], *, engine: Engine, settings: Settings, stopped: Callable[[], bool]) -> int:
    """Store the arrivals. If the database is unavailable, keep them and retry until it is back."""
    while True:
        try:
            return receive(engine, arrivals, settings)
        except DBAPIError as error:
            if stopped():
                raise
            _log.warning("intake_interrupted", error=describe(error))
        time.sleep(_BACK_OFF_SECONDS)


def receive(engine: Engine, arrivals: Sequence[Arrival], settings: Settings) -> int:
    """Store arrivals, and return how many events were new. Safe to repeat.

    An event that the database cannot store becomes a dead letter, and the others are stored. Raises DBAPIError if the database
    itself fails; arrivals stored before that stay stored.
    """
    refusal: DBAPIError | None = None
    try:
        with engine.begin() as connection:
            stored = put_in(connection, arrivals, settings)
    except DBAPIError as error:
        if not is_of_values(error):
            raise
        refusal = error
    if refusal is None:
        for one in arrivals:
            if isinstance(one, RefusedMessage):
                _log.warning("event_refused", reason=one.reason, bytes=len(one.body))
        return stored
    return sum(receive(engine, part, settings) for part in _parts(arrivals, refusal))


def put_in(connection: DatabaseConnection, arrivals: Sequence[Arrival], settings: Settings) -> int:
    """Store arrivals in the caller's transaction, and leave it without a tenant. Raises DBAPIError if any cannot be stored."""
    events = [one.event for one in arrivals if isinstance(one, Accepted)]
    refused = [one.as_json() for one in arrivals if isinstance(one, RefusedMessage)]
    quiet, most = timedelta(seconds=settings.debounce_seconds), timedelta(seconds=settings.debounce_most_seconds)
    stored = inbox.publish(connection, events, quiet=quiet, most=most) if events else 0
    if refused:
        inbox.refuse(connection, refused)
    return stored


def refusal_of(error: DBAPIError) -> str:
    """Return the reason for a dead letter that the database refused."""
    return f"event: the database cannot store it ({describe(error)})"


def _parts(arrivals: Sequence[Arrival], error: DBAPIError) -> list[Sequence[Arrival]]:
    """Return smaller attempts: the two halves, or less of a single arrival."""
    if len(arrivals) > 1:
        half = len(arrivals) // 2
        return [arrivals[:half], arrivals[half:]]
    (one,) = arrivals
    if isinstance(one, Accepted):
        return [[RefusedMessage(refusal_of(error), one.body, one.event)]]  # its number counts
    if one.event is None:
        raise error
    return [[replace(one, event=None)]]  # the body is kept, and the number does not count


def judge(body: bytes, keys: Mapping[str, TenantKey]) -> Arrival:
    """Validate a message. keys: The signing keys by kid; if there are any, every event must be signed."""
    try:
        text = _opened(body, keys)
        event = _json_object(text)
    except (InvalidEvent, SignatureRefused) as error:
        # Its number does not count: a sender without a key could use up another's numbers.
        return RefusedMessage(_cut(error), body)
    return judge_event(event, size=len(text), body=body)


def takes_long(body: bytes) -> bool:
    """Return whether `judge` or the dead letter may take long: a large JSON object is searched for secrets as a whole.

    The sender does not matter: a refused object is also searched and kept whole.
    """
    return _LARGE_BYTES <= len(body) <= _MOST_READ and json_object(body) is not None


def judge_event(event: Mapping[str, Any], *, size: int, body: bytes) -> Arrival:
    """Check an event whose sender is verified. size: Its bytes as JSON. body: The message that contained it."""
    try:
        return Accepted(_checked(event, size), body)
    except (InvalidEvent, RecursionError) as error:
        # For deep nesting, the error would name every field on the way down, and field names are text from outside.
        reason = "event: nested too deeply" if _deeper_than(event, _DEEPEST) else _cut(error)
        return RefusedMessage(reason, body, _with_envelope(event, whole=size <= MAX_EVENT_BYTES))


def _opened(body: bytes, keys: Mapping[str, TenantKey]) -> bytes:
    if len(body) > _MOST_READ:
        raise _too_big(len(body))
    if keys:
        return open_signed(body, keys).encode("utf-8", "surrogatepass")
    if body.startswith(_SIGNED):
        raise SignatureRefused("event: signed, and MOSSHEAD_SIGNING_KEYS is not set; set it to the keys of your apps")
    return body


def _checked(event: Mapping[str, Any], size: int) -> str:
    if size > MAX_EVENT_BYTES:
        raise _too_big(size)
    return redact_event(taken_here(parse_event(event, name_unknown=False))).model_dump_json(exclude_none=True)


def _json_object(text: bytes) -> dict[str, Any]:
    data = json_object(text)
    if data is None:
        raise InvalidEvent("event: not a JSON object")
    return data


def _too_big(size: int) -> InvalidEvent:
    return InvalidEvent(f"event: {size:,} bytes, at most {MAX_EVENT_BYTES:,}")


def _place(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return a path under which a refused event may use its number. Raises ValueError for the target of a replay."""
    path = NamespacePath.of(parts)
    if path.is_replay:
        raise ValueError("is where a namespace is replayed")
    return path.parts


class _Envelope(BaseModel):
    """The fields that the inbox needs to place an event, even if the rest is invalid."""

    event_id: UUID
    namespace: Annotated[tuple[str, ...], AfterValidator(_place)]
    publisher: UUID
    publisher_sequence: int = Field(ge=1, le=MAX_NUMBER)
    occurred_at: AwareDatetime
    type: Annotated[str, StringConstraints(min_length=1, max_length=100)]


def _with_envelope(event: Mapping[str, Any], *, whole: bool) -> str | None:
    try:
        envelope = _Envelope.model_validate(event).model_dump(mode="json")
        return json.dumps({**redact_fields(event), **envelope} if whole else envelope)
    except (ValidationError, RecursionError):
        return None


def _kept(body: bytes) -> bytes:
    most = MAX_SIGNED_BYTES if body.startswith(_SIGNED) else MAX_EVENT_BYTES
    return _text_without_secrets(body) if len(body) > most else _without_secrets(body)[:MAX_SIGNED_BYTES]


def _without_secrets(body: bytes) -> bytes:
    """Return a body for a dead letter; unchanged if it contains no secret, since a signature covers every byte."""
    try:
        data = json.loads(body)
        if isinstance(data, dict):
            redacted = _redacted(data)
            return body if redacted == data else json.dumps(redacted).encode()
        if len(body) < _LARGE_BYTES:
            redacted_list = redact_json(data)
            return body if redacted_list == data else json.dumps(redacted_list).encode()
    except (ValueError, RecursionError):
        pass
    return _text_without_secrets(body)


def _text_without_secrets(body: bytes) -> bytes:
    most = _LARGE_BYTES if len(body) < _LARGE_BYTES else _HEAD
    text = body[: most + _BEYOND].decode("utf-8", "surrogateescape")
    return redact(text).encode("utf-8", "surrogateescape")[:most]


def _redacted(data: dict[str, Any]) -> dict[str, Any]:
    if "signed" in data and isinstance(data.get("event"), str):
        return {
            **data,
            "event": _without_secrets(data["event"].encode("utf-8", "surrogatepass")).decode("utf-8", "replace"),
        }
    return redact_fields(data)


def _deeper_than(value: object, levels: int) -> bool:
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return levels < 0 or any(_deeper_than(one, levels - 1) for one in inner)


def _cut(error: Exception) -> str:
    return str(error)[:500]
