"""The scheduler: the only timer. It dispatches due work, runs erasures, follows replays, and clears what is no longer needed.

Several copies may run. It dispatches only as much work as the workers have free slots, as does a worker that just became free.
The code for replays and erasures takes longer to load than all the rest, so it is loaded on first use.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache, partial
from itertools import groupby
from operator import attrgetter
from threading import Lock, Thread
from uuid import UUID

import structlog
from kombu.messaging import Producer
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db import housekeeping, inbox, lanes, leases, search_indexes
from db.keys import BatchRef, LaneRef
from db.replay import generations
from mosshead.errors import MossheadError
from mosshead.ids import uuid7
from mosshead.publishing.broker import BROKER_ERRORS
from mosshead.store.connection import tenant_transaction
from pipeline.batching import WaitingEvent, next_batch, order_events
from workers.broker import check_broker
from workers.celery_app import app
from workers.connections import together
from workers.dependencies import Parts, check_parts, logged_in, parts, paused_providers, stages_that_wait
from workers.failures import describe, is_of_all, is_of_values
from workers.transport import QUEUES

_SELDOM_SECONDS = 60.0
_CLEARED_AT_ONCE = 500

_REPLAYS_AT_ONCE = 10

_ABANDONED = timedelta(seconds=30)
"""The time between holding two lanes and locking their generation is far shorter."""

_ERASERS = 2
"""Threads for erasures, so that one that is large or waits for an embedder does not hold up the others."""

_ERASE_AGAIN = timedelta(seconds=1)
"""A failed erasure is due again by then; a running one is left alone."""

_GO_SECONDS = 8.0
"""Running work may finish; the supervisor of the scheduler waits for 15 seconds. Interrupted work is repeated later."""

_HINT_AGAIN = timedelta(seconds=1)
"""A hint is for a free slot: one not taken by then is lost, or late, and the lease makes a late one harmless."""

_PAUSE = timedelta(minutes=1)
"""Before a slow or locked lane is tried again: a statement may have taken all of its 30 seconds."""

_SPARE = 20
"""Lanes read in addition to the free slots: one that an app is publishing to is locked, and skipped."""

_Sweep = dict[str, Callable[[], object]]
"""The parts of a sweep in order, by their names in the log."""

_log = structlog.get_logger()


def run_scheduler(settings: Settings, stopped: Callable[[], bool]) -> None:
    """Sweep until ``stopped``. Raises ConfigurationError or StoreUnavailable at the start if the login is unsuitable."""
    broker_url = settings.broker()
    with logged_in(settings) as engine:
        check_broker(broker_url, stopped)
        _log.info("scheduler_started")
        often: _Sweep = {"dispatch": partial(dispatch, engine, settings), "replays": partial(follow_all, engine)}
        seldom: _Sweep = {
            "retention": partial(clear, engine, settings),
            "switches": partial(release_abandoned, engine),
            "indexes": _report_indexes(engine),
        }
        seldom_at = time.monotonic()
        with _erasing(engine, settings, stopped):
            while not stopped():
                _sweep(often)
                if time.monotonic() >= seldom_at:
                    _sweep(seldom)
                    seldom_at = time.monotonic() + _SELDOM_SECONDS
                time.sleep(settings.sweep_seconds)
    _log.info("scheduler_stopped")


def _sweep(sweep: _Sweep) -> None:
    for name, part in sweep.items():
        try:
            part()
        except Exception as error:  # noqa: BLE001 - the edge of the process: the next sweep does it again
            if is_of_all(error):
                _log.warning("sweep_interrupted", part=name, error=describe(error))
                time.sleep(0.5)
            else:
                _log.error("sweep_failed", part=name, error=describe(error))


def _report_indexes(engine: Engine) -> Callable[[], None]:
    """Return a function that logs when `mosshead service index` has work for more namespaces than before."""
    reported = 0

    def report() -> None:
        nonlocal reported
        with engine.begin() as connection:
            due = search_indexes.due(connection)
        if due > reported:
            _log.warning("indexes_due", namespaces=due)
        reported = due

    return report


def dispatch(engine: Engine, settings: Settings, *, own_slot: bool = False) -> None:
    """Hint each due stage that was not hinted lately, and claim and hint a batch of each due lane, up to the free slots.

    Does nothing while another process dispatches. own_slot: dispatch one batch at most for a worker whose slot just became free,
    even while others dispatch. Two may then fill the same slot, and one of their hints waits its turn.
    """
    dispatched = partial(_dispatched, engine, settings, own_slot=own_slot)
    try:
        told = dispatched(each_by=None)
    except Exception as error:
        if is_of_all(error):
            raise
        told = dispatched(each_by=engine)
    if told and not hint(*told):
        with engine.begin() as connection:
            lanes.forget_hints(connection, [batch for batch, _ in told])


def _dispatched(
    engine: Engine, settings: Settings, *, own_slot: bool, each_by: Engine | None
) -> list[tuple[BatchRef, str]]:
    """Mark or claim the batches to hint, and return them with their stages. each_by: as for `_claim`."""
    with engine.begin() as connection:
        if not own_slot and not lanes.dispatch_alone(connection):
            return []
        failed = [one.provider for one in leases.breakers(connection)]
        waiting = stages_that_wait(paused_providers(connection, settings) if failed else (), settings)
        slots = lanes.slots(connection, alive=housekeeping.ALIVE, again=_HINT_AGAIN)
        if own_slot:
            slots = replace(slots, free=min(slots.free, 1))
        wait_for_failed = stages_that_wait(failed, settings)
        claim_due = partial(_claim, connection, settings, slots, each_by)
        first: list[tuple[BatchRef, str]] = []
        if lanes.STAGES[0] in wait_for_failed and lanes.STAGES[0] not in waiting:
            # The failed provider may be tried. A new batch goes before those that waited for it: they may contain questions that
            # it never answers, although it answers all others. As many as there are slots would use every try, and nobody would
            # notice that it has recovered.
            first = claim_due(min(1, slots.free))
            waiting = wait_for_failed if first else waiting
        free = slots.free - len(first)
        due = lanes.batches_to_hint(connection, limit=free, again=_HINT_AGAIN, but_not=waiting) if free else []
        claimed = [] if lanes.STAGES[0] in waiting else claim_due(free - len(due))
    return [*first, *due, *claimed]


def _claim(
    connection: Connection, settings: Settings, slots: lanes.Slots, each_by: Engine | None, limit: int
) -> list[tuple[BatchRef, str]]:
    """Claim the first batches of due lanes, up to the limit. each_by: claims each lane in its own transaction; by default all are
    claimed in this one.
    """
    if limit <= 0:
        return []
    of_tenant = settings.tenant_slots or _share(slots.all, alone=slots.of_one_tenant)
    due = lanes.due_lanes(connection, limit=limit + _SPARE, of_tenant=of_tenant)
    if each_by is None:
        return _claim_first(partial(claim, connection, settings=settings), due, limit, at_once=limit)
    return _claim_first(partial(_claim_alone, each_by, settings), due, limit, at_once=1)


def _claim_first(
    claims: Callable[[Sequence[LaneRef]], list[tuple[BatchRef, str]]],
    due: Sequence[LaneRef],
    limit: int,
    *,
    at_once: int,
) -> list[tuple[BatchRef, str]]:
    """Claim the first batches of due lanes; locked lanes and those with nothing to take give none."""
    claimed: list[tuple[BatchRef, str]] = []
    while due and len(claimed) < limit:
        size = min(at_once, limit - len(claimed))
        claimed += claims(due[:size])
        due = due[size:]
    return claimed


def _claim_alone(engine: Engine, settings: Settings, due: Sequence[LaneRef]) -> list[tuple[BatchRef, str]]:
    """Claim one lane in its own transaction: whatever its rows cause, the next lanes get their turn."""
    failed: Exception | None = None
    try:
        with engine.begin() as own:
            return claim(own, due, settings)
    except Exception as error:  # noqa: BLE001 - dealt with below
        failed = error
    # Handled here and not above, so that what is raised has no context: an error's message may contain any text.
    pass_over(engine, due[0], failed)
    return []


def _share(slots: int, *, alone: bool) -> int:
    """Return a tenant's share: a quarter of the slots, at least one, is kept for others, so that no import delays their chats.

    alone: there is no other tenant, so none of two or three slots need stay idle.
    """
    kept = slots // 4 if alone else max(1, slots // 4)
    return max(1, slots - kept)


def pass_over(engine: Engine, lane: LaneRef, error: Exception) -> None:
    """Handle a lane whose claim failed: quarantine it if its own rows are at fault, otherwise try it again later.

    Raises the error if it affects every lane: none may be quarantined for it.
    """
    if is_of_all(error):
        raise error
    why = describe(error)
    with tenant_transaction(engine, lane.tenant_id) as connection:
        set_aside = is_of_values(error) and lanes.set_aside(connection, lane, f"cannot be claimed: {why}")
        if not is_of_values(error):
            lanes.look_again(connection, lane, after=_PAUSE)
    ids = {"tenant_id": str(lane.tenant_id), "namespace_id": str(lane.namespace_id)}
    if set_aside:
        _log.error("lane_set_aside", error=why, **ids)
    else:
        _log.warning("lane_passed_over", error=why, **ids)


def claim(connection: Connection, due: Sequence[LaneRef], settings: Settings) -> list[tuple[BatchRef, str]]:
    """Claim a batch of the next events of each lane, or one without events if profiles or reflections are due; leaves no tenant
    set.

    Returns each with its first stage. A locked lane, or one with nothing to take yet, gets none.
    """
    gap = timedelta(seconds=settings.gap_seconds)
    locked = lanes.lock_due(connection, due)
    waiting = inbox.waiting_events(connection, [one.lane for one in locked], gap=gap, limit=settings.batch_messages)
    claims = [_next(one, [WaitingEvent(**row) for row in waiting[one.lane]], settings) for one in locked]
    lanes.claim(connection, claims, gap=gap)
    return [(one.batch, one.stage) for one in claims if one.stage]


def _next(locked: lanes.LockedLane, waiting: Sequence[WaitingEvent], settings: Settings) -> lanes.Claim:
    taken = next_batch(order_events(waiting), messages=settings.batch_messages, tokens=settings.batch_tokens)
    stage = lanes.STAGES[0] if taken else locked.without_events
    return lanes.Claim(BatchRef(locked.lane, uuid7()), stage, [one.event_id for one in taken])


@dataclass(slots=True)
class _Rest:
    """Pauses hints after a failure, so that a hanging broker costs its timeout once and not for each hint."""

    until: float = 0.0


_rest = _Rest()


def hint(*told: tuple[BatchRef, str]) -> bool:
    """Send the tasks of some stages, with ids only; return whether the broker accepted them, after some seconds at most.

    A hint may be lost: the scheduler sends it again. It does not expire: a worker would use its own clock, and if that were
    ahead, would drop every hint. A late one finds its stage done, or leased.
    """
    if time.monotonic() < _rest.until:
        return False
    try:
        # Through the producer, which sends all in one round trip: Celery's own way takes longer for each than its claim.
        with app.producer_or_acquire() as producer, together(producer):
            for batch, stage in told:
                _publish(producer, batch, stage)
    except BROKER_ERRORS as error:
        _rest.until = time.monotonic() + 1.0
        _log.warning("hint_not_sent", tasks=len(told), error=type(error).__name__)
        return False
    return True


def _publish(producer: Producer, batch: BatchRef, stage: str) -> None:
    ids = [str(one) for one in (batch.lane.tenant_id, batch.lane.namespace_id, batch.batch_id)]
    parent = app.current_worker_task  # for Flower
    of = {"parent_id": parent.request.id, "root_id": parent.request.root_id} if parent else {}
    # For Flower, too. Celery's own form of them takes as long as the rest of the message.
    shown = {"argsrepr": str(ids), "kwargsrepr": "{}"}
    message = app.amqp.create_task_message(str(uuid7()), f"mosshead.{stage}", args=ids, **shown, **of)
    producer.publish(
        message.body,
        headers=message.headers,
        **message.properties,
        exchange="",
        routing_key=QUEUES[stage],
        serializer="json",
        retry=False,
    )


def follow_all(engine: Engine) -> None:
    """Advance each due replay by one step. One that fails holds up no other, and is retried.

    If its own rows are at fault, its lane is quarantined, and followed again once it is resumed.
    """
    with engine.begin() as connection:
        due = generations.due(connection, limit=_REPLAYS_AT_ONCE)
    if not due:
        return
    from workers.replay.follow import follow

    for lane in due:
        failed: Exception | None = None
        try:
            follow(engine, lane)
        except Exception as error:  # noqa: BLE001 - what it says may be what was said
            failed = error
        if failed is not None:
            _log.error("replay_failed", namespace_id=str(lane.namespace_id), error=describe(failed))
            if is_of_values(failed):
                with tenant_transaction(engine, lane.tenant_id) as connection:
                    if generation := generations.of(connection, lane):
                        why = f"cannot be replayed: {describe(failed)}"
                        lanes.set_aside(connection, generation.replay, why)


def release_abandoned(engine: Engine) -> None:
    """Release the lanes that were held for a switch that was killed."""
    with engine.begin() as connection:
        released = generations.release_abandoned(connection, age=_ABANDONED)
    if released:
        _log.warning("switch_abandoned", lanes=released)


@contextmanager
def _erasing(engine: Engine, settings: Settings, stopped: Callable[[], bool]) -> Iterator[None]:
    """Run due erasures in threads of the scheduler, until ``stopped``. Several copies may run; they share the work.

    Erasing needs neither a worker's slot nor Redis: hanging batches may hold all slots, and a full Redis accepts no hint.
    """
    check, one_at_a_time = cache(check_parts), Lock()

    def checked_parts() -> Parts:
        with one_at_a_time:  # concurrent first calls would each open all that a worker needs
            # Once, before the first erasure: rewritten memories need the database's own embedder.
            check()
            return parts()

    def run() -> None:
        while not stopped():
            if not _erase_next(engine, checked_parts):
                time.sleep(settings.sweep_seconds)

    threads = [Thread(target=run, name=f"eraser-{number}", daemon=True) for number in range(_ERASERS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        deadline = time.monotonic() + _GO_SECONDS
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))


def _erase_next(engine: Engine, checked_parts: Callable[[], Parts]) -> bool:
    """Run one due erasure; return whether another may be due at once."""
    try:
        with engine.begin() as connection:
            due = lanes.to_erase(connection, limit=1, again=_ERASE_AGAIN)
    except DBAPIError as error:
        _log.warning("sweep_interrupted", error=describe(error))
        time.sleep(0.5)
        return False
    if not due:
        return False
    from workers.erasure.run import ErasureFailed, erase

    for lane in due:
        ids = {"tenant_id": str(lane.tenant_id), "namespace_id": str(lane.namespace_id)}
        with structlog.contextvars.bound_contextvars(**ids):
            try:
                erase(lane, checked_parts())
            except ErasureFailed:
                pass  # logged already, and due again
            except MossheadError as error:
                _log.error("erasure_failed", error=str(error))
    return True


def clear(engine: Engine, settings: Settings) -> int:
    """Delete leftovers of batches that ended more than MOSSHEAD_RETENTION_DAYS ago, some hundred at a time; return how many.

    Several copies may run at once, and one that dies continues where it was.
    """
    age = timedelta(days=settings.retention_days)
    with engine.begin() as connection:
        housekeeping.clear_workers(connection, age=timedelta(days=1))
        housekeeping.clear_refusals(connection, age=timedelta(days=7))  # `status` counts those of a day
        finished = housekeeping.finished_batches(connection, age=age, limit=_CLEARED_AT_ONCE)
    tenant = attrgetter("lane.tenant_id")
    of_tenants = groupby(sorted(finished, key=tenant), key=tenant)
    cleared = sum(_cleared(engine, tenant_id, list(batches), age) for tenant_id, batches in of_tenants)
    if cleared:
        _log.info("batches_cleared", batches=cleared)
    return cleared


def _cleared(engine: Engine, tenant_id: UUID, batches: Sequence[BatchRef], age: timedelta) -> int:
    """Clear some batches of one tenant; one that cannot be cleared stops neither the others nor another tenant's."""
    failed: Exception | None = None
    try:
        with tenant_transaction(engine, tenant_id) as connection:
            return housekeeping.clear_finished(connection, batches, age=age)
    except DBAPIError as error:
        failed = error
    if is_of_all(failed):
        raise failed
    if len(batches) == 1:
        _log.error("batch_not_cleared", batch_id=str(batches[0].batch_id), error=describe(failed))
        return 0
    half = len(batches) // 2
    return sum(_cleared(engine, tenant_id, some, age) for some in (batches[:half], batches[half:]))
