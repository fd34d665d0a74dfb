"""The publishing side of the library: checks events, numbers them, and hands them to the queue."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Any
from uuid import UUID

from recollect.errors import InvalidEvent
from recollect.events import MAX_EVENT_BYTES, ConversationEnded, MessageEvent, parse_event
from recollect.ids import uuid7
from recollect.queue import EventQueue


class Publisher:
    """Numbers its events by namespace, from 1 without gaps; one for each process, safe to share between threads.

    What is published together is checked as a whole before any of it is sent.
    """

    def __init__(self, queue: EventQueue) -> None:
        self.id = uuid7()
        self._queue = queue
        self._sequences: defaultdict[tuple[str, ...], int] = defaultdict(int)
        self._lock = Lock()

    def publish(
        self,
        namespace: tuple[str, ...],
        events: Sequence[Mapping[str, Any]],
        on_sent: Callable[[], object] | None = None,
    ) -> list[UUID]:
        """Publish events of one namespace, in order; returns their ids. on_sent: called after each.

        Raises InvalidEvent where one does not fit, QueueUnavailable where the queue does not take them.
        """
        with self._lock:
            first = self._sequences[namespace] + 1
            checked = [self._checked(namespace, event, first + place) for place, event in enumerate(events)]
            self._send([_as_json(event) for event in checked], on_sent)
            self._sequences[namespace] += len(checked)
        return [event.event_id for event in checked]

    def publish_event(self, event: Mapping[str, Any]) -> UUID:
        """Publish one event that brings its own namespace; returns its id. Raises as `publish` does."""
        alone = {"occurred_at": datetime.now(UTC), **event, "publisher": self.id, "publisher_sequence": 1}
        return self.publish(parse_event(alone).namespace, [event])[0]

    def published(self, namespace: tuple[str, ...]) -> int:
        """The number of the newest event of a namespace that the queue took; 0 for none."""
        return self._sequences.get(namespace, 0)

    def _send(self, events: Sequence[str], on_sent: Callable[[], object] | None) -> None:
        taken = False
        try:
            self._queue.publish(events, on_sent)
            taken = True
        finally:
            if not taken:
                # Whatever cut it short, nobody knows which of them arrived. Under a new name, numbers start afresh and none can
                # be taken twice.
                self.id = uuid7()
                self._sequences.clear()

    def _checked(
        self, namespace: tuple[str, ...], event: Mapping[str, Any], sequence: int
    ) -> MessageEvent | ConversationEnded:
        # The namespace too: its numbers are at stake, whatever an event says of itself.
        own = {"namespace": namespace, "publisher": self.id, "publisher_sequence": sequence}
        return parse_event({"occurred_at": datetime.now(UTC), **event, **own})


def _as_json(event: MessageEvent | ConversationEnded) -> str:
    text = event.model_dump_json(exclude_none=True)
    size = len(text.encode())
    if size > MAX_EVENT_BYTES:
        raise InvalidEvent(
            f"event not accepted: {size:,} bytes as JSON, at most {MAX_EVENT_BYTES:,}; split it, or leave out what is no text"
        )
    return text
