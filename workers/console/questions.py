""" "Which Peter?": the questions that are open, each with what tells the candidates apart, and their answers."""

from dataclasses import dataclass
from uuid import UUID

from recollect import Candidate, Question, StoredMemory
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
        return Page("questions.html", {"asked_back": [self._with_facts(one) for one in self.namespace.questions()]})

    def _with_facts(self, question: Question) -> Asked:
        return Asked(
            question,
            tuple(
                Choice(
                    one,
                    tuple(
                        fact
                        for fact in self.namespace.memories(about=one.entity_id, limit=_FACTS + len(question.memories))
                        if fact.content not in question.memories
                    )[:_FACTS],
                )
                for one in question.candidates
            ),
        )


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
