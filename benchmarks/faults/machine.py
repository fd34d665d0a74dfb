"""A state machine that does to one lane whatever arrivals, claims, crashes and zombies can, and says what must come of it.

It calls the statements of the write side directly, on a real Postgres: some hundred steps a second. Beside the database it keeps
a model of its own, so small that it can be believed; after each step both must agree, and in the end every event must have taken
effect once, in its publisher's order.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar, NamedTuple
from uuid import UUID, uuid4

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from sqlalchemy import Connection, Engine, text

from benchmarks.faults.model import Event, Model
from config.settings import Settings
from db import dead_letters, entities, inbox, lanes, leases
from db.keys import BatchRef, LaneRef
from mosshead.paths import NamespacePath
from mosshead.store.connection import set_tenant, tenant_transaction
from tests.given import as_text, event
from workers.scheduler import claim

APPLYING = "consolidate"

_HOUR = timedelta(hours=1)
_NONE = timedelta(0)
_PATIENT = Settings(gap_seconds=3600, batch_messages=4)
_IMPATIENT = _PATIENT.model_copy(update={"gap_seconds": 0})
_OWN = -1
"""The place of the namespace's own publisher, which numbers what brings no number, or one that is taken."""

_ACTIONS = [
    action
    for action, weight in {
        "publish": 4,
        "send_again": 2,
        "publish_without_number": 1,
        "publish_under_a_taken_number": 1,
        "claim": 2,
        "take_lease": 2,
        "hint_of_another_stage": 1,
        "work_up_to_the_apply": 6,
        "finish": 10,
        "put_off": 1,
        "split": 3,
        "bury": 2,
        "renew": 1,
        "release": 1,
        "lapse": 4,
        "revive": 2,
        "mark_again": 1,
    }.items()
    for _ in range(weight)
]
_NEED_A_LEASE = frozenset({"finish", "put_off", "split", "bury", "renew", "release"})
_NEED_A_BATCH = frozenset({"take_lease", "hint_of_another_stage", "work_up_to_the_apply", "lapse"})
_RECENT = st.sampled_from([0, 0, 0, 1, 1, 2, 3])
"""Which lease acts, counted back from the latest: mostly one that was used already, for that is where mistakes are made."""


class Engines(NamedTuple):
    """The logins of the intake and of the workers, and one that sees all."""

    ingest: Engine
    worker: Engine
    admin: Engine


@dataclass(slots=True)
class Taken:
    """A lease that was taken. ended: its stage was stored or given up under it. given_back: another may take it."""

    lease: leases.Lease
    ended: bool = False
    given_back: bool = False


class LaneMachine(RuleBasedStateMachine):
    """One lane of a fresh tenant. Its subclass says on which database (`lane_machine`)."""

    engines: ClassVar[Engines]

    def __init__(self) -> None:
        super().__init__()
        self.path = NamespacePath.of((f"model-{uuid4().hex}", "sarah"))
        self.lane = LaneRef(self.path.tenant_id, self.path.namespace_id)
        self.publishers = {place: uuid4() for place in range(2)}
        self.batch: BatchRef | None = None
        self.done: list[BatchRef] = []
        self.stage = lanes.STAGES[0]
        self.taken: list[Taken] = []
        self.model = Model()

    @rule(action=st.sampled_from(_ACTIONS), back=_RECENT, data=st.data())
    def step(self, action: str, back: int, data: st.DataObject) -> None:
        """One of the actions, after what it needs. One rule for all: of several, half are switched off in each example."""
        if not self.model.made:
            action = "publish"
        if action in _NEED_A_LEASE and not self.taken:
            action = "work_up_to_the_apply"
        if action in _NEED_A_BATCH and self.batch is None:
            self.claim(data)
            if self.batch is None:
                return
        method = getattr(self, action)
        method(self.taken[max(-1 - back, -len(self.taken))] if action in _NEED_A_LEASE else data)

    # Arrivals ---------------------------------------------------------------------------------------------------------

    def publish(self, data: st.DataObject) -> None:
        """New events of a publisher; they arrive in any order, and some do not."""
        publisher = data.draw(st.integers(0, 1))
        made = [self.model.make(publisher) for _ in range(data.draw(st.integers(1, 4)))]
        self._arrive(data.draw(st.lists(st.sampled_from(made), unique=True)))

    def send_again(self, data: st.DataObject) -> None:
        """Some of all that was ever made, be it there already or not."""
        self._arrive(data.draw(st.lists(st.sampled_from(list(self.model.made)), min_size=1, max_size=5)))

    def publish_without_number(self, _data: st.DataObject) -> None:
        """As an app does in a transaction of its own."""
        self._arrive([self.model.make(_OWN)])

    def publish_under_a_taken_number(self, data: st.DataObject) -> None:
        """As from a copied spool: it must not be lost, and comes under the namespace's own publisher."""
        numbered = [one for one in sorted(self.model.arrived) if one.publisher != _OWN]
        if numbered:
            taken, made = data.draw(st.sampled_from(numbered)), self.model.make(_OWN)
            self._send([self._as_json(made, number=taken)])
            self.model.arrived.add(made)

    # The scheduler ----------------------------------------------------------------------------------------------------

    def claim(self, data: st.DataObject) -> None:
        """A batch, if one may be had; at times after every gap was waited for long enough."""
        self._claim(data.draw(st.sampled_from([_PATIENT, _PATIENT, _PATIENT, _IMPATIENT])))

    # The workers ------------------------------------------------------------------------------------------------------

    def take_lease(self, _data: st.DataObject) -> None:
        """For the stage that is due."""
        self._take(self.stage)

    def hint_of_another_stage(self, data: st.DataObject) -> None:
        """Old hints still travel."""
        stage = data.draw(st.sampled_from(lanes.STAGES))
        if stage != self.stage:
            assert self._lease(stage) is None, "a stage that is not due was leased"

    def work_up_to_the_apply(self, _data: st.DataObject) -> None:
        """All stages before it, in order, and its lease."""
        while not self.model.leased and lanes.STAGES.index(self.stage) < lanes.STAGES.index(APPLYING):
            self._take(self.stage)
            self._finish(self.taken[-1])
        if not self.model.leased:
            self._take(self.stage)

    def finish(self, one: Taken) -> None:
        """A stage's result is stored; by a zombie too, and a second time."""
        self._finish(one)

    def put_off(self, one: Taken) -> None:
        """A stage failed, and is to be tried again."""
        with self._transaction() as connection:
            held = leases.holds(connection, one.lease)
            if held:
                leases.put_off(connection, one.lease, error="made to fail", delay=_NONE, counts=True)
        self._expect(one, held)
        if held:
            one.given_back, self.model.leased, self.model.crashes = True, False, 0

    def split(self, one: Taken) -> None:
        """A batch is given back, each of its events to be taken alone."""
        with self._transaction() as connection:
            held = leases.holds(connection, one.lease) and one.lease.stage != lanes.STAGES[-1]
            if held:
                inbox.give_back(connection, one.lease.batch)
                leases.end(connection, one.lease, "split")
        if held:
            self.model.suspect.update(self.model.batch)
            self._over(one)

    def bury(self, one: Taken) -> None:
        """A batch is given up."""
        with self._transaction() as connection:
            held = leases.holds(connection, one.lease) and one.lease.stage != lanes.STAGES[-1]
            if held:
                inbox.mark_dead(connection, one.lease.batch, "made to fail")
                leases.end(connection, one.lease, "dead")
        if held:
            self.model.bury()
            self._over(one)

    def renew(self, one: Taken) -> None:
        """A task that lives, or thinks so, prolongs its lease."""
        with self._transaction() as connection:
            kept = leases.renew(connection, one.lease, lasting=_HOUR)
        assert kept == self._owns(one), "a lease was renewed that was lost"
        self.model.leased = self.model.leased or kept

    def release(self, one: Taken) -> None:
        """The worker saw its child die."""
        with self._transaction() as connection:
            released = leases.release(connection, one.lease.batch, one.lease.owner)
        assert released == self._owns(one), "a lease was released that was lost"
        if released:
            one.given_back, self.model.leased = True, False

    def lapse(self, _data: object = None) -> None:
        """A worker died: its lease runs out."""
        statement = (
            "update mosshead.lanes set lease_until = now() - interval '1 second' where namespace_id = :namespace_id"
        )
        if self.model.leased:
            with self.engines.admin.begin() as connection:
                connection.execute(text(statement), {"namespace_id": self.lane.namespace_id})
            self.model.leased = False

    def revive(self, data: st.DataObject) -> None:
        """An operator has a dead letter tried again."""
        if not self.model.dead:
            return
        one = data.draw(st.sampled_from(sorted(self.model.dead)))
        with self._transaction() as connection:
            for letter in dead_letters.dead_letters(connection, letter_ids=[self.model.made[one]]):
                assert dead_letters.lock(connection, letter)
                dead_letters.revive(connection, letter)
        self.model.dead.remove(one)
        self.model.suspect.add(one)

    def mark_again(self, _data: st.DataObject) -> None:
        """Even without a lease, what is in effect cannot be marked as such again."""
        if not self.done:
            return
        try:
            with self._transaction() as connection:
                inbox.mark_done(connection, self.done[-1])
        except inbox.AlreadyInEffect:
            return
        raise AssertionError("a batch was marked as in effect twice")

    # What must be so --------------------------------------------------------------------------------------------------

    @invariant()
    def agrees(self) -> None:
        """The database is as the model."""
        with self.engines.admin.connect() as connection:
            lane = connection.execute(_LANE, self.lane.scope).one_or_none()
            publishers = connection.execute(_WATERMARKS, self.lane.scope).all()
        if lane is None:
            assert not self.model.arrived
            return
        assert (lane.pending, lane.received) == (len(self.model.waiting()),) * 2, "pending is miscounted"
        assert (lane.batch_id is not None, lane.open) == (self.batch is not None, int(self.batch is not None))
        places = {its: place for place, its in self.publishers.items()}
        for one in publishers:
            place = places.get(one.publisher_id, _OWN)
            assert one.received_up_to == self.model.watermark(place), "the watermark is not the run without a gap"
            assert one.consolidated_up_to == self.model.reached.get(place, 0)

    def teardown(self) -> None:
        """All that is missing arrives, what was leased lapses: then everything takes effect."""
        self._arrive(sorted(self.model.made))
        for _ in range(20 * len(self.model.made) + 20):
            if not self.model.waiting() and self.batch is None:
                break
            if self.batch is None:
                self._claim(_PATIENT)
            else:
                if self.model.leased:
                    self.lapse()
                self._take(self.stage)
                self._finish(self.taken[-1])
        self.agrees()
        ended = sorted([*self.model.applied, *self.model.dead])
        assert ended == sorted(self.model.made), "not every event took effect or died"

    # ------------------------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with tenant_transaction(self.engines.worker, self.lane.tenant_id) as connection:
            yield connection

    def _arrive(self, events: Sequence[Event]) -> None:
        # What brings no number is numbered in the order of its arrival, which is that of its making.
        known = [one for one in events if one.publisher != _OWN or one in self.model.arrived]
        fresh = sorted({one for one in events if one.publisher == _OWN} - self.model.arrived)
        if events:
            self._send([self._as_json(one) for one in (*known, *fresh)])
            self.model.arrived.update(events)

    def _send(self, bodies: Sequence[str]) -> None:
        with self.engines.ingest.begin() as connection:
            inbox.publish(connection, bodies, quiet=_NONE, most=_NONE)

    def _as_json(self, one: Event, number: Event | None = None) -> str:
        numbered = number or one
        its: dict[str, Any] = event(self.path.parts, event_id=str(self.model.made[one]))
        if numbered.publisher == _OWN:
            return as_text({name: its[name] for name in its if not name.startswith("publisher")})
        return as_text(
            {**its, "publisher": str(self.publishers[numbered.publisher]), "publisher_sequence": numbered.number}
        )

    def _claim(self, chosen: Settings) -> None:
        with self._transaction() as connection:
            claimed = claim(connection, [self.lane], chosen)
            if not claimed:
                return
            (batch, _), *_ = claimed
            set_tenant(connection, self.lane.tenant_id)
            events = self._events_of(connection, batch)
        assert self.batch is None, "a lane had two batches"
        assert events, "a batch was empty"
        assert len(events) == 1 or not self.model.suspect & set(events), "a suspect was not alone"
        self.batch, self.stage = batch, lanes.STAGES[0]
        self.model.take(events, patient=chosen is _PATIENT)

    def _events_of(self, connection: Connection, batch: BatchRef) -> list[Event]:
        return [self.model.event_of(UUID(one["event_id"])) for one in inbox.events_of_batch(connection, batch)]

    def _lease(self, stage: str) -> leases.Lease | None:
        assert self.batch is not None
        with self._transaction() as connection:
            return leases.take(connection, self.batch, stage, owner=uuid4().hex, lasting=_HOUR)

    def _take(self, stage: str) -> None:
        lease = self._lease(stage)
        assert (lease is None) == self.model.leased, "a stage was leased to two, or to none"
        if lease is not None:
            assert (lease.crashes, lease.events) == (self.model.crashes, len(self.model.batch)), (
                "crashes are miscounted"
            )
            self.model.leased, self.model.crashes = True, self.model.crashes + 1
            self.taken.append(Taken(lease))

    def _finish(self, one: Taken) -> None:
        with self._transaction() as connection:
            held = leases.holds(connection, one.lease)
            if held:
                if one.lease.stage == APPLYING:
                    assert self._events_of(connection, one.lease.batch) == self.model.batch, "a batch changed its order"
                    inbox.mark_done(connection, one.lease.batch)
                    entities.put_off_profiles(connection, self.lane, pause=_NONE)  # due, so that all stages follow
                elif one.lease.stage == lanes.STAGES[-1]:
                    entities.set_profiles_timer(connection, self.lane, least=_NONE, most=_NONE)
                following = leases.advance(connection, one.lease)
        if held and one.lease.stage == APPLYING:
            self.model.apply()
            self.done.append(one.lease.batch)
        self._expect(one, held)
        if held:
            one.ended, self.model.leased, self.model.crashes, self.stage = True, False, 0, following
            if following == lanes.DONE:
                self._over(one)

    def _expect(self, one: Taken, held: bool) -> None:
        assert held == (one is self.taken[-1] and not one.ended), (
            "a lease held that was lost, or was lost while it held"
        )

    def _owns(self, one: Taken) -> bool:
        return one is self.taken[-1] and not one.ended and not one.given_back

    def _over(self, one: Taken) -> None:
        one.ended, self.model.leased, self.batch = True, False, None


_LANE = text("""
    select pending, batch_id,
           (select count(*) from mosshead.events
            where tenant_id = :tenant_id and namespace_id = :namespace_id and state = 'received') as received,
           (select count(*) from mosshead.batches
            where tenant_id = :tenant_id and namespace_id = :namespace_id and stage not in ('done', 'dead', 'split')) as open
    from mosshead.lanes where tenant_id = :tenant_id and namespace_id = :namespace_id
""")

_WATERMARKS = text("""
    select publisher_id, received_up_to, consolidated_up_to from mosshead.publishers
    where tenant_id = :tenant_id and namespace_id = :namespace_id
""")


def lane_machine(engines: Engines) -> type[LaneMachine]:
    """The machine on a database."""
    return type("LaneMachine", (LaneMachine,), {"engines": engines})
