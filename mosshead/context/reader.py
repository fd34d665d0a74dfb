"""Choose and order a context for a reader, from who asks, whether the message relates to anything, and what answers it."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from uuid import UUID

from mosshead.context.asker import is_statement, known_of_asker, needed_of_asker, of_others
from mosshead.embeddings.calibration import UnrelatedCosines, unrelated_cosines
from mosshead.embeddings.local.files import MODEL
from mosshead.entities.lookup import Parsed
from mosshead.fencing import short
from mosshead.language.changes import CORRECTION, denies, may_replace, switched_to
from mosshead.language.dates import periods
from mosshead.language.names import normalise, strange_names
from mosshead.language.requests import (
    asks_for_profile,
    asks_of_oneself,
    asks_what_is_now,
    concerns_assistant,
    content_words,
    is_first_person,
    is_request,
    is_small_talk,
    tells_of_change,
    words,
)
from mosshead.models.context import Explanation
from mosshead.models.entities import USER
from mosshead.models.kinds import MemoryKind, Role
from mosshead.models.memories import Hit
from mosshead.models.messages import StoredMessage
from mosshead.patterns import lazy_pattern
from mosshead.search.memories import MemoryFound, RankedMemory, ScannedMemories
from mosshead.search.messages import MessageFound, RankedMessage, ScannedMessages
from mosshead.search.weights import ReadingWeights
from mosshead.store.connection import ReadStore

READING = ReadingWeights()

NEAR = {MODEL: 0.25}
"""By embedding model, the least cosine of the nearest result if the message relates to anything known.

Of 385 questions about LoCoMo conversations, with "you" for the names, none lies below; of 20 unrelated requests, 45 % do
(docs/explanation/reading.md). For unmeasured models, every message counts as related.
"""

FEW = 20
"""Up to this many results, all may be shown: standard deviations do not identify outliers among so few. Larger namespaces return
more results."""

_HEADING_CHARACTERS = 100
_OWNED = lazy_pattern(r"(\w+)['’]s [a-z -]+ is ")

_STRANGE = 1.0
"""How many deviations nearer a result must be if the message contains a name unknown to all of them."""

_ECHO = 0.25
"""How large a share of an assistant's message may differ from the memory it repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderCues:
    """What choosing and ordering for a reader depends on.

    cosines: those of unrelated texts.
    needed: facts about the asker that this kind of request needs, best first.
    asker: the asking entity, if the message is about the asker.
    speaker: the asker's name.
    related: the message relates to something known.
    profile: it asks for everything about the asker.
    of_assistant: it asks what the assistant said.
    of_now: it asks how things are now.
    namesakes: bearers of its ambiguous names; what distinguishes them is shown too.
    headings: by memory and message id, which namesake it is about.
    of_others: ids of what is about other people, if the message is only about the asker.
    """

    cosines: UnrelatedCosines
    needed: tuple[MemoryFound | MessageFound, ...] = ()
    asker: frozenset[UUID] = frozenset()
    speaker: str | None = None
    related: bool = True
    profile: bool = False
    first_person: bool = False
    of_assistant: bool = False
    of_now: bool = True
    namesakes: frozenset[UUID] = frozenset()
    headings: Mapping[UUID, str] = field(default_factory=dict, hash=False)
    of_others: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextCandidate:
    """A candidate for the context.

    found: how it was ranked; None if it was not. score: base + boost. earlier: a line above it tells of a later change.
    """

    value: Hit | StoredMessage
    found: RankedMemory | RankedMessage | None = None
    raw: MemoryFound | MessageFound | None = None
    paths: tuple[str, ...] = ("conversation",)
    base: float
    boost: float = 0.0
    guaranteed: bool = False
    judged: float | None = None
    earlier: bool = False

    @property
    def score(self) -> float:
        """The candidate's rank among all others: base + boost, or the score that a judge assigned."""
        return self.base + self.boost if self.judged is None else self.judged

    @property
    def sources(self) -> tuple[UUID, ...]:
        """The source messages of a memory."""
        raw = self.found.found if self.found else self.raw
        return raw.sources if isinstance(raw, MemoryFound) else ()

    @property
    def due(self) -> bool:
        """Whether a name or a process calls for it; the best semantic fit alone does not count."""
        return self.guaranteed and any(one.startswith(("entity", "process")) for one in self.paths)

    @property
    def is_process(self) -> bool:
        """Whether it is on the process path."""
        return any(one.startswith("process") for one in self.paths)

    @property
    def reach(self) -> float:
        """All evidence for it, lent relevance included, in standard deviations; infinite for what was not ranked."""
        if isinstance(self.found, RankedMemory):
            return READING.memory * self.found.relevance.total
        return self.found.score if self.found else math.inf

    def explained(self) -> Explanation:
        """Return its explanation for the context."""
        raw = self.found.found if self.found else self.raw
        return Explanation(
            memory=self.value if isinstance(self.value, Hit) else None,
            message=self.value if isinstance(self.value, StoredMessage) else None,
            paths=self.paths,
            score=self.score,
            base=self.base,
            boost=self.boost,
            guaranteed=self.guaranteed,
            cosine=raw.cosine if raw else None,
            words=raw.words if raw else None,
            parts=self.found.parts if self.found else {},
            sources=self.sources,
            earlier=self.earlier,
        )


def reader_cues(
    store: ReadStore,
    parsed: Parsed,
    memories: ScannedMemories,
    messages: ScannedMessages,
    *,
    speaker: str | None,
    hidden: frozenset[UUID] = frozenset(),
) -> ReaderCues:
    """Collect the cues for a reader; if the request needs facts about the asker, this takes another round trip."""
    text, cosines = parsed.text, unrelated_cosines(store.embedder)
    profile = asks_for_profile(text) and bool(parsed.asker)
    needed = (
        known_of_asker(store, parsed) if profile else tuple(needed_of_asker(store, parsed, cosines, speaker, hidden))
    )
    return ReaderCues(
        cosines=cosines,
        needed=needed,
        asker=parsed.asker,
        speaker=speaker,
        related=bool(needed) or _related(parsed, memories, messages, cosines),
        profile=profile,
        first_person=is_first_person(text),
        of_assistant=concerns_assistant(text),
        of_now=asks_what_is_now(text),
        namesakes=frozenset[UUID]().union(*(parsed.named[name] for name in parsed.contested)),
        headings=_headings(parsed, memories),
        of_others=of_others(parsed, memories, messages, speaker) if asks_of_oneself(text) else frozenset(),
    )


def _headings(parsed: Parsed, scanned: ScannedMemories) -> dict[UUID, str]:
    """Return, by memory and message id, the namesake it is about: the name and what distinguishes it."""
    sharing = [parsed.named[name].intersection(scanned.bearings) for name in parsed.contested]
    by_name: dict[str, set[UUID]] = {}
    for entity, known in scanned.bearings.items():
        by_name.setdefault(normalise(known.name), set()).add(entity)
    names: dict[UUID, str] = {}
    for those in (*sharing, *by_name.values()):
        for number, entity in enumerate(sorted(those - parsed.asker), 1 if len(those) > 1 else len(those) + 1):
            known = scanned.bearings[entity]
            told = f"{known.name}, {known.description}" if known.description else f"{known.name} ({number})"
            if len(those) > 1:
                names[entity] = short(told, _HEADING_CHARACTERS)
    found: dict[UUID, set[str]] = {}
    for one in scanned.memories if names else ():
        about = {names[entity] for entity in one.entities if entity in names}
        for key in (one.memory.id, *one.sources):
            found.setdefault(key, set()).update(about)
    return {key: about.pop() for key, about in found.items() if len(about) == 1}


def _related(parsed: Parsed, memories: ScannedMemories, messages: ScannedMessages, cosines: UnrelatedCosines) -> bool:
    """Whether a message relates to something stated; earlier questions do not count."""
    if is_small_talk(parsed.text):
        return False
    if parsed.means_somebody or is_first_person(parsed.text):
        return True
    asked = {one.message.id for one in messages.found if not is_statement(one)}
    near = [one.cosine for one in messages.found if is_statement(one)]
    near += [one.cosine for one in memories.memories if not one.sources or not asked.issuperset(one.sources)]
    if not near:
        return False
    known = (*(one.message.content for one in messages.found), *(one.memory.content for one in memories.memories))
    least = cosines.near(len(near)) + _STRANGE * cosines.deviation * bool(strange_names(parsed.text, known))
    return max(near) >= least


def relates(text: str, cosines: Sequence[float], *, somebody: bool, model: str, day: date) -> bool:
    """Whether a message relates to anything known.

    cosines: of the memories and messages found for it. somebody: it names someone known or refers to someone by pronoun; such a
    message counts as related, and so does one that names a time already begun. model: the embedding model. day: when it was
    asked.
    """
    if len(cosines) <= FEW or somebody:
        return True
    if any(one.first <= day for one in periods(text, day)):
        return True
    small_talk = bool(words(text)) and is_small_talk(text)
    return not small_talk and max(cosines) >= NEAR.get(model, -1.0)


def chosen(candidates: Sequence[ContextCandidate], reader: ReaderCues) -> list[ContextCandidate]:
    """Choose what a reader needs, best first: what is close to the best, and nothing far from the message.

    Results called for by a name or a process follow the direct answers. So do results by lent relevance, if no message answers:
    beside messages they add little.
    """
    if not reader.related:
        return [one for one in candidates if one.found is None]
    candidates = [one for one in candidates if one.value.id not in reader.of_others]
    good = [one for one in map(_good_to_know, reader.needed) if one.value.id not in reader.of_others]
    if reader.profile:
        return [*good, *(one for one in candidates if one.found is None)]
    few = len(candidates) < READING.few
    ages = {key: age for age, key in enumerate(sorted({one.value.said_at for one in candidates}))}
    newest = max(1, len(ages) - 1)
    echoes = set(_echoes(candidates)) if not reader.of_assistant else set()
    standing = [
        (_reading(one, reader, newness=ages[one.value.said_at] / newest, few=few), one)
        for one in candidates
        if one.value.id not in echoes
    ]
    near = standing
    if len(standing) >= READING.few:
        near = [*_near_best(standing, Hit), *_near_best(standing, StoredMessage)]
    near = sorted((pair for pair in near if pair[0] > -math.inf), key=_best_first)[: READING.most]
    shown = _newest_first(near, reader) if reader.of_now else near
    messages = [one.value for _, one in shown if isinstance(one.value, StoredMessage)]
    statements = [one for one in messages if one.role is Role.USER and not is_request(one.content)]
    direct = [_disputed(one, statements) for _, one in shown]
    shown_ids = {one.value.id for one in direct}
    told = any(isinstance(one.value, StoredMessage) for one in direct)
    called = [
        one
        for one in _called_for(candidates, READING.called * (not told), of=reader.namesakes if told else None)
        if one.value.id not in shown_ids
    ]
    return [*good, *direct, *called]


def _echoes(candidates: Sequence[ContextCandidate]) -> Iterator[UUID]:
    """Yield the assistant's messages that say almost nothing beyond a known memory."""
    answers = [
        one.value for one in candidates if isinstance(one.value, StoredMessage) and one.value.role is Role.ASSISTANT
    ]
    known = [content_words(one.value.content) for one in candidates if answers and isinstance(one.value, Hit)]
    for answer in answers:
        said = content_words(answer.content)
        if any(len(said - told) <= _ECHO * len(said) for told in known):
            yield answer.id


def _best_first(pair: tuple[float, ContextCandidate]) -> tuple[float, UUID]:
    return -pair[0], pair[1].value.id


def _called_for(
    candidates: Iterable[ContextCandidate], room: int, *, of: frozenset[UUID] | None
) -> list[ContextCandidate]:
    """Return the results that a name or process calls for, then others near the best by total relevance, including lent.

    of: the entities whose names count; None for all.
    """
    known = [(one.found, one) for one in candidates if isinstance(one.found, RankedMemory)]
    due = [
        one
        for ranked, one in known
        if one.due and (of is None or one.is_process or (ranked.relevance.foundation and ranked.found.entities & of))
    ]
    best = max((ranked.relevance.own for ranked, _ in known), default=0.0)
    least = max(READING.least, READING.relative * best * READING.memory) / READING.memory
    rest = [
        (-ranked.relevance.total, one.value.id, one)
        for ranked, one in known
        if not one.due and ranked.relevance.total >= least
    ]
    return [*due, *(one for _, _, one in sorted(rest)[: max(0, room - len(due))])]


def _newest_first(
    shown: Sequence[tuple[float, ContextCandidate]], reader: ReaderCues
) -> list[tuple[float, ContextCandidate]]:
    """Move the latest of the best to the front if it answers nearly as well: it may replace the others.

    In a group, what the asker says about themselves comes before what others say.
    """

    def key(pair: tuple[float, ContextCandidate]) -> tuple[bool, float]:
        of_another = reader.speaker is not None and not _of_asker(pair[1], reader)
        return of_another, -pair[1].value.said_at.timestamp()

    best = max(shown, key=lambda pair: pair[0] if pair[1].found else -math.inf, default=None)
    rivals = [pair for pair in shown[: READING.lead] if best is not None and _rivals(pair, best)]
    rest = [pair for pair in shown if pair not in rivals]
    return _below_changes([*sorted(rivals, key=key), *rest])


def _below_changes(shown: list[tuple[float, ContextCandidate]]) -> list[tuple[float, ContextCandidate]]:
    """Move what a later change may have ended below it, marked as earlier. A bare switch ends none of several things."""
    order = list(shown)
    for _, change in shown:
        ended = [one for _, one in order if _may_be_ended(one, change)]
        if not ended or (len(ended) > 1 and switched_to(change.value.content)):
            continue
        keys = {key for one in ended for key in (one.value.id, *one.sources)}
        order = [(score, replace(one, earlier=one.earlier or one.value.id in keys)) for score, one in order]
        places = {one.value.id: place for place, (_, one) in enumerate(order)}
        above = min(places[key] for key in (change.value.id, *keys) if key in places)
        order.insert(above, order.pop(places[change.value.id]))
    return order


def _may_be_ended(one: ContextCandidate, change: ContextCandidate) -> bool:
    """Whether a later change concerns the person that this memory is about, or a later message corrects this one."""
    value, later = one.value, change.value
    if isinstance(value, StoredMessage) and isinstance(later, StoredMessage) and CORRECTION.match(later.content):
        same = (value.conversation, value.speaker, value.role) == (later.conversation, later.speaker, later.role)
        return same and value.said_at < later.said_at and may_replace(later.content, value.content, USER)
    if not isinstance(value, Hit) or value.said_at.date() >= later.said_at.date():
        return False
    if value.kind is MemoryKind.EVENT and not switched_to(later.content):  # "sings in the Tuesday choir" has a day, too
        return False
    owner = _OWNED.match(value.content)
    subject = (owner[1],) if owner else value.about[:1]
    by_them = not isinstance(later, Hit) and later.role is Role.USER and later.speaker == value.said_by
    same = later.about[:1] in {value.about[:1], subject} if isinstance(later, Hit) else by_them
    return same and may_replace(later.content, value.content, " ".join(subject))


def _disputed(one: ContextCandidate, statements: Iterable[StoredMessage]) -> ContextCandidate:
    """Add to a memory who contradicts it in the statements shown beside it."""
    if not isinstance(value := one.value, Hit):
        return one
    by = {message.speaker or USER for message in statements if denies(message.content, value.content)}
    further = sorted(by.difference(value.disputed_by, [value.said_by or USER]))
    return replace(one, value=replace(value, disputed_by=(*value.disputed_by, *further))) if further else one


def _rivals(pair: tuple[float, ContextCandidate], best: tuple[float, ContextCandidate]) -> bool:
    """Whether a candidate may replace the best. On the same day that takes a higher score, unless it tells of a change."""
    (score, one), (highest, first) = pair, best
    if (
        isinstance(one.found, RankedMemory)
        and isinstance(first.found, RankedMemory)
        and (first.found.relevance.entity and not one.found.relevance.entity)
    ):
        return False
    at_once = one.value.said_at.date() == first.value.said_at.date() and not tells_of_change(one.value.content)
    return score >= highest * (READING.rivals_at_once if at_once else READING.rivals)


def _of_asker(one: ContextCandidate, reader: ReaderCues) -> bool:
    """Whether it is about the asker, or said by the asker, if the message is about them."""
    if isinstance(one.found, RankedMemory):
        memory = one.found.found.memory  # facts about "User" from the speaker are their own
        by_them = reader.speaker is not None and memory.said_by == reader.speaker and memory.content.startswith(USER)
        return by_them or not reader.asker.isdisjoint(one.found.found.entities)
    said = one.value
    own = isinstance(said, StoredMessage) and said.role is Role.USER and said.speaker == reader.speaker
    return reader.first_person and own


def _near_best(standing: Sequence[tuple[float, ContextCandidate]], kind: type) -> list[tuple[float, ContextCandidate]]:
    """Return the candidates of one kind near the best of that kind: memories and messages have different scales.

    The threshold rises down the list: one outlier brings few results, many similar ones bring many.
    """
    those = sorted((pair for pair in standing if isinstance(pair[1].value, kind)), key=_best_first)
    best = max((score for score, one in those if one.found), default=0.0)
    return [
        pair
        for place, pair in enumerate(those)
        if pair[0]
        >= max(READING.least, READING.relative * best + READING.fall * math.log1p(max(0, place - READING.free)))
    ]


def _reading(one: ContextCandidate, reader: ReaderCues, *, newness: float, few: bool) -> float:
    """Score how well a candidate answers, in standard deviations.

    newness: 0 for the oldest, 1 for the newest. few: use the deviation of unrelated texts, because few candidates have no
    meaningful one of their own.
    """
    newer = READING.newer * newness if reader.of_now else 0.0
    if isinstance(one.found, RankedMemory):
        relevance = one.found.relevance
        own = (
            relevance.own - relevance.fit + reader.cosines.deviations(one.found.found.cosine) if few else relevance.own
        )
        return own * READING.memory + READING.asker * _of_asker(one, reader) + newer
    if isinstance(one.found, RankedMessage):
        message, score = one.found.message, one.found.score + newer
        if few:
            score = reader.cosines.deviations(one.found.found.cosine) * READING.memory + newer
        if is_small_talk(message.content):
            return -math.inf
        if one.found.found.cosine < reader.cosines.mean + READING.touches * reader.cosines.deviation:
            score += READING.untouched
        if message.role is Role.ASSISTANT and not reader.of_assistant:
            score += READING.assistant
        elif is_request(message.content):
            score += READING.request
        return score + READING.asker * _of_asker(one, reader)
    return math.inf  # written by the app, or said just now


def _good_to_know(one: MemoryFound | MessageFound) -> ContextCandidate:
    value = one.memory if isinstance(one, MemoryFound) else one.message
    return ContextCandidate(value=value, raw=one, paths=("asker",), base=one.cosine)
