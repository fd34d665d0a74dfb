"""The service's Celery app as the runs load it: with failpoints, and with a record of what took effect.

    celery -A benchmarks.faults.worker worker …

The record is written by the very transaction that applies a batch, into a table without a unique key: what is applied twice
stands there twice, and what is rolled back does not.
"""

import os
import signal
from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, text

from benchmarks.faults.failpoints import POISON, install, is_armed
from db import inbox
from db.keys import BatchRef
from pipeline.models import Message
from workers import tasks
from workers.celery_app import app
from workers.stages import load
from workers.stages.consolidate import apply as applying

__all__ = ["app", "tasks"]

_RECORD = text("""
    insert into benchmark.effects (tenant_id, namespace_id, batch_id, event_id, publisher_id, publisher_sequence)
    select event.tenant_id, event.namespace_id, :batch_id, event.event_id, event.publisher_id, event.publisher_sequence
    from unnest(cast(:event_ids as uuid[])) with ordinality as applied (event_id, place)
    join mosshead.events as event using (event_id)
    where event.tenant_id = :tenant_id and event.namespace_id = :namespace_id order by applied.place
""")


def record(connection: Connection, batch: BatchRef) -> None:
    """Write that the events of a batch take effect, in the order in which the service takes them."""
    event_ids = [UUID(str(event["event_id"])) for event in inbox.events_of_batch(connection, batch)]
    connection.execute(_RECORD, {**batch.scope, "event_ids": event_ids})


def _recorded(apply: Callable[..., None]) -> Callable[..., None]:
    @wraps(apply)
    def recording(connection: Connection, *, batch: BatchRef, **decided: Any) -> None:
        record(connection, batch)
        apply(connection, batch=batch, **decided)

    return recording


def _poisonous(messages_of: Callable[..., list[Message]]) -> Callable[..., list[Message]]:
    @wraps(messages_of)
    def reading(*args: Any) -> list[Message]:
        messages = messages_of(*args)
        if any(POISON in message.content for message in messages) and is_armed(POISON):
            os.kill(os.getpid(), signal.SIGKILL)
        return messages

    return reading


applying.apply = _recorded(applying.apply)
load.messages_of = _poisonous(load.messages_of)
install()
