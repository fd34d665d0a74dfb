"""The SQL of the read side about who is who: the questions that are open, and which memories are about somebody.

As in `mosshead.views`, functions take a connection inside a transaction that has set its tenant, and never commit.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import Connection, text

from mosshead.namespaces import NamespacePath


@dataclass(slots=True, kw_only=True)
class Waiting:
    """A question, and the contents of the memories that wait for its answer. candidates: the most plausible first."""

    question_id: UUID
    mention: str
    message: str
    answered: bool
    candidates: dict[UUID, None] = field(default_factory=dict)
    memories: list[str] = field(default_factory=list)


def questions(connection: Connection, path: NamespacePath, *, question_id: UUID | None = None) -> list[Waiting]:
    """The questions that are open, those asked first in front; or a certain one, open or answered.

    One of which every memory was replaced meanwhile is told of only when asked for, one of which all were taken back never.
    """
    found: dict[UUID, Waiting] = {}
    parameters = {"tenant_id": path.tenant_id, "namespace_id": path.namespace_id, "question_id": question_id}
    for row in connection.execute(_QUESTIONS, parameters):
        one = found.setdefault(
            row.question_id,
            Waiting(
                question_id=row.question_id,
                mention=row.mention,
                message=row.message or "",
                answered=row.answered_at is not None,
            ),
        )
        one.answered = one.answered and row.answered_at is not None
        one.candidates.update(dict.fromkeys(row.candidates))
        one.memories.append(row.content)
    return list(found.values())


def about(connection: Connection, path: NamespacePath, entity_id: UUID, memory_ids: Sequence[UUID]) -> set[UUID]:
    """Those of some memories that are about an entity, or perhaps are."""
    parameters = {"tenant_id": path.tenant_id, "namespace_id": path.namespace_id, "entity_id": entity_id}
    return set(connection.execute(_ABOUT, {**parameters, "memory_ids": list(memory_ids)}).scalars())


def facts(
    connection: Connection, path: NamespacePath, entity_ids: Collection[UUID], *, limit: int
) -> dict[UUID, tuple[str, ...]]:
    """By entity, the contents of the most salient memories that are surely about it."""
    parameters = {"tenant_id": path.tenant_id, "namespace_id": path.namespace_id, "limit": limit}
    rows = connection.execute(_FACTS, {**parameters, "entity_ids": list(entity_ids)})
    return {row.entity_id: tuple(row.contents) for row in rows}


_QUESTIONS = text("""
    select question.question_id, question.mention, question.candidates, question.answered_at,
           memory.content, message.content as message
    from mosshead_read_v1.questions as question
    join mosshead_read_v1.memories as memory using (tenant_id, namespace_id, memory_id)
    left join mosshead_read_v1.messages as message using (tenant_id, namespace_id, message_id)
    where question.tenant_id = :tenant_id and question.namespace_id = :namespace_id and memory.known_to is null
      and (question.question_id = :question_id and memory.state <> 'withdrawn'
           or cast(:question_id as uuid) is null and question.answered_at is null and memory.state = 'active')
    order by question.asked_at, question.question_id, memory.memory_id
""")

_FACTS = text("""
    select entity_id, array(
        select memory.content from mosshead_read_v1.memory_entities as link
        join mosshead_read_v1.memories as memory using (tenant_id, namespace_id, memory_id)
        where link.tenant_id = :tenant_id and link.namespace_id = :namespace_id and link.entity_id = asked.entity_id
          and link.certainty = 'sure' and memory.known_to is null and memory.state = 'active'
        order by link.role = 'subject' desc, memory.salience desc, memory.memory_id limit :limit) as contents
    from unnest(cast(:entity_ids as uuid[])) as asked (entity_id)
""")

_ABOUT = text("""
    select memory_id from mosshead_read_v1.memory_entities
    where tenant_id = :tenant_id and namespace_id = :namespace_id and entity_id = :entity_id
      and memory_id = any(cast(:memory_ids as uuid[]))
""")
