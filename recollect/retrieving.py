"""The part of a `Namespace` that reads for a message: parse, resolve, retrieve, assemble. docs/reading.md tells the way."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from recollect.checks import checked_limit, checked_seconds, checked_threshold, readable
from recollect.deadline import with_deadline
from recollect.errors import NotFound
from recollect.freshness import Freshness
from recollect.history import aware, id_of
from recollect.overlay import Laid, overlay_of
from recollect.reading import around_sql
from recollect.reading.assembling import assemble
from recollect.reading.contexts import Context
from recollect.reading.found import StoredMessage
from recollect.reading.messages_sql import Among, Told
from recollect.reading.paths import Path, called_for, without
from recollect.reading.recalled import Excerpt, Recalled, RecalledMessage, Scope, before_and_after, excerpts
from recollect.reading.rounds import Fetched, Store, first, second, third
from recollect.reading.understood import understood
from recollect.redaction import redact
from recollect.resolving import TURNS, Resolving
from recollect.results import Hit, Progress
from recollect.tenancy import in_one_trip
from recollect.transcript import turns

_EACH = 60
"""So many messages by each raw score are found for a context, which shows fewer than `recall_messages` may be asked for."""

_CONTEXT_MESSAGES = 200
"""So many of the messages that answer best stand for a place in a context."""


class Retrieving(Resolving, Freshness):
    """The part of a `Namespace` that reads for a message."""

    def warm_up(self) -> None:
        """As `Memory.warm_up`."""
        self._embedder.count_tokens("")

    def context(
        self,
        message: str,
        *,
        conversation: str | None = None,
        history: Sequence[Mapping[str, Any]] = (),
        budget: int = 800,
        overlay: int = 0,
        now: datetime | None = None,
        seconds: float | None = None,
        strict: bool = False,
    ) -> Context:
        """What a model should know to answer a message: what is known of whom it names, what fits it, and what was said.

        history: the latest turns of the conversation, as ``{role, content}``; they help to tell who is meant, and are not
        repeated. Where only the conversation is named, its latest stored messages help.
        budget: tokens of the text at most. overlay: so many messages of what was said last, in any conversation, and is not yet
        consolidated are part of it, too. now: when it is asked, with a time zone; the clock's time by default.
        seconds: how long it may take, by default what `Memory.connect` was told. Where it would take longer, the answer is empty
        and ``partial``, and ``reason`` says why; strict: ReadTimeout instead.
        Raises ValueError, which names what does not fit, and StoreUnavailable where Postgres cannot be reached.
        """
        wanted = _Message(
            text=redact(readable("message", message)),
            history=_said(history),
            conversation=None if conversation is None else readable("conversation", conversation),
            budget=checked_limit(budget, "budget"),
            overlay=checked_limit(overlay, "overlay") if overlay else 0,
            now=aware(now) or datetime.now(UTC),
        )
        return with_deadline(
            self._engine,
            lambda: self._context(wanted),
            seconds=None if seconds is None else checked_seconds("seconds", seconds),
            late=None if strict else lambda reason: replace(_NOTHING, partial=True, reason=reason),
        )

    def recall_messages(
        self,
        text: str,
        *,
        conversation: str | None = None,
        history: Sequence[Mapping[str, Any]] = (),
        top_k: int = 4,
        message_range: int | tuple[int, int] = 1,
        scope: Scope = "resource",
        threshold: float | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        now: datetime | None = None,
        seconds: float | None = None,
        strict: bool = False,
    ) -> Recalled:
        """What was said that answers to a text, word for word, with the messages around it.

        conversation: the one that is going on. history: its latest turns, as ``{role, content}``, which are not repeated.
        top_k: how many messages. message_range: how many before and after each come with it, as a number or ``(before, after)``.
        scope: "thread" for this conversation alone, "resource" for all of the namespace. threshold: only those whose cosine is
        strictly above it. since, until: only what was said not before, and before. now, seconds, strict: as for `context`.
        Raises ValueError, which names what does not fit, and StoreUnavailable where Postgres cannot be reached.
        """
        limit, around = checked_limit(top_k, "top_k"), before_and_after(message_range)
        if scope not in {"thread", "resource"} or (scope == "thread" and conversation is None):
            raise ValueError(f'scope: "resource", or "thread" with a conversation, got {scope!r}')
        if conversation is not None:
            conversation = readable("conversation", conversation)
        wanted = _Wanted(
            text=redact(readable("text", text)),
            history=_said(history),
            conversation=conversation,
            limit=limit,
            around=around,
            threshold=checked_threshold(threshold),
            among=Among(
                conversation=conversation if scope == "thread" else None, since=aware(since), until=aware(until)
            ),
            now=aware(now) or datetime.now(UTC),
        )
        return with_deadline(
            self._engine,
            lambda: self._recalled(wanted),
            seconds=None if seconds is None else checked_seconds("seconds", seconds),
            late=None if strict else lambda reason: Recalled(hits=(), excerpts=(), progress=Progress(), reason=reason),
        )

    def message(self, message_id: UUID | str, *, message_range: int | tuple[int, int] = 1) -> Excerpt:
        """A message that took effect, as the source of a memory names it, with those around it in its conversation.

        message_range: how many before and after come with it, as for `recall_messages`.
        Raises NotFound, and ValueError where message_range does not fit.
        """
        wanted, (before, after) = id_of("message_id", message_id), before_and_after(message_range)
        statement = around_sql.statement_for(
            self.path, model=self._embedder.name, messages=[wanted], before=before, after=after
        )
        found = around_sql.stored(in_one_trip(self._engine, self.path.tenant_id, [statement])[0])
        if not found:
            raise NotFound(
                f"message_id: there is no message {message_id} in {self.path}, or it did not take effect yet"
            )
        return Excerpt(conversation=found[0].conversation, messages=tuple(found))

    def _context(self, wanted: "_Message") -> Context:
        if not wanted.text.strip():
            return replace(_NOTHING, partial=self.progress().partial)
        overlay, published = overlay_of(self._engine), self._published()
        laid = overlay.of(self.path)
        store = Store(engine=self._engine, path=self.path, embedder=self._embedder)
        heard = first(
            store,
            wanted.text,
            wanted.history[-TURNS:],
            conversation=None if wanted.history else wanted.conversation,
            turns=TURNS,
            ahead=wanted.overlay,
        )
        told = {*wanted.history, wanted.text}
        fetched = second(store, heard, told=Told(contents=tuple(told)), each=_EACH)
        read = understood(heard, fetched, wanted.now)
        found = read.paths()
        if fetched.open and (processes := called_for(found)):
            read = understood(heard, third(store, heard, fetched, processes), wanted.now)
            found = read.paths()
        progress = replace(heard.progress, published=published)
        overlay.settle(self.path, progress)
        return assemble(
            without(found, laid.closed),
            messages=read.messages(limit=_CONTEXT_MESSAGES, beside_memories=True),
            ahead=[one for one in heard.ahead if one.content not in told],
            pending=self._pending(laid, heard.parsed.stripped, found),
            questions=tuple(read.questions()),
            budget=wanted.budget,
            count_tokens=self._embedder.count_tokens,
            now=wanted.now,
            partial=progress.partial,
        )

    def _pending(self, laid: Laid, message: str, found: Iterable[Path]) -> list[Hit]:
        """What was put down by hand and is not taken up yet, as far as it is nearest to a message."""
        if not laid.remembered:
            return []
        stored = {one.id for path in found for one in path.hits}
        vector = self._embedder.embed([message])[0]  # it was embedded for the read already, and is remembered
        return [one for one in laid.for_context(vector, self._embedder) if one.id not in stored]

    def _recalled(self, wanted: "_Wanted") -> Recalled:
        if not wanted.text.strip():
            return Recalled(hits=(), excerpts=(), progress=self.progress(), conversation=wanted.conversation)
        published = self._published()
        store = Store(engine=self._engine, path=self.path, embedder=self._embedder)
        heard = first(store, wanted.text, ())
        fetched = second(store, heard, among=wanted.among, told=Told(contents=wanted.history))
        answering = understood(heard, fetched, wanted.now).messages()
        above = (one for one in answering if wanted.threshold is None or one.found.cosine > wanted.threshold)
        hits = tuple(
            RecalledMessage(message=one.message, score=round(one.score, 4), similarity=round(one.found.cosine, 4))
            for one, _ in zip(above, range(wanted.limit), strict=False)
        )
        return Recalled(
            hits=hits,
            excerpts=excerpts(
                {hit.message.id for hit in hits},
                self._around(store, fetched, hits, wanted.around),
                known=wanted.history,
            ),
            progress=replace(heard.progress, published=published),
            conversation=wanted.conversation,
        )

    def _around(
        self, store: Store, fetched: Fetched, hits: Sequence[RecalledMessage], around: tuple[int, int]
    ) -> list[StoredMessage]:
        """The hits with their neighbours; one of each side has come with the scan, more are fetched."""
        before, after = around
        if max(around) > 1 and hits:
            ids = [hit.message.id for hit in hits]
            statement = around_sql.statement_for(
                store.path, model=store.embedder.name, messages=ids, before=before, after=after
            )
            return around_sql.stored(store.trip([statement])[0])
        wanted = {
            (hit.message.conversation, hit.message.place + step) for hit in hits for step in range(-before, after + 1)
        }
        found = (one.message for one in fetched.messages.found)
        return [one for one in found if (one.conversation, one.place) in wanted]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Message:
    """What `Retrieving.context` was asked, checked."""

    text: str
    history: tuple[str, ...]
    conversation: str | None
    budget: int
    overlay: int
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What `Retrieving.recall_messages` was asked, checked."""

    text: str
    history: tuple[str, ...]
    conversation: str | None
    limit: int
    around: tuple[int, int]
    threshold: float | None
    among: Among
    now: datetime


_NOTHING = Context(memories=(), questions=(), tokens=0, partial=False, explanations=())


def _said(history: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The texts of a history, as they are stored."""
    said = (turn.content for turn in turns(list(history)))
    return tuple(redact(readable("history", content)) for content in said if isinstance(content, str))
