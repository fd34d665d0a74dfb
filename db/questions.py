"""Questions that ingestion could not answer: whom a mention means. Memories that wait for the answer have no sure link."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row

from db import memories
from db.decisions import Stamp
from db.keys import ENDED, LaneRef, insert, renew
from mosshead.embeddings.protocol import Vector
from mosshead.store.connection import OF_NAMESPACE, Sql, both_of_namespace, of_namespace


@dataclass(frozen=True, slots=True)
class OtherQuestion:
    """The entity that the answer to another question about the same memory will name."""

    question_id: UUID


HeldEnd = UUID | OtherQuestion | None
HeldRelation = tuple[HeldEnd, str, HeldEnd]
"""A relation that a memory states about the mention, once resolved: subject, predicate, object; None for the mention."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewQuestion:
    """A question whom a mention means, for a memory that waits for the answer.

    question_id: the same for all memories of one mention in one message, so that one answer settles them. text: the question as a
    person would ask it. candidates: most plausible first. role: of the mention in the memory.
    relations: what the memory states about the mention; valid once answered.
    """

    question_id: UUID
    message_id: UUID
    mention: str
    text: str
    candidates: Sequence[UUID]
    role: str
    relations: Sequence[HeldRelation] = ()


def ask(connection: Connection, lane: LaneRef, memory_id: UUID, asked: NewQuestion, stamp: Stamp) -> None:
    """Ask whom a mention in a memory means; until the answer the memory is unsurely about each candidate.

    Safe to repeat.
    """
    relations = [
        [{"question": part.question_id} if isinstance(part, OtherQuestion) else part for part in relation]
        for relation in asked.relations
    ]
    shared = {**lane.scope, **stamp.begun, "memory_id": memory_id}
    question = {name: getattr(asked, name) for name in NewQuestion.__slots__} | {"relations": relations}
    conversation = f"""
        (select conversation_id from mosshead.messages as message
         where {both_of_namespace("message", "one")} and message.message_id = one.message_id)
    """
    rows = [shared | question | {"asked_at": stamp.at}]
    if insert(connection, "questions", rows, conflict="do nothing", conversation_id=conversation):
        unsure = shared | {"role": asked.role, "certainty": "unsure"}
        links = [unsure | {"entity_id": candidate} for candidate in asked.candidates]
        insert(connection, "memory_entities", links, conflict="do nothing")


def waiting(connection: Connection, lane: LaneRef, question_id: UUID) -> Sequence[Row[Any]]:
    """Return the memories that wait or waited for the answer to a question; empty if it was never asked, or they were undone.

    Forgotten memories are left out, so that a late answer does not affect them. Columns: question_id, memory_id, mention,
    message_id, message (its text, in which the mention stands), conversation, role (of the mention in the memory), candidates,
    answered.
    """
    return Sql(f"""
        select question.question_id, question.memory_id, question.mention, question.message_id,
               question.conversation_id as conversation, question.role, question.candidates,
               question.answered_at is not null as answered, coalesce(message.content, '') as message
        from mosshead.questions as question
        join mosshead.memories as memory using (tenant_id, namespace_id, memory_id)
        left join mosshead.messages as message using (tenant_id, namespace_id, message_id)
        where {of_namespace("question")} and question.question_id = %(question_id)s
          and question.known_to is null and memory.known_to is null and memory.state <> 'withdrawn'
        order by question.memory_id
    """).rows(connection, lane.scope, question_id=question_id)


def settle(connection: Connection, lane: LaneRef, waiting: Sequence[Row[Any]], answer: UUID, stamp: Stamp) -> None:
    """Answer a question: link the waiting memories surely to the chosen entity, and remove the unsure links to the others.

    Relations about the mention become valid from when they were said. If the other end is an open mention, too, that question
    receives this answer, and its own answer makes the relation valid.
    """
    row = {
        "question_id": waiting[0].question_id,
        "memories": [one.memory_id for one in waiting],
        "candidates": sorted({candidate for one in waiting for candidate in one.candidates}),
    }
    theirs = "row.memory_id = any(%(memories)s::uuid[]) and row.answered_at is null"
    # The form of `OtherQuestion` in the JSON of held relations.
    asked = "cast(jsonb_build_object('question', %(question_id)s::text) as text)"
    told = f"cast(replace(cast(relations as text), {asked}, cast(to_jsonb(%(answer)s::uuid) as text)) as jsonb)"
    # An end of a relation, null while it is open.
    end = "case when jsonb_typeof(edge -> {0}) <> 'object' then coalesce(cast(edge ->> {0} as uuid), %(answer)s) end"
    Sql(f"""
        {renew("questions", f"{theirs} and row.question_id = %(question_id)s", answered_at="%(at)s", answer_id="%(answer)s")};
        {renew("questions", f"{theirs} and strpos(cast(row.relations as text), {asked}) > 0", relations=told)};

        -- A candidate whom another open question offers for the same memory stays, as unsure as it was.
        update mosshead.memory_entities as link set {ENDED}
        where {OF_NAMESPACE} and memory_id = any(%(memories)s::uuid[]) and known_to is null and (
            entity_id = %(answer)s or certainty = 'unsure' and entity_id = any(%(candidates)s::uuid[]) and not exists (
                select from mosshead.questions as other
                where {of_namespace("other")} and other.memory_id = link.memory_id
                  and other.known_to is null and other.answered_at is null and link.entity_id = any(other.candidates)));

        insert into mosshead.memory_entities
            (tenant_id, namespace_id, memory_id, entity_id, role, certainty, known_from, made_by)
        select distinct on (memory_id) tenant_id, namespace_id, memory_id, %(answer)s, role, 'sure', %(at)s, %(decision_id)s
        from (select tenant_id, namespace_id, memory_id, role from mosshead.questions
              where {OF_NAMESPACE} and question_id = %(question_id)s and made_by = %(decision_id)s
              union all
              select tenant_id, namespace_id, memory_id, role from mosshead.memory_entities
              where {OF_NAMESPACE} and memory_id = any(%(memories)s::uuid[]) and ended_by = %(decision_id)s
                and entity_id = %(answer)s and certainty = 'sure') as asked
        order by memory_id, array_position(array['subject', 'object', 'about'], role);

        insert into mosshead.relations
            (tenant_id, namespace_id, relation_id, subject_id, predicate, object_id, memory_id, valid_from, valid_to,
             known_from, made_by)
        select memory.tenant_id, memory.namespace_id, gen_random_uuid(), subject_id, edge ->> 1, object_id, memory.memory_id,
               memory.valid_from, memory.valid_to, %(at)s, %(decision_id)s
        from mosshead.questions as question
        join mosshead.memories as memory using (tenant_id, namespace_id, memory_id)
        cross join jsonb_array_elements(question.relations) as edge
        cross join lateral (select {end.format(0)} as subject_id, {end.format(2)} as object_id) as ends
        where {of_namespace("question")} and question.question_id = %(question_id)s
          and question.made_by = %(decision_id)s and memory.known_to is null and subject_id <> object_id
        on conflict do nothing
    """).run(connection, lane.scope | stamp.columns, answer=answer, **row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An example: a text with a mention.

    vector: of the text without the mention, made with the model. others: the other candidates. message_id: of the text, if the
    service asked.
    """

    example_id: UUID
    mention: str
    text: str
    entity_id: UUID
    vector: Vector
    model: str
    others: Sequence[UUID] = ()
    message_id: UUID | None = None
    conversation: str | None = None


def keep(connection: Connection, lane: LaneRef, example: Example, stamp: Stamp) -> None:
    """Store an example."""
    columns = ("example_id", "mention", "text", "entity_id", "others", "message_id")
    row = {name: getattr(example, name) for name in columns} | {"conversation_id": example.conversation}
    insert(connection, "examples", [{**lane.scope, **stamp.begun, **row}])
    memories.set_vectors(connection, lane, example.model, "example", {example.example_id: example.vector})
