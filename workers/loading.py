"""From rows to the pipeline's values: what a stage starts from."""

from collections.abc import Iterable, Mapping

import structlog

from db import candidates, entities, inbox
from db.refs import BatchRef
from pipeline.facts import Background, Fact, KnownEntity, Message
from recollect.events import ConversationEnded, MessageEvent, parse_event
from recollect.names import possible_names
from recollect.tenancy import tenant_transaction
from workers.kept_model import KeptModel
from workers.parts import Parts

_EARLIER = 6
_KNOWN = 60

_log = structlog.get_logger()


def messages_of(batch: BatchRef, parts: Parts) -> list[Message]:
    """The messages of a batch, numbered from 1."""
    with tenant_transaction(parts.engine, batch.lane.tenant_id) as connection:
        events = [parse_event(payload) for payload in inbox.events_of_batch(connection, batch)]
    return _messages(events)


def background_of(batch: BatchRef, messages: Iterable[Message], parts: Parts) -> Background:
    """What the namespace knows already: the names that the batch may speak of, and what was said just before."""
    names = {name for message in messages for name in possible_names(message.content)}
    with tenant_transaction(parts.engine, batch.lane.tenant_id) as connection:
        earlier = [parse_event(payload) for payload in inbox.earlier_messages(connection, batch, _EARLIER)]
        known = entities.known_entities(connection, batch.lane, sorted(names), _KNOWN)
    return Background(
        entities=tuple(
            KnownEntity(one.name, one.entity_type, one.aliases, one.parent) for one in known if not one.is_user
        ),
        earlier=tuple(_messages(earlier)),
    )


def facts_of(batch: BatchRef, parts: Parts) -> dict[int, tuple[Fact, candidates.CandidateRow]]:
    """The candidate facts of a batch by number, each with what the stages have added."""
    with tenant_transaction(parts.engine, batch.lane.tenant_id) as connection:
        rows = candidates.facts_of_batch(connection, batch)
    return {row.number: (Fact.model_validate(row.fact), row) for row in rows}


def model_for(batch: BatchRef, parts: Parts) -> KeptModel | None:
    """The LLM, with what it answered for this namespace before; None where the offline rules do the work."""
    return KeptModel(parts.model, parts.engine, batch.lane, parts.usage) if parts.model else None


def report_refused(refused: Mapping[str, int]) -> None:
    """Log how many of the LLM's proposals were not taken, by reason."""
    if refused:
        _log.warning("facts_refused", **refused)


def _messages(events: Iterable[MessageEvent | ConversationEnded]) -> list[Message]:
    said = (event for event in events if isinstance(event, MessageEvent))
    return [
        Message(number, event.event_id, event.conversation, event.role, event.speaker, event.text, event.occurred_at)
        for number, event in enumerate(said, 1)
    ]
