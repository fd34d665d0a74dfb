"""When something happened or will happen, and how precisely that is known."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from mosshead.models.kinds import Granularity


class FrozenValue(BaseModel):
    """Frozen, closed, and silent about its input when it does not fit: errors end up in logs."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class FactOccurrence(FrozenValue):
    """When an event was or will be: a half-open interval [start, end) of zoned times, and how precisely that is known."""

    start: datetime
    end: datetime
    granularity: Granularity
