"""What the stage embeds: a batch's turns, kept until it takes effect, and the missing vectors of a namespace's model."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import structlog
from sqlalchemy import Connection, Engine

from db import candidates, embedding_models, leases, turns
from db.embedding_models import Lacking
from db.erasure import erasures
from db.keys import BatchRef, LaneRef
from db.turns import MessageRow, NewTurn
from mosshead.embeddings import Embedder, Vectors
from mosshead.entities.disambiguation import telling
from mosshead.errors import EmbeddingRefused
from mosshead.fencing import strip_fences
from mosshead.models.kinds import Role
from mosshead.portions import portions
from mosshead.redaction import redact
from mosshead.store.connection import tenant_transaction
from pipeline.embedding import TurnText, embed, turns_of
from pipeline.models import Message
from workers.dependencies import Parts

_AT_ONCE = 100

_log = structlog.get_logger()

K = TypeVar("K", bound=Hashable)


def turns_among(connection: Connection, lane: LaneRef, model: str, messages: Sequence[Message]) -> list[TurnText]:
    """Find the turns among some messages of a namespace, each with the one before it, given or stored."""
    before = turns.turns_before(connection, lane, model, [message.event_id for message in messages])
    return turns_of(messages, {message_id: as_message(one) for message_id, one in before.items()})


def texts_of(found: Iterable[TurnText]) -> list[str]:
    return [text for turn in found for text in (turn.said, turn.with_before)]


def with_vectors(found: Iterable[TurnText], vectors: Mapping[str, Vectors]) -> list[NewTurn]:
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
    in_english: bool | None,
) -> None:
    """Keep the vectors of a batch's facts, by number, and messages until they take effect; note that the embedder answers.

    in_english: whether the messages are in English, if known.
    """
    turns.note_language(connection, batch, in_english=in_english)
    candidates.store_vectors(connection, batch, model, of_facts)
    turns.keep_candidates(connection, batch, model, of_turns)
    if of_facts or of_turns:
        leases.close_breaker(connection, leases.EMBEDDER)


def as_message(one: MessageRow) -> Message:
    """Return a stored message for the pipeline: without fences, and without secrets stored past the library."""
    said = redact(strip_fences(one.content))
    return Message(0, one.message_id, one.conversation, Role(one.role), one.speaker, said, one.said_at)


def may_lag(connection: Connection) -> bool:
    """Return whether a namespace may lack vectors of this worker's model, because another worker writes with another model.

    `fill` then adds the missing ones before anything new is compared.
    """
    return len(embedding_models.models(connection)) > 1


def embed_again(batch: BatchRef, strange: Mapping[int, str], parts: Parts) -> None:
    """Embed a batch's facts with this worker's model. strange: contents that another model embedded, by number."""
    made = embed(strange, parts.embedder)
    if made:
        with tenant_transaction(parts.engine, batch.lane.tenant_id) as connection:
            candidates.store_vectors(connection, batch, parts.embedder.name, made)


def fill(engine: Engine, lane: LaneRef, embedder: Embedder) -> int:
    """Add a namespace's missing vectors of a model; return how many. Continues where it was interrupted.

    A text that the embedder refuses is left out. Raises any other error of the embedder.
    """
    return _fill_owners(engine, lane, embedder) + _fill_turns(engine, lane, embedder)


def _fill_turns(engine: Engine, lane: LaneRef, embedder: Embedder) -> int:
    """Make the missing turns of messages in effect for a model; return how many."""
    with tenant_transaction(engine, lane.tenant_id) as connection:
        missing = turns.without_turn(connection, lane, embedder.name)
    added = 0
    for some in portions(missing, lambda _: 1, most=_AT_ONCE):
        with tenant_transaction(engine, lane.tenant_id) as connection:
            stored = turns.messages(connection, lane, some)
            found = turns_among(connection, lane, embedder.name, [as_message(one) for one in stored])
        made = _embedded({text: text for text in texts_of(found)}, embedder)
        new = with_vectors([one for one in found if {one.said, one.with_before} <= made.keys()], made)
        added += _added(engine, lane, embedder.name, turns.add, new)
    return added


def _fill_owners(engine: Engine, lane: LaneRef, embedder: Embedder) -> int:
    with tenant_transaction(engine, lane.tenant_id) as connection:
        missing = embedding_models.lacking(connection, lane, embedder.name)
    added = 0
    for some in portions(missing, lambda _: 1, most=_AT_ONCE):
        made = _embedded({one: _text_of(one) for one in some}, embedder)
        added += _added(engine, lane, embedder.name, embedding_models.add_vectors, made)
    return added


def _text_of(one: Lacking) -> str:
    """Return the text to embed for an owner: for an example, the words around the mention."""
    return one.text if one.mention is None else telling(one.text, one.mention).text


def _added(engine: Engine, lane: LaneRef, model: str, add: Callable[..., int], made: object) -> int:
    """Add the vectors, unless an erasure is running in the lane or the model was dropped: they would outlive it."""
    with tenant_transaction(engine, lane.tenant_id) as connection:
        if not (erasures.alone(connection, lane) and embedding_models.may_add(connection, model)):
            return 0
        erasures.lock_lane(connection, lane)
        return add(connection, lane, model, made)


def _embedded(texts: Mapping[K, str], embedder: Embedder) -> dict[K, Vectors]:
    """Return the vectors of some texts, without those that the embedder refuses."""
    try:
        return embed(texts, embedder)
    except EmbeddingRefused:
        if len(texts) == 1:
            _log.warning("text_refused", model=embedder.name)
            return {}
    keys = list(texts)
    halves = (keys[: len(keys) // 2], keys[len(keys) // 2 :])
    return {key: vector for half in halves for key, vector in _embedded({k: texts[k] for k in half}, embedder).items()}
