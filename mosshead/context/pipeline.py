"""What `Namespace.context` and `Namespace.messages.search` do with what they were asked: the trips, and what is made of them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from uuid import UUID

from mosshead.context.assemble import Path, assemble, called_for, oldest, paths, without
from mosshead.context.fetch import Fetched, Heard, Parsed, ReadStore, first, second, spoken, third
from mosshead.embeddings.local.files import MODEL
from mosshead.entities.disambiguation import question
from mosshead.entities.evidence import offered
from mosshead.entities.lookup import NameMatch
from mosshead.errors import NotFound
from mosshead.language.dates import periods, where_asked
from mosshead.models.context import Context, Excerpt, MessageHit, MessageHits, excerpts
from mosshead.models.memories import Hit
from mosshead.models.messages import StoredMessage
from mosshead.models.questions import Question
from mosshead.patterns import lazy_pattern
from mosshead.search.memories import RankedMemory, not_ruled_out, other_of_two, rank_memories
from mosshead.search.messages import Among, RankedMessage, ScannedMessages, asked_by, rank_messages
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A message with whom it means.

    meant: each with the name that it has in the message. besides: likewise, who may be meant, and of two who share a name the
    other. ranked: the memories, best first, without those of namesakes who are ruled out; of the other of two only what has
    longest been so. now: when it was asked.
    """

    heard: Heard
    fetched: Fetched
    meant: Mapping[UUID, str]
    besides: Mapping[UUID, str]
    ranked: Sequence[RankedMemory]
    now: datetime

    def paths(self) -> tuple[Path, ...]:
        """The paths to its memories."""
        return paths(self.ranked, self.meant, self.besides)

    def messages(self, limit: int) -> list[RankedMessage]:
        """The messages that answer it, best first, so many at most.

        Memories are shown beside them, so that nothing is lent: a memory that fits tells it itself, in fewer tokens, and would
        only bring the message up to say it once more.
        """
        return rank_messages(
            self.fetched.messages,
            asked=asked_by(self.heard.parsed.text, names_of(self.heard.found, self.meant), self.now),
            lent={},
            limit=limit,
        )

    def questions(self) -> Iterator[Question]:
        """What must be asked back."""
        for name, one in self.fetched.meant.items():
            if likely := one.decision.scores[: len(one.decision.plausible)]:
                yield question(name, offered(one.bearers, likely), self.heard.parsed.text)


def context(store: ReadStore, wanted: ContextRequest, published: dict[UUID, int], laid: Laid) -> Context:
    """What a model should know to answer a message.

    published: by publisher, what this app published before it asked. laid: what it wrote, and the service has not taken up.
    """
    heard = first(store, wanted.text, wanted.history, conversation=wanted.conversation, ahead=wanted.include_pending)
    told = {as_compared(one) for one in (*wanted.history, wanted.text)}
    # What is told anyway may take the best places, and is left out then.
    fetched = second(store, heard, told=told, shown=wanted.budget // _TOKENS + len(told))
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
    scanned, lent = spoken(store, heard, shown=shown, among=wanted.among, told=told)
    borne = {bearer for bearers in heard.parsed.named.values() for bearer in bearers}
    answering = rank_messages(
        scanned,
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


def names_of(found: Iterable[NameMatch], meant: Collection[UUID]) -> set[str]:
    """All that some of those are called whom a message names."""
    entities = [one.entity for one in found if one.entity.entity_id in meant]
    return {name for entity in entities for name in (entity.name, *entity.aliases)}


def understood(heard: Heard, fetched: Fetched, now: datetime) -> Understood:
    """Say whom a message means, and rank the memories by that."""
    memories, messages = fetched.memories.memories, fetched.messages.found
    said_at = (*(one.memory.said_at for one in memories), *(one.message.said_at for one in messages))
    now = where_asked(now, said_at)
    meant = _meant(heard, fetched)
    contests = fetched.meant.items()
    plausible = {key: name for name, one in contests for key in not_ruled_out(one.decision) if key not in meant}
    others = {
        key: name for name, one in contests if (key := other_of_two(one.decision)) and key not in {*meant, *plausible}
    }
    settled = (one for _, one in contests if one.decision.entity_id is not None)
    bearers = frozenset(bearer for one in settled for bearer in one.bearers)
    ranked = rank_memories(
        fetched.memories,
        named=meant,
        plausible={*plausible, *others},
        left_out=bearers - {*meant, *plausible, *others},
        periods=periods(heard.parsed.text, now.date()),
    )
    return Understood(
        heard=heard,
        fetched=fetched,
        meant=meant,
        besides={**plausible, **others},
        ranked=_told_in_one_line(ranked, others, meant),
        now=now,
    )


def _told_in_one_line(
    ranked: Sequence[RankedMemory], others: Collection[UUID], meant: Collection[UUID]
) -> list[RankedMemory]:
    """Without what is about the others alone, but for what has longest been so of each."""
    kept = {
        first.id
        for other in others
        if (first := oldest([one for one in ranked if other in one.found.entities])) is not None
    }
    return [
        one
        for one in ranked
        if one.id in kept or one.found.entities.isdisjoint(others) or not one.found.entities.isdisjoint(meant)
    ]


def _meant(heard: Heard, fetched: Fetched) -> dict[UUID, str]:
    meant = dict.fromkeys(heard.parsed.implied, "")
    for name, bearers in heard.parsed.named.items():
        contest = fetched.meant.get(name)
        if contest is not None and contest.decision.entity_id is not None:
            meant[contest.decision.entity_id] = name
        elif len(bearers) == 1:
            meant |= dict.fromkeys(bearers, name)
    return meant


NEAR = {MODEL: 0.25}
"""By embedding model the cosine that what is nearest to a message has at least, if the message has to do with it.

Of 385 questions about conversations of LoCoMo, with "you" for the names, none lies below; of 20 requests that have to do with
none of them, 45 % (docs/reading.md). Of other models it is not known: to them all that is asked has to do with what is known.
"""

FEW = 20
"""Of so few things all may be shown: what stands out among them is not told by standard deviations. Where more are known, more
are found."""

_SMALL_TALK = frozenset(
    """
    a ah all alright and awesome bye cheers cool excellent fine good goodbye goodnight great haha hello hey hi hiya hm hmm lol
    lovely morning much nice night no nope oh ok okay perfect please right so sounds super sure thank thanks that thats the then
    there thx very well wonderful wow yeah yep yes you
    """.split()
)

_WORD = lazy_pattern(r"[^\W\d_]+")
_APOSTROPHES = str.maketrans("", "", "'’")


def relates(message: Parsed, cosines: Sequence[float], *, model: str, day: date) -> bool:
    """Whether a message has to do with what is known.

    cosines: of the memories and messages that were found for it. model: that embeds. day: on which it is asked. Whoever names
    somebody who is known, or a time that has begun, asks for something; and where a pronoun means somebody, too.
    """
    if len(cosines) <= FEW or message.named or message.implied:
        return True
    if any(one.first <= day for one in periods(message.text, day)):
        return True
    words = _WORD.findall(message.text.casefold().translate(_APOSTROPHES))
    small_talk = bool(words) and _SMALL_TALK.issuperset(words)
    return not small_talk and max(cosines) >= NEAR.get(model, -1.0)
