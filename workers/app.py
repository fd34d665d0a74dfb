"""The Celery app. A task's message is a hint, which may be lost, doubled or late; the rows in Postgres are the truth.

Settings and why: docs/decisions/0004-celery-is-a-hint.md.
"""

import os
from typing import Any

import structlog
from celery import Celery, signals
from celery.exceptions import TimeLimitExceeded, WorkerLostError

from config.logging import configure_logging
from config.settings import settings
from db.engine import open_engine
from mosshead.errors import MossheadError
from mosshead.publishing.queue import transport_options
from workers import losses
from workers.broker import check_broker
from workers.heartbeat import Heartbeat
from workers.parts import WORKER_URL, check_parts, leave_parts_to_parent, open_embedder_of
from workers.reconnecting import Amqp
from workers.task_messages import QUEUES
from workers.transport import keep_questions_only

_KILLED_AFTER_SECONDS = 60.0
_BROKER_SECONDS = 2.0

# Celery heeds these more than its configuration, and an app with a Celery of its own sets them for that.
for _name in ("CELERY_BROKER_URL", "CELERY_BROKER_READ_URL", "CELERY_BROKER_WRITE_URL", "CELERY_RESULT_BACKEND"):
    os.environ.pop(_name, None)

app = Celery("mosshead", include=["workers.tasks"], amqp=Amqp)


@app.add_defaults
def _configuration() -> dict[str, Any]:
    # A function, so that nothing is read from the environment when this module is imported.
    killed_after = settings().stage_seconds + _KILLED_AFTER_SECONDS
    return {
        "broker_url": settings().broker_url or "redis://",
        # A message that a living task has not acknowledged is given to another after the visibility time-out: it must be longer.
        "broker_transport_options": transport_options(_BROKER_SECONDS, "mosshead:tasks:", int(2 * killed_after)),
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "broker_channel_error_retry": True,  # what a Redis answers that became a replica, say: waited for as one that is away
        "broker_pool_acquire_timeout": _BROKER_SECONDS,
        "task_routes": {f"mosshead.{stage}": {"queue": queue} for stage, queue in QUEUES.items()},
        "task_default_queue": "extract",
        "task_create_missing_queues": True,
        "task_serializer": "json",
        "accept_content": ["json"],
        "result_accept_content": ["json"],
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": False,  # the database counts crashes, and ends them; Redis would not
        "task_time_limit": killed_after,  # its lease was let go long before; this frees the slot
        "worker_prefetch_multiplier": 1,
        "worker_max_memory_per_child": 1_000_000,  # KiB; replaced between two tasks, before the kernel does it within one
        "worker_send_task_events": True,
        "task_send_sent_event": True,
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
        "worker_soft_shutdown_timeout": 8.0,  # then tasks are cut off, to be done again; gone 4 s later, within "up"'s 15
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "timezone": "UTC",
    }


@signals.setup_logging.connect
def _set_up_logging(**_: Any) -> None:
    configure_logging(settings())


@signals.worker_init.connect
def _check(**_: Any) -> None:
    try:
        broker_url = settings().broker()
        check_parts()
        check_broker(broker_url)
    except MossheadError as error:
        # Celery logs what a signal's receiver raises and goes on; only this stops it.
        raise SystemExit(f"mosshead: {error}") from None
    keep_questions_only()
    if not settings().uses_llm:
        structlog.get_logger().warning("offline_rules", why="neither OPENAI_API_KEY nor OPENAI_BASE_URL is set")


@signals.worker_process_init.connect
def _leave_parts(**_: Any) -> None:
    leave_parts_to_parent()


@signals.worker_ready.connect
def _start_heartbeat(sender: Any, **_: Any) -> None:
    engine = open_engine(settings().login("worker"), setting=WORKER_URL)
    heartbeat = Heartbeat(engine, sender.hostname, lambda: _slots(sender), model=open_embedder_of(settings()).name)
    heartbeat.start()
    # A cold shutdown sends the first alone, a warm one both.
    for stopping in (signals.worker_shutting_down, signals.worker_shutdown):
        stopping.connect(lambda **_: heartbeat.stop(), weak=False)


def _slots(consumer: Any) -> int:
    """How many tasks a worker can run at once. With --autoscale its pool grows with what it is given: as far as it may."""
    scaler = consumer.controller.autoscaler
    slots: int = scaler.max_concurrency if scaler else consumer.pool.num_processes
    return slots


@signals.task_failure.connect
def _let_go(task_id: str, exception: BaseException, args: tuple[str, ...], **_: Any) -> None:
    # The worker's parent says so of a child that was killed, by the kernel for its memory, say; the child could tell nobody.
    if isinstance(exception, WorkerLostError | TimeLimitExceeded):
        losses.let_go(args, task_id, str(exception))


@signals.task_prerun.connect
def _bind(task_id: str, task: Any, args: tuple[str, ...], **_: Any) -> None:
    tenant_id, namespace_id, batch_id = (*args, *("",) * 3)[:3]
    structlog.contextvars.bind_contextvars(
        task=task.name, task_id=task_id, tenant_id=tenant_id, namespace_id=namespace_id, batch_id=batch_id
    )


@signals.task_postrun.connect
def _unbind(**_: Any) -> None:
    structlog.contextvars.clear_contextvars()
