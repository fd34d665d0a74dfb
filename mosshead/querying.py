"""The part of a `Namespace` that finds what is similar: one embedding, and one round trip."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mosshead import past, views
from mosshead.checks import (
    checked_kind,
    checked_limit,
    checked_metadata,
    checked_seconds,
    checked_threshold,
    readable,
)
from mosshead.deadline import with_deadline
from mosshead.freshness import Freshness
from mosshead.history import aware
from mosshead.kinds import MemoryKind
from mosshead.redaction import redact
from mosshead.results import Hits, Progress
from mosshead.tenancy import tenant_transaction

if TYPE_CHECKING:
    from mosshead.reading.nearest_sql import Wanted
    from mosshead.reading.reranking import Reranker


class Querying(Freshness):
    """The part of a `Namespace` that finds what is similar."""

    def query(
        self,
        text: str,
        *,
        limit: int = 10,
        threshold: float | None = None,
        kind: MemoryKind | str | None = None,
        metadata: Mapping[str, Any] | None = None,
        as_of: datetime | None = None,
        reranker: "Reranker | None" = None,
        seconds: float | None = None,
        strict: bool = False,
    ) -> Hits:
        """The memories most similar to a text, most similar first.

        threshold: only those whose cosine is strictly above it; off by default, for useful values differ by model
        (docs/embedders.md). kind: of that kind alone. metadata: only what was taken from a message that was published with these
        fields in its ``metadata``; without fields, all. as_of: among what was known at that time, by the words of that time; now
        by default.
        reranker: a second opinion on the 50 most similar, which may also leave some out (docs/reading.md).
        seconds: how long it may take, by default what `Memory.connect` was told. Where it would take longer, the answer is empty
        and ``partial``, and ``reason`` says why; strict: ReadTimeout instead.
        An empty text finds nothing. Raises ValueError, which names what does not fit, and StoreUnavailable where Postgres cannot
        be reached.
        """
        from mosshead.reading.nearest_sql import Wanted  # as what else reads: see `Retrieving`
        from mosshead.reading.reranking import JUDGED, judge_of, reranked

        moment = aware(as_of)
        said, model = redact(readable("text", text)), self._embedder.name
        narrowed = checked_kind(kind), checked_metadata(metadata)
        if moment is not None and narrowed != (None, None):
            raise ValueError("as_of: cannot be narrowed by kind or metadata")
        most, least = checked_limit(limit), checked_threshold(threshold)
        judge = judge_of(reranker, said)

        def read() -> Hits:
            if not said.strip():
                return Hits((), self.progress())
            vector = self._embedder.embed([said])[0]
            kind, fields = narrowed
            sought = max(most, JUDGED) if judge else most
            wanted = Wanted(model=model, vector=vector, limit=sought, threshold=least, kind=kind, metadata=fields)
            found = self._nearest(wanted) if moment is None else self._nearest_of(wanted, moment)
            return replace(found, hits=tuple(reranked(found.hits, lambda hit: hit.content, judge)[:most]))

        return with_deadline(
            self._engine,
            read,
            seconds=None if seconds is None else checked_seconds("seconds", seconds),
            late=None if strict else lambda reason: Hits((), Progress(), reason),
        )

    def _nearest(self, wanted: "Wanted") -> Hits:
        from mosshead.reading import nearest

        published, laid = self._published(), self._laid()
        sought = replace(wanted, limit=wanted.limit + len(laid.closed))
        hits, rows = nearest.search(self._engine, self.path, sought, views.progress_statement(self.path))
        progress = replace(views.progress_of(rows), published=published)
        laid = laid.narrowed(kind=wanted.kind, metadata=wanted.metadata)
        return Hits(
            laid.over(hits, wanted.vector, self._embedder, limit=wanted.limit, threshold=wanted.threshold), progress
        )

    def _nearest_of(self, wanted: "Wanted", moment: datetime) -> Hits:
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            found = past.similar_memories(
                connection,
                self.path,
                model=wanted.model,
                vector=wanted.vector,
                limit=wanted.limit,
                threshold=wanted.threshold,
                as_of=moment,
            )
            return Hits(tuple(found), self._progress(connection))
