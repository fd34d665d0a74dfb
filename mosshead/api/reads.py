"""The part of a `Namespace` that reads: similar memories, messages, and the context of a message."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import UUID

from mosshead.api.arguments import checked_kind, checked_limit, checked_metadata, checked_seconds, checked_threshold
from mosshead.api.decisions import aware, id_of
from mosshead.api.session import Freshness
from mosshead.deadline import with_deadline
from mosshead.embeddings import Embedder
from mosshead.events.transcripts import spoken
from mosshead.models.kinds import MemoryKind
from mosshead.models.memories import Hits, Progress
from mosshead.redaction import redact
from mosshead.store import memories
from mosshead.store.connection import tenant_transaction
from mosshead.text import readable

if TYPE_CHECKING:
    from mosshead.context.fetch import ReadStore
    from mosshead.entities.resolution import Resolved
    from mosshead.models.context import Context, Excerpt, Recalled, Scope
    from mosshead.search.rerank import Reranker
    from mosshead.search.vectors import SearchTarget


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
        from mosshead.search.rerank import JUDGED, judge_of, reranked
        from mosshead.search.vectors import SearchTarget  # as what else reads: see `Retrieving`

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
            wanted = SearchTarget(model=model, vector=vector, limit=sought, threshold=least, kind=kind, metadata=fields)
            found = self._nearest(wanted) if moment is None else self._nearest_of(wanted, moment)
            return replace(found, hits=tuple(reranked(found.hits, lambda hit: hit.content, judge)[:most]))

        return with_deadline(
            self._engine,
            read,
            seconds=None if seconds is None else checked_seconds("seconds", seconds),
            late=None if strict else lambda reason: Hits((), Progress(), reason),
        )

    def _nearest(self, wanted: "SearchTarget") -> Hits:
        from mosshead.search import vectors

        published, laid = self._published(), self._laid()
        sought = replace(wanted, limit=wanted.limit + len(laid.closed))
        hits, rows = vectors.search(self._engine, self.path, sought, memories.progress_statement(self.path))
        progress = replace(memories.progress_of(rows), published=published)
        laid = laid.narrowed(kind=wanted.kind, metadata=wanted.metadata)
        return Hits(
            laid.over(hits, wanted.vector, self._embedder, limit=wanted.limit, threshold=wanted.threshold), progress
        )

    def _nearest_of(self, wanted: "SearchTarget", moment: datetime) -> Hits:
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            found = memories.similar_memories(
                connection,
                self.path,
                model=wanted.model,
                vector=wanted.vector,
                limit=wanted.limit,
                threshold=wanted.threshold,
                as_of=moment,
            )
            return Hits(tuple(found), self._progress(connection))


def warm_up(embedder: Embedder) -> None:
    """Load what reads for a message, and the local embedding model, as the first read would."""
    import_module("mosshead.context.pipeline")
    embedder.count_tokens("")


class Retrieving(Freshness):
    """The part of a `Namespace` that reads for a message.

    What reads is loaded by the first read, or by `warm_up`: a process that publishes alone has no use for it.
    """

    def warm_up(self) -> None:
        """As `Memory.warm_up`."""
        warm_up(self._embedder)

    def context(
        self,
        message: str,
        *,
        conversation: str | None = None,
        history: Sequence[Mapping[str, Any]] = (),
        budget: int = 800,
        overlay: int = 0,
        now: datetime | None = None,
        reranker: "Reranker | None" = None,
        seconds: float | None = None,
        strict: bool = False,
    ) -> "Context":
        """What a model should know to answer a message: what is known of whom it names, what fits it, and what was said. For what
        has to do with nothing that is known, next to nothing (docs/reading.md).

        history: the latest turns of the conversation, as ``{role, content}``; they help to tell who is meant, and are not
        repeated. Where only the conversation is named, its latest stored messages help.
        budget: tokens of the text at most. overlay: so many messages of what was said last, in any conversation, and is not yet
        consolidated are part of it, too. now: when it is asked, with a time zone, whose day it is; the clock's time by default.
        reranker: a second opinion on the best 50 of what was found, which may also leave some out (docs/reading.md).
        seconds: how long it may take, by default what `Memory.connect` was told. Where it would take longer, the answer is empty
        and ``partial``, and ``reason`` says why; strict: ReadTimeout instead.
        Raises ValueError, which names what does not fit, and StoreUnavailable where Postgres cannot be reached.
        """
        from mosshead.context import pipeline  # see the class
        from mosshead.search.rerank import judge_of

        said = redact(readable("message", message))
        wanted = pipeline.ContextRequest(
            text=said,
            history=as_stored(history),
            conversation=None if conversation is None else readable("conversation", conversation),
            budget=checked_limit(budget, "budget"),
            overlay=checked_limit(overlay, "overlay") if overlay else 0,
            now=aware(now, "now") or datetime.now(UTC),
            judge=judge_of(reranker, said),
        )
        return with_deadline(
            self._engine,
            lambda: (
                pipeline.context(self._store(), wanted, self._published(), self._laid())
                if wanted.text.strip()
                else replace(pipeline.NOTHING, partial=self.progress().partial)
            ),
            seconds=None if seconds is None else checked_seconds("seconds", seconds),
            late=None if strict else lambda reason: replace(pipeline.NOTHING, partial=True, reason=reason),
        )

    def recall_messages(
        self,
        text: str,
        *,
        conversation: str | None = None,
        history: Sequence[Mapping[str, Any]] = (),
        top_k: int = 4,
        message_range: int | tuple[int, int] = 1,
        scope: "Scope" = "resource",
        threshold: float | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        now: datetime | None = None,
        reranker: "Reranker | None" = None,
        seconds: float | None = None,
        strict: bool = False,
    ) -> "Recalled":
        """What was said that answers to a text, word for word, with the messages around it.

        conversation: the one that is going on. history: its latest turns, as ``{role, content}``, which are not repeated.
        top_k: how many messages. message_range: how many before and after each come with it, as a number or ``(before, after)``.
        scope: "thread" for this conversation alone, "resource" for all of the namespace. threshold: only those whose cosine is
        strictly above it. since, until: only what was said not before, and before. now, reranker, seconds, strict: as for
        `context`.
        Raises ValueError, which names what does not fit, and StoreUnavailable where Postgres cannot be reached.
        """
        from mosshead.context import pipeline
        from mosshead.models.context import Recalled, before_and_after
        from mosshead.search.messages import Among
        from mosshead.search.rerank import judge_of

        limit, around = checked_limit(top_k, "top_k"), before_and_after(message_range)
        if scope not in {"thread", "resource"} or (scope == "thread" and conversation is None):
            raise ValueError(f'scope: "resource", or "thread" with a conversation, got {scope!r}')
        if conversation is not None:
            conversation = readable("conversation", conversation)
        said = redact(readable("text", text))
        wanted = pipeline.RecallRequest(
            text=said,
            history=as_stored(history),
            conversation=conversation,
            limit=limit,
            around=around,
            threshold=checked_threshold(threshold),
            among=Among(
                conversation=conversation if scope == "thread" else None,
                since=aware(since, "since"),
                until=aware(until, "until"),
            ),
            now=aware(now, "now") or datetime.now(UTC),
            judge=judge_of(reranker, said),
        )
        return with_deadline(
            self._engine,
            lambda: (
                pipeline.recalled(self._store(), wanted, self._published())
                if wanted.text.strip()
                else Recalled(hits=(), excerpts=(), progress=self.progress(), conversation=wanted.conversation)
            ),
            seconds=None if seconds is None else checked_seconds("seconds", seconds),
            late=None if strict else lambda reason: Recalled(hits=(), excerpts=(), progress=Progress(), reason=reason),
        )

    def message(self, message_id: UUID | str, *, message_range: int | tuple[int, int] = 1) -> "Excerpt":
        """A message that took effect, as the source of a memory names it, with those around it in its conversation.

        message_range: how many before and after come with it, as for `recall_messages`.
        Raises NotFound, and ValueError where message_range does not fit.
        """
        from mosshead.context.pipeline import excerpt
        from mosshead.models.context import before_and_after

        return excerpt(self._store(), id_of("message_id", message_id), before_and_after(message_range))

    def resolve(
        self,
        text: str,
        *,
        mention: str | None = None,
        history: Sequence[Mapping[str, Any]] = (),
        conversation: str | None = None,
    ) -> "Resolved":
        """Who is meant by a name in a text: decided by the text around it and by the turns before, and by nothing else.

        mention: the name, as it stands in the text; without it the text is first looked through for a name that several bear.
        history: the latest turns of the conversation, as ``{role, content}``. Where only the conversation is named, its latest
        stored messages serve, which takes a round trip to Postgres more. All else is one embedding and one round trip, as long as
        the mention is given or can be guessed from the text.
        Where it is open who is meant, ``question`` says what to ask, and `clarify` takes it with the answer.
        Raises ValueError where text or mention is empty, or the mention is not in the text.
        """
        from mosshead.entities.resolution import who_is_meant

        return who_is_meant(
            self._engine,
            self.path,
            self._embedder,
            text=text,
            mention=mention,
            history=history,
            conversation=conversation,
        )

    def _store(self) -> "ReadStore":
        from mosshead.context.fetch import ReadStore

        return ReadStore(engine=self._engine, path=self.path, embedder=self._embedder)


def as_stored(history: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The texts of a history, as they are stored."""
    return tuple(redact(readable("history", content)) for content in spoken(list(history)))
