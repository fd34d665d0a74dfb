"""`Session`: the state shared by the parts of a namespace."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from uuid import UUID

from sqlalchemy import Connection, Engine

from mosshead.arguments import OnTimeout, checked_on_timeout, checked_seconds
from mosshead.bridge import apart, pause
from mosshead.deadline import ends_within
from mosshead.embeddings import Embedder
from mosshead.errors import ReadTimeout, WaitTimeout
from mosshead.models.kinds import MemoryKind
from mosshead.models.memories import Hit, Hits, Progress, StoredMemory
from mosshead.paths import NamespacePath
from mosshead.publishing.publishers import KEEP_SECONDS, AppSession, check_events, publish_checked
from mosshead.store import memories
from mosshead.store.connection import ReadStore, in_one_trip, tenant_transaction
from mosshead.store.pending import Laid, Overlay, Pending
from mosshead.telemetry import observed

if TYPE_CHECKING:
    from mosshead.publishing.shipper import SpoolPublisher

_POLL_SECONDS = 0.05

_T = TypeVar("_T")
_P = ParamSpec("_P")


@dataclass(frozen=True, slots=True)
class Session:
    """The state shared by the parts of a namespace. Extensions get it from `Namespace.session`.

    overlay: This process's pending writes, in all namespaces.
    """

    path: NamespacePath
    engine: Engine
    embedder: Embedder
    publisher: "SpoolPublisher | None" = None
    overlay: Overlay = field(default_factory=Overlay)

    def transaction(self) -> AbstractContextManager[Connection]:
        """Open a transaction that sees only this tenant's rows."""
        return tenant_transaction(self.engine, self.path.tenant_id)

    def snapshot(self) -> AbstractContextManager[Connection]:
        """Open a repeatable-read transaction that sees only this tenant's rows."""
        engine = self.engine.execution_options(isolation_level="REPEATABLE READ")
        return tenant_transaction(engine, self.path.tenant_id)

    def fetch(
        self,
        read: Callable[Concatenate[Connection, NamespacePath, _P], _T],
        *arguments: _P.args,
        **named: _P.kwargs,
    ) -> _T:
        """Run a read function of `mosshead.store` on this namespace in its own transaction, and return its result."""
        with self.transaction() as connection:
            return read(connection, self.path, *arguments, **named)

    def store(self) -> ReadStore:
        """Return the handle that context reads use."""
        return ReadStore(engine=self.engine, path=self.path, embedder=self.embedder)

    def read(
        self, read: Callable[[], _T], *, timeout: float | None, on_timeout: OnTimeout, late: Callable[[str], _T]
    ) -> _T:
        """Run a read that recalls within a time limit. On timeout, return ``late(reason)`` or raise ReadTimeout.

        Raises ValueError if an argument is invalid, and StoreUnavailable.
        """
        late_answer = late if checked_on_timeout(on_timeout) == "partial" else None
        limit = None if timeout is None else checked_seconds("timeout", timeout)

        def in_time() -> _T:
            with ends_within(self.engine, limit):
                return read()

        try:
            return observed(in_time, self.path.namespace_id)
        except ReadTimeout as error:
            if late_answer is None:
                raise
            return late_answer(str(error))

    def publish(self, event: Mapping[str, Any], *, session: AppSession | None = None) -> UUID:
        """Check and publish one event, and return its id. session: As for `Namespace.publish`."""
        return self.publish_all([event], session=session)[0]

    def publish_all(
        self,
        events: Sequence[Mapping[str, Any]],
        *,
        on_sent: Callable[[], object] | None = None,
        session: AppSession | None = None,
    ) -> list[UUID]:
        """Check all events, publish them in order, and return their ids. on_sent: Called after each."""
        checked = apart(lambda: check_events(self.path, events))
        publish_checked(self.publisher, self.path, checked, on_sent=on_sent, session=session)
        for event in events:
            if event.get("type") == "conversation_ended" and (ended := event.get("conversation")):
                self.overlay.end(self.path, ended)
        return [event.event_id for event in checked]

    def published(self) -> dict[UUID, int]:
        """Return the number of events published through this process's spool, by publisher."""
        publisher = self.publisher
        return apart(lambda: publisher.spool.published(self.path), spool=True) if publisher else {}

    @property
    def keep_seconds(self) -> float:
        """How long a spool keeps what was received: this app's, or the default if it publishes through none."""
        return self.publisher.spool.keep_seconds if self.publisher else KEEP_SECONDS

    def progress(self) -> Progress:
        """Read how many of the namespace's events have been received and consolidated."""
        # Read the published counts first, so that no event counts as received before it counts as published.
        published = self.published()
        (rows,) = in_one_trip(self.engine, self.path.tenant_id, [memories.progress_statement(self.path)])
        return replace(memories.progress_of(rows), published=published)

    def wait(self, timeout: float) -> Progress:
        """Wait until all published events are consolidated. timeout: Seconds.

        Raises WaitTimeout, which says what is left, or ReadTimeout if the last read timed out.
        """
        if not timeout >= 0:  # NaN would wait for ever
            raise ValueError(f"timeout: seconds, 0 or more, got {timeout!r}")
        deadline = time.monotonic() + timeout
        while True:
            try:
                progress = self.progress()
            except ReadTimeout:
                if time.monotonic() >= deadline:
                    raise
                continue  # a slow read does not end the wait
            if not progress.partial and not progress.at_work:
                return progress
            if time.monotonic() >= deadline:
                raise WaitTimeout(
                    f"after {timeout:g} s: {_waited_for(progress)}; "
                    "check that intake, scheduler and workers are running ('mosshead status')"
                )
            pause(_POLL_SECONDS)

    def memory(self, wanted: UUID | str, *, as_of: datetime | None = None) -> StoredMemory | None:
        """Read one memory by its id or key, with this process's pending writes applied unless ``as_of`` is given; or None."""
        pending = Laid() if as_of else self.pending()
        found = self.fetch(memories.memory, wanted, as_of=as_of)
        if found is not None:
            return pending.as_closed(found)
        return pending.memory(wanted) if isinstance(wanted, UUID) else None

    def nearest(
        self,
        text: str,
        *,
        limit: int,
        threshold: float | None = None,
        kind: MemoryKind | None = None,
        metadata: Mapping[str, Any] | None = None,
        record: str | None = None,
        as_of: datetime | None = None,
    ) -> Hits:
        """Find the memories nearest to a text, ranked together with this process's pending writes unless ``as_of`` is given.

        For the other arguments see `mosshead.search.vectors.SearchTarget`.
        """
        from mosshead.search import vectors  # loaded by the first read: a process that only publishes does not need it

        published, pending = self.published(), self.pending() if as_of is None else Laid()
        wanted = vectors.SearchTarget(
            model=self.embedder.name,
            vector=self.embedder.embed([text])[0],
            limit=limit + len(pending.closed),
            threshold=threshold,
            kind=kind,
            metadata=metadata,
            record=record,
            as_of=as_of,
            text=text,
        )
        hits, rows = vectors.search(self.engine, self.path, wanted, memories.progress_statement(self.path))
        pending = pending.narrowed(kind=kind, metadata=metadata, record=record)
        return Hits(
            pending.over(hits, wanted.vector, self.embedder, limit=limit, threshold=threshold),
            replace(memories.progress_of(rows), published=published),
        )

    def pending(self) -> Laid:
        """Return this process's writes that the service has not applied yet. Call it before the read they are merged into.

        If writes may be pending, read the service's progress first: an applied write may already have been undone.
        """
        waiting = self.overlay.of(self.path) if self.overlay.waiting else Laid()
        if not (waiting.remembered or waiting.closed):
            return waiting
        self.overlay.settle(self.path, self.progress())
        return self.overlay.of(self.path)

    def pending_for_prompt(self) -> Laid:
        """Return the pending writes without those that look like instructions, which the service will quarantine."""
        pending = self.pending()
        if not pending.remembered:
            return pending
        from mosshead.safety import suspicion_of  # loads its weights, so import it only if writes are pending

        waiting = pending.remembered
        honest = apart(lambda: tuple(one for one in waiting if suspicion_of(one.content, "", ()) is None))
        return replace(pending, remembered=honest)

    def add_pending(self, event_id: UUID, *, memory: Hit | None = None, closes: Mapping[UUID, UUID | None]) -> None:
        """Show a write that was just published in this process's reads."""
        self.overlay.add(self.path, event_id, Pending(memory=memory, closes=closes, numbers=self.published()))


def _waited_for(progress: Progress) -> str:
    """Describe what is still unfinished."""
    if not progress.partial:
        return "all events are consolidated, but their profiles and reflections are still being written"
    counts = {
        "received but not consolidated": progress.pending,
        "published but not received": progress.not_received,
    }
    told = {
        state: f"{count:,} {'event is' if count == 1 else 'events are'}" for state, count in counts.items() if count
    }
    return ", ".join(f"{events} {state}" for state, events in told.items())
