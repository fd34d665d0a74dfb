"""What a generation of a namespace's memories knows: the live one, or a shadow in which all that was said is replayed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMemory:
    """A memory.

    sources: the ids of the messages that it rests on, which are the same in both generations. vector: of unit length, and of one
    model in both generations. active: it is known now; else it was closed, or another took its place.
    """

    memory_id: UUID
    content: str
    kind: str
    attribute: str | None
    value: str | None
    sources: frozenset[UUID]
    # An array has no one truth value, so that it cannot be compared with the rest.
    vector: Vector | None = field(default=None, compare=False)
    active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPerson:
    """An entity of any sort. names: its aliases, normalised. sources: the ids of the messages of the memories about it."""

    entity_id: UUID
    names: frozenset[str]
    entity_type: str
    is_user: bool
    sources: frozenset[UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownQuestion:
    """A question whom a mention means. message_id: of the message that it stands in; memories: those that wait for the answer."""

    question_id: UUID
    mention: str
    message_id: UUID | None
    memories: frozenset[UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownDecision:
    """A decision of the log.

    event_id: of the command that it carried out; None where an LLM or the rules decided upon a fact. memory_id: which it made or
    changed.
    """

    decision_id: UUID
    event_id: UUID | None
    action: str
    memory_id: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationKnowledge:
    """What one generation knows that bears on one command."""

    memories: Sequence[KnownMemory] = ()
    people: Sequence[KnownPerson] = ()
    questions: Sequence[KnownQuestion] = ()
    decisions: Sequence[KnownDecision] = ()
