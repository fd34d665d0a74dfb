"""The overview page, the decision log, and the questions."""

from uuid import UUID

from mosshead import StoredMemory
from mosshead.models.memories import Action
from workers.console.formatting import contents_of, waiting_of
from workers.console.handlers import OfNamespace, Page, Published

_COUNTED = 1000
_FACTS = 3
_ACTIONS: dict[str, Action] = {"quarantined": "quarantine", "rejected": "refuse"}
NEW = "new"
"""The form's value for a new entity."""


def overview(request: OfNamespace) -> Page:
    """Show the first page of a namespace: counts, the most salient memories, the latest decisions."""
    memories = request.namespace.memories(limit=_COUNTED)
    return Page(
        "overview.html",
        counted=f"{_COUNTED:,} or more" if len(memories) == _COUNTED else f"{len(memories):,}",
        memories=memories[:5],
        entities=request.namespace.entities.list(),
        decisions=request.namespace.decisions.latest(limit=12),
    )


def decisions(request: OfNamespace) -> Page:
    """List decisions, latest first: all, the quarantined, or an LLM's rejected proposals."""
    show = request.given("show")
    action = _ACTIONS.get(show)
    part = request.part(lambda most: request.namespace.decisions.latest(action=action, limit=most), 100)
    return Page("decisions.html", part=part, show=show)


def decision(request: OfNamespace, decision_id: str) -> Page:
    """Show a decision with the memories that it saw."""
    found = request.namespace.decisions.get(decision_id)
    return Page("decision.html", decision=found, contents=contents_of(request.namespace, [found]))


def undo(request: OfNamespace, decision_id: str) -> Published:
    """Undo a decision. Raises UndoRefused if that is not possible."""
    return request.namespace.undo(decision_id), f"decisions/{decision_id}"


def questions(request: OfNamespace) -> Page:
    """List the open questions, oldest first, with what is known about each candidate."""
    namespace = request.namespace
    found = namespace.entities.questions()

    def facts(entity_id: UUID) -> tuple[StoredMemory, ...]:
        waiting = waiting_of(found, entity_id)
        known = namespace.memories(about=entity_id, limit=_FACTS + len(waiting))
        return tuple(one for one in known if one.content not in waiting)[:_FACTS]

    candidates = {one.entity_id for asked in found for one in asked.candidates}
    return Page("questions.html", questions=found, facts={one: facts(one) for one in candidates})


def answer(request: OfNamespace, question_id: str) -> Published:
    """Answer a question. Raises NotFound, or InvalidEvent if it was answered before."""
    meant = request.given("entity")
    if not meant:
        raise ValueError(f'entity: must be an id, or "{NEW}"')
    return request.namespace.entities.clarify(question_id, None if meant == NEW else meant), "questions"
