"""What a row belongs to: the ids that lead every key, as the arguments of tasks carry them."""

import json
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from psycopg.types.json import Jsonb

OF_LANE: Final = "tenant_id = :tenant_id and namespace_id = :namespace_id"
"""That a row is of the namespace; takes the parameters of `LaneRef.scope`."""

OF_BATCH: Final = f"{OF_LANE} and batch_id = :batch_id"


def of_lane(alias: str) -> str:
    """The same, of one of several tables in a statement."""
    return f"{alias}.tenant_id = :tenant_id and {alias}.namespace_id = :namespace_id"


def seconds(interval: str) -> str:
    """How long an interval is, as a float."""
    return f"cast(extract(epoch from {interval}) as float8)"


def as_jsonb(value: object) -> Jsonb:
    """A value for a parameter, ids and times in it as text."""
    return Jsonb(value, dumps=partial(json.dumps, default=str))


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
