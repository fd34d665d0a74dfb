"""The questions that a batch leaves open: whom a mention means, as a person would ask it, and what waits for the answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import NAMESPACE_OID, UUID, uuid5

from db.questions import Asked, HeldEnd, HeldRelation
from mosshead.entities.questions import Offered, question
from mosshead.language.names import normalise
from pipeline.linking.models import Held, LinkedFacts
from pipeline.models import Fact, Message


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """Whom a mention means, in one memory. relations: what the memory states of the mention, which is None in them."""

    question_id: UUID
    message_id: UUID
    mention: str
    text: str
    held: Held
    relations: tuple[HeldRelation, ...]


def open_questions(
    number: int, fact: Fact, *, linked: LinkedFacts, messages: Mapping[int, Message]
) -> list[OpenQuestion]:
    """What must be asked of a fact: one question for each mention in a message, whatever the number of facts that wait for it."""
    held = linked.held.get(number, {})
    asked_in = {mention: _message_of(fact, mention, messages) for mention in held}
    asked = {mention: Asked(_question_id(mention, message_id)) for mention, message_id in asked_in.items()}
    sure = {name: link.entity_id for name, link in linked.links.get(number, {}).items()}
    return [
        OpenQuestion(
            question_id=asked[mention].question_id,
            message_id=message_id,
            mention=mention,
            text=question(mention, [Offered(entity=linked.entities[key]) for key in held[mention].candidates]).text,
            held=held[mention],
            relations=_relations(fact, mention, {**asked, **sure}),
        )
        for mention, message_id in asked_in.items()
    ]


def _question_id(mention: str, message_id: UUID) -> UUID:
    return uuid5(NAMESPACE_OID, f"{message_id}/{normalise(mention)}")


def _message_of(fact: Fact, mention: str, messages: Mapping[int, Message]) -> UUID:
    latest_first = sorted(fact.sources, reverse=True)
    naming = (number for number in latest_first if mention.casefold() in messages[number].content.casefold())
    return messages[next(naming, latest_first[0])].event_id


def _relations(fact: Fact, mention: str, ends: Mapping[str, UUID | Asked]) -> tuple[HeldRelation, ...]:
    """What a fact states of a mention. ends: whom the others mean, or which question asks it."""

    def end(name: str) -> HeldEnd:
        return None if name == mention else ends[name]

    return tuple(
        (end(edge.subject), edge.predicate, end(edge.object))
        for edge in fact.relations
        if mention in {edge.subject, edge.object}
        and edge.subject != edge.object
        and {edge.subject, edge.object} <= {mention, *ends}
    )
