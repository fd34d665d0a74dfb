"""What becomes of a lane that a round fails at, so that the lanes after it get their turn."""

from datetime import timedelta

import structlog
from sqlalchemy import Engine

from db import lanes
from db.keys import LaneRef
from mosshead.store.connection import tenant_transaction
from workers.retries import describe, is_of_all, is_of_values

_PAUSE = timedelta(minutes=1)
"""Before a lane is looked at again that was slow or locked: a statement may have taken all of its 30 seconds."""

_log = structlog.get_logger()


def pass_over(engine: Engine, lane: LaneRef, error: Exception) -> None:
    """Deal with a lane whose claim failed: quarantine it where its own rows are at fault, else look at it again later.

    Raises the error where it is no lane's: every other would fail of it, and none of them may be quarantined for that.
    """
    if is_of_all(error):
        raise error
    why = describe(error)
    with tenant_transaction(engine, lane.tenant_id) as connection:
        if is_of_values(error):
            set_aside = lanes.set_aside(connection, lane, f"cannot be claimed: {why}")
        else:
            set_aside = False
            lanes.look_again(connection, lane, after=_PAUSE)
    ids = {"tenant_id": str(lane.tenant_id), "namespace_id": str(lane.namespace_id)}
    if set_aside:
        _log.error("lane_set_aside", error=why, **ids)
    else:
        _log.warning("lane_passed_over", error=why, **ids)
