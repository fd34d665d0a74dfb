"""Memories that wait for the answer to a question."""

from uuid import UUID, uuid4

from db.questions import OtherQuestion
from mosshead.models.kinds import EntityType, MemoryKind
from pipeline.linking.link import LinkedFacts, OpenMention
from pipeline.linking.registry import Link
from pipeline.models import Fact, FactMention, Relation
from tests.factories import messages
from tests.given import registered
from workers.stages.consolidate.apply import open_questions

WRITER = registered("Peter", description="writer", parent="WOBS")
BROTHER = registered("Peter", description="User's brother")


MESSAGES = {one.number: one for one in messages("Peter works with Anna.", "She likes him.")}
ANNA = uuid4()


def asked(*sources: int, mention: str = "Peter") -> UUID:
    (question,) = open_questions(1, fact(*sources), linked=linked(mention), messages=MESSAGES)
    return question.question_id


def fact(*sources: int) -> Fact:
    edges = [("Peter", "works_with", "Anna"), ("Anna", "works_with", "Peter"), ("Anna", "likes", "Anna")]
    return Fact(
        kind=MemoryKind.FACT,
        content="Peter works with Anna",
        sources=sources,
        quote="",
        mentions=tuple(FactMention(name=name, entity_type=EntityType.PERSON) for name in ("Peter", "Anna")),
        relations=tuple(Relation(subject=one, predicate=what, object=other) for one, what, other in edges),
    )


def linked(mention: str = "Peter") -> LinkedFacts:
    known = {one.entity_id: one for one in (WRITER, BROTHER)}
    return LinkedFacts(
        {1: {"Anna": Link(ANNA, "object")}}, {1: {mention: OpenMention(tuple(known), "subject")}}, {1: ()}, {}, known
    )


def test_one_question_is_asked_about_a_name_in_a_message_whatever_the_facts() -> None:
    assert asked(1) == asked(1, 2) == asked(1, mention="PETER")
    assert len({asked(1), asked(2), asked(1, mention="Anna")}) == 3


def test_statement_of_the_fact_about_the_mention_waits_with_it() -> None:
    (question,) = open_questions(1, fact(1, 2), linked=linked(), messages=MESSAGES)

    assert question.message_id == UUID(int=1)
    assert question.text == "Which Peter do you mean: the writer at WOBS, or your brother?"
    assert question.relations == ((None, "works_with", ANNA), (ANNA, "works_with", None))
    assert open_questions(2, fact(1), linked=linked(), messages=MESSAGES) == []


def test_each_of_two_open_mentions_has_a_question_that_names_the_other() -> None:
    """Whichever is answered first, no statement of the fact is lost."""
    known = {one.entity_id: one for one in (WRITER, BROTHER)}
    both = {name: OpenMention(tuple(known), "subject") for name in ("Peter", "Anna")}
    peter, anna = open_questions(1, fact(1), linked=LinkedFacts({}, {1: both}, {1: ()}, {}, known), messages=MESSAGES)

    assert peter.relations == (
        (None, "works_with", OtherQuestion(anna.question_id)),
        (OtherQuestion(anna.question_id), "works_with", None),
    )
    assert anna.relations == (
        (OtherQuestion(peter.question_id), "works_with", None),
        (None, "works_with", OtherQuestion(peter.question_id)),
    )
