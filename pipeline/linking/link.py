"""Link a batch's facts to entities: registered ones that bear the name and fit, or new ones.

Names are not unique. The text decides who is meant, as for a reader (`entities.disambiguation`). Open cases are held until
somebody answers, never guessed; how often or how recently somebody was mentioned does not count.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from mosshead.entities.disambiguation import Disambiguation, Evidence, Telling, disambiguate
from mosshead.language.names import normalise, possible_names
from mosshead.language.wordlists import ACQUAINTANCES, KINSHIP, ROLES
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType
from pipeline.linking.registry import (
    BatchRegistry,
    Bearer,
    Link,
    RefusedClaim,
    Role,
    bearers,
    differ,
    folded,
    names,
    same_sort,
)
from pipeline.models import USER, Fact, FactMention
from pipeline.statements import telling

_OFFERED = 4
_SUPPORTS = 0.5  # least cosine (MiniLM) at which a candidate's memories support it if the name is not enough

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class OpenMention:
    """A fact about somebody ambiguous: one of these candidates, or nobody known. Best first."""

    candidates: tuple[UUID, ...]
    role: Role


@dataclass(frozen=True, slots=True)
class ToLink:
    """A fact to link: its vector, source text, the turns before, oldest first, and the conversation."""

    fact: Fact
    vector: Vector
    said: str
    before: tuple[str, ...] = ()
    conversation: str | None = None


@dataclass(frozen=True, slots=True)
class Around:
    """What was said around a mention, and what is known of its candidates.

    vector: of the text used as evidence. evidence: by candidate, from before the batch; none for entities new in it.
    """

    asked: Telling
    vector: Vector
    evidence: Mapping[UUID, Evidence]


LookAround = Callable[[int, str, Sequence[UUID]], Around]
"""Takes a fact's number, a name and its candidates. Called only if the name alone does not decide."""


@dataclass(frozen=True, slots=True)
class LinkedFacts:
    """The linked facts of a batch, by fact number.

    links, held: by name as mentioned. learned: entities that are new with the fact, or more is known of. refused: the number of
    claims about entities not accepted, by reason. entities: all that facts are or may be about, after the batch, by id.
    """

    links: Mapping[int, Mapping[str, Link]]
    held: Mapping[int, Mapping[str, OpenMention]]
    learned: Mapping[int, tuple[RegisteredEntity, ...]]
    refused: Mapping[int, Mapping[RefusedClaim, int]] = field(default_factory=dict)
    entities: Mapping[UUID, RegisteredEntity] = field(default_factory=dict)

    def is_about(self, number: int) -> frozenset[UUID]:
        """The entities a fact is surely about."""
        return frozenset(link.entity_id for link in self.links.get(number, {}).values())

    def may_be_about(self, number: int) -> frozenset[UUID]:
        """The entities a fact may be about, while unresolved."""
        return frozenset(key for held in self.held.get(number, {}).values() for key in held.candidates)

    def subjects(self, number: int) -> frozenset[UUID]:
        """The entities a fact describes, or may describe."""
        sure = {link.entity_id for link in self.links.get(number, {}).values() if link.role == "subject"}
        held = (one.candidates for one in self.held.get(number, {}).values() if one.role == "subject")
        return frozenset(sure.union(*held))

    def all_refused(self) -> Counter[str]:
        """The number of claims about entities not accepted, by reason."""
        return sum((Counter({str(reason): n for reason, n in one.items()}) for one in self.refused.values()), Counter())


def link_entities(
    facts: Mapping[int, ToLink],
    registry: Sequence[RegisteredEntity],
    *,
    parents: Mapping[UUID, UUID],
    around: LookAround,
    new_id: Callable[[], UUID],
) -> LinkedFacts:
    """Link the mentions of facts in order, so that a later fact finds entities introduced by earlier ones.

    registry: the user, and entities with a name in the facts or part of one. parents: each entity's parent, also for all
    ancestors. around: returns the text around a name, and what is known of its candidates.
    """
    linker = _Linker(BatchRegistry(registry, parents, new_id), around)
    links, held, learned, refused = {}, {}, {}, {}
    for number, one in sorted(facts.items()):
        links[number], held[number] = linker.link(number, one)
        learned[number] = linker.registry.news()
        refused[number] = linker.registry.refused()
    return LinkedFacts(links, held, learned, refused, linker.registry.entities)


_Settled = RegisteredEntity | tuple[UUID, ...]
"""The entity a mention means; or the candidates if unresolved."""


@dataclass(frozen=True, slots=True)
class _Weighed:
    """The evidence for a mention's candidates. words: what the bearer is called besides the name."""

    resolution: Disambiguation
    evidence: Mapping[UUID, Evidence]
    words: frozenset[str]

    @property
    def best(self) -> tuple[UUID, ...]:
        """The candidates to offer as answers."""
        scored = tuple(key for key, _ in self.resolution.scores[:_OFFERED])
        return self.resolution.plausible or scored or tuple(self.evidence)

    def supports(self, entity_id: UUID) -> bool:
        """Whether more than the name supports an entity."""
        evidence = self.evidence[entity_id]
        return bool(evidence.named) or evidence.nearest >= _SUPPORTS

    def calls_so(self, entity: RegisteredEntity) -> bool:
        """Whether an entity is known by one of these words."""
        known = telling(f"{entity.description or ''} {' '.join(self.evidence[entity.entity_id].words)}")
        return any(telling(word) & known for word in self.words)


class _Linker:
    def __init__(self, registry: BatchRegistry, around: LookAround) -> None:
        self.registry = registry
        self._around = around
        self._evidence = BatchEvidence()
        self._settled: dict[tuple[int, str], tuple[FactMention, _Settled]] = {}
        self._latest: dict[tuple[str | None, str], _Settled] = {}

    def link(self, number: int, one: ToLink) -> tuple[dict[str, Link], dict[str, OpenMention]]:
        fact = one.fact
        # Parents first: the same sentence often introduces a person's firm.
        parents = {mention.parent for mention in fact.mentions}
        links: dict[str, Link] = {}
        held: dict[str, OpenMention] = {}
        for mention in sorted(fact.mentions, key=lambda mention: mention.name not in parents):
            taken = frozenset(link.entity_id for link in links.values())
            settled = self._settle(number, one, _own_name_is_user(fact, mention), taken)
            if isinstance(settled, tuple):
                held.setdefault(mention.name, OpenMention(settled, mention.role))
            else:
                if not settled.is_user:
                    self.registry.learn(self.registry.entities[settled.entity_id], mention, links)
                links.setdefault(mention.name, Link(settled.entity_id, mention.role))
        if _names_user(fact):
            self.registry.learn_name(fact)
        about = {link.entity_id for link in links.values()}
        for entity_id in about:
            self._evidence.note(entity_id, content=fact.content, vector=one.vector, others=about - {entity_id})
        return links, held

    def _settle(self, number: int, one: ToLink, mention: FactMention, taken: frozenset[UUID]) -> _Settled:
        if mention.name == USER:
            return self.registry.user()
        settled = self._as_before(one, mention)
        if settled is None:
            settled = self._find(number, one, mention, taken)
        for source in one.fact.sources:
            self._settled.setdefault((source, folded(mention.name)), (mention, settled))
        self._latest[one.conversation, folded(mention.name)] = settled
        return settled

    def _as_before(self, one: ToLink, mention: FactMention) -> _Settled | None:
        """Reuse an earlier result: within one message a name means one entity, unless it gets two descriptions."""
        for source in one.fact.sources:
            before, settled = self._settled.get((source, folded(mention.name)), (mention, None))
            if settled is not None and not _otherwise(mention.description, before.description):
                if not same_sort(mention.entity_type, before.entity_type):
                    self.registry.refuse(RefusedClaim.TYPE)
                return settled
        # If a message says "he", the name put in its place means whoever it meant last.
        spoken = folded(mention.name) in folded(one.said) or mention.description
        return None if spoken else self._latest.get((one.conversation, folded(mention.name)))

    def _find(self, number: int, one: ToLink, mention: FactMention, taken: frozenset[UUID]) -> _Settled:
        named = [
            bearer
            for bearer in bearers(mention, self.registry.entities.values())
            if not differ(mention, bearer.entity) and (bearer.how == "whole" or bearer.entity.entity_id not in taken)
        ]
        fitting = [bearer for bearer in named if same_sort(bearer.entity.entity_type, mention.entity_type)]
        if not fitting:
            return self._of_another_sort(number, one, mention, named) or self.registry.introduce(mention)
        if mention.renamed and len(fitting) == 1:
            return fitting[0].entity
        described = [one for one in fitting if mention.description and one.entity.description == mention.description]
        candidates = described or fitting
        if len(candidates) == 1 and candidates[0].how == "whole" and not _needs_weighing(one, mention, candidates[0]):
            return candidates[0].entity
        return self._decide(one, mention, candidates, self._weigh(number, one, mention, candidates))

    def _of_another_sort(
        self, number: int, one: ToLink, mention: FactMention, named: Sequence[Bearer]
    ) -> RegisteredEntity | None:
        """Return a known entity that the text clearly means despite another type; the known type stays."""
        candidates = [bearer for bearer in named if bearer.how == "whole"]
        if not candidates:
            return None
        weighed = self._weigh(number, one, mention, candidates)
        meant = weighed.resolution.entity_id
        if meant is None or not weighed.supports(meant):
            return None
        self.registry.refuse(RefusedClaim.TYPE)
        return self.registry.entities[meant]

    def _weigh(self, number: int, one: ToLink, mention: FactMention, candidates: Sequence[Bearer]) -> _Weighed:
        entities = [bearer.entity for bearer in candidates]
        around = self._around(number, mention.name, [entity.entity_id for entity in entities])
        evidence = self._evidence.weighed(entities, one, around, self.registry.entities)
        return _Weighed(disambiguate(around.asked, evidence), evidence, _called(one.said, mention))

    def _decide(self, one: ToLink, mention: FactMention, candidates: Sequence[Bearer], weighed: _Weighed) -> _Settled:
        meant = weighed.resolution.entity_id
        if meant is None:
            return self._open(one, mention, candidates, weighed)
        bearer = next(bearer for bearer in candidates if bearer.entity.entity_id == meant)
        if _is_new(one.said, mention) and not weighed.supports(meant):
            return self.registry.introduce(mention)
        if bearer.how == "whole":
            otherwise = weighed.words and _otherwise(mention.description, bearer.entity.description)
            doubtful = otherwise and not weighed.calls_so(bearer.entity)
            return (meant,) if doubtful else bearer.entity
        if weighed.supports(meant) or _is_named_in_full(one, bearer.entity) or _is_surname(mention, bearer):
            return bearer.entity
        # Partial names are no proof of identity: somebody known by more or less of a name may be another.
        return (meant,) if bearer.how == "short" else self.registry.introduce(mention)

    def _open(self, one: ToLink, mention: FactMention, candidates: Sequence[Bearer], weighed: _Weighed) -> _Settled:
        """Introduce a new entity if the message does; otherwise hold the mention and ask."""
        entities = [bearer.entity for bearer in candidates]
        stranger = weighed.words and not any(weighed.calls_so(entity) for entity in entities)
        in_full = all(bearer.how == "longer" for bearer in candidates)
        if stranger or in_full or _is_new(one.said, mention):
            return self.registry.introduce(mention)
        return weighed.best


def _needs_weighing(one: ToLink, mention: FactMention, bearer: Bearer) -> bool:
    """Whether a name's only bearer may not be meant: the text introduces somebody, or describes them differently."""
    words, known = _called(one.said, mention), telling(bearer.entity.description or "")
    otherwise = bool(words) and not any(telling(word) & known for word in words)
    return otherwise or _is_new(one.said, mention)


def _names_user(fact: Fact) -> bool:
    about_user = any(mention.name == USER and mention.role == "subject" for mention in fact.mentions)
    return fact.attribute == "name" and bool(fact.value) and about_user


def _own_name_is_user(fact: Fact, mention: FactMention) -> FactMention:
    """Return the user for "Sarah" in "User's name is Sarah"."""
    own = _names_user(fact) and folded(mention.name) == folded(fact.value or "")
    return mention.model_copy(update={"name": USER}) if own else mention


def _otherwise(said: str | None, known: str | None) -> bool:
    """Whether somebody is described differently than before, so may be a namesake."""
    return bool(said and known) and not telling(said or "") & telling(known or "")


def _is_surname(mention: FactMention, bearer: Bearer) -> bool:
    """Whether a name identifies by itself: "Haas" for Peter Haas, or a firm's first word or initials; not "Peter"."""
    first = folded(bearer.entity.name).split()[0]
    is_person = mention.entity_type is EntityType.PERSON
    return bearer.how == "short" and not (is_person and folded(mention.name) == first)


def _is_named_in_full(one: ToLink, entity: RegisteredEntity) -> bool:
    said = normalise(" ".join((*one.before, one.said)))
    return len(entity.name.split()) > 1 and normalise(entity.name) in said


@dataclass(slots=True)
class _Said:
    """For one entity: the vectors and words of its facts, and their other entities."""

    vectors: list[Vector] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    others: set[UUID] = field(default_factory=set)


class BatchEvidence:
    """Collects evidence from sure links, in addition to what was known before."""

    def __init__(self) -> None:
        self._said: defaultdict[UUID, _Said] = defaultdict(_Said)

    def note(self, entity_id: UUID, *, content: str, vector: Vector, others: set[UUID]) -> None:
        """Record that a fact is surely about an entity. others: its other entities."""
        said = self._said[entity_id]
        said.vectors.append(vector)
        said.words |= telling(content)
        said.others |= others

    def weighed(
        self,
        candidates: Sequence[RegisteredEntity],
        to_link: ToLink,
        around: Around,
        registry: Mapping[UUID, RegisteredEntity],
    ) -> dict[UUID, Evidence]:
        """Return the evidence for each candidate, from before the batch and from its facts."""
        return {one.entity_id: self._of(one, to_link, around, registry) for one in candidates}

    def _of(
        self, candidate: RegisteredEntity, to_link: ToLink, around: Around, registry: Mapping[UUID, RegisteredEntity]
    ) -> Evidence:
        known = around.evidence.get(candidate.entity_id, Evidence(nearest=0.0))
        said = self._said.get(candidate.entity_id, _Said())
        parent = {candidate.parent_id} if candidate.parent_id else set()
        words = said.words | telling(f"{candidate.description or ''} {candidate.parent or ''}")
        return replace(
            known,
            nearest=max((known.nearest, *(float(around.vector @ vector) for vector in said.vectors))),
            words=known.words
            | {word for word in (*around.asked.words, *around.asked.scene_words) if telling(word) & words},
            named=known.named | _named(said.others | parent, candidate, to_link.said, registry),
            scene_named=known.scene_named | _named(said.others | parent, candidate, " ".join(to_link.before), registry),
        )


def _named(
    others: set[UUID], candidate: RegisteredEntity, said: str, registry: Mapping[UUID, RegisteredEntity]
) -> set[UUID]:
    """Return those others that a text names, except the user and namesakes, which distinguish nobody."""
    if not others:
        return set()
    spoken = {folded(name) for name in possible_names(said)}
    telling_apart = (registry[key] for key in others if key in registry and not registry[key].is_user)
    return {one.entity_id for one in telling_apart if names(one) & spoken and not names(one) & names(candidate)}


_TIES = ROLES | KINSHIP | ACQUAINTANCES
_TRADES = re.compile(r"\w{2,}(?:man|woman|person|ist|ician|smith|keeper|maker|player|driver|worker|master)")
_NEW = r"(?:new|different|another|second|third|other|certain|young|old)"
_WORD = r"[\w'’-]+"

# Matches "a Sarah from the market", not "a Sarah draft".
_ENDS = r"(?=\s*(?:[,.;:!?)]|$|(?:who|whose|from|at|in|on|of|with|that|is|was|has|had|works?|joined|came|called|said|and|to)\b))"


def _is_new(said: str, mention: FactMention) -> bool:
    """Whether a person is introduced as new: "a Sarah from the market", "somebody called Ruth", "my new neighbour Ruth"."""
    if mention.entity_type is not EntityType.PERSON:
        return False
    name = re.escape(mention.name)
    some = rf"\b(?:an?|another|some)\s+(?:{_NEW}\s+)?{name}\b{_ENDS}"
    by_name = rf"\b(?:called|named)\s+{name}\b(?!\s+(?-i:[A-Z]))"
    new = rf"\b{_NEW}\s+(?:{_WORD}\s+)?({_WORD}),?\s+{name}\b"
    if re.search(rf"(?i:{some}|{by_name})", said):
        return True
    return any(_is_tie(match[1]) for match in re.finditer(rf"(?i:{new})", said))


def _called(said: str, mention: FactMention) -> frozenset[str]:
    """Return a person's trades or relations: from the description, "the roofer" after the name, or "my neighbour" before it."""
    if mention.entity_type is not EntityType.PERSON:
        return frozenset()
    name = re.escape(mention.name)
    after = rf"\b{name},?\s+(?:the|an?|my|our|his|her|their)\s+(?:{_WORD}\s+)??({_WORD})"
    before = rf"\b(?:the|an?|my|our|his|her|their)\s+(?:{_WORD}\s+)??({_WORD}),?\s+{name}\b"
    found = (match[1].casefold() for pattern in (after, before) for match in re.finditer(rf"(?i:{pattern})", said))
    description = (mention.description or "").casefold().replace("’", "'").rpartition("'s ")[2]
    return frozenset(word for word in (*telling(description), *found) if _is_tie(word))


def _is_tie(word: str) -> bool:
    return word.casefold() in _TIES or _TRADES.fullmatch(word.casefold()) is not None


MOST_SAID: Final = 8_000
"""The most characters of a message read for each of its facts.

The longest message of the development sets has 1,279; at 256 KB, each mention would cost a fifth of a second.
"""

_STEP = MOST_SAID // 2


def surroundings(content: str, quote: str) -> str:
    """Return the part of a long message that identifies a name: around the quote, else the beginning.

    Nearby facts share it.
    """
    if len(content) <= MOST_SAID:
        return content
    place = max(content.find(quote), 0)
    start = max(place - _STEP // 2, 0) // _STEP * _STEP
    return content[start : start + MOST_SAID]
