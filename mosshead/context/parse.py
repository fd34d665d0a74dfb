"""A message as reading takes it: whom it names, and who asks. One round trip brings what that takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Engine

from mosshead.embeddings import Embedder
from mosshead.entities import lookup
from mosshead.entities.disambiguation import STAND_IN
from mosshead.entities.lookup import NameMatch
from mosshead.entities.resolution import TURNS
from mosshead.language.names import normalise
from mosshead.language.references import Layout, ReferenceForm, phrases
from mosshead.language.requests import is_first_person
from mosshead.models.entities import USER
from mosshead.models.kinds import EntityType
from mosshead.models.memories import Progress
from mosshead.models.messages import StoredMessage
from mosshead.paths import NamespacePath
from mosshead.search.scans import Scanned, Vocabulary, vocabularies, vocabulary_statement
from mosshead.store import memories as views
from mosshead.store.connection import Sql, in_one_trip
from mosshead.text import turns_before


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadStore:
    """Where to read, and what embeds."""

    engine: Engine
    path: NamespacePath
    embedder: Embedder

    def trip(self, statements: Sequence[Sql]) -> list[list[Any]]:
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

    @property
    def means_somebody(self) -> bool:
        """Whether it names somebody, or means somebody by a pronoun."""
        return bool(self.named or self.implied)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A message as the first trip leaves it.

    before: the turns before it, oldest first. found: the names in all of these. ahead: what was said last, anywhere in the
    namespace, and has not taken effect; the last first. vocabularies: of its words, where the namespace has indexes of its own.
    asker: the entity of whoever asks, where the message speaks of them.
    """

    parsed: Parsed
    before: tuple[str, ...]
    found: tuple[NameMatch, ...]
    ahead: tuple[StoredMessage, ...]
    progress: Progress
    vocabularies: Mapping[Scanned, Vocabulary]
    asker: frozenset[UUID] = frozenset()


def look_up_names(
    store: ReadStore,
    message: str,
    before: Sequence[str],
    *,
    conversation: str | None = None,
    ahead: int = 0,
    speaker: str | None = None,
) -> Heard:
    """Look up whom a message names.

    before: the turns before it, oldest first, of which the latest count. conversation: where to look for them if none are given.
    speaker: the name under which whoever asks speaks; without one they are the user. ahead: how many to fetch of the
    messages that have not taken effect.
    """
    given = bool(before)
    before = turns_before(message, before, TURNS)
    texts, asker = [message, *before], speaker or USER
    asked = {
        "names": lookup.statement_for(store.path, lookup.keys_of(texts) | lookup.keys_of([asker], are_names=True)),
        "progress": views.progress_statement(store.path),
        "words": vocabulary_statement(store.path, store.embedder.name, message),
    }
    if ahead:
        asked["ahead"] = views.messages_ahead_statement(store.path, ahead)
    if conversation and not given:
        asked["latest"] = views.latest_messages_statement(store.path, conversation, TURNS + 1)
    rows = dict(zip(asked, store.trip(list(asked.values())), strict=True))
    found, latest = lookup.matches(texts, rows["names"]), views.latest_said(rows.get("latest", []))
    before = turns_before(message, latest, TURNS) or before
    if latest and before and _refers_back(message, found):
        (names,) = store.trip([lookup.statement_for(store.path, lookup.keys_of(before))])
        found = lookup.matches([message, *before], [*rows["names"], *names])
    return Heard(
        parsed=parse(message, found),
        before=before,
        found=tuple(found),
        ahead=tuple(map(views.message_of, rows.get("ahead", ()))),
        progress=views.progress_of(rows["progress"]),
        vocabularies=vocabularies(rows["words"]),
        asker=_asker(asker, rows["names"]) if is_first_person(message) else frozenset(),
    )


def _asker(name: str, rows: Sequence[Any]) -> frozenset[UUID]:
    found = {one.entity.entity_id for one in lookup.matches([name], rows, are_names=True) if one.whole}
    return frozenset(found) if len(found) == 1 else frozenset()


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
        implied=_implied(others) if _refers_back(message, found) else frozenset(),
    )


def _refers_back(message: str, found: Sequence[NameMatch]) -> bool:
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
