"""A worker's process: its checks at the start, its heartbeat and probes, and the release of lost tasks."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog
from celery import bootsteps, signals
from celery.exceptions import TimeLimitExceeded, WorkerLostError
from celery.worker.consumer.delayed_delivery import DelayedDelivery
from celery.worker.control import Panel
from celery.worker.state import reserved_requests
from sqlalchemy import Connection, Engine

from config.logging import configure_logging
from config.settings import settings
from db import housekeeping, leases
from db.engine import open_engine
from db.keys import BatchRef, LaneRef
from mosshead.errors import MossheadError
from mosshead.store.connection import tenant_transaction
from workers.broker import RESUBSCRIBE_SECONDS, check_broker
from workers.celery_app import app
from workers.dependencies import (
    WORKER_URL,
    check_parts,
    leave_parts_to_parent,
    load_for_children,
    open_embedder_of,
)
from workers.failures import describe
from workers.probes import LoopWatch, serve_probes
from workers.transport import CONTROLS, REFUSALS

_TURN_SECONDS = 5.0

_log = structlog.get_logger()
_watch = LoopWatch()


@signals.setup_logging.connect
def _set_up_logging(**_: Any) -> None:
    configure_logging(settings())


@signals.worker_init.connect
def _check(**_: Any) -> None:
    _watch.wait()
    if server := serve_probes(settings(), "worker", _watch):
        signals.worker_process_init.connect(lambda **_: server.leave_to_parent(), weak=False)
    try:
        broker_url = settings().broker()
        check_parts()
        check_broker(broker_url)
        load_for_children()
    except MossheadError as error:
        # Celery logs other exceptions of signal receivers and continues; only this one stops it.
        raise SystemExit(f"mosshead: {error}") from None
    for command in Panel.data.keys() - CONTROLS:
        del Panel.data[command]  # remote control must not stop or change this worker
    if not settings().uses_llm:
        _log.warning("offline_rules", why="neither OPENAI_API_KEY nor OPENAI_BASE_URL is set")


signals.worker_process_init.connect(leave_parts_to_parent)


# Celery would create 28 queues for delayed tasks in RabbitMQ. Ours are never delayed.
DelayedDelivery.include_if = lambda *_: False


class _Turning(bootsteps.StartStopStep):  # type: ignore[misc]  # Celery has no types
    """Notes each turn of the event loop while the worker takes tasks. Without the broker, the loop stops and waits for it."""

    requires = ("celery.worker.consumer:Tasks",)

    def start(self, consumer: Any) -> None:
        _watch.turn()
        consumer.timer.call_repeatedly(_TURN_SECONDS, _watch.turn)  # ends when the connection is lost

    def stop(self, _consumer: Any) -> None:
        _watch.wait()


class _Resubscription(bootsteps.StartStopStep):  # type: ignore[misc]  # Celery has no types
    """Resubscribes an idle worker to its RabbitMQ queues. It skips a busy worker, which would get more than its share."""

    requires = ("celery.worker.consumer:Tasks",)

    def start(self, consumer: Any) -> None:
        def resubscribe() -> None:
            if not reserved_requests:
                consumer.task_consumer.cancel()
                consumer.task_consumer.declare()
                consumer.task_consumer.consume()

        if consumer.connection.transport.driver_type == "amqp":
            consumer.timer.call_repeatedly(RESUBSCRIBE_SECONDS, resubscribe)  # ends when the connection is lost


app.steps["consumer"].update({_Turning, _Resubscription})


@signals.worker_ready.connect
def _start_heartbeat(sender: Any, **_: Any) -> None:
    engine = open_engine(settings().login("worker"), setting=WORKER_URL, prepared=settings().prepared_statements)
    scaler = sender.controller.autoscaler

    def slots() -> int:
        """Return the pool's size; with --autoscale, the largest it may grow to."""
        return int(scaler.max_concurrency if scaler else sender.pool.num_processes)

    heartbeat = Heartbeat(engine, sender.hostname, slots, model=open_embedder_of(settings()).name)
    heartbeat.start()
    # A cold shutdown sends only the first signal, a warm one both.
    for stopping in (signals.worker_shutting_down, signals.worker_shutdown):
        stopping.connect(lambda **_: heartbeat.stop(), weak=False)


@signals.task_failure.connect
def _let_go(task_id: str, exception: BaseException, args: tuple[str, ...], **_: Any) -> None:
    # The parent reports a killed child, such as one that the kernel killed for its memory; the child itself cannot.
    if isinstance(exception, WorkerLostError | TimeLimitExceeded):
        let_go(args, task_id, str(exception))


@dataclass
class Heartbeat:
    """Beats from its own thread: the parent's event loop must not block, and it sleeps during a soft shutdown.

    engine: For the heartbeat only. It has no connection between beats, which a child, forked at any time, would share.
    worker: The node name. slots: How many tasks the worker can run now. model: Its embedding model. every: In seconds.
    """

    engine: Engine
    worker: str
    slots: Callable[[], int]
    model: str
    every: float = 5.0

    def __post_init__(self) -> None:
        self._away = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop beating and sign off; safe to repeat. It does not wait for an unavailable database: the last beat expires."""
        self._ended.set()
        self._thread.join(3.0)

    def _run(self) -> None:
        while not self._ended.is_set():
            self._tell(lambda connection: housekeeping.beat(connection, self.worker, self.slots(), self.model))
            self._store_refusals()
            self._ended.wait(self.every)
        self._store_refusals()
        self._tell(lambda connection: housekeeping.leave(connection, self.worker))

    def _store_refusals(self) -> None:
        """Store the counts of refused messages. If that fails, keep them for the next beat."""
        counts = REFUSALS.counts()
        if counts and self._tell(lambda connection: housekeeping.add_refusals(connection, counts)):
            REFUSALS.stored(counts)

    def _tell(self, statement: Callable[[Connection], None]) -> bool:
        try:
            with self.engine.begin() as connection:
                statement(connection)
        except Exception as error:  # noqa: BLE001 - the edge of the thread, without which the worker would get no more work
            if not self._away:  # only once: the outage may be long
                _log.warning("heartbeat_missed", error=describe(error))
            self._away = True
            return False
        else:
            self._away = False
            return True
        finally:
            self.engine.dispose()


def let_go(arguments: Sequence[str], owner: str, why: str) -> threading.Thread:
    """Release a dead task's lease in a thread, since the parent's event loop must not block. Return the thread.

    arguments: The task's. owner: Its id. why: How it ended, without conversation text. If the release fails, the lease expires
    by itself.
    """

    def release() -> None:
        log = _log.bind(task_id=owner, why=why)
        try:
            tenant_id, namespace_id, batch_id = map(UUID, arguments)
            # A separate engine, closed at once: the next child would share an open connection.
            engine = open_engine(
                settings().login("worker"), setting=WORKER_URL, prepared=settings().prepared_statements
            )
            try:
                with tenant_transaction(engine, tenant_id) as connection:
                    released = leases.release(connection, BatchRef(LaneRef(tenant_id, namespace_id), batch_id), owner)
            finally:
                engine.dispose()
        except Exception as error:  # noqa: BLE001 - the edge of the thread, and only an attempt
            log.error("worker_lost", error=describe(error))  # noqa: TRY400 - a traceback may contain conversation text
        else:
            log.error("worker_lost", namespace_id=str(namespace_id), batch_id=str(batch_id), released=released)

    thread = threading.Thread(target=release, name="let go", daemon=True)
    thread.start()
    return thread
