"""Mistakes that somebody could make, made on purpose: a state machine must notice every one. Most are in the write side.

Each is a statement that lacks a condition, or a function that does too much. A mutant whose place is gone from the code is an
error, and not a mutant that nobody caught.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import ModuleType
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from benchmarks.faults.machine import Engines, lane_machine
from benchmarks.faults.resend_machine import Resending
from db import inbox, leases
from mosshead.publishing import spool, spool_statements
from mosshead.publishing.queue import Window
from workers import scheduler

Mutant = Callable[[Engine], AbstractContextManager[None]]
"""Makes a mistake inside the block. It is given the superuser's engine."""

_CAUGHT = (AssertionError, inbox.AlreadyInEffect, DBAPIError)
_EXAMPLES = 200
_STEPS = 40


def uncaught(engines: Engines, mutants: Mapping[str, Mutant]) -> list[str]:
    """Return the names of the mutants that their state machine misses."""
    machines = {name: Resending if name in RESEND_MUTANTS else lane_machine(engines) for name in mutants}
    return [name for name, mutant in mutants.items() if not _noticed(engines, machines[name], mutant)]


def run_machine(machine: type[RuleBasedStateMachine], *, examples: int) -> None:
    """Run a state machine. Raises what it finds."""
    chosen = settings(
        max_examples=examples,
        stateful_step_count=_STEPS,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],  # the first failure will do, and need not be a small one
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=chosen)


def _noticed(engines: Engines, machine: type[RuleBasedStateMachine], mutant: Mutant) -> bool:
    with mutant(engines.admin):
        try:
            run_machine(machine, examples=_EXAMPLES)
        except _CAUGHT:
            return True
    return False


def _without(module: ModuleType, name: str, condition: str, instead: str = "") -> Mutant:
    """A function, or its statement where that is a constant, which lacks a condition."""

    def lacking(before: Any) -> Any:
        if isinstance(before, str):
            return left_out(before)
        scope = dict(vars(module))
        exec(left_out(inspect.getsource(before)), scope)  # noqa: S102 - our own source
        return scope[name]

    def left_out(source: str) -> str:
        if source.count(condition) != 1:
            raise LookupError(
                f"{module.__name__}.{name} has no {condition!r} any more; say what the mutant is to leave out"
            )
        return source.replace(condition, instead)

    return _changed(module, name, lacking)


def _changed(module: ModuleType | type, name: str, change: Callable[[Any], Any]) -> Mutant:
    @contextmanager
    def mutant(_admin: Engine) -> Iterator[None]:
        before = getattr(module, name)
        setattr(module, name, change(before))
        try:
            yield
        finally:
            setattr(module, name, before)

    return mutant


def _as_many_as_fit(_next_batch: object) -> Callable[..., object]:
    return lambda ordered, *, messages, **_: ordered[:messages]


def _function_without(name: str, condition: str, instead: str = "") -> Mutant:
    """A function of the database's that lacks a condition."""

    def lacking(before: str) -> str:
        if before.count(condition) != 1:
            raise LookupError(f"mosshead.{name} has no {condition!r} any more; say what the mutant is to leave out")
        return before.replace(condition, instead)

    return _function(name, lacking)


def _function(name: str, change: Callable[[str], str]) -> Mutant:
    @contextmanager
    def mutant(admin: Engine) -> Iterator[None]:
        with admin.begin() as connection:
            before = connection.execute(_DEFINITION, {"name": f"mosshead.{name}"}).scalar_one()
            _define(connection, change(before))
        try:
            yield
        finally:
            with admin.begin() as connection:
                _define(connection, before)

    return mutant


def _define(connection: Connection, definition: str) -> None:
    connection.exec_driver_sql(definition.replace("%", "%%"))


_DEFINITION = text("select pg_get_functiondef(cast(:name as regproc))")

_TOO_EARLY = """
    create or replace function mosshead.move_watermark(tenant uuid, namespace uuid, publisher_ids uuid[], also bigint[])
    returns void language sql
    begin atomic
        update mosshead.publishers set received_up_to = greatest(received_up_to, reached.up_to)
        from (select publisher_id, max(number) as up_to
              from unnest(publisher_ids, also) as given (publisher_id, number) group by publisher_id) as reached
        where publishers.tenant_id = tenant and publishers.namespace_id = namespace
          and publishers.publisher_id = reached.publisher_id;
    end
"""

_WHERE_RECEIVED = " and state = 'received' returning event_id"

RESEND_MUTANTS: Mapping[str, Mutant] = {
    "lost ones do not wait again": _changed(spool.Spool, "take_back", lambda _: lambda *_given: False),
    "sent again from where it was": _changed(Window, "forget", lambda _: lambda *_given: None),
    "cut as soon as received": _without(spool_statements, "KEPT", "at not between ? and ?", "? < ?"),
}
"""Mistakes of resending, which the state machine of a failover must notice."""

MUTANTS: Mapping[str, Mutant] = {
    **RESEND_MUTANTS,
    "no epoch check": _without(leases, "holds", " and epoch = %(epoch)s"),
    "no stage check": _without(leases, "holds", " and stage = %(stage)s"),
    "no gap check": _function_without("waiting_events", " and waited.received_at < now() - gap"),
    "watermark too early": _function("move_watermark", lambda _: _TOO_EARLY),
    "a passed gap counts as received": _function_without("bind", "set passed_up_to", "set received_up_to"),
    "apply without state check": _without(inbox, "mark_done", _WHERE_RECEIVED, " returning event_id"),
    "leased to two": _without(leases, "take", " and (lease_until is null or lease_until < now())"),
    "renewed by anybody": _without(leases, "renew", " and epoch = %(epoch)s and lease_owner = %(owner)s"),
    "a second batch": _function_without("lock_due", " and lane.batch_id is null"),
    "order of arrival": _without(inbox, "events_of_batch", "order by place", "order by position"),
    "suspects together": _changed(scheduler, "next_batch", _as_many_as_fit),
    "crashes not counted": _without(leases, "take", "starts = starts + 1", "starts = 1"),
    "dead ones still pending": _without(inbox, "mark_dead", "pending - (select count(*) from marked)", "pending"),
}
