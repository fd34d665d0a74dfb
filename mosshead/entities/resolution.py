"""Resolve a name in a message to an entity, in one round trip to Postgres."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Engine

from mosshead.embeddings import Embedder
from mosshead.entities import evidence, lookup
from mosshead.entities.disambiguation import MOST_OFFERED, Telling, disambiguate, question, telling
from mosshead.entities.evidence import Weighed
from mosshead.entities.lookup import NameMatch
from mosshead.events.transcripts import spoken
from mosshead.language.name_spans import Name, NamePlace, TextWord, keys_of, places, words_of
from mosshead.language.names import normalise
from mosshead.language.wordlists import AMBIGUOUS, CALENDAR, GRAMMAR, gender_of
from mosshead.models.memories import Entity
from mosshead.models.questions import Candidate, Question
from mosshead.paths import NamespacePath
from mosshead.redaction import redact
from mosshead.store import memories
from mosshead.store.connection import in_one_trip, tenant_transaction
from mosshead.text import readable, turns_before

TURNS = 4
"""How many preceding turns are taken into account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The entity that a mention refers to.

    Attributes:
        status: "resolved": see ``entity``. "ambiguous": several entities fit, and ``question`` asks which. "unknown": no known
            entity has this name.
        candidates: The entities with this name, best fit first, each with what distinguishes it. Scores are comparable only
            within one answer.
    """

    status: Literal["resolved", "ambiguous", "unknown"]
    mention: str
    entity: Entity | None = None
    candidates: tuple[Candidate, ...] = ()
    question: Question | None = None


def who_is_meant(
    engine: Engine,
    path: NamespacePath,
    embedder: Embedder,
    *,
    text: str,
    mention: str | None,
    history: Sequence[Mapping[str, Any]],
    conversation: str | None,
) -> Resolution:
    """Answer `Namespace.resolve`: check and redact the arguments, fetch the preceding turns if needed, and resolve the mention.

    Without a mention, use the first ambiguous name in the message, else its first name.
    """
    _check(text, mention)
    message = redact(readable("text", text))
    before = spoken(list(history))
    if conversation is not None and not before:
        latest = memories.latest_messages_statement(path, readable("conversation", conversation), TURNS + 1)
        before = memories.latest_said(in_one_trip(engine, path.tenant_id, [latest])[0])
    turns = turns_before(message, [redact(readable("history", one)) for one in before], TURNS)
    asking = _Asking(engine, path, embedder, message, turns)
    if mention is None:
        said, looked = _guessed(asking)
    else:
        said = redact(readable("mention", mention))
        looked = asking.look(said)
    if said is None:
        return Resolution(status="unknown", mention="")
    # The user is no candidate, since users do not ask who they are.
    bearers = {key: one for key, one in _named_by(looked.weighed, said) if not one.is_user}
    decision = disambiguate(looked.asked, {key: one.evidence for key, one in bearers.items()})
    best = evidence.offered(bearers, decision.scores[:MOST_OFFERED])
    asked = question(said, best[: len(decision.plausible)], message) if decision.plausible else None
    return Resolution(
        status=decision.status,
        mention=said,
        entity=_entity(engine, path, bearers[decision.entity_id]) if decision.entity_id is not None else None,
        candidates=question(said, best).candidates if best else (),
        question=asked,
    )


def _guessed(asking: "_Asking") -> tuple[str | None, "_Looked"]:
    """Return the name that a message is about and what was found for it, or None if it names no known entity.

    Guess the name and look it up in one trip; if the result shows that the guess was wrong, look again.
    """
    guess = likely_name(asking.message)
    looked = asking.look(guess)
    if guess and looked.weighed and not _borne(looked.weighed, guess):
        # Other entities share a word with the guess; a part of it may name one of them.
        guess, looked = None, asking.look(None)
    said = contested(_in_message(looked, asking.message, guess))
    return said, looked if said in {None, guess} else asking.look(said)


def _check(text: str, mention: str | None) -> None:
    for name, given in (("text", text), ("mention", mention)):
        if given is not None and (not isinstance(given, str) or not given.strip()):
            raise ValueError(
                f"{name}: pass a non-empty text, got {'an empty one' if isinstance(given, str) else type(given).__name__}"
            )
    if mention is not None and mention.casefold() not in text.casefold():
        raise ValueError("mention: is not in the text; pass it as written there, such as 'Peter' in 'Ask Peter'")


@dataclass(frozen=True, slots=True)
class _Looked:
    """asked: The words around a mention. found: Other names there. weighed: The candidates for the mention."""

    asked: Telling
    found: Sequence[NameMatch]
    weighed: Mapping[UUID, Weighed]


@dataclass(frozen=True, slots=True)
class _Asking:
    """A message, the preceding turns (``history``), and access to the memories."""

    engine: Engine
    path: NamespacePath
    embedder: Embedder
    message: str
    history: tuple[str, ...]

    def look(self, mention: str | None) -> _Looked:
        """Fetch everything needed in one trip; without a mention, only the names."""
        texts = [self.message, *self.history]
        asked = telling(self.message, mention or self.message, self.history)
        mention_keys = keys_of([mention], are_names=True) if mention else set()
        named_keys = keys_of(texts) - mention_keys
        of_mention = evidence.statement_for(
            self.path,
            model=self.embedder.name,
            asked=asked,
            vector=self.embedder.embed([asked.text])[0],
            mention=normalise(mention or ""),
            mention_keys=mention_keys,
            named_keys=named_keys,
        )
        of_names = lookup.statement_for(self.path, named_keys)
        names, rows = in_one_trip(self.engine, self.path.tenant_id, [of_names, of_mention])
        found = lookup.matches(texts, names)
        named, scene_named = _named(found, in_message=True), _named(found, in_message=False)
        return _Looked(asked, found, evidence.weighed(rows, asked, named=named, scene_named=scene_named))


def _entity(engine: Engine, path: NamespacePath, one: Weighed) -> Entity:
    """Return a candidate in the form that reads return."""
    if one.complete:
        return one.as_read
    with tenant_transaction(engine, path.tenant_id) as connection:
        return memories.profiles(connection, path, entity_ids=[one.entity.entity_id])[0].entity


def _in_message(looked: _Looked, message: str, guess: str | None) -> list[NameMatch]:
    """Return the names of a message, in order: those found, and the guess if an entity has it; two of them suffice."""
    found = [one for one in looked.found if one.text == 0]
    if guess is None:
        return found
    start = message.index(guess)
    end = start + len(guess)
    if not any(one.start <= start and end <= one.end for one in found):
        bearers = sorted(key for key, _ in _named_by(looked.weighed, guess))[:2]
        found += [
            NameMatch(entity=looked.weighed[key].entity, name=guess, text=0, start=start, end=end, whole=False)
            for key in bearers
        ]
    return sorted(found, key=lambda one: one.start)


def contested(found: Sequence[NameMatch]) -> str | None:
    """Return the first ambiguous name of a message; else the first known one."""
    bearers: dict[tuple[int, int], set[UUID]] = {}
    names = {(match.start, match.end): match.name for match in found}
    for match in found:
        bearers.setdefault((match.start, match.end), set()).add(match.entity.entity_id)
    several = (place for place, ids in bearers.items() if len(ids) > 1)
    place = next(several, None) or next(iter(bearers), None)
    return names[place] if place else None


def _named(found: Sequence[NameMatch], *, in_message: bool) -> set[UUID]:
    return {one.entity.entity_id for one in found if (one.text == 0) is in_message and not one.entity.is_user}


def _named_by(weighed: Mapping[UUID, Weighed], mention: str) -> Iterator[tuple[UUID, Weighed]]:
    """Return those candidates with a word of the mention that it names."""
    spoken = {place.name.normalised for place in _places(weighed, mention)}
    bear_it = normalise(mention) in spoken
    for key, one in weighed.items():
        found_by = one.found_by
        if bear_it if found_by is None else not spoken.isdisjoint(found_by):
            yield key, one


def _borne(weighed: Mapping[UUID, Weighed], guess: str) -> bool:
    """Whether the whole guess is an entity's name or a part of one."""
    return any(place.end == len(guess) > place.start == 0 for place in _places(weighed, guess))


def _places(weighed: Mapping[UUID, Weighed], mention: str) -> list[NamePlace]:
    """Return the places in the mention of the names by which they were found; only the whole mention for exact matches."""
    names = {name for one in weighed.values() for name in one.found_by or ()}
    if any(one.found_by is None for one in weighed.values()):
        names.add(normalise(mention))
    return places(words_of(mention, is_name=True), [Name(normalised=name, is_person=False) for name in sorted(names)])


_OF_ONESELF = frozenset({"I'", "I’"})  # "I'll"


def likely_name(message: str) -> str | None:
    """Return the first run of words with a known first name; else one written like a name; else one with a capital."""
    runs = list(_runs(words_of(message)))
    best = min(runs, key=_doubt, default=None)
    return message[best[0].start : best[-1].stop] if best else None


def _runs(words: Sequence[TextWord]) -> Iterator[list[TextWord]]:
    """Yield adjacent words that may form one name."""
    run: list[TextWord] = []
    for word in words:
        if run and not (word.joined and _may_name(word) and not run[-1].possessive):
            yield run
            run = []
        if _may_name(word):
            # "Ask Peter": a capital at the start of a sentence means nothing, unless the word is a first name.
            run = [*run, word] if not run or not run[-1].opens or _first_name(run[-1]) else [word]
    if run:
        yield run


def _may_name(word: TextWord) -> bool:
    ordinary = word.plain in GRAMMAR or word.plain in CALENDAR or word.written[:2] in _OF_ONESELF
    ordinary = ordinary or (word.opens and word.plain in AMBIGUOUS and not word.possessive)
    return (word.capital and not ordinary) or _first_name(word)


def _first_name(word: TextWord) -> bool:
    known = gender_of(word.plain, "") is not None
    return known and (word.named or (word.plain not in AMBIGUOUS and word.plain not in GRAMMAR))


def _doubt(run: Sequence[TextWord]) -> int:
    if any(map(_first_name, run)):
        return 0
    return 1 if any(word.named for word in run) else 2
