"""The questions that a batch leaves open: whom a mention means, as a person would ask it, and what waits for the answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import NAMESPACE_OID, UUID, uuid5

from pipeline.facts import Fact, Message
from pipeline.linking.values import Held, LinkedFacts
from recollect.asking import Offered, question
from recollect.names import normalise


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """Whom a mention means, in one memory. relations: what the memory states of the mention, which is None in them."""

    question_id: UUID
    message_id: UUID
    mention: str
    text: str
    held: Held
    relations: tuple[tuple[UUID | None, str, UUID | None], ...]


def open_questions(
    number: int, fact: Fact, *, linked: LinkedFacts, messages: Mapping[int, Message]
) -> list[OpenQuestion]:
    """What must be asked of a fact: one question for each mention in a message, whatever the number of facts that wait for it."""
    return [
        OpenQuestion(
            question_id=uuid5(NAMESPACE_OID, f"{message_id}/{normalise(mention)}"),
            message_id=message_id,
            mention=mention,
            text=question(mention, [Offered(entity=linked.entities[key]) for key in held.candidates]).text,
            held=held,
            relations=_relations(number, fact, mention, linked),
        )
        for mention, held in linked.held.get(number, {}).items()
        for message_id in [_message_of(fact, mention, messages)]
    ]


def _message_of(fact: Fact, mention: str, messages: Mapping[int, Message]) -> UUID:
    latest_first = sorted(fact.sources, reverse=True)
    naming = (number for number in latest_first if mention.casefold() in messages[number].content.casefold())
    return messages[next(naming, latest_first[0])].event_id


def _relations(
    number: int, fact: Fact, mention: str, linked: LinkedFacts
) -> tuple[tuple[UUID | None, str, UUID | None], ...]:
    sure = {name: link.entity_id for name, link in linked.links.get(number, {}).items()}
    return tuple(
        (sure.get(edge.subject), edge.predicate, sure.get(edge.object))
        for edge in fact.relations
        if (edge.subject == mention and edge.object in sure) or (edge.object == mention and edge.subject in sure)
    )
