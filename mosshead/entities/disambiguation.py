"""Who of those that bear a name is meant, by what is known of each that answers to what was said.

The best of the candidates and "nobody can tell" share one probability (softmax, as in multinomial logistic regression); in a
crowd, what is above the level at which anybody fits by chance. Weights and threshold were fitted as docs/disambiguation.md tells.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, fsum, log, sqrt
from typing import Literal, TypeVar
from uuid import UUID

from mosshead.language.names import NO_FIGURE, normalise
from mosshead.language.wordlists import BEFORE_NAMES, GRAMMAR
from mosshead.patterns import lazy_pattern

Trait = TypeVar("Trait")

THRESHOLD = 0.34
"""How probable the best candidate must be before it is taken to be meant."""

LEAD = 1.25
"""How many times as probable as the second it must be."""

NEAREST_WEIGHT = 12.2
WORD_WEIGHT = 1.0
NAMED_WEIGHT = 1.7

DOUBT = 11.9
"""What "nobody can tell" weighs before anything is said."""

DOUBT_LESS_PER_ROOT_OF_WORDS = 4.3
"""The more is said, the less it takes to be sure: for the square root of the number of telling words."""

MOST_WORDS_COUNTED = 12
STRANGER_WEIGHT = 4.6
"""What it weighs against all candidates that the message describes whom it names by what is known of none of them."""

RIVALS = 8
"""So many of the best candidates share the probability. Hundreds who do not fit must not make a good fit doubtful."""

CROWD = 50
"""Where more than so many bear a name, somebody always fits by chance: as well as the next of them fits counts for nobody."""

CLEARLY_NEAR = 0.3
"""The cosine from which the only bearer of a name is meant even by a description in words that are known of nobody."""

PLAUSIBLE_SHARE = 0.25
MOST_OFFERED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known of one candidate that answers to a telling.

    nearest: the cosine of the telling's text with the nearest memory that is surely about the candidate; of its profile where
        there is no memory; 0 where there is neither.
    words: those of the telling's words and scene_words that occur in its memories, its description, its aliases or its parent's
        name.
    named: other entities that the message names and that the candidate belongs to: its parent, or what shares a memory or a
        relation with it. scene_named: the same of the turns before.
    """

    nearest: float
    words: frozenset[str] = frozenset()
    named: frozenset[UUID] = frozenset()
    scene_named: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Disambiguation:
    """Who is meant.

    status: "resolved"; "ambiguous": the words fit several, and asking beats guessing; "unknown": none of those that are known.
    entity_id: who is meant, where resolved. scores: by candidate, how probable it is, best first; what is missing to 1 is doubt.
    plausible: the two to four that a question should offer, where ambiguous.
    """

    status: Literal["resolved", "ambiguous", "unknown"]
    entity_id: UUID | None = None
    scores: tuple[tuple[UUID, float], ...] = ()
    plausible: tuple[UUID, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What is said around a mention. Both are made by `telling`, and what was found for them by `mosshead.entities.evidence`.

    text: what is embedded, the message behind the turns before it, with "someone" for the mention.
    words: what is looked for word by word (any case; Postgres stems them), of the message. Words of grammar are left out.
    scene_words: the same of the turns before it.
    described: those of the words that say outright what the bearer is: "Peter the roofer", "Senator Holm".
    """

    text: str
    words: tuple[str, ...]
    scene_words: tuple[str, ...] = ()
    described: frozenset[str] = frozenset()


def disambiguate(asked: Telling, candidates: Mapping[UUID, Evidence]) -> Disambiguation:
    """Who of the candidates is meant.

    Nobody bears the name: unknown. One alone does: that one, unless the text describes somebody else.
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
    """How well the text fits each candidate, on the scale of a logit."""
    # fsum, because sets of words have another order in each process, and a sum that depends on it could tip the scales.
    words = [one.words - OF_ANYBODY for one in candidates]
    named = [one.named | one.scene_named for one in candidates]
    of_words, of_named = _rarity(words), _rarity(named)
    return [
        NEAREST_WEIGHT * one.nearest
        + (WORD_WEIGHT * fsum([of_words[word] for word in said]) if said else 0.0)
        + (NAMED_WEIGHT * fsum([of_named[other] for other in others]) if others else 0.0)
        for one, said, others in zip(candidates, words, named, strict=True)
    ]


def _rarity(candidates: Collection[frozenset[Trait]]) -> dict[Trait, float]:
    """How much a trait tells: 1 if one candidate alone has it, 0 if all have.

    The inverse document frequency of Spärck Jones (1972) with candidates as the documents, so that it changes nothing how many
    memories of one candidate have a word.
    """
    of = len(candidates)
    having = Counter(trait for traits in candidates for trait in traits)
    return {trait: log(of / count) / log(of) if of > 1 else 0.0 for trait, count in having.items()}


def _doubt(asked: Telling, *, strange: bool) -> float:
    """How well "nobody can tell" fits: the less is said, the better."""
    words = len({*asked.words, *asked.scene_words})
    return DOUBT - DOUBT_LESS_PER_ROOT_OF_WORDS * sqrt(min(words, MOST_WORDS_COUNTED)) + STRANGER_WEIGHT * strange


def _probabilities(fits: Iterable[tuple[UUID, float]], doubt: float) -> tuple[tuple[UUID, float], ...]:
    """Of each candidate, best first; equal ones by id."""
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
"""So many turns before a message set its scene."""

MOST_CHARACTERS = 600
"""Of a message, and of the turns before it: about half of what the local model reads. The last turns say most."""

STAND_IN = "someone"
"""What is embedded in place of the name."""

OF_ANYBODY = frozenset(
    """ask asked asking asks ca call called calling calls come comes coming day days feel feels find found good happy hear heard
    hello help hey hi idea keep keeps kind know known knows last late leave left look looking looks lot mean means message
    mind need needed needs new next ok okay old phone rang right ring rung said say saying says seem seems seen sorry sort
    sound sounds sure talk talking tell telling tells thank thanks think thinks thought time today told tomorrow tonight
    tried try trying want wanted wants way week well wo word work works wrong yesterday""".split()
)
"""What is said of anybody: that two use such a word tells nothing."""

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
"""Before "Peter the keys" they give Peter the keys, and do not call him so."""


def telling(message: str, mention: str, history: Sequence[str] = ()) -> Telling:
    """What is said around a mention: the message without the name, and the turns before, oldest first."""
    name = re.compile(rf"(?<!\w){re.escape(mention.strip())}(['’]s?)?(?!\w)", re.IGNORECASE)
    said, before = message[:MOST_CHARACTERS], " ".join(history[-SCENE_TURNS:])[-MOST_CHARACTERS:]
    # A sentence with a gap lies elsewhere than a whole one; the name itself would lie near to all who bear it.
    text, scene = (" ".join(name.sub(rf"{STAND_IN}\1", one).split()) for one in (said, before))
    named = frozenset(normalise(mention).split())
    words, scene_words = _words(text, named), _words(scene, named)
    described = frozenset(_described(said, name)).intersection(words)
    return Telling(text=f"{scene} {text}".strip(), words=words, scene_words=scene_words, described=described)


def _words(text: str, besides: frozenset[str]) -> tuple[str, ...]:
    """The words that may tell something, each once."""
    dull = besides | GRAMMAR
    return tuple(dict.fromkeys(word for word in _bare(text) if len(word) > 1 and word not in dull))


def _bare(text: str) -> Iterator[str]:
    return (_CLIPPED.sub("", word.casefold()) for word in _WORD.findall(text))


def _described(message: str, name: re.Pattern[str]) -> Iterator[str]:
    """The words by which the message itself describes who is meant, behind the name and before it."""
    for place in name.finditer(message):
        before = tuple(_bare(message[: place.start()]))[-1:]
        yield from _TITLES.intersection(before)
        yield from _behind(message[place.end() :], given=not _GIVING.isdisjoint(before))


def _behind(rest: str, *, given: bool) -> Iterator[str]:
    """Of ", the glazier," or "from the parish council": the first two words that may tell something."""
    found = re.match(r"(,?) (?:(?:from|of|at) )?(?:the|a|an|our|my) ([^,.;:!?]+)", rest, re.IGNORECASE)
    if found and (found[1] or not given):
        yield from _words(found[2], frozenset())[:2]
