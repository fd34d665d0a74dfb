"""A task whose process died in it. The worker's parent lets go of its lease, so that nobody waits for the lease to lapse."""

import threading
from collections.abc import Sequence
from uuid import UUID

import structlog

from config.settings import settings
from db import leases
from db.engine import open_engine
from db.keys import BatchRef, LaneRef
from mosshead.store.connection import tenant_transaction
from workers.parts import WORKER_URL
from workers.retries import describe

_log = structlog.get_logger()


def let_go(arguments: Sequence[str], owner: str, why: str) -> threading.Thread:
    """Let go of the lease of a task that is dead; returns the thread that does it, for the parent's event loop waits for nobody.

    arguments, owner: the task's, and its id. why: how it ended, without text of a conversation. Where it does not succeed, the
    lease lapses by itself.
    """
    thread = threading.Thread(target=_let_go_of_lost, args=(arguments, owner, why), name="let go", daemon=True)
    thread.start()
    return thread


def _let_go_of_lost(arguments: Sequence[str], owner: str, why: str) -> None:
    log = _log.bind(task_id=owner, why=why)
    try:
        tenant_id, namespace_id, batch_id = map(UUID, arguments)
        released = _release(BatchRef(LaneRef(tenant_id, namespace_id), batch_id), owner)
    except Exception as error:  # noqa: BLE001 - the edge of the thread, and an attempt only
        log.error("worker_lost", error=describe(error))  # noqa: TRY400 - a traceback can hold anything
    else:
        log.error("worker_lost", namespace_id=str(namespace_id), batch_id=str(batch_id), released=released)


def _release(batch: BatchRef, owner: str) -> bool:
    # An engine of its own, closed at once: a connection that stays open would be shared with the child that is forked next.
    engine = open_engine(settings().login("worker"), setting=WORKER_URL)
    try:
        with tenant_transaction(engine, batch.lane.tenant_id) as connection:
            return leases.release(connection, batch, owner)
    finally:
        engine.dispose()
