"""Which entities a batch's facts are about: those of the registry that bear the name and fit, else new ones.

Names are not unique. Whom a name means, the text decides, as it does for a reader (`entities.disambiguation`). What the text
leaves open is held until somebody answers, and never guessed; neither how often nor how lately somebody was mentioned has a say.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from mosshead.entities.disambiguation import Disambiguation, Evidence, disambiguate
from mosshead.language.names import normalise
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType
from pipeline.consolidation.comparison import telling
from pipeline.linking import candidates as introductions
from pipeline.linking.candidates import Bearer, bearers, differ, folded, same_sort
from pipeline.linking.models import Link, LinkedFacts, LookAround, OpenMention, RefusedClaim, ToLink
from pipeline.linking.registry import BatchEvidence, BatchRegistry
from pipeline.models import USER, Fact, FactMention

_OFFERED = 4
_SUPPORTS = (
    0.5  # cosine (MiniLM) from which what is known of somebody speaks for him, where his name alone would not do
)


def link_entities(
    facts: Mapping[int, ToLink],
    registry: Sequence[RegisteredEntity],
    *,
    parents: Mapping[UUID, UUID],
    around: LookAround,
    new_id: Callable[[], UUID],
) -> LinkedFacts:
    """Link the mentions of facts, in the order of their numbers, so that a later fact finds what an earlier one introduced.

    registry: those that bear one of the names in the facts, or a part of it, and the user. parents: by entity what it belongs to,
    of those and of all above them. around: what was said around a name, and what is known of whom it may mean.
    """
    linker = _Linker(BatchRegistry(registry, parents, new_id), around)
    links, held, learned, refused = {}, {}, {}, {}
    for number, one in sorted(facts.items()):
        links[number], held[number] = linker.link(number, one)
        learned[number] = linker.registry.news()
        refused[number] = linker.registry.refused()
    return LinkedFacts(links, held, learned, refused, linker.registry.entities)


_Settled = RegisteredEntity | tuple[UUID, ...]
"""Whom a mention means; or, where that is open, whom it may mean."""


@dataclass(frozen=True, slots=True)
class _Weighed:
    """What the text says of those that a mention may mean. words: by what the bearer is called there, beside the name."""

    resolution: Disambiguation
    evidence: Mapping[UUID, Evidence]
    words: frozenset[str]

    @property
    def best(self) -> tuple[UUID, ...]:
        """Whom to offer as an answer."""
        scored = tuple(key for key, _ in self.resolution.scores[:_OFFERED])
        return self.resolution.plausible or scored or tuple(self.evidence)

    def supports(self, entity_id: UUID) -> bool:
        """Whether more than the name speaks for somebody."""
        evidence = self.evidence[entity_id]
        return bool(evidence.named) or evidence.nearest >= _SUPPORTS

    def calls_so(self, entity: RegisteredEntity) -> bool:
        """Whether somebody is known by one of the words that the bearer is called by."""
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
        # Parents first: a person's firm is often introduced by the same sentence.
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
        """Within one message a name means one, unless it is called two things."""
        for source in one.fact.sources:
            before, settled = self._settled.get((source, folded(mention.name)), (mention, None))
            if settled is not None and not _otherwise(mention.description, before.description):
                if not same_sort(mention.entity_type, before.entity_type):
                    self.registry.refuse(RefusedClaim.TYPE)
                return settled
        # Where a message says "he", a name that stands in for it means whom it meant when it was spoken.
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
        described = [one for one in fitting if mention.description and one.entity.description == mention.description]
        candidates = described or fitting
        if len(candidates) == 1 and candidates[0].how == "whole" and not _needs_weighing(one, mention, candidates[0]):
            return candidates[0].entity
        return self._decide(one, mention, candidates, self._weigh(number, one, mention, candidates))

    def _of_another_sort(
        self, number: int, one: ToLink, mention: FactMention, named: Sequence[Bearer]
    ) -> RegisteredEntity | None:
        """Somebody known whom the text clearly means, though it is said to be a firm, say; the type that is known stays."""
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
        return _Weighed(disambiguate(around.asked, evidence), evidence, introductions.called(one.said, mention))

    def _decide(self, one: ToLink, mention: FactMention, candidates: Sequence[Bearer], weighed: _Weighed) -> _Settled:
        meant = weighed.resolution.entity_id
        if meant is None:
            return self._open(one, mention, candidates, weighed)
        bearer = next(bearer for bearer in candidates if bearer.entity.entity_id == meant)
        if introductions.is_new(one.said, mention) and not weighed.supports(meant):
            return self.registry.introduce(mention)
        if bearer.how == "whole":
            otherwise = weighed.words and _otherwise(mention.description, bearer.entity.description)
            doubtful = otherwise and not weighed.calls_so(bearer.entity)
            return (meant,) if doubtful else bearer.entity
        if weighed.supports(meant) or _is_named_in_full(one, bearer.entity) or _is_surname(mention, bearer):
            return bearer.entity
        # A part of a name makes nobody the same: who is known only by more of it, or by less, may be another.
        return (meant,) if bearer.how == "short" else self.registry.introduce(mention)

    def _open(self, one: ToLink, mention: FactMention, candidates: Sequence[Bearer], weighed: _Weighed) -> _Settled:
        """Somebody new, where the message introduces somebody; else it is held, and asked."""
        entities = [bearer.entity for bearer in candidates]
        stranger = weighed.words and not any(weighed.calls_so(entity) for entity in entities)
        in_full = all(bearer.how == "longer" for bearer in candidates)
        if stranger or in_full or introductions.is_new(one.said, mention):
            return self.registry.introduce(mention)
        return weighed.best


def _needs_weighing(one: ToLink, mention: FactMention, bearer: Bearer) -> bool:
    """Whether the only bearer of a name may still not be meant: the text introduces somebody, or calls him something else."""
    words, known = introductions.called(one.said, mention), telling(bearer.entity.description or "")
    otherwise = bool(words) and not any(telling(word) & known for word in words)
    return otherwise or introductions.is_new(one.said, mention)


def _names_user(fact: Fact) -> bool:
    about_user = any(mention.name == USER and mention.role == "subject" for mention in fact.mentions)
    return fact.attribute == "name" and bool(fact.value) and about_user


def _own_name_is_user(fact: Fact, mention: FactMention) -> FactMention:
    """In "User's name is Sarah", Sarah is no second person."""
    own = _names_user(fact) and folded(mention.name) == folded(fact.value or "")
    return mention.model_copy(update={"name": USER}) if own else mention


def _otherwise(said: str | None, known: str | None) -> bool:
    """Whether somebody is called something else than before, so that he may be a namesake."""
    return bool(said and known) and not telling(said or "") & telling(known or "")


def _is_surname(mention: FactMention, bearer: Bearer) -> bool:
    """ "Haas" for Peter Haas, and a firm by the first word of its name, or its initials; not "Peter", of whom there are many."""
    first = folded(bearer.entity.name).split()[0]
    is_person = mention.entity_type is EntityType.PERSON
    return bearer.how == "short" and not (is_person and folded(mention.name) == first)


def _is_named_in_full(one: ToLink, entity: RegisteredEntity) -> bool:
    said = normalise(" ".join((*one.before, one.said)))
    return len(entity.name.split()) > 1 and normalise(entity.name) in said
