"""Decide which of several namesakes a message means, by what is known about each, and how to ask if it is unclear.

The best candidates and "nobody can tell" share one probability (softmax, as in multinomial logistic regression); in a crowd, only
the score above the level that anyone reaches by chance counts. docs/explanation/identity.md describes how weights and threshold
were fitted.

A question is worded as a person would ask it: "Which Peter do you mean: the writer at WOBS, or your brother?" All of this is
pure.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, fsum, log, sqrt
from typing import Literal, TypeVar
from uuid import UUID

from mosshead.fencing import one_line, short
from mosshead.language.names import NO_FIGURE, normalise, spelled_out
from mosshead.language.wordlists import BEFORE_NAMES, GRAMMAR
from mosshead.models.entities import RegisteredEntity
from mosshead.models.memories import Entity
from mosshead.models.questions import Candidate, Question
from mosshead.patterns import lazy_pattern

Trait = TypeVar("Trait")

THRESHOLD = 0.34
"""Minimum probability of the best candidate."""

LEAD = 1.25
"""Minimum ratio of its probability to the second best's."""

NEAREST_WEIGHT = 12.2
WORD_WEIGHT = 1.0
NAMED_WEIGHT = 1.7
EXPANDED_WEIGHT = 1.3
"""Weight of a word that occurs only in the expansions of a candidate's memories."""

DOUBT = 11.9
"""Weight of "nobody can tell" before anything is said."""

DOUBT_LESS_PER_ROOT_OF_WORDS = 4.3
"""Reduction of the doubt per square root of the number of telling words: more text needs less evidence."""

MOST_WORDS_COUNTED = 12
STRANGER_WEIGHT = 4.6
"""Weight against all candidates if the message describes the person in words that fit none of them."""

RIVALS = 8
"""How many of the best candidates share the probability: hundreds of misfits must not make a good fit doubtful."""

CROWD = 50
"""With more namesakes than this, someone always fits by chance, so only the score above that of the next one counts."""

CLEARLY_NEAR = 0.3
"""The cosine from which the only entity with a name is meant, even if the description has only unknown words."""

PLAUSIBLE_SHARE = 0.25
MOST_OFFERED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known about one candidate that matches a telling.

    nearest: the cosine of the telling's text with the nearest memory that is surely about the candidate; without memories, of
        its profile; otherwise 0.
    words: those of the telling's words and scene_words that occur in its memories, its description, its aliases or its parent's
        name. expanded: those that occur in its memories' expansions.
    named: other entities that the message names and that are connected with the candidate: its parent, or those that share a
        memory or a relation with it. scene_named: the same for the turns before.
    """

    nearest: float
    words: frozenset[str] = frozenset()
    expanded: frozenset[str] = frozenset()
    named: frozenset[UUID] = frozenset()
    scene_named: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Disambiguation:
    """Who is meant.

    status: "resolved"; "ambiguous": the words fit several, so ask rather than guess; "unknown": none of the known ones.
    entity_id: who is meant, if resolved. scores: the probability of each candidate, best first; the rest to 1 is doubt.
    plausible: the two to four that a question should offer, if ambiguous.
    """

    status: Literal["resolved", "ambiguous", "unknown"]
    entity_id: UUID | None = None
    scores: tuple[tuple[UUID, float], ...] = ()
    plausible: tuple[UUID, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """The context of a mention, made by `telling`; `mosshead.entities.evidence` finds what matches it.

    text: the text to embed: the turns before, then the message with "someone" for the mention.
    words: the message's words to search for (any case; Postgres stems them), without function words.
    scene_words: the same for the turns before.
    described: those of the words that directly describe the person: "Peter the roofer", "Senator Holm".
    """

    text: str
    words: tuple[str, ...]
    scene_words: tuple[str, ...] = ()
    described: frozenset[str] = frozenset()


def disambiguate(asked: Telling, candidates: Mapping[UUID, Evidence]) -> Disambiguation:
    """Decide which candidate is meant.

    Without candidates: unknown. A single one is meant unless the text describes somebody else.
    """
    strange = bool(asked.described) and all(asked.described.isdisjoint(one.words) for one in candidates.values())
    fits = zip(candidates, _fits(list(candidates.values())), strict=True)
    scores = _probabilities(fits, _doubt(asked, strange=strange))
    if not scores:
        return Disambiguation(status="unknown")
    best, probability = scores[0]
    if len(scores) == 1:
        meant = not strange or candidates[best].nearest >= CLEARLY_NEAR
    else:
        meant = probability >= THRESHOLD and probability >= LEAD * scores[1][1]
    if meant:
        return Disambiguation(status="resolved", entity_id=best, scores=scores)
    if strange:
        return Disambiguation(status="unknown", scores=scores)
    return Disambiguation(status="ambiguous", scores=scores, plausible=_plausible(scores))


def _fits(candidates: Sequence[Evidence]) -> list[float]:
    """Return how well the text fits each candidate, on the logit scale."""
    # fsum, because the order of a set differs between processes, and rounding could change the decision.
    words = [one.words - OF_ANYBODY for one in candidates]
    named = [one.named | one.scene_named for one in candidates]
    expanded = [_expanded(one) for one in candidates]
    of_words, of_named = _rarity([own | other for own, other in zip(words, expanded, strict=True)]), _rarity(named)
    return [
        NEAREST_WEIGHT * one.nearest
        + (WORD_WEIGHT * fsum([of_words[word] for word in said]) if said else 0.0)
        + (EXPANDED_WEIGHT * fsum([of_words[word] for word in more]) if more else 0.0)
        + (NAMED_WEIGHT * fsum([of_named[other] for other in others]) if others else 0.0)
        for one, said, more, others in zip(candidates, words, expanded, named, strict=True)
    ]


def _expanded(one: Evidence) -> frozenset[str]:
    """Return the words that occur only in the expansions of a candidate's memories."""
    return one.expanded - one.words - OF_ANYBODY if one.expanded else one.expanded


def _rarity(candidates: Collection[frozenset[Trait]]) -> dict[Trait, float]:
    """Return how distinctive a trait is: 1 if only one candidate has it, 0 if all have.

    This is the inverse document frequency of Spärck Jones (1972) with candidates as documents, so the number of one candidate's
    memories with a word does not matter.
    """
    of = len(candidates)
    having = Counter(trait for traits in candidates for trait in traits)
    return {trait: log(of / count) / log(of) if of > 1 else 0.0 for trait, count in having.items()}


def _doubt(asked: Telling, *, strange: bool) -> float:
    """Return how well "nobody can tell" fits: the less is said, the better."""
    words = len({*asked.words, *asked.scene_words})
    return DOUBT - DOUBT_LESS_PER_ROOT_OF_WORDS * sqrt(min(words, MOST_WORDS_COUNTED)) + STRANGER_WEIGHT * strange


def _probabilities(fits: Iterable[tuple[UUID, float]], doubt: float) -> tuple[tuple[UUID, float], ...]:
    """Return the probability of each candidate, best first; equal ones by id."""
    ranked = sorted(fits, key=lambda pair: (-pair[1], pair[0]))
    largest = max((doubt, *(fit for _, fit in ranked[:1])))
    by_chance = exp(ranked[CROWD][1] - largest) if len(ranked) > CROWD else 0.0
    shares = [(key, max(exp(fit - largest) - by_chance, 0.0)) for key, fit in ranked]
    whole = exp(doubt - largest) + sum(share for _, share in shares[:RIVALS])
    return tuple((key, share / whole) for key, share in shares)


def _plausible(scores: tuple[tuple[UUID, float], ...]) -> tuple[UUID, ...]:
    likely = sum(probability >= PLAUSIBLE_SHARE * scores[0][1] for _, probability in scores)
    return tuple(key for key, _ in scores[: min(max(likely, 2), MOST_OFFERED)])


SCENE_TURNS = 3
"""How many turns before a message are its scene."""

MOST_CHARACTERS = 600
"""Maximum characters of a message, and of the turns before it: half of what the local model reads. The last turns matter most."""

STAND_IN = "someone"
"""The word embedded in place of the name."""

OF_ANYBODY = frozenset(
    """ask asked asking asks ca call called calling calls come comes coming day days feel feels find found good happy hear heard
    hello help hey hi idea keep keeps kind know known knows last late leave left look looking looks lot mean means message
    mind need needed needs new next ok okay old phone rang right ring rung said say saying says seem seems seen sorry sort
    sound sounds sure talk talking tell telling tells thank thanks think thinks thought time today told tomorrow tonight
    tried try trying want wanted wants way week well wo word work works wrong yesterday""".split()
)
"""Words that are said of anybody, so that sharing one means nothing."""

_WORD = lazy_pattern(rf"{NO_FIGURE}+(?:['’]{NO_FIGURE}+)*")
_CLIPPED = lazy_pattern(r"(?:n['’]t|['’](?:s|m|d|ll|ve|re)?)$")

_ADDRESS = frozenset("mr mrs ms miss".split())

_TITLES = (BEFORE_NAMES - _ADDRESS) | frozenset(
    """admiral ambassador archbishop baron baroness bishop brigadier cardinal commander commissioner constable councillor count
    countess detective duchess duke emperor general governor inspector lady lieutenant lord magistrate marshal pope prince
    princess rabbi reverend sheriff superintendent""".split()
)

_GIVING = frozenset(
    """ask asked bring brought collect fetch gave get give given giving hand handed lend lent offer offered owe owed pay paid pick
    read send sent show showed shown sold teach tell telling told""".split()
)
"""Verbs before "Peter the keys", where "the keys" does not describe Peter."""


def telling(message: str, mention: str, history: Sequence[str] = ()) -> Telling:
    """Return the context of a mention: the message without the name, and the turns before, oldest first."""
    name = re.compile(rf"(?<!\w){re.escape(mention.strip())}(['’]s?)?(?!\w)", re.IGNORECASE)
    said, before = message[:MOST_CHARACTERS], " ".join(history[-SCENE_TURNS:])[-MOST_CHARACTERS:]
    # A gap would distort the sentence's vector; the name itself would be near to all its namesakes.
    text, scene = (" ".join(name.sub(rf"{STAND_IN}\1", one).split()) for one in (said, before))
    named = frozenset(normalise(mention).split())
    words, scene_words = _words(text, named), _words(scene, named)
    described = frozenset(_described(said, name)).intersection(words)
    return Telling(text=f"{scene} {text}".strip(), words=words, scene_words=scene_words, described=described)


def _words(text: str, besides: frozenset[str]) -> tuple[str, ...]:
    """Return the distinct telling words."""
    dull = besides | GRAMMAR
    return tuple(dict.fromkeys(word for word in _bare(text) if len(word) > 1 and word not in dull))


def _bare(text: str) -> Iterator[str]:
    return (_CLIPPED.sub("", word.casefold()) for word in _WORD.findall(text))


def _described(message: str, name: re.Pattern[str]) -> Iterator[str]:
    """Return the words around the name by which the message describes who is meant."""
    for place in name.finditer(message):
        before = tuple(_bare(message[: place.start()]))[-1:]
        yield from _TITLES.intersection(before)
        yield from _behind(message[place.end() :], given=not _GIVING.isdisjoint(before))


def _behind(rest: str, *, given: bool) -> Iterator[str]:
    """Return the first two telling words of ", the glazier," or "from the parish council"."""
    found = re.match(r"(,?) (?:(?:from|of|at) )?(?:the|a|an|our|my) ([^,.;:!?]+)", rest, re.IGNORECASE)
    if found and (found[1] or not given):
        yield from _words(found[2], frozenset())[:2]


_LONGEST_FACT = 12  # words
_MENTION_CHARACTERS, _WAY_CHARACTERS = 60, 160
"""Longer texts are truncated: names are untrusted, and a question goes into prompts."""

_DETERMINED = lazy_pattern(r"(?:the|a|an|my|your|his|her|our|their|one|somebody|someone)\b|\S+['’]s?\s", re.IGNORECASE)
_CLAUSE_END = lazy_pattern(r"[.;:!?](?:\s|$)|,\s|\s[–—-]\s|\s\(")
_SUBJECT = lazy_pattern(r"(?:he|she|it|they)\b", re.IGNORECASE)
_OWNED = lazy_pattern(r"(?:his|her|its|their)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A candidate that a question offers. score: how well the text fits it; facts: some known facts."""

    entity_id: UUID
    entity: Entity | RegisteredEntity
    score: float = 0.0
    facts: tuple[str, ...] = ()


def question(mention: str, offered: Sequence[Offered], message: str = "") -> Question:
    """Word a question which candidate a mention means. message: contains the mention.

    No two candidates have the same description: if description, parent and facts do not distinguish them, they are numbered.
    """
    described: dict[UUID, str] = {}
    for one in offered:
        taken = {text.casefold() for text in described.values()}
        ways = (short(way, _WAY_CHARACTERS) for way in _ways(one, mention))
        own = [text for text in ways if text.casefold() not in taken]
        described[one.entity_id] = own[0] if own else f"another one ({len(described) + 1})"
    candidates = tuple(
        Candidate(
            entity_id=one.entity_id,
            name=one.entity.name,
            description=described[one.entity_id],
            score=round(one.score, 4),
        )
        for one in offered
    )
    return Question(
        text=f"Which {short(mention, _MENTION_CHARACTERS)} do you mean: {_either(list(described.values()))}?",
        mention=mention,
        candidates=candidates,
        message=message,
    )


def _either(choices: Sequence[str]) -> str:
    if len(choices) == 1:
        return f"{choices[0]}, or somebody else"
    return f"{', '.join(choices[:-1])}, or {choices[-1]}"


def _ways(one: Offered, mention: str) -> Iterator[str]:
    """Yield ways to describe a candidate, best first."""
    entity = one.entity
    at = f" at {entity.parent}" if entity.parent else ""
    facts = [text for fact in one.facts if (text := _of_fact(fact, entity))]
    longer = spelled_out(normalise(entity.name)) != spelled_out(normalise(mention))
    if entity.description:
        yield _the(_to_the_user(entity.description)) + at
        yield from (f"{_the(_to_the_user(entity.description))}{at} {fact.removeprefix('the one ')}" for fact in facts)
    if longer:
        yield entity.name + at
    yield from ((f"the one{at} {fact.removeprefix('the one ')}" if at else fact) for fact in facts)
    if at:
        yield f"the one{at}"
    yield from (alias for alias in entity.aliases if normalise(alias) != normalise(mention))
    yield f"the {entity.entity_type}"


def _the(description: str) -> str:
    plain = description[:1].islower() and not _DETERMINED.match(description)
    return f"the {description}" if plain else description


def _of_fact(fact: str, entity: Entity | RegisteredEntity) -> str | None:
    """Convert "Peter Haas plays the lute." to "the one who plays the lute"; None if a fact does not begin with the entity."""
    text = one_line(fact)
    clause = _to_the_user(_CLAUSE_END.split(text, maxsplit=1)[0]).split()
    if len(clause) > _LONGEST_FACT:
        clause = [*clause[:_LONGEST_FACT], "…"]
    said = " ".join(clause)
    for name in sorted((entity.name, *entity.aliases), key=len, reverse=True):
        if said.casefold().startswith(f"{name.casefold()} "):
            return f"the one who {said[len(name) + 1 :]}"
        if re.match(rf"{re.escape(name)}['’]s?\s", said, re.IGNORECASE):
            return f"the one whose {said[len(name) :].split(maxsplit=1)[1]}"
    for pattern, link in ((_SUBJECT, "who"), (_OWNED, "whose")):
        if match := pattern.match(said):
            return f"the one {link} {said[match.end() :].strip()}"
    return None


def _to_the_user(text: str) -> str:
    # Memories are about the user in the third person; a question addresses the user.
    return re.sub(r"\bUser['’]s ", "your ", text).replace("the user's ", "your ").replace("User ", "you ")
