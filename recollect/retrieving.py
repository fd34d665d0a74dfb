"""The part of a `Namespace` that reads for a message: parse, resolve, retrieve, assemble. docs/reading.md tells the way."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from recollect.asking import Question, question
from recollect.freshness import Freshness
from recollect.history import aware
from recollect.reading import around_sql
from recollect.reading.assembling import assemble
from recollect.reading.checks import checked_limit, checked_seconds, checked_threshold, readable
from recollect.reading.contexts import Context
from recollect.reading.deadline import with_deadline
from recollect.reading.found import StoredMessage
from recollect.reading.memories import RankedMemory, not_ruled_out, rank_memories
from recollect.reading.messages import RankedMessage, asked, rank_messages
from recollect.reading.messages_sql import Among, Told
from recollect.reading.paths import called_for, paths
from recollect.reading.periods import periods
from recollect.reading.recalled import Recalled, RecalledMessage, Scope, before_and_after, excerpts
from recollect.reading.rounds import Fetched, Heard, Store, first, second, third
from recollect.redaction import redact
from recollect.resolving import TURNS, Resolving, offered
from recollect.results import Progress
from recollect.transcript import turns

_CONTEXT_MESSAGES = 200
"""So many of the messages that answer best stand for a place in a context."""


class Retrieving(Resolving, Freshness):
    """The part of a `Namespace` that reads for a message."""

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

    def _context(self, wanted: "_Message") -> Context:
        if not wanted.text.strip():
            return replace(_NOTHING, partial=self.progress().partial)
        published = self._published()
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
        fetched = second(store, heard, told=Told(contents=tuple(told)))
        ranked = _ranked(heard, fetched, wanted.now)
        found = paths(ranked, _meant(heard, fetched), _plausible(heard, fetched))
        if fetched.open and (processes := called_for(found)):
            fetched = third(store, heard, fetched, processes)
            ranked = _ranked(heard, fetched, wanted.now)
            found = paths(ranked, _meant(heard, fetched), _plausible(heard, fetched))
        return assemble(
            found,
            messages=_answering(heard, fetched, ranked, wanted.now)[:_CONTEXT_MESSAGES],
            ahead=[one for one in heard.ahead if one.content not in told],
            questions=tuple(_questions(heard, fetched)),
            budget=wanted.budget,
            count_tokens=self._embedder.count_tokens,
            now=wanted.now,
            partial=replace(heard.progress, published=published).partial,
        )

    def _recalled(self, wanted: "_Wanted") -> Recalled:
        if not wanted.text.strip():
            return Recalled(hits=(), excerpts=(), progress=self.progress(), conversation=wanted.conversation)
        published = self._published()
        store = Store(engine=self._engine, path=self.path, embedder=self._embedder)
        heard = first(store, wanted.text, ())
        fetched = second(store, heard, among=wanted.among, told=Told(contents=wanted.history))
        answering = _answering(heard, fetched, _ranked(heard, fetched, wanted.now), wanted.now)
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
        places = {(hit.message.conversation, hit.message.place) for hit in hits}
        if max(around) > 1 and hits:
            ids = [hit.message.id for hit in hits]
            before, after = around
            statement = around_sql.statement_for(
                store.path, model=store.embedder.name, messages=ids, before=before, after=after
            )
            return around_sql.stored(store.trip([statement])[0])
        wanted = {
            (conversation, place + step) for conversation, place in places for step in range(-around[0], around[1] + 1)
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
    return tuple(redact(turn.content) for turn in turns(list(history)) if isinstance(turn.content, str))


def _meant(heard: Heard, fetched: Fetched) -> dict[UUID, str]:
    """Whom the message means, each with the name that it has there."""
    meant = dict.fromkeys(heard.parsed.implied, "")
    for name, bearers in heard.parsed.named.items():
        contest = fetched.meant.get(name)
        if contest is not None and contest.decision.entity_id is not None:
            meant[contest.decision.entity_id] = name
        elif len(bearers) == 1:
            meant |= dict.fromkeys(bearers, name)
    return meant


def _plausible(heard: Heard, fetched: Fetched) -> dict[UUID, str]:
    """Whom the message may mean besides, each with the name that it has there."""
    meant = _meant(heard, fetched)
    return {key: name for name, one in fetched.meant.items() for key in not_ruled_out(one.decision) if key not in meant}


def _ranked(heard: Heard, fetched: Fetched, now: datetime) -> list[RankedMemory]:
    """The memories that were found, ranked; without those of namesakes who are not meant."""
    meant = _meant(heard, fetched)
    plausible = _plausible(heard, fetched)
    ruled_out = (
        bearer
        for one in fetched.meant.values()
        if one.decision.entity_id is not None
        for bearer in one.bearers
        if bearer not in meant and bearer not in plausible
    )
    return rank_memories(
        fetched.memories.memories,
        cosine=fetched.memories.cosine,
        words=fetched.memories.words,
        bearings=fetched.memories.bearings,
        named=meant,
        plausible=plausible,
        left_out=frozenset(ruled_out),
        periods=periods(heard.parsed.text, now.date()),
    )


def _answering(heard: Heard, fetched: Fetched, ranked: Sequence[RankedMemory], now: datetime) -> list[RankedMessage]:
    """The messages that were found, ranked; a memory lends to those that it was taken from."""
    lent: dict[UUID, float] = {}
    for one in ranked:
        for source in one.found.sources:
            lent[source] = max(lent.get(source, 0.0), one.relevance.fit)
    meant = _meant(heard, fetched)
    entities = [one.entity for one in heard.found if one.entity.entity_id in meant]
    names = {name for entity in entities for name in (entity.name, *entity.aliases)}
    return rank_messages(
        fetched.messages.found,
        cosine=fetched.messages.cosine,
        with_before=fetched.messages.with_before,
        words=fetched.messages.words,
        asked=asked(heard.parsed.text, names, now),
        lent=lent,
    )


def _questions(heard: Heard, fetched: Fetched) -> Iterator[Question]:
    for name, one in fetched.meant.items():
        if one.decision.status == "ambiguous":
            yield question(name, offered(one.decision, one.bearers), heard.parsed.text)
