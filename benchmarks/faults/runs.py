"""One fault, from the traffic before it to the verdict after it.

The apps publish all the time. A fault is done to the service several times over; each time it is measured how long it took until
what was under way took effect. Then the apps hold still until all that they sent took effect, and what they sent is checked.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import redis

from benchmarks.faults.chat import Chat
from benchmarks.faults.checker import Verdict, check
from benchmarks.faults.cluster import READY_SECONDS, WORKERS, Cluster
from benchmarks.faults.history import Effect, Histories, Sent
from benchmarks.faults.supervisor import Supervised, eventually, supervised
from mosshead.errors import WaitTimeout
from mosshead.paths import NamespacePath

NAMESPACES = ("acme/ann", "acme/bob", "acme/cem", "acme/dana", "beta/eve", "beta/finn")
APPS = {"app-1": "spool-one", "app-2": "spool-one", "app-3": "spool-two"}
"""The apps, and the spool that each publishes through."""

RATE = 4.0
"""Messages a second of each app."""


@dataclass(frozen=True, slots=True)
class Apps:
    """Who publishes. spools: of each app, the spool that it publishes through. rate: messages a second of each.

    steady: the namespaces take turns at even intervals. alone: other tenants may have effects that no app of ours sent.
    """

    spools: Mapping[str, str]
    namespaces: Sequence[str]
    rate: float
    steady: bool = False
    alone: bool = True

    @property
    def tenants(self) -> list[UUID] | None:
        """The tenants whose effects are checked; None for all."""
        if self.alone:
            return None
        return [*{NamespacePath(tuple(one.split("/"))).tenant_id for one in self.namespaces}]


EVERYBODY = Apps(APPS, NAMESPACES, RATE)
CHAT = Apps(
    {"chat": "spool-chat"}, [f"chatter/person_{number}" for number in range(8)], rate=2.0, steady=True, alone=False
)
"""Eight people who chat beside a hostile sender: each says something every four seconds."""

_DRAIN_SECONDS = 90.0
_DRAIN_BESIDE_SECONDS = 20.0
"""The same beside a hostile sender who broke something: it is known by then, and there are others to come."""

_HOLD_STILL_SECONDS = 0.3
_NEAR_SECONDS = 20.0
_POLL_SECONDS = 0.1
_FLOWING = 10
"""A fault begins when so many messages were sent."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """The apps, and what they sent. direct: the history of what a fault sends itself. tenants: theirs, where there are others."""

    histories: Histories
    direct: Path
    pause: Path
    apps: dict[str, Supervised]
    tenants: Collection[UUID] | None

    def hold_still(self) -> None:
        """Publish nothing more, until ``go_on``."""
        self.pause.touch()
        time.sleep(_HOLD_STILL_SECONDS)

    def go_on(self) -> None:
        """Publish again."""
        self.pause.unlink(missing_ok=True)

    def sent(self, since: float) -> list[Sent]:
        """What was begun since a time of the machine's clock."""
        return self.histories.sent(since)


@contextmanager
def traffic(cluster: Cluster, who: Apps = EVERYBODY) -> Iterator[Traffic]:
    """Apps that publish inside the block, once ``go_on`` was said."""
    pause = cluster.folder / "pause"
    pause.touch()
    histories = {name: cluster.folder / f"{name}.history" for name in (*who.spools, "direct")}
    programs = []
    for name, spool in who.spools.items():
        options = ["--name", name, "--history", str(histories[name]), "--pause", str(pause), "--rate", str(who.rate)]
        options += ["--steady"] if who.steady else []
        env = {**cluster.environment(), "MOSSHEAD_SPOOL_DIR": str(cluster.folder / "spools" / spool)}
        command = ("benchmarks.faults.app", *options, "--namespaces", ",".join(who.namespaces))
        programs.append(cluster.program(name, *command, env=env))
    with supervised(programs) as apps:
        yield Traffic(Histories(histories.values()), histories["direct"], pause, apps, who.tenants)


@dataclass(slots=True)
class Run:
    """What a fault may do and see.

    kills: by what was killed. recoveries: seconds, one for each time that the fault was done. chats: what the others' chat waited
    for, beside a hostile sender. refused: what of a hostile sender's was refused and counted where an operator sees it.
    """

    cluster: Cluster
    traffic: Traffic
    chance: random.Random
    since: float = field(default_factory=time.time)
    kills: Counter[str] = field(default_factory=Counter)
    recoveries: list[float] = field(default_factory=list)
    chats: list[Chat] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    def leased(self) -> dict[str, list[UUID]]:
        """By the task that holds a lease at this moment, the events of its batch that did not take effect yet."""
        rows = self.cluster.rows("""
            select lease_owner, array_agg(event_id) from mosshead.events
            join mosshead.lanes using (tenant_id, namespace_id, batch_id)
            where lanes.lease_until > now() and lanes.lease_owner is not null and events.state = 'received'
            group by lease_owner
        """)
        return dict(rows)

    def at_work(self) -> list[UUID]:
        """The events of all batches that are on their way through the stages and did not take effect yet."""
        rows = self.cluster.rows("""
            select event_id from mosshead.events join mosshead.batches as batch using (tenant_id, namespace_id, batch_id)
            where batch.stage not in ('done', 'dead', 'split') and events.state = 'received'
        """)
        return [event_id for (event_id,) in rows]

    def under_way(self) -> list[UUID]:
        """All that was sent and did not take effect yet."""
        sent = [one.event_id for one in self.traffic.sent(self.since) if one.done is not None]
        return [*self.without_effect(sent)]

    def when_leased(self) -> tuple[str, list[UUID]]:
        """Wait until a worker holds something; returns its name, and the events that it holds."""
        found: list[tuple[str, list[UUID]]] = []

        def held() -> bool:
            for owner, events in self.leased().items():
                found.extend((name, events) for name in WORKERS if self.cluster.service[name].said(owner))
            return bool(found)

        eventually(held, within=_NEAR_SECONDS, what="work for a worker")
        return found[0]

    def recover(self, since: float, events: Collection[UUID], *, within: float = 60.0) -> None:
        """Wait until these took effect, and note how long after the fault the last of them did."""
        left: set[UUID] = set(events)

        def all_did() -> bool:
            with suppress(psycopg.OperationalError):
                left.intersection_update(self.without_effect(left))
                return not left
            return False

        self.wait_for(all_did, within=within, what=f"the effect of {len(left)} events")
        if events:
            found = self.cluster.rows(
                "select extract(epoch from max(at))::float8 from benchmark.effects where event_id = any(%s)", [*events]
            )
            self.recoveries.append(max(0.0, float(found[0][0] or time.time()) - since))

    def wait_for(self, predicate: Callable[[], bool], *, within: float, what: str) -> None:
        """Wait for something. What does not come is noted as broken."""
        try:
            eventually(predicate, within=within, what=what, every=_POLL_SECONDS)
        except WaitTimeout as error:
            self.broken.append(str(error))

    def processes(self, *, leaders: bool = False) -> dict[str, list[int]]:
        """The numbers of the service's processes, by name; leaders: without those that they started."""
        trees = {name: [one.pid for one in process.tree()] for name, process in self.cluster.service.items()}
        return {name: pids[:1] if leaders else sorted(pids) for name, pids in trees.items()}

    def note_restarts(self, before: Mapping[str, list[int]], *, leaders: bool = False) -> None:
        """Note as broken what is not the process any more that it was."""
        now = self.processes(leaders=leaders)
        if others := [name for name, pids in before.items() if now[name] != pids]:
            self.broken.append(f"died or was restarted: {', '.join(others)}")

    def pause(self, least: float, most: float) -> None:
        """Let some time pass, by chance."""
        time.sleep(self.chance.uniform(least, most))

    def without_effect(self, events: Collection[UUID]) -> set[UUID]:
        """Of some events, those that did not take effect yet."""
        rows = self.cluster.rows("select event_id from benchmark.effects where event_id = any(%s)", [*events])
        return set(events) - {event_id for (event_id,) in rows}


@dataclass(frozen=True, slots=True)
class Report:
    """What became of one fault."""

    name: str
    verdict: Verdict
    kills: Counter[str]
    recoveries: Sequence[float]
    broken: Sequence[str]
    chats: Sequence[Chat] = ()
    refused: Counter[str] = field(default_factory=Counter)

    @property
    def sound(self) -> bool:
        """Whether nothing was lost, doubled or out of order, and nothing else broke."""
        return self.verdict.sound and not self.broken


Inject = Callable[[Run], None]


def run_fault(cluster: Cluster, apps: Traffic, name: str, inject: Inject, *, seed: int) -> Report:
    """Do a fault to a service under traffic, let all take effect, and check."""
    run = Run(cluster, apps, random.Random(f"{seed} {name}"))  # noqa: S311 - no secret
    apps.go_on()
    try:
        eventually(
            lambda: bool(apps.sent(run.since)),
            within=READY_SECONDS,
            what="the apps' first message",
            every=_POLL_SECONDS,
        )
        inject(run)
    except WaitTimeout as error:
        run.broken.append(str(error))
    except (psycopg.OperationalError, redis.RedisError) as error:  # the others' faults are still to come
        run.broken.append(f"{type(error).__name__}: {error}".splitlines()[0])
    apps.hold_still()
    _drain(run)
    sent = apps.sent(run.since)
    verdict = check(sent, _effects(cluster, "event_id = any(%s)", [one.event_id for one in sent]))
    run.broken.extend(_wrong_memories(run, [one.event_id for one in sent if one.done is not None]))
    return Report(name, verdict, run.kills, run.recoveries, run.broken, run.chats, run.refused)


def check_all(cluster: Cluster, apps: Traffic) -> Verdict:
    """The verdict on all that was ever sent, and all that ever took effect."""
    effects = (
        _effects(cluster, "true") if apps.tenants is None else _effects(cluster, "tenant_id = any(%s)", [*apps.tenants])
    )
    return check(apps.sent(since=0.0), effects)


def _effects(cluster: Cluster, which: str, *parameters: Any) -> list[Effect]:
    """What took effect, in order; each event as often as it did."""
    rows = cluster.rows(
        f"""
        select event_id, publisher_id, publisher_sequence, extract(epoch from at)::float8
        from benchmark.effects where {which} order by position
        """,  # noqa: S608 - the condition is ours
        *parameters,
    )
    return [Effect(*row) for row in rows]


def _drain(run: Run) -> None:
    tenants = run.traffic.tenants
    which = ("where tenant_id = any(%s)", [*tenants]) if tenants is not None else ("",)

    def drained() -> bool:
        with suppress(psycopg.OperationalError):
            waiting = run.cluster.rows(
                f"select count(*) filter (where pending > 0 or batch_id is not null) from mosshead.lanes {which[0]}",  # noqa: S608
                *which[1:],
            )
            return waiting == [(0,)] and not run.under_way()
        return False

    within = _DRAIN_BESIDE_SECONDS if tenants is not None and run.broken else _DRAIN_SECONDS
    run.wait_for(drained, within=within, what="all that was sent to take effect")
    try:
        run.cluster.wait_until_ready()
    except WaitTimeout as error:
        run.broken.append(str(error))


def _wrong_memories(run: Run, sent: Sequence[UUID]) -> Iterator[str]:
    """The table of effects is ours; this is the service's own: each message is the source of one memory."""
    rows = run.cluster.rows(
        "select message_id, count(*) from mosshead.memory_sources where message_id = any(%s) group by message_id", sent
    )
    doubled = sum(count > 1 for _, count in rows)
    if len(rows) != len(set(sent)):
        yield f"{len(set(sent)) - len(rows)} messages became no memory"
    if doubled:
        yield f"{doubled} messages became several memories"
