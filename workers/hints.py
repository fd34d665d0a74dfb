"""Telling Celery that a stage is due. A hint may be lost: the sweeper gives it again."""

import structlog

from db.refs import BatchRef
from recollect.queue import BROKER_ERRORS
from workers.app import app

_log = structlog.get_logger()


def hint(batch: BatchRef, stage: str, *, expires: float) -> None:
    """Send the task of a stage, with ids only. expires: seconds after which it is dropped, for by then it was given again."""
    arguments = [str(batch.lane.tenant_id), str(batch.lane.namespace_id), str(batch.batch_id)]
    try:
        app.send_task(f"recollect.{stage}", args=arguments, expires=expires, retry=False)
    except BROKER_ERRORS as error:
        _log.warning("hint_not_sent", stage=stage, error=type(error).__name__)
