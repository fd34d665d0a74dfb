"""Answers that are kept: what was said around a mention, and who was meant by it, so that the same is not asked again."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, text

from db import memories
from db.decisions import Stamp
from db.memories import Vector
from db.refs import LaneRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """What was said, with the mention in it.

    vector: of the text without the mention, made with the model. others: who might have been meant as well. message_id: of what
    was said, where the service asked.
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
    row = {
        **lane.scope,
        **stamp.columns,
        "example_id": example.example_id,
        "mention": example.mention,
        "text": example.text,
        "entity_id": example.entity_id,
        "others": list(example.others),
        "message_id": example.message_id,
        "conversation": example.conversation,
    }
    connection.execute(_KEEP, row)
    memories.set_vectors(connection, lane, example.model, "example", {example.example_id: example.vector})


_KEEP = text("""
    insert into mosshead.examples
        (tenant_id, namespace_id, example_id, mention, text, entity_id, others, message_id, conversation_id, known_from, made_by)
    values (:tenant_id, :namespace_id, :example_id, :mention, :text, :entity_id, cast(:others as uuid[]), :message_id,
            :conversation, :at, :decision_id)
""")
