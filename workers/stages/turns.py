"""The turns of messages: loaded, given their vectors, and kept until their batch takes effect."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, Engine

from db import candidates, providers, turns
from db.keys import BatchRef, LaneRef
from db.turns import MessageRow, NewTurn
from mosshead.embeddings import Vectors
from mosshead.fencing import strip_fences
from mosshead.models.kinds import Role
from mosshead.redaction import redact
from mosshead.store.connection import tenant_transaction
from pipeline.embedding import Turn, turns_of
from pipeline.models import Message
from workers.providers import EMBEDDER


def turns_among(engine: Engine, lane: LaneRef, model: str, messages: Sequence[Message]) -> list[Turn]:
    """The turns among some messages of a namespace, each with the one before it, in hand or stored."""
    with tenant_transaction(engine, lane.tenant_id) as connection:
        before = turns.turns_before(connection, lane, model, [message.event_id for message in messages])
    return turns_of(messages, {message_id: as_message(one) for message_id, one in before.items()})


def texts_of(found: Iterable[Turn]) -> list[str]:
    """All that is to be embedded of some turns."""
    return [text for turn in found for text in (turn.said, turn.with_before)]


def with_vectors(found: Iterable[Turn], vectors: Mapping[str, Vectors]) -> list[NewTurn]:
    """Turns with the vectors of their texts."""
    return [
        NewTurn(
            message_id=turn.message_id,
            said=turn.said,
            embedding=vectors[turn.said],
            with_before=vectors[turn.with_before],
        )
        for turn in found
    ]


def keep(
    connection: Connection,
    *,
    batch: BatchRef,
    model: str,
    of_facts: Mapping[int, Vectors],
    of_turns: Sequence[NewTurn],
) -> None:
    """Keep the vectors of a batch's facts, by number, and of its messages, until they take effect: whoever made them is there."""
    candidates.store_vectors(connection, batch, model, of_facts)
    turns.keep_candidates(connection, batch, model, of_turns)
    if of_facts or of_turns:
        providers.close(connection, EMBEDDER)


def as_message(one: MessageRow) -> Message:
    """A stored message as the pipeline has it: without secrets that an app stored past the library, and without fences."""
    said = redact(strip_fences(one.content))
    return Message(0, one.message_id, one.conversation, Role(one.role), one.speaker, said, one.said_at)
