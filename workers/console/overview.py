"""The overview: how much is known, how fresh it is, what is open, and what was decided last."""

from uuid import UUID

from workers.console.contents import contents_of
from workers.console.handling import Editing, Page, Reading

_COUNTED = 1000
_FEW = 5
_DECISIONS = 12
_LOG = 100


class Overview(Reading):
    """The first page of a namespace."""

    section = "overview"

    def show(self, *_ids: str) -> Page:
        """Counts, the most salient memories, the latest decisions."""
        memories = self.namespace.memories(limit=_COUNTED)
        counted = f"{_COUNTED:,} or more" if len(memories) == _COUNTED else f"{len(memories):,}"
        return Page(
            "overview.html",
            {
                "counted": counted,
                "memories": memories[:_FEW],
                "entities": self.namespace.entities(),
                "decisions": self.namespace.latest_decisions(limit=_DECISIONS),
            },
        )


class Decisions(Reading):
    """The decision log, the latest first."""

    section = "decisions"

    def show(self, *_ids: str) -> Page:
        """All of them, what was kept out, or what an LLM proposed in vain."""
        show = self.given("show")
        logs = {"kept-out": self.namespace.quarantined, "refused": self.namespace.refused}
        log = logs.get(show, self.namespace.latest_decisions)
        return Page("decisions.html", {"part": self.part(lambda most: log(limit=most), _LOG), "show": show})


class OneDecision(Reading):
    """A decision, for links that name one."""

    section = "decisions"

    def show(self, *ids: str) -> Page:
        """With the memories that it saw."""
        decision = self.namespace.decision(ids[0])
        return Page("decision.html", {"decision": decision, "contents": contents_of(self.namespace, [decision])})


class Undo(Editing):
    """Takes a decision back."""

    def publish(self, *ids: str) -> UUID:
        """Raises UndoRefused where it cannot be."""
        return self.namespace.undo(ids[0])

    def back(self, *ids: str) -> str:
        """The decision."""
        return f"{self.place}/decisions/{ids[0]}"
