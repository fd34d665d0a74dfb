"""The part of a `Namespace` that reads for a message: parse, resolve, retrieve, assemble. docs/reading.md tells the way."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import UUID

from mosshead.checks import checked_limit, checked_seconds, checked_threshold, readable
from mosshead.deadline import with_deadline
from mosshead.embedders import Embedder
from mosshead.freshness import Freshness
from mosshead.history import aware, id_of
from mosshead.redaction import redact
from mosshead.results import Progress
from mosshead.transcript import spoken

if TYPE_CHECKING:
    from mosshead.reading.contexts import Context
    from mosshead.reading.recalled import Excerpt, Recalled, Scope
    from mosshead.reading.reranking import Reranker
    from mosshead.reading.rounds import Store
    from mosshead.resolving import Resolved


def warm_up(embedder: Embedder) -> None:
    """Load what reads for a message, and the local embedding model, as the first read would."""
    import_module("mosshead.reading.answering")
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
        from mosshead.reading import answering  # see the class
        from mosshead.reading.reranking import judge_of

        said = redact(readable("message", message))
        wanted = answering.Message(
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
                answering.context(self._store(), wanted, self._published(), self._laid())
                if wanted.text.strip()
                else replace(answering.NOTHING, partial=self.progress().partial)
            ),
            seconds=None if seconds is None else checked_seconds("seconds", seconds),
            late=None if strict else lambda reason: replace(answering.NOTHING, partial=True, reason=reason),
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
        from mosshead.reading import answering
        from mosshead.reading.messages_sql import Among
        from mosshead.reading.recalled import Recalled, before_and_after
        from mosshead.reading.reranking import judge_of

        limit, around = checked_limit(top_k, "top_k"), before_and_after(message_range)
        if scope not in {"thread", "resource"} or (scope == "thread" and conversation is None):
            raise ValueError(f'scope: "resource", or "thread" with a conversation, got {scope!r}')
        if conversation is not None:
            conversation = readable("conversation", conversation)
        said = redact(readable("text", text))
        wanted = answering.Wanted(
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
                answering.recalled(self._store(), wanted, self._published())
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
        from mosshead.reading.answering import excerpt
        from mosshead.reading.recalled import before_and_after

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
        from mosshead.resolving import who_is_meant

        return who_is_meant(
            self._engine,
            self.path,
            self._embedder,
            text=text,
            mention=mention,
            history=history,
            conversation=conversation,
        )

    def _store(self) -> "Store":
        from mosshead.reading.rounds import Store

        return Store(engine=self._engine, path=self.path, embedder=self._embedder)


def as_stored(history: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The texts of a history, as they are stored."""
    return tuple(redact(readable("history", content)) for content in spoken(list(history)))
