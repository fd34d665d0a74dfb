"""Kombu's transport for Redis as the Celery app uses it: nothing that somebody else sends reaches Celery.

Celery's own consumer ends, or logs the whole message, where one is malformed, and obeys every command of its remote control.
"""

import json
import threading
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import structlog
from celery.worker.control import Panel
from kombu.transport import redis

from workers.task_messages import CONTROLS, QUEUES, RefusedTask, read_answer, read_broadcast, read_task

_TASK_QUEUES = tuple(dict.fromkeys(QUEUES.values()))
_CONTROL = ".celery.pidbox"
_DROPPED = b"dropped"  # a type of reply for which kombu does nothing

_log = structlog.get_logger()


class Refusals:
    """Counts what a process refused from Redis, until its heartbeat stores the counts for `python -m workers status`.

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


def keep_questions_only() -> None:
    """Have this worker's remote control know no command that stops or changes it."""
    for name in Panel.data.keys() - CONTROLS:
        del Panel.data[name]
