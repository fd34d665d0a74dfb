"""The Celery app. A task's message is a hint, which may be lost, doubled or late; the rows in Postgres are the truth.

Settings and why: docs/decisions/0004-celery-is-a-hint.md.
"""

from typing import Any

import structlog
from celery import Celery, signals

from config.logging import configure_logging
from config.settings import settings
from db.lanes import STAGES
from recollect.errors import RecollectError
from recollect.queue import transport_options
from workers.parts import check_parts

QUEUES = {
    "extract": "extract",
    "score_salience": "score",
    "embed": "embed",
    "consolidate": "consolidate",
    "refresh_profiles": "profile",
}
"""The queue of each stage, so that an operator may give a slow one workers of its own."""

app = Celery("recollect", include=["workers.tasks"])


@app.add_defaults
def _configuration() -> dict[str, Any]:
    # A function, so that nothing is read from the environment when this module is imported.
    return {
        "broker_url": settings().broker_url or "redis://",
        "broker_transport_options": transport_options(5.0, "recollect:tasks:", 600),
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "task_routes": {f"recollect.{stage}": {"queue": QUEUES[stage]} for stage in STAGES},
        "task_default_queue": "extract",
        "task_create_missing_queues": True,
        "task_serializer": "json",
        "accept_content": ["json"],
        "result_accept_content": ["json"],
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": False,
        "worker_prefetch_multiplier": 1,
        "worker_send_task_events": True,
        "task_send_sent_event": True,
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
        "worker_soft_shutdown_timeout": 10.0,  # a task that is cut off is done again; the machine kills after 15 s
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "timezone": "UTC",
    }


@signals.setup_logging.connect
def _set_up_logging(**_: Any) -> None:
    configure_logging(settings())


@signals.worker_init.connect
def _check(**_: Any) -> None:
    try:
        settings().broker()
        check_parts()
    except RecollectError as error:
        # Celery logs what a signal's receiver raises and goes on; only this stops it.
        raise SystemExit(f"recollect: {error}") from None
    if not settings().uses_llm:
        structlog.get_logger().warning("offline_rules", why="neither OPENAI_API_KEY nor OPENAI_BASE_URL is set")


@signals.task_prerun.connect
def _bind(task_id: str, task: Any, args: tuple[str, ...], **_: Any) -> None:
    tenant_id, namespace_id, batch_id = (*args, *("",) * 3)[:3]
    structlog.contextvars.bind_contextvars(
        task=task.name, task_id=task_id, tenant_id=tenant_id, namespace_id=namespace_id, batch_id=batch_id
    )


@signals.task_postrun.connect
def _unbind(**_: Any) -> None:
    structlog.contextvars.clear_contextvars()
