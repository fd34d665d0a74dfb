"""The memories that decisions and relations name by their ids."""

from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from uuid import UUID

from mosshead import Namespace, NotFound, Question, StoredMemory
from mosshead.models.memories import Decision

_MOST = 60
"""So many are looked up for one page; the rest stand there as ids."""


def memories_of(namespace: Namespace, ids: Iterable[UUID | None]) -> dict[UUID, StoredMemory]:
    """The memories of some ids, superseded and withdrawn ones included."""
    found: dict[UUID, StoredMemory] = {}
    for one in islice(dict.fromkeys(key for key in ids if key is not None), _MOST):
        with suppress(NotFound):
            found[one] = namespace.get(one)
    return found


def waiting_of(questions: Iterable[Question], entity_id: UUID) -> set[str]:
    """What questions leave open whether it is about an entity; it is known of nobody until one says who is meant."""
    return {
        content
        for question in questions
        if any(one.entity_id == entity_id for one in question.candidates)
        for content in question.memories
    }


def contents_of(namespace: Namespace, decisions: Iterable[Decision]) -> dict[UUID, StoredMemory]:
    """The memories that some decisions made, changed or saw."""
    return memories_of(
        namespace,
        (
            key
            for decision in decisions
            for key in (decision.memory_id, decision.target_id, *(one.memory_id for one in decision.candidates))
        ),
    )
