"""The overview: how much is known, how fresh it is, what is open, and what was decided last."""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from mosshead import Memory, NotFound, Question, StoredMemory
from mosshead.models.memories import Action
from mosshead.paths import NamespacePath
from workers.console.formatting import contents_of, waiting_of
from workers.console.handlers import Editing, Handler, Page, Reading, named, place_of

_COUNTED = 1000
_FEW = 5
_DECISIONS = 12
_LOG = 100
_ACTIONS: dict[str, Action] = {"kept-out": "quarantine", "refused": "refuse"}


class Overview(Reading):
    """The first page of a namespace."""

    section = "overview"

    def show(self, *_ids: str) -> Page:
        """Counts, the most salient memories, the latest decisions."""
        memories = self.namespace.memories(limit=_COUNTED)
        counted = f"{_COUNTED:,} or more" if len(memories) == _COUNTED else f"{len(memories):,}"
        return Page(
            "overview.html",
            counted=counted,
            memories=memories[:_FEW],
            entities=self.namespace.entities.list(),
            decisions=self.namespace.decisions.latest(limit=_DECISIONS),
        )


class Decisions(Reading):
    """The decision log, the latest first."""

    section = "decisions"

    def show(self, *_ids: str) -> Page:
        """All of them, what was kept out, or what an LLM proposed in vain."""
        show = self.given("show")
        action = _ACTIONS.get(show)
        part = self.part(lambda most: self.namespace.decisions.latest(action=action, limit=most), _LOG)
        return Page("decisions.html", part=part, show=show)


class OneDecision(Reading):
    """A decision, for links that name one."""

    section = "decisions"

    def show(self, *ids: str) -> Page:
        """With the memories that it saw."""
        decision = self.namespace.decisions.get(ids[0])
        return Page("decision.html", decision=decision, contents=contents_of(self.namespace, [decision]))


class UndoHandler(Editing):
    """Takes a decision back."""

    then = "decisions/{0}"

    def publish(self, *ids: str) -> UUID:
        """Raises UndoRefused where it cannot be."""
        return self.namespace.undo(ids[0])


class Choosing(Handler):
    """A field for the name of a namespace; and those of a tenant, where one is named.

    The console logs in as an app does, and such a login sees one tenant at a time: it cannot list them all.
    """

    async def get(self) -> None:
        """Show the field, or go to the namespace that was named."""
        name = self.given("namespace").strip().strip("/")
        if "/" in name:
            self.redirect(place_of(named(name)), status=303)
            return
        found = await self.in_thread(partial(_of_tenant, self.memory, name)) if name else []
        await self.render("choosing.html", name=name, found=[(str(path), place_of(path)) for path in found])


def _of_tenant(memory: Memory, tenant: str) -> list[NamespacePath]:
    found = memory.group(tenant).namespaces()
    if not found:
        raise NotFound(
            f"tenant: nothing was published for {tenant}; give the name as the app does, such as acme/sarah_123"
        )
    return found


_FACTS = 3
NEW = "new"
"""What the form sends for somebody whom the memories do not know."""


class Questions(Reading):
    """All that are open, those asked first in front."""

    section = "questions"

    def show(self, *_ids: str) -> Page:
        """With what is known of each candidate now."""
        found = self.namespace.entities.questions()
        facts = {one.entity_id: self._facts(found, one.entity_id) for asked in found for one in asked.candidates}
        return Page("questions.html", questions=found, facts=facts)

    def _facts(self, questions: Sequence[Question], entity_id: UUID) -> tuple[StoredMemory, ...]:
        waiting = waiting_of(questions, entity_id)
        found = self.namespace.memories(about=entity_id, limit=_FACTS + len(waiting))
        return tuple(one for one in found if one.content not in waiting)[:_FACTS]


class AnswerHandler(Editing):
    """Answers a question."""

    then = "questions"

    def publish(self, *ids: str) -> UUID:
        """Raises NotFound, and InvalidEvent where it was answered before."""
        meant = self.given("entity")
        if not meant:
            raise ValueError(f'entity: an id, or "{NEW}" for somebody new')
        return self.namespace.entities.clarify(ids[0], None if meant == NEW else meant)
