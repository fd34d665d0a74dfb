"""What a message needs to be read: two round trips to Postgres, with the embedding between them.

    first    whom the message and the turns before it name, how fresh the memories are, and, in a large namespace, how common
             the words of the message are
    second   all that decides who is meant, and what each path may find

One more is made in two cases only: where it stays open who is meant, and the message calls for a taught process, whose words may
tell ("hand it back to the writer"); and behind the first, where a pronoun may mean whom the turns before name, and these are
stored and not given.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any
from uuid import UUID

from sqlalchemy import Engine

from mosshead.context.parse import Parsed, parse, refers_back
from mosshead.deadline import at_the_same_time
from mosshead.embeddings import Embedder, Vectors
from mosshead.entities import evidence, lookup
from mosshead.entities.disambiguation import OF_ANYBODY, SCENE_TURNS, Disambiguation, Telling, disambiguate, telling
from mosshead.entities.evidence import Weighed
from mosshead.entities.lookup import NameMatch
from mosshead.models.memories import Progress
from mosshead.models.messages import StoredMessage
from mosshead.paths import NamespacePath
from mosshead.search import indexed
from mosshead.search import memories as memories_sql
from mosshead.search import messages as messages_sql
from mosshead.search.indexed import Vocabulary
from mosshead.search.messages import Among, VisibleTurns
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
    vocabularies: Mapping[indexed.Scanned, Vocabulary]


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
    store: ReadStore,
    message: str,
    before: Sequence[str],
    *,
    conversation: str | None = None,
    turns: int = 0,
    ahead: int = 0,
) -> Heard:
    """Look up whom a message names.

    before: the turns before it, oldest first, of which the latest count. conversation: where to look for them instead. turns: so
    many of them. ahead: how many to fetch of those that have not taken effect.
    """
    before = turns_before(message, before, turns)
    texts = [message, *before]
    asked = {
        "names": lookup.statement_for(store.path, lookup.keys_of(texts)),
        "progress": views.progress_statement(store.path),
        "words": indexed.vocabulary_statement(store.path, store.embedder.name, message),
    }
    if ahead:
        asked["ahead"] = stored_messages.latest_statement(store.path, ahead)
    if conversation and turns:
        asked["latest"] = views.latest_messages_statement(store.path, conversation, turns + 1)
    rows = dict(zip(asked, store.trip(list(asked.values())), strict=True))
    found, stored = lookup.matches(texts, rows["names"]), views.latest_of(rows.get("latest", []))
    before = turns_before(message, stored, turns) or before
    if stored and before and refers_back(message, found):
        (names,) = store.trip([lookup.statement_for(store.path, lookup.keys_of(before))])
        found = lookup.matches([message, *before], [*rows["names"], *names])
    return Heard(
        parsed=parse(message, found),
        before=before,
        found=tuple(found),
        ahead=tuple(map(stored_messages.message_of, rows.get("ahead", ()))),
        progress=views.progress_of(rows["progress"]),
        vocabularies=indexed.vocabularies(rows["words"]),
    )


def second(store: ReadStore, heard: Heard, *, shown: int, told: VisibleTurns, among: Among | None = None) -> Fetched:
    """Fetch what answers to a message, and settle who is meant.

    shown: how many messages may be shown. told, among: of those that are searched.
    """
    parsed = heard.parsed
    contests = {name: telling(parsed.text, name, heard.before) for name in parsed.contested[:_MOST_CONTESTED]}
    unnamed, *vectors = embedded(store, (parsed.unnamed,), *(one.texts for one in contests.values()))
    contested = frozenset(bearer for name in contests for bearer in parsed.named[name])
    asked: dict[str, Any] = {"model": store.embedder.name, "vector": unnamed[0], "message": parsed.text}
    named = frozenset(bearer for bearers in parsed.named.values() if len(bearers) == 1 for bearer in bearers)
    known = heard.vocabularies
    of_memories = memories_sql.statement_for(
        store.path, **asked, named=named | parsed.implied, contested=contested, vocabulary=known.get("memories")
    )
    of_messages = messages_sql.statement_for(
        store.path,
        **asked,
        among=among,
        told=told,
        each=messages_sql.each_for(shown),
        vocabulary=known.get("turns"),
    )

    def scan_messages() -> tuple[messages_sql.ScannedMessages, dict[str, ResolvedName]]:
        found, *weighed = store.trip([of_messages, *_weighing(store, heard, contests, vectors)])
        return messages_sql.scanned(found, told), _settled(heard, contests, weighed)

    # Memories take the longer of the two, and so the messages' connection tells who is meant.
    (messages, meant), memories = at_the_same_time(
        scan_messages, lambda: memories_sql.scanned(store.trip([of_memories])[0])
    )
    return Fetched(memories=memories, messages=messages, meant=meant)


def spoken(
    store: ReadStore, heard: Heard, *, shown: int, among: Among, told: VisibleTurns
) -> tuple[messages_sql.ScannedMessages, dict[UUID, float]]:
    """The second trip where messages alone are wanted: those that answer, and by message what memories lend to them.

    shown: how many may be shown. among, told: of those that are searched.
    """
    asked: dict[str, Any] = {
        "model": store.embedder.name,
        "vector": store.embedder.embed([heard.parsed.unnamed])[0],
        "message": heard.parsed.text,
    }
    each, known = messages_sql.each_for(shown), heard.vocabularies
    found, lent = store.trip(
        [
            messages_sql.statement_for(
                store.path, **asked, among=among, told=told, each=each, vocabulary=known.get("turns")
            ),
            messages_sql.lending_statement(store.path, **asked, vocabulary=known.get("memories")),
        ]
    )
    return messages_sql.scanned(found, told), messages_sql.lent(lent)


def third(store: ReadStore, heard: Heard, fetched: Fetched, processes: Sequence[str]) -> Fetched:
    """Settle what stayed open, with what the processes say that the message calls for."""
    still = [name for name, one in fetched.meant.items() if one.decision.entity_id is None]
    # In the place of the oldest turns: of more than these nothing is looked at.
    latest = heard.before[max(0, len(heard.before) + len(processes) - SCENE_TURNS) :]
    heard = replace(heard, before=(*processes, *latest))
    contests = {name: telling(heard.parsed.text, name, heard.before) for name in still}
    vectors = embedded(store, *(one.texts for one in contests.values()))
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


def embedded(store: ReadStore, *wanted: Sequence[str]) -> list[Vectors]:
    """The vectors of some texts, for each group of them; all in one call of the embedder, and a text that comes twice once."""
    texts = list(dict.fromkeys(text for group in wanted for text in group))
    vectors = store.embedder.embed(texts)
    return [vectors[[texts.index(text) for text in group]] for group in wanted]


def _weighing(
    store: ReadStore, heard: Heard, contests: Mapping[str, Telling], vectors: Sequence[Vectors]
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
                vectors=own,
                candidates=heard.parsed.named[name],
                named={one.entity.entity_id for one in heard.found} - heard.parsed.named[name],
                named_keys=keys,
            )
            for (name, asked), own in zip(contests.items(), vectors, strict=True)
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
