"""Validate what the broker delivers, since anybody with a login may push anything.

Kombu reads each element of a Redis list as a JSON message, and its consumer crashes on anything else. The element has then left
Redis: a worker that dies puts it back, and dies again. Celery's own consumer also logs the whole message if it is malformed, and
obeys every remote control command. So the service's consumers read every element here first, and pass kombu messages that they
built themselves. They do the same with messages from RabbitMQ (`workers.connections`).

A task message contains a stage's name and ids. The rows in Postgres are authoritative, so a refused message loses nothing: the
scheduler resends a damaged hint.
"""

import json
import re
import threading
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import structlog
from kombu.transport import redis

from mosshead.publishing.broker import QUEUE

JSON = "application/json"
"""The content type of every message that the library and the service send."""

FOREIGN = "application/octet-stream"
"""The content type of an element that is not a message; its body is the whole element."""

QUEUES = {
    "extract": "extract",
    "score_salience": "score",
    "embed": "embed",
    "consolidate": "consolidate",
    "refresh_profiles": "profile",
    "reflect": "reflect",
}
"""The queue of each stage, so that an operator can give a slow stage its own workers."""

CONTROLS = frozenset(
    {"ping", "stats", "conf", "registered", "active_queues", "active", "reserved", "scheduled", "revoked"}
    | {"enable_events", "heartbeat"}
)
"""The remote control commands that a worker obeys: the questions of Flower and `celery inspect`, and requests for events.

None of them stops or changes the worker."""

_TASK_QUEUES = tuple(dict.fromkeys(QUEUES.values()))
_CONTROL, _ANSWERS = ".celery.pidbox", ".reply.celery.pidbox"
_DROPPED = b"dropped"  # a type of reply that kombu ignores

_ARGUMENTS = {"safe", "with_defaults", "builtins", "taskinfoitems"}

_MOST_BYTES = 16 * 1024  # ours have about 1 KB
_MOST_BROADCAST_BYTES = 256 * 1024  # an event has about 1 KB, a command less, an answer to `stats` or `conf` a few
_MOST_CLOCK = 2**53
_OURS = re.compile(r"mosshead\.[a-z_]{1,40}")
_NOTHING: tuple[Any, ...] = (None, 0, "", [], {})

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class RefusedTask:
    """A refused message. reason: One of a few fixed texts, without message content. task: Its name, if it looks like ours."""

    reason: str
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Element:
    """A message from the broker. Its body is decoded, but not parsed."""

    content_type: str
    headers: Mapping[str, Any]
    body: bytes


class Refusals:
    """Counts the messages that a process refused, until its heartbeat stores the counts for `mosshead status`.

    It is thread-safe: the event loop, which must not block, adds counts, and another thread stores them.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def add(self, refused: RefusedTask, *, size: int) -> None:
        """Count a refused message. Log only the first of each reason since the counts were last stored."""
        with self._lock:
            self._counts[refused.reason] += 1
            first = self._counts[refused.reason] == 1
        if first:
            _log.warning(
                "task_refused", reason=refused.reason, bytes=size, **({"task": refused.task} if refused.task else {})
            )

    def counts(self) -> Mapping[str, int]:
        """Return the counts that are not stored yet, by reason."""
        with self._lock:
            return dict(self._counts)

    def stored(self, counts: Mapping[str, int]) -> None:
        """Subtract the counts that were stored."""
        with self._lock:
            self._counts = +(self._counts - Counter(counts))


REFUSALS = Refusals()
"""The counts of this process; global, since Celery creates its channels itself and passes them nothing."""


class VerbatimQoS(redis.QoS):
    """Puts back the elements that a dead consumer had in hand, even if they are not messages.

    Kombu's own parses each entry first, and an unreadable one crashes every consumer at its start. Here the element returns to
    its list unread, and is judged when it is taken, like all others.
    """

    def restore_by_tag(self, tag: Any, client: Any = None, leftmost: bool = False) -> None:
        """Move an element in hand back to its list, in one transaction."""

        def put_back(pipe: Any) -> None:
            entry = pipe.hget(self.unacked_key, tag)
            pipe.multi()
            self._remove_from_indices(tag, pipe)  # type: ignore[no-untyped-call]
            if entry:
                queue, element = home_of(entry, _TASK_QUEUES)
                (pipe.lpush if leftmost else pipe.rpush)(queue, element)

        with self.channel.conn_or_acquire(client) as connection:
            connection.transaction(put_back, self.unacked_key)


def home_of(entry: bytes, queues: Collection[str]) -> tuple[str, bytes]:
    """Return the list to which an entry of ``unacked`` belongs, and its element, or the entry itself if it contains none.

    queues: The consumer's; an element that names none of them goes to the first.
    """
    try:
        message, _exchange, routing_key = json.loads(entry)
        queue = routing_key if routing_key in queues else next(iter(queues))
        return queue, json.dumps(message).encode()
    except (ValueError, TypeError, RecursionError):
        return next(iter(queues)), entry


class Channel(redis.Channel):
    """Judges each element of a list and each broadcast before kombu reads it."""

    QoS = VerbatimQoS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[no-untyped-call]
        self.client.set_response_callback("BRPOP", self._judged)

    def _judged(self, reply: Any, **_: Any) -> tuple[bytes, bytes] | None:
        """Return the reply to BRPOP, rebuilt, or None if it is refused, as if the list were empty."""
        if not reply:
            return None
        key, element = reply
        queue = key.decode(errors="replace").removeprefix(self.global_keyprefix).rsplit(self.sep, 1)[0]
        read = read_task(element) if queue in _TASK_QUEUES else read_answer(element)
        if not isinstance(read, RefusedTask):
            return key, read
        REFUSALS.add(read, size=len(element))
        self._queue_cycle.rotate(queue)  # as kombu does after a message, so that the next queue has its turn
        return None

    def _handle_message(self, client: Any, response: Any) -> dict[str, Any]:
        received: dict[str, Any] = super()._handle_message(client, response)  # type: ignore[no-untyped-call]
        if received["type"] not in {b"message", b"pmessage"}:
            return received
        data = received["data"]
        read = read_broadcast(data, control=received["channel"].endswith(_CONTROL.encode()))
        if not isinstance(read, RefusedTask):
            return {**received, "data": read}
        REFUSALS.add(read, size=len(data))
        return {**received, "type": _DROPPED}


class SentinelChannel(Channel, redis.SentinelChannel):
    """A `Channel` to the master that Sentinel names."""


class Transport(redis.Transport):
    """Kombu's transport, with channels that judge messages."""

    Channel = Channel

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        """Let a worker read from a connection, and close it on failure, as with a full Redis.

        Celery would drop it without closing it and retry several times a second, until Redis is full of connections.
        """
        try:
            super().register_with_event_loop(connection, loop)  # type: ignore[no-untyped-call]
        except self.connection_errors + self.channel_errors:
            self.close_connection(connection)  # type: ignore[no-untyped-call]
            raise


class SentinelTransport(Transport, redis.SentinelTransport):
    """A `Transport` with channels to the master that Sentinel names."""

    Channel = SentinelChannel


def read_what_others_push(channel: redis.Channel) -> None:
    """Let the intake's channel receive every element of its list as a message. Call this before it consumes."""
    channel.client.set_response_callback(
        "BRPOP", lambda reply, **_: (reply[0], as_message(reply[1])) if reply else None
    )


def as_message(element: bytes) -> bytes:
    """Return an element of the event queue as a message of ours, with its body, or the whole element if that is unreadable."""
    read = read_element(element)
    content_type, body = FOREIGN, element
    if read is not None and read.content_type in {JSON, FOREIGN}:
        content_type, body = read.content_type, read.body
    return write_element(Element(content_type, {}, body), routing_key=QUEUE.name)


def read_task(element: bytes) -> bytes | RefusedTask:
    """Read an element of a task queue. Return a message with only the task's name, its ids and its place in Flower."""
    if len(element) > _MOST_BYTES:
        return RefusedTask("longer than a task message")
    read = judge_task(read_element(element))
    if isinstance(read, RefusedTask):
        return read
    return write_element(read, routing_key=QUEUES[str(read.headers["task"]).removeprefix("mosshead.")])


def read_broadcast(data: bytes, *, control: bool) -> bytes | RefusedTask:
    """Read a broadcast: a remote control command, or one or more events for Flower."""
    if len(data) > _MOST_BROADCAST_BYTES:
        return RefusedTask("longer than a broadcast")
    read = judge_broadcast(read_element(data), control=control)
    return read if isinstance(read, RefusedTask) else write_element(read, routing_key="")


def read_answer(element: bytes) -> bytes | RefusedTask:
    """Read an element of a list on which a client such as Flower waits for the workers' answers."""
    read = judge_answer(read_element(element) if len(element) <= _MOST_BROADCAST_BYTES else None)
    return read if isinstance(read, RefusedTask) else write_element(read, routing_key="")


def judge(queue: str, size: int, message: Element | None) -> Element | RefusedTask:
    """Read a message according to its queue's name."""
    if queue in _TASK_QUEUES:
        return judge_task(message) if size <= _MOST_BYTES else RefusedTask("longer than a task message")
    if size > _MOST_BROADCAST_BYTES:
        return RefusedTask("longer than a broadcast")
    if queue.endswith(_ANSWERS):
        return judge_answer(message)
    return judge_broadcast(message, control=queue.endswith(_CONTROL))


def judge_task(message: Element | None) -> Element | RefusedTask:
    """Rebuild the message with only the task's name, its ids and its place in Flower."""
    if message is None or message.content_type != JSON:
        return RefusedTask("not a task message")
    stage = _stage_of(message.headers)
    if isinstance(stage, RefusedTask):
        return stage
    ids = _ids_of(message)
    if ids is None:
        return RefusedTask("wrong arguments")
    headers = {name: _uuid(message.headers.get(name)) for name in ("id", "root_id", "parent_id")}
    if headers["id"] is None:
        return RefusedTask("no task id")
    whole = {**headers, "lang": "py", "task": f"mosshead.{stage}", "argsrepr": repr(ids), "kwargsrepr": "{}"}
    body = [ids, {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}]
    return Element(JSON, whole, json.dumps(body).encode())


def judge_broadcast(message: Element | None, *, control: bool) -> Element | RefusedTask:
    """Rebuild the message if it is a command that a worker obeys, or events."""
    body = _json(message.body) if message and message.content_type == JSON else None
    if message is None or body is None:
        return RefusedTask("not a broadcast")
    events = body if isinstance(body, list) else [body]
    if not (_is_control(body) if control else all(map(_is_event, events))):
        return RefusedTask("not a command" if control else "not an event")
    clock = message.headers.get("clock")
    headers = {"clock": clock if _is_clock(clock) else 0, "hostname": ""}
    return Element(JSON, headers, json.dumps(body).encode())


def judge_answer(message: Element | None) -> Element | RefusedTask:
    """Rebuild the message if it is a worker's answer."""
    body = _json(message.body) if message and message.content_type == JSON else None
    if message is None or not isinstance(body, dict):
        return RefusedTask("not an answer")
    clock, ticket = message.headers.get("clock"), message.headers.get("ticket")
    headers = {"clock": clock if _is_clock(clock) else 0, "ticket": _uuid(ticket)}
    return Element(JSON, headers, json.dumps(body).encode())


def _stage_of(headers: Mapping[str, Any]) -> str | RefusedTask:
    name = headers.get("task")
    if not isinstance(name, str) or not name:
        return RefusedTask("no task's name")
    stage = name.removeprefix("mosshead.")
    if name == stage or stage not in QUEUES:
        return RefusedTask("unknown task", name if _OURS.fullmatch(name) else None)
    # Our tasks run at once, once, and within the service's own limits; only the database triggers further tasks.
    asks = any(headers.get(field) not in _NOTHING for field in ("eta", "expires", "group", "retries", "chord"))
    # A worker sends its own time limits with a task, the scheduler none. Both are ignored: each worker applies its own.
    limits = [] if headers.get("timelimit") is None else headers["timelimit"]
    if asks or not isinstance(limits, list) or not all(one is None or _is_number(one) for one in limits):
        return RefusedTask("asks for more than a stage")
    return stage


def _ids_of(message: Element) -> list[str] | None:
    """Return the ids of the tenant, the namespace and the batch."""
    match _json(message.body):
        case [list(arguments), dict(keywords), dict(follow_up)] if not keywords and not any(follow_up.values()):
            ids = [one for one in map(_uuid, arguments) if one]
            return ids if len(ids) == len(arguments) == 3 else None
    return None


def _is_control(body: Any) -> bool:
    """Return whether it is a command that a worker obeys, in the form of kombu's mailbox."""
    if not isinstance(body, dict) or body.get("pattern") or body.get("matcher"):
        return False
    reply_to, destination = body.get("reply_to"), body.get("destination")
    return (
        isinstance(body.get("method"), str)
        and body["method"] in CONTROLS
        and _is_plain(body.get("arguments") or {})
        and (
            destination is None or (isinstance(destination, list) and all(isinstance(one, str) for one in destination))
        )
        and (reply_to is None or _is_reply_to(reply_to))
        and (body.get("ticket") is None or _uuid(body["ticket"]) is not None)
        and body.keys() <= {"method", "arguments", "destination", "pattern", "matcher", "reply_to", "ticket"}
    )


def _is_plain(arguments: Any) -> bool:
    """Return whether they are arguments that a question may have: booleans or empty values."""
    return (
        isinstance(arguments, dict)
        and arguments.keys() <= _ARGUMENTS
        and all(isinstance(value, bool) or not value for value in arguments.values())
    )


def _is_reply_to(value: Any) -> bool:
    """Return whether answers go to a list of the client's own, and not to one of the service's."""
    return (
        isinstance(value, dict)
        and value.keys() == {"exchange", "routing_key"}
        and value["exchange"] == "reply.celery.pidbox"
        and _uuid(value["routing_key"]) is not None
    )


def _is_event(event: Any) -> bool:
    """Return whether it has the fields that Flower sorts events by, with the right types."""
    return (
        isinstance(event, dict)
        and all(_is_name(event.get(field)) for field in ("type", "hostname"))
        and _is_clock(event.get("clock"))
        and all(_is_number(event.get(field)) for field in ("timestamp", "utcoffset", "pid"))
        and all(event.get(field) is None or _is_number(event[field]) for field in ("runtime", "freq", "active"))
        and all(event.get(field) is None or _is_name(event[field]) for field in ("name", "args", "kwargs", "eta"))
        and (not event["type"].startswith("task-") or _uuid(event.get("uuid")) is not None)
    )


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 200


def _is_clock(value: Any) -> bool:
    return isinstance(value, int) and 0 <= value < _MOST_CLOCK


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) < _MOST_CLOCK


def read_element(element: bytes) -> Element | None:
    """Read an element. Return None if it is compressed, or not in the form that kombu's producer writes."""
    try:
        message = json.loads(element)
        content_type, headers, body = message["content-type"], message["headers"], message["body"]
        # Ours are never compressed, and a few bytes may unpack to more than the memory holds.
        if message["properties"]["body_encoding"] != "base64" or "compression" in headers:
            return None
        if isinstance(content_type, str) and isinstance(headers, dict):
            return Element(content_type, headers, b64decode(body, validate=True))
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    return None


def write_element(element: Element, *, routing_key: str) -> bytes:
    """Return a message in a form that kombu reads.

    routing_key: The queue to which it returns if no consumer takes it.
    """
    message = {
        "body": b64encode(element.body).decode(),
        "content-type": element.content_type,
        "content-encoding": "utf-8",
        "headers": dict(element.headers),
        "properties": {
            "body_encoding": "base64",
            "delivery_tag": str(uuid4()),  # of two with the same tag, only one would survive a consumer's crash
            "delivery_info": {"exchange": "", "routing_key": routing_key},
        },
    }
    return json.dumps(message).encode()


def _uuid(value: Any) -> str | None:
    try:
        return str(UUID(value)) if isinstance(value, str) else None
    except ValueError:
        return None


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
