"""From message to context: parse it, resolve its names, then fetch, rank and assemble.

This takes two round trips to Postgres, with the embedding between them:

    look_up_names     the entities named in the message and the turns before it, the memories' freshness, and, in a large
                      namespace, how common the message's words are
    fetch_candidates  the evidence for resolving names, and the candidates of each path

A name is near all memories of its bearer whatever is asked, so the embedded text replaces it with "someone"; the word search
still uses it.

A third trip happens in two cases only. If a name stays unresolved and the message calls for a taught process, the process's words
may decide ("hand it back to the writer"). And if a pronoun may refer to someone in the stored turns before, their names are
looked up after the first trip.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any
from uuid import UUID

from mosshead.context.assemble import (
    Path,
    assemble,
    called_for,
    paths,
    told_in_one_line,
    without,
)
from mosshead.context.reader import reader_cues, relates
from mosshead.deadline import at_the_same_time
from mosshead.embeddings.protocol import Vector
from mosshead.entities import evidence, lookup
from mosshead.entities.disambiguation import (
    OF_ANYBODY,
    SCENE_TURNS,
    Disambiguation,
    Telling,
    disambiguate,
    question,
    telling,
)
from mosshead.entities.evidence import Weighed, offered
from mosshead.entities.lookup import NameMatch, Parsed
from mosshead.entities.resolution import TURNS
from mosshead.language.dates import periods, where_asked
from mosshead.language.name_spans import keys_of
from mosshead.language.requests import is_first_person
from mosshead.models.context import Context
from mosshead.models.entities import USER
from mosshead.models.memories import Hit, Progress
from mosshead.models.messages import StoredMessage
from mosshead.models.questions import Question
from mosshead.search import memories as memories_sql
from mosshead.search import messages as messages_sql
from mosshead.search.memories import RankedMemory, not_ruled_out, other_of_two, rank_memories
from mosshead.search.messages import Among, RankedMessage, asked_by, rank_messages
from mosshead.search.rerank import Judge
from mosshead.search.scans import Scanned, Vocabulary, vocabularies, vocabulary_statement
from mosshead.store import memories as views
from mosshead.store.connection import ReadStore, Sql
from mosshead.store.pending import Laid
from mosshead.text import as_compared, turns_before

_MOST_CONTESTED = 3
"""How many ambiguous names of a message are resolved; each takes a scan."""

_TOKENS = 50
"""Tokens of budget per expected message: a message takes at least about 25, and memories share the space."""

_SHORT = 10
"""Tokens of a short message with its speaker; the budget divided by this limits the candidate messages."""

_PENDING = 5
"""How many memories written by the app and not yet processed by the service a context holds."""

NOTHING = Context(memories=(), questions=(), tokens=0, partial=False, explanations=())


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """The validated arguments of `Namespace.context`."""

    text: str
    history: tuple[str, ...]
    conversation: str | None
    now: datetime
    budget: int
    include_pending: int
    speaker: str | None = None
    fill: bool = False
    judge: Judge | None = None


def context(store: ReadStore, wanted: ContextRequest, published: dict[UUID, int], laid: Laid) -> Context:
    """Return what a model should know to answer a message.

    published: by publisher, what this app published before the call. laid: this app's writes that the service has not processed.
    """
    heard = look_up_names(
        store,
        wanted.text,
        wanted.history,
        conversation=wanted.conversation,
        ahead=wanted.include_pending,
        speaker=wanted.speaker,
        by_name=wanted.fill,
    )
    told = {as_compared(one) for one in (*wanted.history, wanted.text)}
    # What is told anyway may take the best places, and is left out then.
    fetched = fetch_candidates(store, heard, told=told, shown=wanted.budget // _TOKENS + len(told))
    read, found = settle(store, heard, fetched, wanted.now)
    progress = replace(heard.progress, published=published)
    context = assemble(
        without(found, laid.closed),
        messages=read.messages(limit=wanted.budget // _SHORT),
        ahead=_ahead(heard.ahead, told),
        pending=_pending(store, laid, heard.parsed.unnamed, found),
        questions=tuple(read.questions()),
        related=relates(
            heard.parsed.text,
            fetched.cosines,
            somebody=heard.parsed.means_somebody,
            model=store.embedder.name,
            day=read.now.date(),
        ),
        judge=wanted.judge,
        reader=None
        if wanted.fill
        else reader_cues(
            store, heard.parsed, fetched.memories, fetched.messages, speaker=wanted.speaker, hidden=heard.hidden
        ),
        budget=wanted.budget,
        count_tokens=store.embedder.count_tokens,
        now=wanted.now,
        partial=progress.partial,
    )
    return replace(context, behind_seconds=progress.behind_seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A message after the first round trip.

    before: the preceding turns, oldest first.
    found: the names in all of them.
    ahead: the latest messages in the namespace that have not taken effect, latest first.
    vocabularies: of the message's words, if the namespace has its own indexes.
    speaker: the asker's name in a group, if the message is about them.
    hidden: messages not to show, because everything in them is to be forgotten.
    """

    parsed: Parsed
    before: tuple[str, ...]
    found: tuple[NameMatch, ...]
    ahead: tuple[StoredMessage, ...]
    progress: Progress
    vocabularies: Mapping[Scanned, Vocabulary]
    speaker: str | None = None
    hidden: frozenset[UUID] = frozenset()

    def names_of(self, meant: Collection[UUID]) -> set[str]:
        """Return all names of the given entities that the message mentions, and the speaker's if they speak of themselves."""
        entities = [one.entity for one in self.found if one.entity.entity_id in meant]
        names = {name for entity in entities for name in (entity.name, *entity.aliases)}
        return names | ({self.speaker} if self.speaker else set())


def look_up_names(
    store: ReadStore,
    message: str,
    before: Sequence[str],
    *,
    conversation: str | None = None,
    ahead: int = 0,
    speaker: str | None = None,
    by_name: bool = True,
) -> Heard:
    """Look up the entities named in a message.

    before: the preceding turns, oldest first; only the latest count. conversation: where to find them if none are given. speaker:
    the asker's name; without one, the asker is the user. by_name: "I" and "my" count as the speaker's name; a context for a
    reader weighs them separately. ahead: how many messages that have not taken effect to fetch.
    """
    given = bool(before)
    before = turns_before(message, before, TURNS)
    texts, asker = [message, *before], speaker or USER
    asked = {
        "names": lookup.statement_for(store.path, keys_of(texts) | keys_of([asker], are_names=True)),
        "progress": views.progress_statement(store.path),
        "words": vocabulary_statement(store.path, store.embedder.name, message),
        "hidden": views.hidden_messages_statement(store.path),
    }
    if ahead:
        asked["ahead"] = views.messages_ahead_statement(store.path, ahead)
    if conversation and not given:
        asked["latest"] = views.latest_messages_statement(store.path, conversation, TURNS + 1)
    rows = dict(zip(asked, store.trip(list(asked.values())), strict=True))
    found, latest = lookup.matches(texts, rows["names"]), views.latest_said(rows.get("latest", []))
    before = turns_before(message, latest, TURNS) or before
    if latest and before and lookup.refers_back(message, found):
        (names,) = store.trip([lookup.statement_for(store.path, keys_of(before))])
        found = lookup.matches([message, *before], [*rows["names"], *names])
    first_person = is_first_person(message)
    return Heard(
        parsed=lookup.parse(
            message,
            found,
            asker=_asker(asker, rows["names"]) if first_person else frozenset(),
            in_group=by_name and speaker is not None,
        ),
        before=before,
        found=tuple(found),
        ahead=tuple(map(views.message_of, rows.get("ahead", ()))),
        progress=views.progress_of(rows["progress"]),
        vocabularies=vocabularies(rows["words"]),
        speaker=speaker if by_name and first_person else None,
        hidden=frozenset(row.message_id for row in rows["hidden"]),
    )


def _asker(name: str, rows: Sequence[Any]) -> frozenset[UUID]:
    found = {one.entity.entity_id for one in lookup.matches([name], rows, are_names=True) if one.whole}
    return frozenset(found) if len(found) == 1 else frozenset()


def _ahead(last: Sequence[StoredMessage], told: Collection[str]) -> list[StoredMessage]:
    """Return recent messages that no stage has judged, without those already in the prompt and those that would steer a model."""
    untold = [one for one in last if one.content.strip() and as_compared(one.content) not in told]
    if not untold:
        return []
    from mosshead.safety import steers  # its weights are loaded where something waits, and not before

    return [one for one in untold if not steers(one)]


def _pending(store: ReadStore, laid: Laid, message: str, found: Iterable[Path]) -> list[Hit]:
    """Return the memories nearest to the message among those the app wrote and the service has not processed."""
    if not laid.remembered:
        return []
    stored = {one.id for path in found for one in path.hits}
    vector = store.embedder.embed([message])[0]  # cached: the read has embedded this text already
    return [one for one in laid.similar(vector, store.embedder)[:_PENDING] if one.id not in stored]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedName:
    """The decision for an ambiguous name, and what is known of each bearer."""

    decision: Disambiguation
    bearers: Mapping[UUID, Weighed]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """The results of the second round trip. meant: by name."""

    memories: memories_sql.ScannedMemories
    messages: messages_sql.ScannedMessages
    meant: Mapping[str, ResolvedName]

    @property
    def cosines(self) -> list[float]:
        """Cosines of the memories and messages with the message."""
        return [*(one.cosine for one in self.memories.memories), *(one.cosine for one in self.messages.found)]

    @property
    def open(self) -> bool:
        """Whether a name is unresolved."""
        return any(one.decision.entity_id is None for one in self.meant.values())


def fetch_candidates(
    store: ReadStore, heard: Heard, *, shown: int, told: Collection[str], among: Among | None = None
) -> Fetched:
    """Fetch candidates for a message, and resolve its names.

    shown: how many messages may be shown. told: texts already in the prompt, normalised. among: the messages to search.
    """
    parsed = heard.parsed
    contests = {name: telling(parsed.text, name, heard.before) for name in parsed.contested[:_MOST_CONTESTED]}
    unnamed, *vectors = store.embedder.embed([parsed.unnamed, *(one.text for one in contests.values())])
    named = frozenset(bearer for bearers in parsed.named.values() if len(bearers) == 1 for bearer in bearers)
    of_memories = memories_sql.statement_for(
        store.path,
        model=store.embedder.name,
        vector=unnamed,
        message=parsed.text,
        named=named | parsed.implied,
        contested={bearer for name in contests for bearer in parsed.named[name]},
        vocabulary=heard.vocabularies.get("memories"),
    )
    of_messages = messages_statement(store, heard, unnamed, shown=shown, among=among)

    def scan_messages() -> tuple[messages_sql.ScannedMessages, dict[str, ResolvedName]]:
        found, *weighed = store.trip([of_messages, *_weighing(store, heard, contests, vectors)])
        return messages_sql.scanned(found, told, heard.hidden), _settled(heard, contests, weighed)

    # The memory scan takes longer, so name resolution shares the messages' connection.
    (messages, meant), memories = at_the_same_time(
        scan_messages, lambda: memories_sql.scanned(store.trip([of_memories])[0])
    )
    return Fetched(memories=memories, messages=messages, meant=meant)


def messages_statement(store: ReadStore, heard: Heard, vector: Vector, *, shown: int, among: Among | None) -> Sql:
    """Return the scan of messages. vector: of the message without names. shown, among: as in `fetch_candidates`."""
    return messages_sql.statement_for(
        store.path,
        model=store.embedder.name,
        vector=vector,
        message=heard.parsed.text,
        among=among,
        each=messages_sql.each_for(shown),
        vocabulary=heard.vocabularies.get("turns"),
    )


def _weighing(store: ReadStore, heard: Heard, contests: Mapping[str, Telling], vectors: Iterable[Vector]) -> list[Sql]:
    """Return, for each ambiguous name, the query for evidence about its bearers, then the query for names in the turns before."""
    if not contests:
        return []
    keys = keys_of(heard.before)
    return [
        *(
            evidence.statement_for(
                store.path,
                model=store.embedder.name,
                asked=asked,
                vector=vector,
                candidates=heard.parsed.named[name],
                named={one.entity.entity_id for one in heard.found} - heard.parsed.named[name],
                named_keys=keys,
            )
            for (name, asked), vector in zip(contests.items(), vectors, strict=True)
        ),
        *([lookup.statement_for(store.path, keys)] if keys else []),
    ]


def _settled(heard: Heard, contests: Mapping[str, Telling], rows: Sequence[list[Any]]) -> dict[str, ResolvedName]:
    if not contests:
        return {}
    weighings, names = rows[: len(contests)], chain.from_iterable(rows[len(contests) :])
    scene = {one.entity.entity_id for one in lookup.matches(heard.before, names) if not one.entity.is_user}
    meant = {}
    for (name, asked), weighing in zip(contests.items(), weighings, strict=True):
        bearers = heard.parsed.named[name]
        named = frozenset(one for others in heard.parsed.named.values() for one in others) - bearers
        weighed = evidence.weighed(weighing, asked, named=named, scene_named=scene - bearers)
        candidates = {key: weighed[key] for key in sorted(bearers) if key in weighed}
        decision = disambiguate(asked, {key: one.evidence for key, one in candidates.items()})
        meant[name] = ResolvedName(decision=decision, bearers=candidates)
    return meant


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A message with its resolved names.

    meant: each entity meant, with its name in the message.
    besides: likewise, plausible entities, and the other of two namesakes.
    ranked: memories, best first, without those of ruled-out namesakes; for the other of two only the oldest lasting one.
    now: when it was asked.
    """

    heard: Heard
    fetched: Fetched
    meant: Mapping[UUID, str]
    besides: Mapping[UUID, str]
    ranked: Sequence[RankedMemory]
    now: datetime

    def messages(self, limit: int) -> list[RankedMessage]:
        """Return the best messages for it, at most `limit`.

        Memories lend no relevance to messages here: a fitting memory is itself shown and costs fewer tokens, so a message raised
        by it would only repeat it.
        """
        return rank_messages(
            self.fetched.messages,
            asked=asked_by(self.heard.parsed.text, self.heard.names_of(self.meant), self.now),
            lent={},
            limit=limit,
        )

    def questions(self) -> Iterator[Question]:
        """Yield the questions of identity to ask back."""
        for name, one in self.fetched.meant.items():
            if likely := one.decision.scores[: len(one.decision.plausible)]:
                yield question(name, offered(one.bearers, likely), self.heard.parsed.text)


def settle(store: ReadStore, heard: Heard, fetched: Fetched, now: datetime) -> tuple[Understood, tuple[Path, ...]]:
    """Resolve the names of a message and find its paths to memories, with a third round trip if that may help."""
    read = _understand(heard, fetched, now)
    found = paths(read.ranked, read.meant, read.besides)
    if fetched.open and (processes := called_for(found)):
        read = _understand(heard, refetch_with_process(store, heard, fetched, processes), now)
        found = paths(read.ranked, read.meant, read.besides)
    return read, found


def _understand(heard: Heard, fetched: Fetched, now: datetime) -> Understood:
    """Resolve names and rank the memories accordingly."""
    memories, messages = fetched.memories.memories, fetched.messages.found
    said_at = (*(one.memory.said_at for one in memories), *(one.message.said_at for one in messages))
    now = where_asked(now, said_at)
    meant = _meant(heard, fetched)
    contests = fetched.meant.items()
    plausible = {key: name for name, one in contests for key in not_ruled_out(one.decision) if key not in meant}
    others = {
        key: name for name, one in contests if (key := other_of_two(one.decision)) and key not in {*meant, *plausible}
    }
    certain = (one for _, one in contests if one.decision.entity_id is not None)
    bearers = frozenset(bearer for one in certain for bearer in one.bearers)
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
        ranked=told_in_one_line(ranked, others, meant),
        now=now,
    )


def _meant(heard: Heard, fetched: Fetched) -> dict[UUID, str]:
    meant = dict.fromkeys(heard.parsed.implied, "")
    for name, bearers in heard.parsed.named.items():
        contest = fetched.meant.get(name)
        if contest is not None and contest.decision.entity_id is not None:
            meant[contest.decision.entity_id] = name
        elif len(bearers) == 1:
            meant |= dict.fromkeys(bearers, name)
    return meant


def refetch_with_process(store: ReadStore, heard: Heard, fetched: Fetched, processes: Sequence[str]) -> Fetched:
    """Retry unresolved names with the text of the processes that the message calls for."""
    still = [name for name, one in fetched.meant.items() if one.decision.entity_id is None]
    # Processes replace the oldest turns, because only a limited number of turns is considered.
    latest = heard.before[max(0, len(heard.before) + len(processes) - SCENE_TURNS) :]
    heard = replace(heard, before=(*processes, *latest))
    contests = {name: telling(heard.parsed.text, name, heard.before) for name in still}
    vectors = store.embedder.embed([one.text for one in contests.values()])
    rows = store.trip(_weighing(store, heard, contests, vectors))
    anew = _settled(heard, contests, rows)
    return replace(
        fetched, meant={name: _told(before, anew.get(name, before)) for name, before in fetched.meant.items()}
    )


def _told(before: ResolvedName, after: ResolvedName) -> ResolvedName:
    """Keep the decision made without the process, unless the process says something about the entity now chosen.

    A process is longer than the message, and more text lowers the doubt, even where it says nothing about any bearer.
    """
    one = after.decision.entity_id
    if one is None or one not in before.bearers:
        return after
    had, has = before.bearers[one].evidence, after.bearers[one].evidence
    of_all = frozenset[str].intersection(*(other.evidence.words for other in after.bearers.values()))
    tells = has.words - had.words - of_all - OF_ANYBODY or has.scene_named - had.scene_named
    return after if tells else before
