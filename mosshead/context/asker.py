"""The asker: find what a request needs to know about them, and what concerns only other people."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from uuid import UUID

from mosshead.embeddings.calibration import UnrelatedCosines
from mosshead.entities.lookup import Parsed
from mosshead.language.references import KIN_AND_ROLES
from mosshead.language.requests import (
    Need,
    is_first_person,
    is_request,
    is_small_talk,
    needs_of,
    opens_with_oneself,
    speaks_of_oneself,
    words,
)
from mosshead.language.wordlists import KINSHIP
from mosshead.models.entities import USER
from mosshead.models.kinds import Role
from mosshead.search import memories as memories_sql
from mosshead.search import messages as messages_sql
from mosshead.search.memories import MemoryFound, ScannedMemories
from mosshead.search.messages import MessageFound, ScannedMessages
from mosshead.store.connection import ReadStore

_PER_NEED = 3
"""How many facts each need of a request contributes."""

_LOOKED_AT = 20

_ALIKE = 5.4  # deviations above what is unrelated from which a request is of a kind


def needed_of_asker(
    store: ReadStore, parsed: Parsed, cosines: UnrelatedCosines, speaker: str | None, hidden: frozenset[UUID]
) -> Iterator[MemoryFound | MessageFound]:
    """Find what the asker has said about themselves that this kind of request needs."""

    def is_like(requests: Sequence[str]) -> bool:
        asked, *like = store.embedder.embed([parsed.text, *requests])
        return cosines.deviations(max(float(asked @ one) for one in like)) >= _ALIKE

    needs = needs_of(parsed.text, is_like)
    of_somebody_else = parsed.means_somebody and not is_first_person(parsed.text)
    if not needs or of_somebody_else:
        return
    statements = []
    for need, vector in zip(needs, store.embedder.embed([one.probe for one in needs]), strict=True):
        scan = {"model": store.embedder.name, "vector": vector, "message": f"{need.probe} {need.tells}"}
        statements += [
            messages_sql.statement_for(store.path, **scan, each=_LOOKED_AT),
            memories_sql.statement_for(store.path, **scan, named=parsed.asker),
        ]
    rows = iter(store.trip(statements))
    for need, said, known in zip(needs, rows, rows, strict=True):
        found: list[MemoryFound | MessageFound] = [
            one
            for one in messages_sql.scanned(said, hidden=hidden).found
            if is_statement(one) and not one.message.replaced and (speaker is None or one.message.speaker == speaker)
        ]
        found += [one for one in memories_sql.scanned(known).memories if not parsed.asker.isdisjoint(one.entities)]
        found.sort(key=lambda one: (not _tells(one, need), -one.cosine))
        least = cosines.near(len(found))
        yield from (one for one in found[:_PER_NEED] if one.cosine >= least or _tells(one, need))


def _tells(one: MemoryFound | MessageFound, need: Need) -> bool:
    """Whether whoever asks says by a word what is needed of them, and not of their family."""
    text = one.memory.content if isinstance(one, MemoryFound) else one.message.content
    said = KINSHIP.isdisjoint(words(text)) and (isinstance(one, MemoryFound) or speaks_of_oneself(text))
    return said and not set(need.tells.split()).isdisjoint(words(text))


def known_of_asker(store: ReadStore, parsed: Parsed) -> tuple[MemoryFound, ...]:
    """Return what is known of the asker, grouped by subject: their own facts first, the most salient first in each group."""
    (vector,) = store.embedder.embed([parsed.text])
    statement = memories_sql.statement_for(
        store.path, model=store.embedder.name, vector=vector, message=parsed.text, named=parsed.asker
    )
    found = [one for one in memories_sql.scanned(store.trip([statement])[0]).memories if one.entities & parsed.asker]
    found.sort(key=lambda one: (-one.memory.salience, one.memory.id))
    subjects = [one.memory.about[:1] for one in found]
    own = max(set(subjects), key=subjects.count, default=())
    order = {subject: place for place, subject in enumerate(dict.fromkeys([own, *subjects]))}
    return tuple(sorted(found, key=lambda one: order[one.memory.about[:1]]))


def of_others(
    parsed: Parsed, scanned: ScannedMemories, messages: ScannedMessages, speaker: str | None
) -> frozenset[UUID]:
    """Return the ids of what is about other people only: memories, messages near because of them, and others' words about
    themselves.

    A message in which the asker also speaks of themselves stays if it is nearer than the memory.
    """
    if parsed.means_somebody:
        return frozenset()
    people = {entity for entity, known in scanned.bearings.items() if known.is_person} - parsed.asker
    names = [scanned.bearings[one].name for one in parsed.asker if one in scanned.bearings] or [speaker or USER]
    # Until somebody else spoke, the asker was stored as the user.
    patterns = {by_them: _patterns_of_own([*names, *[USER] * by_them]) for by_them in (False, True)}
    oneself, _ = patterns[False]
    best: dict[UUID, MemoryFound] = {}
    for one in sorted(scanned.memories, key=lambda one: one.cosine):
        said_by = one.memory.said_by
        if speaker is None or said_by == speaker or (said_by and one.memory.content.startswith((said_by, USER))):
            best.update(dict.fromkeys((one.memory.id, *one.sources), one))
    by_itself = {
        one.message.id: one.cosine
        for one in messages.found
        if speaks_of_oneself(one.message.content) and one.message.speaker == speaker
    }
    theirs = (
        key
        for key, one in best.items()
        if _is_of_somebody(one, people, *patterns[speaker is not None and one.memory.said_by == speaker])
        and one.cosine > by_itself.get(key, -1.0)
    )
    by_others = (
        one.message.id
        for one in messages.found
        if speaker is not None
        and one.message.speaker not in {None, speaker}
        and opens_with_oneself(one.message.content)
        and not oneself.search(one.message.content)
    )
    return frozenset((*theirs, *by_others))


def _patterns_of_own(names: Iterable[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for a mention of a person, and for something of theirs."""
    own = "|".join(map(re.escape, names))
    return re.compile(rf"\b(?:{own})\b(?!['’])"), re.compile(rf"(?:{own})['’]s ((?:\w+ )?\w+)")


def _is_of_somebody(one: MemoryFound, people: Set[UUID], oneself: re.Pattern[str], of_theirs: re.Pattern[str]) -> bool:
    """Whether a memory is about one of these people or a relative or colleague of the asker; the asker's dog is not a person."""
    if oneself.search(one.memory.content):
        return False
    theirs = of_theirs.match(one.memory.content)
    if theirs is None:
        return not one.entities.isdisjoint(people)
    return not KIN_AND_ROLES.isdisjoint(theirs[1].lower().split())


def is_statement(one: MessageFound) -> bool:
    """Whether a user's message states something: no request and no small talk."""
    said = one.message.content
    return one.message.role is Role.USER and not is_request(said) and not is_small_talk(said)
