"""What was decided about the memories of a namespace."""

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
    """Reads what was decided: what was seen, by whom it was decided, and why."""

    session: Session

    def for_memory(self, memory_id: UUID | str) -> list[Decision]:
        """List what was decided about a memory, in order."""
        return self.session.fetch(decisions.decisions, id_of("memory_id", memory_id))

    def get(self, decision_id: UUID | str) -> Decision:
        """Read one decision; that of an undo, clarify, merge or split has its event's id.

        Raises NotFound, also until it is made.
        """
        wanted = id_of("decision_id", decision_id)
        found = self.session.fetch(decisions.decision, wanted)
        if found is None:
            raise _not_made(self.session, wanted)
        return found

    def latest(self, *, action: Action | None = None, limit: int = 50) -> list[Decision]:
        """List what was decided last in the whole namespace, the latest first.

        action: that alone, such as "quarantine" for what was kept from becoming a memory, as instructions to the assistant are,
        and "refuse" for what an LLM proposed as a fact and code did not take (docs/explanation/memory-formation.md); each has its
        reason. Raises ValueError where one of these does not fit.
        """
        if action not in (None, *get_args(Action)):
            raise ValueError(f"action: one of {', '.join(get_args(Action))}, or None for all, got {action!r}")
        return self.session.fetch(decisions.latest_decisions, checked_limit(limit), action=action)

    def related(self, memory_id: UUID | str, *, limit: int = 20) -> list[Related]:
        """List what was decided between a memory and others: similar, contradicting, replaced, about the same.

        limit: of each kind.
        """
        return self.session.fetch(decisions.related, id_of("memory_id", memory_id), checked_limit(limit))


def check_undo(session: Session, decision_id: UUID | str) -> UUID:
    """Raises NotFound, or UndoRefused where the service would refuse, as far as can be seen from here."""
    wanted = id_of("decision_id", decision_id)
    with session.transaction() as connection:
        found = decisions.decision(connection, session.path, wanted)
        later = decisions.later_decisions(connection, session.path, wanted)
    if found is None:
        raise _not_made(session, wanted)
    if not found.in_effect:
        raise UndoRefused(f"decision_id: {decision_id} is not in effect; it was taken back, or never carried out")
    if found.action == "erase":
        raise UndoRefused(f"decision_id: {decision_id} erased for good; nothing of it can be brought back")
    if later:
        named = ", ".join(map(str, later[:_MOST_NAMED])) + (", …" if len(later) > _MOST_NAMED else "")
        raise UndoRefused(
            f"decision_id: {len(later)} later decision{'s build' if len(later) > 1 else ' builds'} on "
            f"{decision_id}; undo the latest first: {named}"
        )
    return wanted


def _not_made(session: Session, decision_id: UUID) -> NotFound:
    return NotFound(f"decision_id: there is no decision {decision_id} in {session.path}")
