"""The ids that lead every key, as values and as SQL conditions, and how parameters are written as jsonb."""

import json
from dataclasses import dataclass
from datetime import datetime
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
    """Wrap a value as a jsonb parameter, with ids and times as text.

    Raises TypeError, when it is sent, where the value holds anything else that JSON has no word for; ValueError of NaN.
    """
    return Jsonb(value, dumps=partial(json.dumps, default=_as_text, allow_nan=False))


def _as_text(value: object) -> str:
    if isinstance(value, UUID | datetime):
        return str(value)
    raise TypeError(f"{type(value).__name__} is neither JSON, nor an id, nor a time")


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
