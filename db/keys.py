"""What a row belongs to: the ids that lead every key, as the arguments of tasks carry them."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class LaneRef:
    """A namespace, by its ids."""

    tenant_id: UUID
    namespace_id: UUID

    @property
    def scope(self) -> dict[str, UUID]:
        """The parameters that every statement takes."""
        return {"tenant_id": self.tenant_id, "namespace_id": self.namespace_id}


@dataclass(frozen=True, slots=True)
class BatchRef:
    """A batch of a namespace's events, by its ids."""

    lane: LaneRef
    batch_id: UUID

    @property
    def scope(self) -> dict[str, UUID]:
        """The parameters that every statement about a batch takes."""
        return {**self.lane.scope, "batch_id": self.batch_id}
