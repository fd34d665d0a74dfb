"""Questions of who is meant, and whom an answer may choose."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An entity that a question offers as its answer, with what tells it from the others."""

    entity_id: UUID
    name: str
    description: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What must be asked back, because the words fit several entities. `Namespace.entities.clarify` takes it with its answer.

    id: of a question that the service holds open; None of one that a read asks.
    message: what the mention stands in. memories: what waits for the answer, where the service asks.
    """

    text: str
    mention: str
    candidates: tuple[Candidate, ...]
    id: UUID | None = None
    message: str = ""
    memories: tuple[str, ...] = ()
