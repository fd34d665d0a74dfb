""" "Which Peter?": the questions that are open, each with what tells the candidates apart, and their answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from mosshead import Candidate, Question, StoredMemory
from workers.console.contents import waiting_of
from workers.console.handling import Editing, Page, Reading

_FACTS = 3
NEW = "new"
"""What the form sends for somebody whom the memories do not know."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate with what is known of it, the most salient first."""

    candidate: Candidate
    facts: tuple[StoredMemory, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its choices."""

    question: Question
    choices: tuple[Choice, ...]


class Questions(Reading):
    """All that are open, those asked first in front."""

    section = "questions"

    def show(self, *_ids: str) -> Page:
        """With what is known of each candidate now."""
        found = self.namespace.questions()
        facts = {one.entity_id: self._facts(found, one.entity_id) for asked in found for one in asked.candidates}
        return Page(
            "questions.html",
            {
                "asked_back": [
                    Asked(one, tuple(Choice(candidate, facts[candidate.entity_id]) for candidate in one.candidates))
                    for one in found
                ]
            },
        )

    def _facts(self, questions: Sequence[Question], entity_id: UUID) -> tuple[StoredMemory, ...]:
        waiting = waiting_of(questions, entity_id)
        found = self.namespace.memories(about=entity_id, limit=_FACTS + len(waiting))
        return tuple(one for one in found if one.content not in waiting)[:_FACTS]


class Answer(Editing):
    """Answers a question."""

    def publish(self, *ids: str) -> UUID:
        """Raises NotFound, and InvalidEvent where it was answered before."""
        meant = self.given("entity")
        if not meant:
            raise ValueError(f'entity: an id, or "{NEW}" for somebody new')
        return self.namespace.clarify(ids[0], None if meant == NEW else meant)

    def back(self, *_ids: str) -> str:
        """The questions that are left."""
        return f"{self.place}/questions"
