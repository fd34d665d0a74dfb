"""Questions about ambiguous mentions, and the candidates for an answer."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An entity offered as an answer to a question, with what distinguishes it from the others."""

    entity_id: UUID
    name: str
    description: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to ask the user, because a mention fits several entities. Answer it with `Namespace.entities.clarify`.

    Attributes:
        id: Set for open questions stored by the service, None for questions from a read.
        message: The message containing the mention.
        memories: The memories waiting for the answer, for stored questions.
    """

    text: str
    mention: str
    candidates: tuple[Candidate, ...]
    id: UUID | None = None
    message: str = ""
    memories: tuple[str, ...] = ()
