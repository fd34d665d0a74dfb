"""Search messages by text, with the messages around each hit: the implementation of `Namespace.messages.search`."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from mosshead.context.pipeline import Heard, look_up_names, messages_statement
from mosshead.errors import NotFound
from mosshead.language.dates import where_asked
from mosshead.language.retractions import asks_to_forget
from mosshead.models.context import Excerpt, MessageHit, MessageHits, excerpts
from mosshead.models.messages import StoredMessage
from mosshead.search import messages as messages_sql
from mosshead.search.messages import Among, ScannedMessages, asked_by, rank_messages
from mosshead.search.rerank import JUDGED, Judge, reranked
from mosshead.store import memories
from mosshead.store.connection import ReadStore
from mosshead.text import as_compared


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSearchRequest:
    """The validated arguments of `Namespace.messages.search`."""

    text: str
    history: tuple[str, ...]
    conversation: str | None
    now: datetime
    limit: int
    around: tuple[int, int]
    threshold: float | None
    among: Among
    speaker: str | None = None
    judge: Judge | None = None


def search_messages(store: ReadStore, wanted: MessageSearchRequest, published: dict[UUID, int]) -> MessageHits:
    """Find the messages that answer a text. published: as in `context`."""
    heard = look_up_names(store, wanted.text, (), speaker=wanted.speaker)
    told = frozenset(map(as_compared, wanted.history))
    shown = (wanted.limit if wanted.judge is None else max(wanted.limit, JUDGED)) + len(told)
    scanned, lent = _fetched(store, heard, shown=shown, among=wanted.among, told=told)
    borne = {bearer for bearers in heard.parsed.named.values() for bearer in bearers}
    answering = rank_messages(
        scanned,
        asked=asked_by(
            wanted.text,
            heard.names_of(borne),
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
            [
                one
                for one in _around(store, scanned, hits, wanted.around)
                if wanted.among.holds(one.said_at) and one.id not in heard.hidden and not asks_to_forget(one.content)
            ],
            known=told,
        ),
        progress=replace(heard.progress, published=published),
        conversation=wanted.conversation,
    )


def excerpt(store: ReadStore, message_id: UUID, around: tuple[int, int]) -> Excerpt:
    """Return a message with its neighbours before and after. Raises NotFound."""
    found = _with_neighbours(store, [message_id], around)
    if not found:
        raise NotFound(f"message_id: there is no message {message_id} in {store.path}, or it has not taken effect yet")
    return Excerpt(conversation=found[0].conversation, messages=tuple(found))


def _fetched(
    store: ReadStore, heard: Heard, *, shown: int, among: Among, told: Collection[str]
) -> tuple[ScannedMessages, dict[UUID, float]]:
    """Make the second round trip of a message search: matching messages, and the relevance that memories lend to each."""
    (vector,) = store.embedder.embed([heard.parsed.unnamed])
    lending = messages_sql.lending_statement(
        store.path,
        model=store.embedder.name,
        vector=vector,
        message=heard.parsed.text,
        vocabulary=heard.vocabularies.get("memories"),
    )
    of_messages = messages_statement(store, heard, vector, shown=shown, among=among)
    found, lent = store.trip([of_messages, lending])
    return messages_sql.scanned(found, told, heard.hidden), messages_sql.lent(lent)


def _around(
    store: ReadStore, scanned: ScannedMessages, hits: Sequence[MessageHit], around: tuple[int, int]
) -> list[StoredMessage]:
    """Return the hits with their neighbours. The scan brings one on each side of its own results; the rest are fetched."""
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
    statement = memories.messages_around_statement(
        store.path, model=store.embedder.name, messages=message_ids, before=before, after=after
    )
    return [memories.message_of(row) for row in store.trip([statement])[0]]
