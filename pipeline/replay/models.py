"""What a generation of a namespace's memories knows: the live one, or a shadow in which all messages are replayed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMemory:
    """A memory.

    sources: the ids of its source messages, which are the same in both generations. vector: of unit length, from one model in
    both generations. active: it currently holds; otherwise it was closed or replaced.
    """

    memory_id: UUID
    content: str
    kind: str
    attribute: str | None
    value: str | None
    sources: frozenset[UUID]
    # Arrays have no single truth value, so this field is excluded from comparison.
    vector: Vector | None = field(default=None, compare=False)
    active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPerson:
    """An entity of any type. names: its aliases, normalised. sources: the ids of the messages behind its memories."""

    entity_id: UUID
    names: frozenset[str]
    entity_type: str
    is_user: bool
    sources: frozenset[UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownQuestion:
    """A question about an ambiguous mention. message_id: of its message; memories: those waiting for the answer."""

    question_id: UUID
    mention: str
    message_id: UUID | None
    memories: frozenset[UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownDecision:
    """A decision of the log.

    event_id: of the command it carried out; None if an LLM or the rules decided about a fact. memory_id: the memory it made or
    changed.
    """

    decision_id: UUID
    event_id: UUID | None
    action: str
    memory_id: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationKnowledge:
    """What one generation knows that concerns one command."""

    memories: Sequence[KnownMemory] = ()
    people: Sequence[KnownPerson] = ()
    questions: Sequence[KnownQuestion] = ()
    decisions: Sequence[KnownDecision] = ()
