"""What `Namespace.context` and `Namespace.messages.search` do with what they were asked: the trips, and what is made of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from mosshead.context.assemble import assemble
from mosshead.context.fetch import Fetched, Heard, ReadStore, first, second, spoken, third
from mosshead.context.interpret import Understood, names_of, relates, understood
from mosshead.context.paths import Path, called_for, without
from mosshead.entities.resolution import TURNS
from mosshead.errors import NotFound
from mosshead.language.times import where_asked
from mosshead.models.context import Context, Excerpt, MessageHit, MessageHits, excerpts
from mosshead.models.memories import Hit
from mosshead.models.messages import StoredMessage
from mosshead.search.messages import Among, ScannedMessages, VisibleTurns, asked_by, rank_messages
from mosshead.search.rerank import JUDGED, Judge, reranked
from mosshead.store import messages
from mosshead.store.pending import Laid
from mosshead.text import as_compared

_TOKENS = 50
"""Of a budget for each message that is counted on: one takes some 25 or more, and memories stand beside them."""

_SHORT = 10
"""Tokens of a short message with its speaker: of those that answer best so many stand for a place in a context as would fit."""

_PENDING = 5
"""So many of the memories that the app put down and the service has not taken up have a place in a context."""

NOTHING = Context(memories=(), questions=(), tokens=0, partial=False, explanations=())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    text: str
    history: tuple[str, ...]
    conversation: str | None
    now: datetime
    judge: Judge | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest(_Request):
    """What `Namespace.context` was asked, checked."""

    budget: int
    include_pending: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSearchRequest(_Request):
    """What `Namespace.messages.search` was asked, checked."""

    limit: int
    around: tuple[int, int]
    threshold: float | None
    among: Among


def context(store: ReadStore, wanted: ContextRequest, published: dict[UUID, int], laid: Laid) -> Context:
    """What a model should know to answer a message.

    published: by publisher, what this app published before it asked. laid: what it wrote, and the service has not taken up.
    """
    heard = first(
        store,
        wanted.text,
        wanted.history,
        conversation=None if wanted.history else wanted.conversation,
        turns=TURNS,
        ahead=wanted.include_pending,
    )
    told = {as_compared(one) for one in (*wanted.history, wanted.text)}
    # What is told anyway may take the best places, and is left out then.
    fetched = second(store, heard, told=VisibleTurns(contents=told), shown=wanted.budget // _TOKENS + len(told))
    read, found = settled(store, heard, fetched, wanted.now)
    progress = replace(heard.progress, published=published)
    return assemble(
        without(found, laid.closed),
        messages=read.messages(limit=wanted.budget // _SHORT),
        ahead=[one for one in heard.ahead if one.content.strip() and as_compared(one.content) not in told],
        pending=_pending(store, laid, heard.parsed.unnamed, found),
        questions=tuple(read.questions()),
        related=relates(heard.parsed, fetched.cosines, model=store.embedder.name, day=read.now.date()),
        judge=wanted.judge,
        budget=wanted.budget,
        count_tokens=store.embedder.count_tokens,
        now=wanted.now,
        partial=progress.partial,
    )


def settled(store: ReadStore, heard: Heard, fetched: Fetched, now: datetime) -> tuple[Understood, tuple[Path, ...]]:
    """What was fetched for a message as understood, and the paths to its memories; with a third trip where that may tell."""
    read = understood(heard, fetched, now)
    found = read.paths()
    if fetched.open and (processes := called_for(found)):
        read = understood(heard, third(store, heard, fetched, processes), now)
        found = read.paths()
    return read, found


def search_messages(store: ReadStore, wanted: MessageSearchRequest, published: dict[UUID, int]) -> MessageHits:
    """Find the messages that answer to a text. published: as for `context`."""
    heard = first(store, wanted.text, ())
    told = frozenset(map(as_compared, wanted.history))
    shown = (wanted.limit if wanted.judge is None else max(wanted.limit, JUDGED)) + len(told)
    scanned, lent = spoken(store, heard, shown=shown, among=wanted.among, told=VisibleTurns(contents=told))
    borne = {bearer for bearers in heard.parsed.named.values() for bearer in bearers}
    answering = rank_messages(
        scanned.found,
        with_before=scanned.with_before,
        words=scanned.words,
        asked=asked_by(
            wanted.text,
            names_of(heard.found, borne),
            where_asked(wanted.now, (one.message.said_at for one in scanned.found)),
        ),
        lent=lent,
        limit=shown if wanted.threshold is None else None,
    )
    above = [one for one in answering if wanted.threshold is None or one.found.cosine > wanted.threshold]
    hits = tuple(
        MessageHit(message=one.message, score=round(one.score, 4), similarity=round(min(1.0, one.found.cosine), 4))
        for one in reranked(above, lambda one: one.message.content, wanted.judge)[: wanted.limit]
    )
    return MessageHits(
        hits=hits,
        excerpts=excerpts(
            {hit.message.id for hit in hits},
            [one for one in _around(store, scanned, hits, wanted.around) if wanted.among.holds(one.said_at)],
            known=told,
        ),
        progress=replace(heard.progress, published=published),
        conversation=wanted.conversation,
    )


def excerpt(store: ReadStore, message_id: UUID, around: tuple[int, int]) -> Excerpt:
    """A message with so many before and after it. Raises NotFound."""
    found = _with_neighbours(store, [message_id], around)
    if not found:
        raise NotFound(f"message_id: there is no message {message_id} in {store.path}, or it did not take effect yet")
    return Excerpt(conversation=found[0].conversation, messages=tuple(found))


def _pending(store: ReadStore, laid: Laid, message: str, found: Iterable[Path]) -> list[Hit]:
    """What was put down by hand and is not taken up yet, as far as it is nearest to a message."""
    if not laid.remembered:
        return []
    stored = {one.id for path in found for one in path.hits}
    vector = store.embedder.embed([message])[0]  # it was embedded for the read already, and is remembered
    return [one for one in laid.similar(vector, store.embedder)[:_PENDING] if one.id not in stored]


def _around(
    store: ReadStore, scanned: ScannedMessages, hits: Sequence[MessageHit], around: tuple[int, int]
) -> list[StoredMessage]:
    """The hits with their neighbours: one of each side has come with what the scan found by itself, all else is fetched."""
    before, after = around
    ids = {hit.message.id for hit in hits}
    alone = max(around) == 1 and any(one.message.id in ids and not one.itself for one in scanned.found)
    if hits and (alone or max(around) > 1):
        return _with_neighbours(store, [hit.message.id for hit in hits], around)
    wanted = {
        (hit.message.conversation, hit.message.place + step) for hit in hits for step in range(-before, after + 1)
    }
    found = (one.message for one in scanned.found)
    return [one for one in found if (one.conversation, one.place) in wanted]


def _with_neighbours(store: ReadStore, message_ids: Sequence[UUID], around: tuple[int, int]) -> list[StoredMessage]:
    before, after = around
    statement = messages.statement_for(
        store.path, model=store.embedder.name, messages=message_ids, before=before, after=after
    )
    return [messages.message_of(row) for row in store.trip([statement])[0]]
