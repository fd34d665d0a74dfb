"""What comes from the broker, read without trust: whoever has a login may push anything.

Kombu reads each element of a list in Redis as a message in JSON, and a consumer ends where one is anything else. By then it is
out of Redis: a worker that dies puts it back, and dies again. Celery's own consumer also logs the whole message where one is
malformed, and obeys every command of its remote control. So the consumers of the service read every element here first, and hand
kombu messages that they made themselves. They do the same with what comes from RabbitMQ (`workers.connections`).

A task message is a stage's name and ids. The rows in Postgres are the truth, so a refused message loses nothing: a hint of ours
that was damaged is given again.
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
"""The content type of what was no message at all: its body is the whole element."""

QUEUES = {
    "extract": "extract",
    "score_salience": "score",
    "embed": "embed",
    "consolidate": "consolidate",
    "refresh_profiles": "profile",
    "reflect": "reflect",
}
"""The queue of each stage, so that an operator may give a slow one workers of its own."""

CONTROLS = frozenset(
    {"ping", "stats", "conf", "registered", "active_queues", "active", "reserved", "scheduled", "revoked"}
    | {"enable_events", "heartbeat"}
)
"""What a worker does over Celery's remote control: it answers what Flower and `celery inspect` ask, and sends events.

It cannot be stopped or changed that way."""

_TASK_QUEUES = tuple(dict.fromkeys(QUEUES.values()))
_CONTROL, _ANSWERS = ".celery.pidbox", ".reply.celery.pidbox"
_DROPPED = b"dropped"  # a type of reply for which kombu does nothing

_ARGUMENTS = {"safe", "with_defaults", "builtins", "taskinfoitems"}

_MOST_BYTES = 16 * 1024  # ours have about 1 KB
_MOST_BROADCAST_BYTES = 256 * 1024  # an event has about 1 KB, a command less, an answer of `stats` or `conf` a few
_MOST_CLOCK = 2**53
_OURS = re.compile(r"mosshead\.[a-z_]{1,40}")
_NOTHING: tuple[Any, ...] = (None, 0, "", [], {})

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class RefusedTask:
    """A message that is not taken. reason: one of few, without anything of the message. task: where its name looks like ours."""

    reason: str
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Element:
    """A message as the broker has it, its body decoded and not yet read."""

    content_type: str
    headers: Mapping[str, Any]
    body: bytes


class Refusals:
    """Counts what a process refused from the broker, until its heartbeat stores the counts for `mosshead status`.

    Safe to share between the event loop, which waits for nobody, and the thread that stores the counts.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def add(self, refused: RefusedTask, *, size: int) -> None:
        """Count one. Only the first of its reason since counts were stored is logged, however many follow."""
        with self._lock:
            self._counts[refused.reason] += 1
            first = self._counts[refused.reason] == 1
        if first:
            _log.warning(
                "task_refused", reason=refused.reason, bytes=size, **({"task": refused.task} if refused.task else {})
            )

    def counts(self) -> Mapping[str, int]:
        """By reason, what is not stored yet."""
        with self._lock:
            return dict(self._counts)

    def stored(self, counts: Mapping[str, int]) -> None:
        """Take off what was stored."""
        with self._lock:
            self._counts = +(self._counts - Counter(counts))


REFUSALS = Refusals()
"""Of this process: Celery makes its channels itself, and hands them nothing."""


class VerbatimQoS(redis.QoS):
    """Puts back what a consumer that died had in hand, whatever stands there in its place.

    Kombu's own reads the entry as it puts it back: one that it cannot read ends every consumer at its start. Here the element
    goes back to its list unread, and is judged when it is taken, like all others.
    """

    def restore_by_tag(self, tag: Any, client: Any = None, leftmost: bool = False) -> None:
        """Move an element from those in hand back to its list, in one transaction."""

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
    """The list to which an entry of ``unacked`` goes back, and the element: the entry itself, where it holds none.

    queues: those of the consumer; an element that names none of them goes to the first.
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
        """The reply to BRPOP, made anew; None where it is refused, as if nothing had come."""
        if not reply:
            return None
        key, element = reply
        queue = key.decode(errors="replace").removeprefix(self.global_keyprefix).rsplit(self.sep, 1)[0]
        read = read_task(element) if queue in _TASK_QUEUES else read_answer(element)
        if not isinstance(read, RefusedTask):
            return key, read
        REFUSALS.add(read, size=len(element))
        self._queue_cycle.rotate(queue)  # kombu does so after a message: the next queue has its turn
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
    """The same, at the master that Sentinel names."""


class Transport(redis.Transport):
    """Kombu's, with channels that judge what comes."""

    Channel = Channel

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        """Have a worker read from a connection; close it where that fails, as at a Redis that is full.

        Celery forgets it then without closing it, and tries again several times a second. Redis would stay full of connections.
        """
        try:
            super().register_with_event_loop(connection, loop)  # type: ignore[no-untyped-call]
        except self.connection_errors + self.channel_errors:
            self.close_connection(connection)  # type: ignore[no-untyped-call]
            raise


class SentinelTransport(Transport, redis.SentinelTransport):
    """The same, with channels at the master that Sentinel names."""

    Channel = SentinelChannel


def read_what_others_push(channel: redis.Channel) -> None:
    """Have the intake's channel get everything in its list as messages. Must be called before it consumes."""
    channel.client.set_response_callback(
        "BRPOP", lambda reply, **_: (reply[0], as_message(reply[1])) if reply else None
    )


def as_message(element: bytes) -> bytes:
    """An element of the event queue as a message of ours: its body, or the element itself, where it has none that can be read."""
    read = read_element(element)
    content_type, body = FOREIGN, element
    if read is not None and read.content_type in {JSON, FOREIGN}:
        content_type, body = read.content_type, read.body
    return write_element(Element(content_type, {}, body), routing_key=QUEUE.name)


def read_task(element: bytes) -> bytes | RefusedTask:
    """Read an element of a task queue: a message with nothing in it but the task's name, its ids and its place in Flower."""
    if len(element) > _MOST_BYTES:
        return RefusedTask("longer than a task message")
    read = judge_task(read_element(element))
    if isinstance(read, RefusedTask):
        return read
    return write_element(read, routing_key=QUEUES[str(read.headers["task"]).removeprefix("mosshead.")])


def read_broadcast(data: bytes, *, control: bool) -> bytes | RefusedTask:
    """Read what was published to all: a command of remote control, or events for Flower, of which some are in a list."""
    if len(data) > _MOST_BROADCAST_BYTES:
        return RefusedTask("longer than a broadcast")
    read = judge_broadcast(read_element(data), control=control)
    return read if isinstance(read, RefusedTask) else write_element(read, routing_key="")


def read_answer(element: bytes) -> bytes | RefusedTask:
    """Read an element of a list in which somebody waits for the workers' answers, such as Flower."""
    read = judge_answer(read_element(element) if len(element) <= _MOST_BROADCAST_BYTES else None)
    return read if isinstance(read, RefusedTask) else write_element(read, routing_key="")


def judge(queue: str, size: int, message: Element | None) -> Element | RefusedTask:
    """Read a message by the name of the queue that it was in."""
    if queue in _TASK_QUEUES:
        return judge_task(message) if size <= _MOST_BYTES else RefusedTask("longer than a task message")
    if size > _MOST_BROADCAST_BYTES:
        return RefusedTask("longer than a broadcast")
    if queue.endswith(_ANSWERS):
        return judge_answer(message)
    return judge_broadcast(message, control=queue.endswith(_CONTROL))


def judge_task(message: Element | None) -> Element | RefusedTask:
    """The message anew, with nothing in it but the task's name, its ids and its place in Flower."""
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
    """The message anew, where it is a command that a worker carries out, or events."""
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
    """The message anew, where it is a worker's answer."""
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
    # Ours run at once, once, and within the service's own limits; nothing follows from them but through the database.
    asks = any(headers.get(field) not in _NOTHING for field in ("eta", "expires", "group", "retries", "chord"))
    # A worker that sends a task names its own limits, the scheduler names none. Neither is heeded: each worker has its own.
    limits = [] if headers.get("timelimit") is None else headers["timelimit"]
    if asks or not isinstance(limits, list) or not all(one is None or _is_number(one) for one in limits):
        return RefusedTask("asks for more than a stage")
    return stage


def _ids_of(message: Element) -> list[str] | None:
    """Of the tenant, the namespace and the batch."""
    match _json(message.body):
        case [list(arguments), dict(keywords), dict(follow_up)] if not keywords and not any(follow_up.values()):
            ids = [one for one in map(_uuid, arguments) if one]
            return ids if len(ids) == len(arguments) == 3 else None
    return None


def _is_control(body: Any) -> bool:
    """Whether it is a command that a worker carries out, in the form of kombu's mailbox."""
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
    """Whether they are what a question may be asked with: a choice, or nothing."""
    return (
        isinstance(arguments, dict)
        and arguments.keys() <= _ARGUMENTS
        and all(isinstance(value, bool) or not value for value in arguments.values())
    )


def _is_reply_to(value: Any) -> bool:
    """An answer goes where the asker waits: in a list of its own, and in none of the service's."""
    return (
        isinstance(value, dict)
        and value.keys() == {"exchange", "routing_key"}
        and value["exchange"] == "reply.celery.pidbox"
        and _uuid(value["routing_key"]) is not None
    )


def _is_event(event: Any) -> bool:
    """Whether it has the fields by which Flower sorts events, in their types."""
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
    """Read an element; None where it is no message in the form that kombu's producer writes, or is compressed."""
    try:
        message = json.loads(element)
        content_type, headers, body = message["content-type"], message["headers"], message["body"]
        # A few bytes may unpack to more than there is memory for, and nothing of ours compresses.
        if message["properties"]["body_encoding"] != "base64" or "compression" in headers:
            return None
        if isinstance(content_type, str) and isinstance(headers, dict):
            return Element(content_type, headers, b64decode(body, validate=True))
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    return None


def write_element(element: Element, *, routing_key: str) -> bytes:
    """Write a message that kombu is known to read.

    routing_key: without an exchange, the queue to which it goes back if nobody takes it.
    """
    message = {
        "body": b64encode(element.body).decode(),
        "content-type": element.content_type,
        "content-encoding": "utf-8",
        "headers": dict(element.headers),
        "properties": {
            "body_encoding": "base64",
            "delivery_tag": str(uuid4()),  # of two under one tag, only one would outlive a crash of the consumer
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
