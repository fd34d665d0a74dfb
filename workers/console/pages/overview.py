"""The overview: how much is known, how fresh it is, what is open, and what was decided."""

from uuid import UUID

from mosshead import StoredMemory
from mosshead.models.memories import Action
from workers.console.formatting import contents_of, waiting_of
from workers.console.handlers import OfNamespace, Page, Published

_COUNTED = 1000
_FACTS = 3
_ACTIONS: dict[str, Action] = {"quarantined": "quarantine", "rejected": "refuse"}
NEW = "new"
"""What the form sends for somebody whom the memories do not know."""


def overview(request: OfNamespace) -> Page:
    """The first page of a namespace: counts, the most salient memories, the latest decisions."""
    memories = request.namespace.memories(limit=_COUNTED)
    return Page(
        "overview.html",
        counted=f"{_COUNTED:,} or more" if len(memories) == _COUNTED else f"{len(memories):,}",
        memories=memories[:5],
        entities=request.namespace.entities.list(),
        decisions=request.namespace.decisions.latest(limit=12),
    )


def decisions(request: OfNamespace) -> Page:
    """The decision log, the latest first: all of it, what was kept out, or what an LLM proposed in vain."""
    show = request.given("show")
    action = _ACTIONS.get(show)
    part = request.part(lambda most: request.namespace.decisions.latest(action=action, limit=most), 100)
    return Page("decisions.html", part=part, show=show)


def decision(request: OfNamespace, decision_id: str) -> Page:
    """A decision, for links that name one, with the memories that it saw."""
    found = request.namespace.decisions.get(decision_id)
    return Page("decision.html", decision=found, contents=contents_of(request.namespace, [found]))


def undo(request: OfNamespace, decision_id: str) -> Published:
    """Take a decision back. Raises UndoRefused where it cannot be."""
    return request.namespace.undo(decision_id), f"decisions/{decision_id}"


def questions(request: OfNamespace) -> Page:
    """All that are open, those asked first in front, with what is known of each candidate now."""
    namespace = request.namespace
    found = namespace.entities.questions()

    def facts(entity_id: UUID) -> tuple[StoredMemory, ...]:
        waiting = waiting_of(found, entity_id)
        known = namespace.memories(about=entity_id, limit=_FACTS + len(waiting))
        return tuple(one for one in known if one.content not in waiting)[:_FACTS]

    candidates = {one.entity_id for asked in found for one in asked.candidates}
    return Page("questions.html", questions=found, facts={one: facts(one) for one in candidates})


def answer(request: OfNamespace, question_id: str) -> Published:
    """Answer a question. Raises NotFound, and InvalidEvent where it was answered before."""
    meant = request.given("entity")
    if not meant:
        raise ValueError(f'entity: must be an id, or "{NEW}"')
    return request.namespace.entities.clarify(question_id, None if meant == NEW else meant), "questions"
