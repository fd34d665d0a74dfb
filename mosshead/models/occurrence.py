"""When something happened or will happen, and how precisely it is known."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from mosshead.models.kinds import Granularity


class FrozenValue(BaseModel):
    """A frozen model that forbids extra fields and hides its input in errors, since errors end up in logs."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class FactOccurrence(FrozenValue):
    """When an event was or will be: a half-open interval [start, end) of zoned times, and its precision."""

    start: datetime
    end: datetime
    granularity: Granularity
