"""Faults of the service's own processes: killed, frozen, stopped, by chance and at named points."""

import os
import signal
import time
from contextlib import suppress

import psutil

from benchmarks.faults.cluster import LEASE_SECONDS
from benchmarks.faults.failpoints import Fired, How, arm, disarm, fired
from benchmarks.faults.runs import Inject, Run
from benchmarks.faults.supervisor import eventually, supervised

_FIRES_SECONDS = 20.0
_KINDS = {"sweep": "sweeper", "intake": "intake"}
_AFTER_PAID = frozenset(
    {"after_step_result", "before_apply", "in_apply", "before_commit", "after_commit", "between_stages"}
)
"""The points at which the answer is stored: a kill there may cost no second call."""


def worker_killed(times: int) -> Inject:
    """SIGKILL to a worker and its children while it holds a lease."""

    def inject(run: Run) -> None:
        for _ in range(times):
            run.cluster.wait_until_ready()
            name, events = run.when_leased()
            run.cluster.service[name].kill()
            run.kills["worker"] += 1
            run.recover(time.time(), events)
            run.pause(0.0, 0.5)

    return inject


def child_killed(times: int) -> Inject:
    """SIGKILL to one child of a worker, as when memory runs out."""

    def inject(run: Run) -> None:
        for _ in range(times):
            run.cluster.wait_until_ready()
            name, events = run.when_leased()
            children = run.cluster.service[name].tree()[1:]
            with suppress(psutil.NoSuchProcess):
                run.chance.choice(children).kill()
            run.kills["worker"] += 1
            run.recover(time.time(), events)
            run.pause(0.0, 0.5)

    return inject


def worker_frozen(times: int) -> Inject:
    """SIGSTOP to a worker for longer than its lease, then SIGCONT."""

    def inject(run: Run) -> None:
        for _ in range(times):
            run.cluster.wait_until_ready()
            name, events = run.when_leased()
            frozen = time.time()
            run.cluster.service[name].freeze()
            run.recover(frozen, events)
            time.sleep(max(0.0, frozen + LEASE_SECONDS + 1 - time.time()))
            run.cluster.service[name].thaw()

    return inject


def worker_stopped(times: int) -> Inject:
    """SIGTERM, as in a deployment: the worker gives its tasks some time and goes."""

    def inject(run: Run) -> None:
        for _ in range(times):
            run.cluster.wait_until_ready()
            name, events = run.when_leased()
            run.cluster.service[name].ask_to_stop()
            run.recover(time.time(), events)

    return inject


def killed_at(point: str, hows: tuple[How, ...]) -> Inject:
    """SIGKILL to whoever comes by a named point."""

    def inject(run: Run) -> None:
        for how in hows:
            run.cluster.wait_until_ready()
            paid_again = run.cluster.llm.paid_again()
            came = _when_fired(run, point, how)
            victim = _KINDS.get(came.process, "worker")
            run.kills[victim] += 1
            run.recover(came.at, run.at_work() if victim == "worker" else run.under_way())
            again = run.cluster.llm.paid_again() - paid_again
            # With a whole worker die its other children, whose answers may not be stored yet.
            if again and how == "child" and point in _AFTER_PAID:
                run.broken.append(f"{again} messages were paid for again")

    return inject


def zombie(*points: str) -> Inject:
    """A child that stops at a point, and goes on when another has long done its work."""

    def inject(run: Run) -> None:
        for point in points:
            run.cluster.wait_until_ready()
            came = _when_fired(run, point, "stop")
            run.recover(came.at, run.at_work())
            with suppress(ProcessLookupError):
                os.kill(came.pid, signal.SIGCONT)

    return inject


def scheduler_killed(times: int) -> Inject:
    """The scheduler is killed while a second one runs beside it, and alone."""

    def inject(run: Run) -> None:
        for _ in range(times):
            with supervised([run.cluster.service_program("sweep-2")]):
                for _ in range(2):
                    run.pause(0.5, 1.0)
                    waiting = run.under_way()
                    run.cluster.service["sweep"].kill()
                    run.kills["sweeper"] += 1
                    run.recover(time.time(), waiting)
            waiting = run.under_way()
            run.cluster.service["sweep"].kill()
            run.kills["sweeper"] += 1
            run.recover(time.time(), waiting)

    return inject


def intake_killed(times: int) -> Inject:
    """SIGKILL to the intake."""

    def inject(run: Run) -> None:
        for _ in range(times):
            run.pause(0.3, 1.0)
            waiting = run.under_way()
            run.cluster.service["intake"].kill()
            run.kills["intake"] += 1
            run.recover(time.time(), waiting)

    return inject


def hints_between_stages_lost(seconds: float) -> Inject:
    """No stage hints the next: the scheduler alone keeps the work going. The apps hold still then, for it goes slowly."""

    def inject(run: Run) -> None:
        arm(run.cluster.armed, "between_stages", "skip")
        time.sleep(seconds)
        run.traffic.hold_still()
        run.recover(time.time(), run.under_way())
        disarm(run.cluster.armed, "between_stages")

    return inject


def app_killed(times: int) -> Inject:
    """SIGKILL to an app right after it published; started again on the same spool."""

    def inject(run: Run) -> None:
        for _ in range(times):
            run.pause(0.5, 1.5)
            victim = run.traffic.apps[run.chance.choice(list(run.traffic.apps))]
            victim.kill()
            run.kills["spool"] += 1
            killed = time.time()
            run.recover(killed, run.under_way())

    return inject


def _when_fired(run: Run, point: str, how: How) -> Fired:
    told = arm(run.cluster.armed, point, how)
    eventually(told.exists, within=_FIRES_SECONDS, what=point)
    return fired(told)
