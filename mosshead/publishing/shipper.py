"""The shipper: a thread that takes what waits in the spool to the event queue, and cuts what the inbox has.

One process ships for all on a spool. The others stand by, and one takes over when it dies. Whatever is away (Redis, Postgres, the
disk) is waited for, and `publish` never waits with it.
"""

import time
from contextlib import suppress
from threading import Event, Lock, Thread, current_thread

from mosshead.errors import SpoolUnavailable
from mosshead.publishing import forking
from mosshead.publishing.acknowledgements import Acknowledgements
from mosshead.publishing.peer import Peer
from mosshead.publishing.shipment import Shipment
from mosshead.publishing.shipping_lock import ShippingLock
from mosshead.publishing.spool import Spool
from mosshead.queue import EventQueue
from mosshead.signing import SigningKey

_STAND_BY_SECONDS = 0.5
_HAND_OVER_SECONDS = 0.2  # the one that ships may be about to end, too
_LOOK_SECONDS = 0.1  # what other processes publish wakes nobody here
_BREATH_SECONDS = 0.01  # a burst gathers, and the app's threads have the interpreter


class Shipper:
    """Ships in a thread of its own, which starts when it is first asked to, in each process anew.

    key: signs what is shipped, and not what is spooled: a key that was wrong heals what waits when it is put right.
    """

    def __init__(
        self, *, spool: Spool, queue: EventQueue, acknowledgements: Acknowledgements, key: SigningKey | None = None
    ) -> None:
        self._spool = spool
        self._queue = queue
        self._acknowledgements = acknowledgements
        self._key = key
        self._ours = ShippingLock(spool.path)
        self._begin()
        forking.watch(self)

    def _begin(self) -> None:
        self._starting = Lock()
        self._thread: Thread | None = None
        self._published = Event()
        self._waking = False
        self._stopping = Event()
        self._stop_by = self._hand_over_by = 0.0
        self._shipment: Shipment | None = None

    def notice(self) -> None:
        """Something was published: start the thread if there is none in this process, or wake it."""
        if self._thread is None:
            started = Thread(target=self._run, name="mosshead-shipper", daemon=True)
            # Nothing is called within: a signal handler that publishes would wait for this, for ever.
            with self._starting:
                chosen = self._thread is None
                if chosen:
                    self._thread = started
            if chosen:
                self._start(started)
        self._wake()

    def stop(self, patience: float) -> bool:
        """Ship what never went out, for so many seconds at most, and end. What is not acknowledged stays in the spool.

        Returns False in the thread itself, where a garbage collection may be what asks: it cannot wait for itself, may be in the
        midst of the spool, and closes that when it ends.
        """
        now = time.monotonic()
        self._stop_by, self._hand_over_by = now + patience, now + min(patience, _HAND_OVER_SECONDS)
        self._stopping.set()
        self._wake()
        thread = self._thread
        if thread is current_thread():
            return False
        if thread is not None:
            with suppress(RuntimeError):  # not started yet, as where a signal handler asks in between: it ends at once
                thread.join(patience)
        return True

    def before_fork(self) -> None:
        """Nothing to wait for: what the thread holds is told of the fork itself."""

    def after_fork_in_parent(self) -> None:
        """Go on."""

    def after_fork_in_child(self) -> None:
        """The thread is the parent's; the child's own starts with its first publish."""
        self._begin()

    def _start(self, thread: Thread) -> None:
        try:
            thread.start()
        except RuntimeError:  # no thread is to be had: the file has the event, and the next one tries again
            self._thread = None

    def _run(self) -> None:
        disk = Peer("the spool")
        over = False
        while not over:
            asked_to_stop = self._stopping.is_set()  # before the round: it then knows of all that was published
            more = self._round(disk)
            over = asked_to_stop and self._over()
            if not over:
                self._rest(more=more)
        self._ours.give_back()
        self._acknowledgements.close()
        self._queue.close()
        self._spool.rest()

    def _round(self, disk: Peer) -> bool:
        """One step, where this process is the one that ships; returns whether there is more to do at once."""
        if time.monotonic() < disk.due:
            return False
        try:
            more = self._step()
        except SpoolUnavailable as error:
            reason = str(error)
        except Exception as error:  # noqa: BLE001 - the edge of a thread; what the error says may be text of a conversation
            reason = type(error).__name__
        else:
            disk.answered()
            return more
        self._shipment = None  # the next one starts from what the file says
        disk.failed(time.monotonic(), reason)
        return False

    def _step(self) -> bool:
        if self._shipment is None and self._ours.take():
            self._shipment = Shipment(
                spool=self._spool, queue=self._queue, acknowledgements=self._acknowledgements, key=self._key
            )
        if self._shipment is None:
            self._spool.trim()
            return False
        return self._shipment.step()

    def _over(self) -> bool:
        if self._shipment is None:
            return time.monotonic() >= self._hand_over_by
        return not self._shipment.unsent or time.monotonic() >= self._stop_by

    def _rest(self, *, more: bool) -> None:
        if more or self._stopping.is_set():
            time.sleep(_BREATH_SECONDS)
        elif self._shipment is None:
            self._stopping.wait(_STAND_BY_SECONDS)
        elif not self._shipment.can_send:
            self._stopping.wait(_LOOK_SECONDS)
        elif self._published.wait(_LOOK_SECONDS):
            self._published.clear()
            time.sleep(_BREATH_SECONDS)

    def _wake(self) -> None:
        """Have the thread look now; it would by itself, soon."""
        if self._waking:  # perhaps by what a signal handler interrupted, whose lock it would wait for, for ever
            return
        self._waking = True
        try:
            self._published.set()
        finally:
            self._waking = False
