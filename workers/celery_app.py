"""The Celery app. A task message is only a hint.

docs/decisions/0004-celery-is-a-hint.md explains the settings.
"""

import os
from typing import Any

from celery import Celery
from celery.app.amqp import AMQP

from config.settings import settings
from mosshead.errors import ConfigurationError
from mosshead.publishing.broker import broker_at
from workers.broker import HEARTBEAT_SECONDS
from workers.connections import TaskConnection
from workers.transport import QUEUES

_KILLED_AFTER_SECONDS = 60.0
_BROKER_SECONDS = 2.0

# Celery prefers these to its configuration, and an app that uses Celery itself may set them.
for _name in ("CELERY_BROKER_URL", "CELERY_BROKER_READ_URL", "CELERY_BROKER_WRITE_URL", "CELERY_RESULT_BACKEND"):
    os.environ.pop(_name, None)


class Amqp(AMQP):  # type: ignore[misc]  # Celery has no types
    """The part of a Celery app that opens its connections."""

    Connection = TaskConnection


app = Celery("mosshead", include=["workers.worker", "workers.tasks"], amqp=Amqp)


@app.add_defaults
def _configuration() -> dict[str, Any]:
    # A function, so that importing this module reads nothing from the environment.
    killed_after = settings().stage_seconds + _KILLED_AFTER_SECONDS
    try:
        broker = broker_at(settings().broker_url or "redis://")
    except ConfigurationError as error:  # in a worker or Flower; all others have checked it
        raise SystemExit(f"mosshead: {error}") from None
    return {
        "broker_url": broker.address.for_kombu,
        # After this timeout, an unacknowledged message goes to another worker, so the timeout must exceed a task's lifetime.
        "broker_transport_options": broker.options(_BROKER_SECONDS, "mosshead:tasks:", int(2 * killed_after)),
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "broker_channel_error_retry": True,  # such as from a Redis that became a replica: retry as if it were down
        "broker_pool_acquire_timeout": _BROKER_SECONDS,
        "task_routes": {f"mosshead.{stage}": {"queue": queue} for stage, queue in QUEUES.items()},
        "task_default_queue": "extract",
        "task_create_missing_queues": True,
        "task_create_missing_queue_type": "quorum",  # in RabbitMQ: such a queue survives the loss of a node
        "task_default_queue_type": "quorum",
        "broker_heartbeat": HEARTBEAT_SECONDS,
        "task_serializer": "json",
        "accept_content": ["json"],
        "result_accept_content": ["json"],
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": False,  # the database counts crashes, and limits them; Redis would not
        "task_time_limit": killed_after,  # its lease was released long before; this frees the slot
        "worker_prefetch_multiplier": 1,
        "worker_max_memory_per_child": 1_000_000,  # KiB; replace a child between tasks, before the kernel kills it during one
        "worker_send_task_events": True,
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
        "worker_soft_shutdown_timeout": 8.0,  # then tasks are cut off, to be retried; it ends 4 s later, within "up"'s 15
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "timezone": "UTC",
    }
