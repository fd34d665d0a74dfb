"""Nearest-memory search shared by the parts of a namespace."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from mosshead.api.session import Session
from mosshead.models.kinds import MemoryKind
from mosshead.models.memories import Hits
from mosshead.store import memories


def nearest(
    session: Session,
    text: str,
    *,
    limit: int,
    threshold: float | None = None,
    kind: MemoryKind | None = None,
    metadata: Mapping[str, Any] | None = None,
    record: str | None = None,
) -> Hits:
    """Find the memories nearest to a text, with what this process wrote in its place among them."""
    from mosshead.search import vectors  # loaded by the first read: a process that only publishes does not need it

    published, pending = session.published(), session.pending()
    wanted = vectors.SearchTarget(
        model=session.embedder.name,
        vector=session.embedder.embed([text])[0],
        limit=limit + len(pending.closed),
        threshold=threshold,
        kind=kind,
        metadata=metadata,
        record=record,
    )
    hits, rows = vectors.search(session.engine, session.path, wanted, memories.progress_statement(session.path))
    pending = pending.narrowed(kind=kind, metadata=metadata)
    return Hits(
        pending.over(hits, wanted.vector, session.embedder, limit=limit, threshold=threshold),
        replace(memories.progress_of(rows), published=published),
    )


def nearest_as_of(session: Session, text: str, moment: datetime, *, limit: int, threshold: float | None) -> Hits:
    """Find the memories nearest to a text among what was known at a time, by the words of that time."""
    model, vector = session.embedder.name, session.embedder.embed([text])[0]
    published = session.published()
    with session.transaction() as connection:
        found = memories.similar_memories(
            connection, session.path, model=model, vector=vector, limit=limit, threshold=threshold, as_of=moment
        )
        progress = memories.progress(connection, session.path)
    return Hits(tuple(found), replace(progress, published=published))
