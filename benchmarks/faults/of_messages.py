"""Faults of what travels: garbage, unknown tasks, hints doubled a hundred times, events out of order, doubled, or late."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import UUID, uuid4

import redis
from celery import Celery

from benchmarks.faults.app import message_of
from benchmarks.faults.failpoints import POISON, arm, disarm
from benchmarks.faults.history import History, Sent
from benchmarks.faults.runs import Inject, Run
from mosshead.events import parse_event
from mosshead.publishing.queue import EventQueue

_DEAD_WITHIN_SECONDS = 30.0
_TASKS = "mosshead:tasks:"
_EVENTS = "mosshead:events:mosshead.events"
_QUEUES = {
    "extract": "extract",
    "score_salience": "score",
    "embed": "embed",
    "consolidate": "consolidate",
    "refresh_profiles": "profile",
    "reflect": "reflect",
}


def garbage(times: int) -> Inject:
    """What is no message stands in the lists: it is refused, and no process dies of it."""

    def inject(run: Run) -> None:
        run.cluster.wait_until_ready()
        before = run.processes(leaders=True)
        for number in range(times):
            waiting = run.under_way()
            with redis.Redis.from_url(run.cluster.broker_url) as broker:
                for key in (_EVENTS, f"{_TASKS}extract"):
                    broker.lpush(key, b"no message at all" if number % 2 else json.dumps({"neither": "this"}))
            run.recover(time.time(), waiting)
        run.note_restarts(before, leaders=True)

    return inject


def unknown_tasks(times: int) -> Inject:
    """Tasks of another version, which no worker knows."""

    def inject(run: Run) -> None:
        with _celery(run) as celery:
            for number in range(times):
                celery.send_task("mosshead.of_another_version", args=[str(number)], queue="extract")
        run.recover(time.time(), run.under_way())

    return inject


def hints_doubled(times: int, rounds: int) -> Inject:
    """Each batch is hinted many times over, for every stage, in any order."""

    stages = tuple(_QUEUES)

    def inject(run: Run) -> None:
        with _celery(run) as celery:
            for _ in range(rounds):
                run.when_leased()
                waiting, paid_again = run.under_way(), run.cluster.llm.paid_again()
                for number in range(times):
                    for batch in _open_batches(run):
                        stage = run.chance.choice(stages) if number % 2 else stages[number // 2 % len(stages)]
                        celery.send_task(f"mosshead.{stage}", args=batch, queue=_QUEUES[stage])
                run.recover(time.time(), waiting)
                if again := run.cluster.llm.paid_again() - paid_again:
                    run.broken.append(f"{again} messages were paid for again")

    return inject


def disorder(events: int) -> Inject:
    """A publisher's events arrive in any order, some twice, and some only when the others are there."""

    def inject(run: Run) -> None:
        with _direct(run) as direct:
            sent = direct.make(events)
            missing = set(run.chance.sample(sent, events // 5))
            there = [one for one in sent if one not in missing]
            run.chance.shuffle(there)
            direct.send([*there, *there[: events // 4]])
            time.sleep(2.0)
            since = time.time()
            direct.send([*sorted(missing, key=lambda one: -one.number), *there[:3]])
        run.recover(since, [one.event_id for one in sent])

    return inject


def poison(neighbours: int) -> Inject:
    """A message that kills whichever worker reads it: it must end among the dead letters, alone, and come back when it is cured.

    The time is that until it lies there.
    """

    def inject(run: Run) -> None:
        arm(run.cluster.armed, POISON, "skip")
        since = time.time()
        with _direct(run) as direct, _direct(run, direct.namespace) as poisoned:
            sent = direct.make(neighbours)
            direct.send(sent[::2])
            (venom,) = poisoned.make(1)
            poisoned.send([venom], more=f" {POISON}")
            direct.send(sent[1::2])
        run.wait_for(
            lambda: venom.event_id in _dead(run), within=_DEAD_WITHIN_SECONDS, what="the poison among the dead letters"
        )
        run.recoveries.append(time.time() - since)
        run.recover(since, [one.event_id for one in sent])
        run.recoveries.pop()
        disarm(run.cluster.armed, POISON)
        run.cluster.command("workers", "dead", "requeue", str(venom.event_id))

    return inject


class _Direct:
    """A publisher of its own, whose events go straight to the queue, in whatever order."""

    def __init__(self, run: Run, namespace: str | None) -> None:
        self.namespace = namespace or f"gamma/{uuid4().hex}"
        self._publisher = uuid4()
        self._history = History(run.traffic.direct)
        self._queue = EventQueue(run.cluster.broker_url)
        self._sent: list[Sent] = []

    def make(self, events: int) -> list[Sent]:
        """So many events, numbered and not sent yet."""
        source, now = f"direct-{self._publisher}", time.time()
        self._sent = [Sent(uuid4(), self.namespace, source, number, now, None) for number in range(1, events + 1)]
        for one in self._sent:
            self._history.begun(one)
        return self._sent

    def send(self, events: Sequence[Sent], *, more: str = "") -> None:
        """Send some, in this order."""
        self._queue.publish([self._body(one, more) for one in events])

    def close(self) -> None:
        """All were sent."""
        for one in self._sent:
            self._history.done(one.event_id, time.time())
        self._history.close()
        self._queue.close()

    def _body(self, one: Sent, more: str) -> str:
        event = {
            "type": "message",
            "version": 1,
            "event_id": str(one.event_id),
            "namespace": one.namespace.split("/"),
            "publisher": str(self._publisher),
            "publisher_sequence": one.number,
            "occurred_at": datetime.now(UTC),
            "role": "user",
            "content": message_of(one.event_id) + more,
        }
        return parse_event(event).model_dump_json(exclude_none=True)


@contextmanager
def _direct(run: Run, namespace: str | None = None) -> Iterator[_Direct]:
    direct = _Direct(run, namespace)
    try:
        yield direct
    finally:
        direct.close()


def _dead(run: Run) -> set[UUID]:
    return {letter_id for (letter_id,) in run.cluster.rows("select letter_id from mosshead.dead_letters")}


def _open_batches(run: Run) -> list[list[str]]:
    rows = run.cluster.rows("""
        select tenant_id::text, namespace_id::text, batch_id::text from mosshead.batches
        where stage not in ('done', 'dead', 'split')
    """)
    return [list(row) for row in rows]


def _celery(run: Run) -> Celery:
    app = Celery("benchmark", broker=run.cluster.broker_url)
    app.conf.broker_transport_options = {"global_keyprefix": _TASKS}
    return app
