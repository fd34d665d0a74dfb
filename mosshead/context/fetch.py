"""What a message needs to be read: two round trips to Postgres, with the embedding between them.

    first    whom the message and the turns before it name, how fresh the memories are, and, in a large namespace, how common
             the words of the message are
    second   all that decides who is meant, and what each path may find

A name lies near to all memories of its bearer and tells nothing of what is asked, so "someone" stands for it in what is embedded;
its words are still looked for.

One more trip is made in two cases only: where it stays open who is meant, and the message calls for a taught process, whose words
may tell ("hand it back to the writer"); and behind the first, where a pronoun may mean whom the turns before name, and these are
stored and not given.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any
from uuid import UUID

from sqlalchemy import Engine

from mosshead.deadline import at_the_same_time
from mosshead.embeddings import Embedder
from mosshead.embeddings.protocol import Vector
from mosshead.entities import evidence, lookup
from mosshead.entities.disambiguation import (
    OF_ANYBODY,
    SCENE_TURNS,
    STAND_IN,
    Disambiguation,
    Telling,
    disambiguate,
    telling,
)
from mosshead.entities.evidence import Weighed
from mosshead.entities.lookup import NameMatch
from mosshead.entities.resolution import TURNS
from mosshead.language.names import normalise
from mosshead.language.references import Layout, ReferenceForm, phrases
from mosshead.models.kinds import EntityType
from mosshead.models.memories import Progress
from mosshead.models.messages import StoredMessage
from mosshead.paths import NamespacePath
from mosshead.search import memories as memories_sql
from mosshead.search import messages as messages_sql
from mosshead.search.messages import Among
from mosshead.search.scans import Scanned, Vocabulary, vocabularies, vocabulary_statement
from mosshead.store import memories as views
from mosshead.store import messages as stored_messages
from mosshead.store.connection import Statement, in_one_trip
from mosshead.text import turns_before

_MOST_CONTESTED = 3
"""So many names of a message, each borne by several, are settled; it takes a scan for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadStore:
    """Where to read, and what embeds."""

    engine: Engine
    path: NamespacePath
    embedder: Embedder

    def trip(self, statements: Sequence[Statement]) -> list[list[Any]]:
        """The rows of some statements, for one round trip."""
        return in_one_trip(self.engine, self.path.tenant_id, statements)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A message as reading takes it.

    text: as it was said. unnamed: with "someone" for the names of people; as it was said where nothing else is in it.
    named: each name in it, as it is written first, in their order, with whom it may mean; the user is nobody's question.
    implied: who is meant by a pronoun, where the message names nobody, and the last turn that names anybody names one alone.
    """

    text: str
    unnamed: str
    named: Mapping[str, frozenset[UUID]]
    implied: frozenset[UUID] = frozenset()

    @property
    def contested(self) -> tuple[str, ...]:
        """The names that several bear."""
        return tuple(name for name, bearers in self.named.items() if len(bearers) > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A message as the first trip leaves it.

    before: the turns before it, oldest first. found: the names in all of these. ahead: what was said last, anywhere in the
    namespace, and has not taken effect; the last first. vocabularies: of its words, where the namespace has indexes of its own.
    """

    parsed: Parsed
    before: tuple[str, ...]
    found: tuple[NameMatch, ...]
    ahead: tuple[StoredMessage, ...]
    progress: Progress
    vocabularies: Mapping[Scanned, Vocabulary]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedName:
    """Who a name that several bear means, and what is known of each of them."""

    decision: Disambiguation
    bearers: Mapping[UUID, Weighed]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What the second trip brings. meant: by name."""

    memories: memories_sql.ScannedMemories
    messages: messages_sql.ScannedMessages
    meant: Mapping[str, ResolvedName]

    @property
    def cosines(self) -> list[float]:
        """Those of the memories and messages with what was asked."""
        return [*(one.cosine for one in self.memories.memories), *(one.cosine for one in self.messages.found)]

    @property
    def open(self) -> bool:
        """Whether it is open who is meant by a name."""
        return any(one.decision.entity_id is None for one in self.meant.values())


def first(
    store: ReadStore, message: str, before: Sequence[str], *, conversation: str | None = None, ahead: int = 0
) -> Heard:
    """Look up whom a message names.

    before: the turns before it, oldest first, of which the latest count. conversation: where to look for them if none are given.
    ahead: how many to fetch of the messages that have not taken effect.
    """
    given = bool(before)
    before = turns_before(message, before, TURNS)
    texts = [message, *before]
    asked = {
        "names": lookup.statement_for(store.path, lookup.keys_of(texts)),
        "progress": views.progress_statement(store.path),
        "words": vocabulary_statement(store.path, store.embedder.name, message),
    }
    if ahead:
        asked["ahead"] = stored_messages.ahead_statement(store.path, ahead)
    if conversation and not given:
        asked["latest"] = stored_messages.latest_statement(store.path, conversation, TURNS + 1)
    rows = dict(zip(asked, store.trip(list(asked.values())), strict=True))
    found, stored = lookup.matches(texts, rows["names"]), stored_messages.latest_of(rows.get("latest", []))
    before = turns_before(message, stored, TURNS) or before
    if stored and before and refers_back(message, found):
        (names,) = store.trip([lookup.statement_for(store.path, lookup.keys_of(before))])
        found = lookup.matches([message, *before], [*rows["names"], *names])
    return Heard(
        parsed=parse(message, found),
        before=before,
        found=tuple(found),
        ahead=tuple(map(stored_messages.message_of, rows.get("ahead", ()))),
        progress=views.progress_of(rows["progress"]),
        vocabularies=vocabularies(rows["words"]),
    )


def parse(message: str, found: Sequence[NameMatch]) -> Parsed:
    """Parse a message. found: the names in it, as text 0, and in the turns before it, as texts 1 and on, oldest first."""
    others = [one for one in found if not one.entity.is_user]
    named: dict[str, set[UUID]] = {}
    written: dict[str, str] = {}
    for one in others:
        if one.text == 0:
            name = written.setdefault(normalise(one.name), one.name)
            named.setdefault(name, set()).add(one.entity.entity_id)
    return Parsed(
        text=message,
        unnamed=_unnamed(message, [one for one in found if one.text == 0]),
        named={name: frozenset(bearers) for name, bearers in named.items()},
        implied=_implied(others) if refers_back(message, found) else frozenset(),
    )


def refers_back(message: str, found: Sequence[NameMatch]) -> bool:
    """Whether the turns before may tell whom a message means: it has a pronoun and names nobody. found: as for `parse`."""
    names_nobody = not any(one.text == 0 and not one.entity.is_user for one in found)
    return names_nobody and any(phrase.form is ReferenceForm.PRONOUN for phrase in phrases(Layout(message)))


def _implied(before: Sequence[NameMatch]) -> frozenset[UUID]:
    latest = max((one.text for one in before), default=0)
    last = frozenset(one.entity.entity_id for one in before if one.text == latest)
    return last if len(last) == 1 else frozenset()


def _unnamed(message: str, found: Sequence[NameMatch]) -> str:
    """The message with "someone" for each name of a person, as who is meant is weighed by it too (`disambiguation.telling`)."""
    kept, taken = [], 0
    for start, end in sorted({(one.start, one.end) for one in found if one.entity.entity_type is EntityType.PERSON}):
        if start >= taken:
            kept.append(message[taken:start])
            taken = end
    kept.append(message[taken:])
    return " ".join(STAND_IN.join(kept).split()) if any(map(str.isalnum, "".join(kept))) else message


def second(store: ReadStore, heard: Heard, *, shown: int, told: Collection[str], among: Among | None = None) -> Fetched:
    """Fetch what answers to a message, and settle who is meant.

    shown: how many messages may be shown. told: what is told anyway, as it is compared. among: which are searched.
    """
    parsed = heard.parsed
    contests = {name: telling(parsed.text, name, heard.before) for name in parsed.contested[:_MOST_CONTESTED]}
    unnamed, *vectors = store.embedder.embed([parsed.unnamed, *(one.text for one in contests.values())])
    named = frozenset(bearer for bearers in parsed.named.values() if len(bearers) == 1 for bearer in bearers)
    of_memories = memories_sql.statement_for(
        store.path,
        **_asked(store, heard, unnamed),
        named=named | parsed.implied,
        contested={bearer for name in contests for bearer in parsed.named[name]},
        vocabulary=heard.vocabularies.get("memories"),
    )
    of_messages = _of_messages(store, heard, unnamed, shown=shown, among=among)

    def scan_messages() -> tuple[messages_sql.ScannedMessages, dict[str, ResolvedName]]:
        found, *weighed = store.trip([of_messages, *_weighing(store, heard, contests, vectors)])
        return messages_sql.scanned(found, told), _settled(heard, contests, weighed)

    # Memories take the longer of the two, and so the messages' connection tells who is meant.
    (messages, meant), memories = at_the_same_time(
        scan_messages, lambda: memories_sql.scanned(store.trip([of_memories])[0])
    )
    return Fetched(memories=memories, messages=messages, meant=meant)


def spoken(
    store: ReadStore, heard: Heard, *, shown: int, among: Among, told: Collection[str]
) -> tuple[messages_sql.ScannedMessages, dict[UUID, float]]:
    """The second trip where messages alone are wanted: those that answer, and by message what memories lend to them.

    shown, told, among: as for `second`.
    """
    (vector,) = store.embedder.embed([heard.parsed.unnamed])
    lending = messages_sql.lending_statement(
        store.path, **_asked(store, heard, vector), vocabulary=heard.vocabularies.get("memories")
    )
    of_messages = _of_messages(store, heard, vector, shown=shown, among=among)
    found, lent = store.trip([of_messages, lending])
    return messages_sql.scanned(found, told), messages_sql.lent(lent)


def _asked(store: ReadStore, heard: Heard, vector: Vector) -> dict[str, Any]:
    return {"model": store.embedder.name, "vector": vector, "message": heard.parsed.text}


def _of_messages(store: ReadStore, heard: Heard, vector: Vector, *, shown: int, among: Among | None) -> Statement:
    return messages_sql.statement_for(
        store.path,
        **_asked(store, heard, vector),
        among=among,
        each=messages_sql.each_for(shown),
        vocabulary=heard.vocabularies.get("turns"),
    )


def third(store: ReadStore, heard: Heard, fetched: Fetched, processes: Sequence[str]) -> Fetched:
    """Settle what stayed open, with what the processes say that the message calls for."""
    still = [name for name, one in fetched.meant.items() if one.decision.entity_id is None]
    # In the place of the oldest turns: of more than these nothing is looked at.
    latest = heard.before[max(0, len(heard.before) + len(processes) - SCENE_TURNS) :]
    heard = replace(heard, before=(*processes, *latest))
    contests = {name: telling(heard.parsed.text, name, heard.before) for name in still}
    vectors = store.embedder.embed([one.text for one in contests.values()])
    rows = store.trip(_weighing(store, heard, contests, vectors))
    settled = _settled(heard, contests, rows)
    return replace(
        fetched, meant={name: _told(before, settled.get(name, before)) for name, before in fetched.meant.items()}
    )


def _told(before: ResolvedName, after: ResolvedName) -> ResolvedName:
    """What is known of a name behind a process: as before, unless the process says something of whom it settles on.

    A process is longer than the message, and the more is said, the less doubt is left; but nobody said it of anybody.
    """
    one = after.decision.entity_id
    if one is None or one not in before.bearers:
        return after
    had, has = before.bearers[one].evidence, after.bearers[one].evidence
    of_all = frozenset[str].intersection(*(other.evidence.words for other in after.bearers.values()))
    tells = has.words - had.words - of_all - OF_ANYBODY or has.scene_named - had.scene_named
    return after if tells else before


def _weighing(
    store: ReadStore, heard: Heard, contests: Mapping[str, Telling], vectors: Iterable[Vector]
) -> list[Statement]:
    """For each contested name, what is known of its bearers that answers to what was said; then the scene's names."""
    if not contests:
        return []
    keys = lookup.keys_of(heard.before)
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
