"""Mode "direct": `publish` sends to the event queue itself. What Redis then loses is lost; docs/publishing.md says when."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from uuid import UUID

from mosshead.errors import QueueUnavailable
from mosshead.ids import uuid7
from mosshead.paths import NamespacePath
from mosshead.publishing import fork_safety
from mosshead.publishing.fork_safety import InUse
from mosshead.publishing.queue import EventQueue
from mosshead.publishing.signing import SigningKey, sign
from mosshead.publishing.validation import CheckedEvent, numbered


class DirectPublisher:
    """Numbers its events by namespace, from 1 without gaps; one for each process, safe to share between threads."""

    def __init__(self, queue: EventQueue, key: SigningKey | None = None) -> None:
        self._queue = queue
        self._key = key
        self._start_afresh()
        self._in_use = InUse(QueueUnavailable)
        fork_safety.watch(self)

    def publish(
        self, path: NamespacePath, events: Sequence[CheckedEvent], on_sent: Callable[[], object] | None = None
    ) -> None:
        """Send events of one namespace, in order; on_sent: called after each.

        Raises QueueUnavailable where the queue does not take them; nobody knows then which of them arrived.
        """
        with self._in_use.use():
            first = self._numbers[path] + 1
            self._send([self._body(event, first + place) for place, event in enumerate(events)], on_sent)
            self._numbers[path] += len(events)

    def published(self, path: NamespacePath) -> dict[UUID, int]:
        """By publisher, the number of the newest event of a namespace that the queue took."""
        newest = self._numbers.get(path)
        return {self._id: newest} if newest else {}

    def close(self) -> None:
        """Give the connection back."""
        self._queue.close()

    def before_fork(self) -> None:
        """Nothing to wait for: the child publishes under a name of its own."""

    def after_fork_in_parent(self) -> None:
        """Go on."""

    def after_fork_in_child(self) -> None:
        """The numbers are the parent's, and so is a lock that one of its threads may hold."""
        self._in_use = InUse(QueueUnavailable)
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._id = uuid7()
        self._numbers: defaultdict[NamespacePath, int] = defaultdict(int)

    def _body(self, event: CheckedEvent, number: int) -> str:
        body = numbered(event.body, self._id, number)
        return sign(body, self._key) if self._key else body

    def _send(self, events: Sequence[str], on_sent: Callable[[], object] | None) -> None:
        taken = False
        try:
            self._queue.publish(events, on_sent)
            taken = True
        finally:
            if not taken:
                # Whatever cut it short, nobody knows which of them arrived. Under a new name, numbers start afresh and none can
                # be taken twice.
                self._start_afresh()
