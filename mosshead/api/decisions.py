"""`Namespace.decisions`: read the decision log of a namespace."""

from dataclasses import dataclass
from typing import get_args
from uuid import UUID

from mosshead.api.session import Session
from mosshead.arguments import checked_limit, id_of
from mosshead.errors import NotFound, UndoRefused
from mosshead.models.memories import Action, Decision, Related
from mosshead.store import decisions

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class NamespaceDecisions:
    """Reads decisions: what each was based on, what made it, and why."""

    session: Session

    def for_memory(self, memory_id: UUID | str) -> list[Decision]:
        """List the decisions about a memory, oldest first."""
        return self.session.fetch(decisions.decisions, id_of("memory_id", memory_id))

    def get(self, decision_id: UUID | str) -> Decision:
        """Read one decision. The decision of an undo, clarify, merge or split has its event's id.

        Raises:
            NotFound: There is no such decision, or it has not been made yet.
        """
        wanted = id_of("decision_id", decision_id)
        found = self.session.fetch(decisions.decision, wanted)
        if found is None:
            raise _not_made(self.session, wanted)
        return found

    def latest(self, *, action: Action | None = None, limit: int = 50) -> list[Decision]:
        """List the namespace's decisions, newest first. Each has its reason.

        Args:
            action: Return only this action. "quarantine" kept text from becoming a memory, such as instructions to the
                assistant; "refuse" rejected a fact proposed by an LLM (docs/explanation/memory-formation.md).

        Raises:
            ValueError: An argument is invalid.
        """
        if action not in (None, *get_args(Action)):
            raise ValueError(f"action: one of {', '.join(get_args(Action))}, or None for all, got {action!r}")
        return self.session.fetch(decisions.latest_decisions, checked_limit(limit), action=action)

    def related(self, memory_id: UUID | str, *, limit: int = 20) -> list[Related]:
        """List a memory's relations to others: similar, contradicting, replaced, or about the same entity.

        Args:
            limit: Maximum number of each kind.
        """
        return self.session.fetch(decisions.related, id_of("memory_id", memory_id), checked_limit(limit))


def check_undo(session: Session, decision_id: UUID | str) -> UUID:
    """Return the decision's id. Raises NotFound, or UndoRefused if the service would refuse the undo."""
    wanted = id_of("decision_id", decision_id)
    with session.transaction() as connection:
        found = decisions.decision(connection, session.path, wanted)
        later = decisions.later_decisions(connection, session.path, wanted)
    if found is None:
        raise _not_made(session, wanted)
    if not found.in_effect:
        raise UndoRefused(f"decision_id: {decision_id} is not in effect: it was undone, or never carried out")
    if found.action == "erase":
        raise UndoRefused(f"decision_id: {decision_id} is an erasure, which cannot be undone")
    if later:
        named = ", ".join(map(str, later[:_MOST_NAMED])) + (", …" if len(later) > _MOST_NAMED else "")
        raise UndoRefused(
            f"decision_id: {len(later)} later decision{'s build' if len(later) > 1 else ' builds'} on "
            f"{decision_id}; undo the latest first: {named}"
        )
    return wanted


def _not_made(session: Session, decision_id: UUID) -> NotFound:
    return NotFound(f"decision_id: there is no decision {decision_id} in {session.path}")
