"""What becomes of what came through the queue: an event for the inbox, or a dead letter with its reason. Pure.

The library has taken the secrets out of what it publishes. What somebody else put into the queue still has them: they are
taken out here, of an event as of a body that is kept with a dead letter.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, Field, StringConstraints, ValidationError

from mosshead.errors import InvalidEvent, SignatureRefused
from mosshead.events import MAX_EVENT_BYTES, parse_event
from mosshead.events.envelope import MAX_NUMBER
from mosshead.paths import NamespacePath
from mosshead.publishing.publishers import taken_here
from mosshead.publishing.signing import MAX_SIGNED_BYTES, TenantKey, open_signed
from mosshead.redaction import redact, redact_event, redact_fields, redact_json
from mosshead.serialization import json_object

_MOST_READ = 16 * MAX_EVENT_BYTES
_DEEPEST = 100
_SIGNED = b'{"signed":'
_MOST_KEPT = MAX_SIGNED_BYTES
_LARGE_BYTES = 32 * 2**10
_HEAD = 8 * 2**10
"""A body that is not a JSON object is kept whole below _LARGE_BYTES; of a longer one only the first _HEAD bytes are kept, because
searching for secrets takes time."""

_BEYOND = 4096  # looked at with what is kept of a body, so that no secret is cut in two and kept as half of one


@dataclass(frozen=True, slots=True)
class Accepted:
    """An event that was checked, as JSON text for the inbox. body: the message that it came in."""

    event: str
    body: bytes


@dataclass(frozen=True, slots=True)
class RefusedMessage:
    """A message that is no event for the inbox. reason: holds no text of a conversation.

    event: what came, as JSON text, where its envelope can be read and its sender may use its number: the number then counts as
    received, so that the events behind it need not wait.
    """

    reason: str
    body: bytes
    event: str | None = None

    def as_json(self) -> str:
        """The dead letter, as ``mosshead_write_v1.refuse`` takes it. What can never be an event is cut before it is read."""
        kept = b"" if self.event is not None else _kept(self.body)
        letter = {
            "reason": self.reason,
            "digest": sha256(self.body).hexdigest(),
            "bytes": len(self.body),
            "body": b64encode(kept).decode(),
        }
        return f'{json.dumps(letter)[:-1]}, "event": {self.event or "null"}}}'


Arrival = Accepted | RefusedMessage


def _place(parts: tuple[str, ...]) -> tuple[str, ...]:
    """A path under which a refused event may take its number: where a namespace is replayed, nothing of an app's has a place."""
    path = NamespacePath.of(parts)
    if path.is_replay:
        raise ValueError("is where a namespace is replayed")
    return path.parts


class _Envelope(BaseModel):
    """What the inbox must know of an event to give it its place, whatever else is wrong with it."""

    event_id: UUID
    namespace: Annotated[tuple[str, ...], AfterValidator(_place)]
    publisher: UUID
    publisher_sequence: int = Field(ge=1, le=MAX_NUMBER)
    occurred_at: AwareDatetime
    type: Annotated[str, StringConstraints(min_length=1, max_length=100)]


def judge(body: bytes, keys: Mapping[str, TenantKey]) -> Arrival:
    """Read a message. keys: of those who may publish, by kid; where there are any, everything must be signed."""
    try:
        text = _opened(body, keys)
        event = _json_object(text)
    except (InvalidEvent, SignatureRefused) as error:
        # Its number does not count: whoever has no key could use up somebody else's.
        return RefusedMessage(_cut(error), body)
    return judge_event(event, size=len(text), body=body)


def takes_long(body: bytes) -> bool:
    """Whether `judge` and the dead letter may take long: of a large JSON object, secrets are looked for in all of it.

    The sender does not matter: a refused object is searched for secrets and kept whole, too.
    """
    return _LARGE_BYTES <= len(body) <= _MOST_READ and json_object(body) is not None


def judge_event(event: Mapping[str, Any], *, size: int, body: bytes) -> Arrival:
    """Check an event whose sender is known to be who it should be. size: its bytes as JSON. body: the message it came in."""
    try:
        return Accepted(_checked(event, size), body)
    except (InvalidEvent, RecursionError) as error:
        # Where it is that deep, the error names every field on the way down, and those are text from outside.
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


def _with_envelope(event: Mapping[str, Any], *, whole: bool) -> str | None:
    try:
        envelope = _Envelope.model_validate(event).model_dump(mode="json")
        return json.dumps({**redact_fields(event), **envelope} if whole else envelope)
    except (ValidationError, RecursionError):
        return None


def _kept(body: bytes) -> bytes:
    most = _MOST_KEPT if body.startswith(_SIGNED) else MAX_EVENT_BYTES
    return _text_without_secrets(body) if len(body) > most else _without_secrets(body)[:_MOST_KEPT]


def _without_secrets(body: bytes) -> bytes:
    """A body that is kept; byte for byte as it came, where it holds no secret: a signature stands for every byte."""
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
