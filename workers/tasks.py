"""The tasks, in the order in which a batch passes through them. Each loads by id, computes, and returns how to store the result.

All run in the same way: take the lease, work outside any transaction, store and advance in one, then hint the next. If anything
dies on the way, the stage is repeated from its start. It stores its result once, under its lease. A stage that fails is
postponed, split or given up, also under its lease.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from celery import Task, signals
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

import pipeline.embedding
import pipeline.extraction.extract
import pipeline.profiles
import pipeline.salience
from config.settings import Settings
from db import candidates, inbox, lanes, leases, reflections
from db.candidates import RefusedRow
from db.entities import put_off_profiles, set_profiles_timer
from db.keys import BatchRef, LaneRef
from mosshead.language.lexicon import is_english
from mosshead.llm import AnswerRefused, ModelUnavailable
from mosshead.models.kinds import Role
from mosshead.store.connection import tenant_transaction
from workers.celery_app import app
from workers.commands import dispatch as commands
from workers.dependencies import Parts, Store, parts, paused_providers, providers_of, rules_take_over
from workers.failures import GiveUp, NoThread, Retry, Wait, after_failure, describe, in_vain, wait_for_model
from workers.reflection import run as reflecting
from workers.scheduler import dispatch, hint
from workers.stages import embed as filling
from workers.stages import load, profiles
from workers.stages.consolidate import apply
from workers.stages.consolidate import plan as deciding

Work = Callable[[BatchRef, Parts], Store]
"""Loads, computes and returns how to store the result; holds no transaction while it computes."""

_TOO_MUCH_PAUSE = timedelta(hours=1)

_log = structlog.get_logger()


def _stage(work: Work) -> Any:
    """Return a task for a stage's work, under the name that Flower shows: mosshead.extract, …"""
    name = work.__name__

    def task(self: Task, tenant_id: str, namespace_id: str, batch_id: str) -> None:
        batch = BatchRef(LaneRef(UUID(tenant_id), UUID(namespace_id)), UUID(batch_id))
        run_stage(name, batch, work, owner=self.request.id)

    task.__doc__ = work.__doc__
    return app.task(task, name=f"mosshead.{name}", bind=True)


@_stage
def extract(batch: BatchRef, parts: Parts) -> Store:
    """Extract facts from messages."""
    with load.reading(batch, parts) as connection:
        messages = load.messages_of(connection, batch)
        background = load.background_of(connection, batch, messages)
        model = load.model_for(connection, batch, parts)
    found = pipeline.extraction.extract.extract(messages, background, model)
    load.report_refused("facts", found.refused)
    load.report_refused("entities", found.refused_entities)
    # Without defaults: a worker of the previous version, which may run the next stage, refuses unknown fields.
    facts = [one.model_dump(mode="json", exclude_defaults=True) for one in found.facts]
    refused = [RefusedRow(one.why, one.as_json()) for one in found.turned_down]
    formed_by = model.name if model else "rules"
    return partial(candidates.store_facts, batch=batch, facts=facts, refused=refused, formed_by=formed_by)


@_stage
def score_salience(batch: BatchRef, parts: Parts) -> Store:
    """Score how much each fact matters."""
    with load.reading(batch, parts) as connection:
        said = {message.number: message.content for message in load.messages_of(connection, batch)}
        facts = load.facts_of(connection, batch)
    scores = pipeline.salience.score_all({number: fact for number, (fact, _) in facts.items()}, said)
    return partial(
        candidates.store_salience,
        batch=batch,
        scores={number: (score.value, score.explained()) for number, score in scores.items()},
    )


@_stage
def embed(batch: BatchRef, parts: Parts) -> Store:
    """Embed each fact once, and each message twice."""
    with load.reading(batch, parts) as connection:
        lags = filling.may_lag(connection)
        contents = {number: fact.content for number, (fact, _) in load.facts_of(connection, batch).items()}
        messages = load.messages_of(connection, batch)
        found = filling.turns_among(connection, batch.lane, parts.embedder.name, messages)
    if lags:
        filling.fill(parts.engine, batch.lane, parts.embedder)
    texts = {text: text for text in (*contents.values(), *filling.texts_of(found))}
    vectors = pipeline.embedding.embed(texts, parts.embedder)
    of_facts = {number: vectors[content] for number, content in contents.items()}
    of_turns = filling.with_vectors(found, vectors)
    said = "\n".join(one.content for one in messages if one.role is Role.USER)
    return partial(
        filling.keep,
        batch=batch,
        model=parts.embedder.name,
        of_facts=of_facts,
        of_turns=of_turns,
        in_english=is_english(said),
    )


@_stage
def consolidate(batch: BatchRef, parts: Parts) -> Store:
    """Turn facts into memories, or apply a command: the only stage that changes memories."""
    with load.reading(batch, parts) as connection:
        lags = filling.may_lag(connection)
        command = load.command_of(connection, batch)
        strange = candidates.of_other_models(connection, batch, parts.embedder.name)
    if lags:
        filling.fill(parts.engine, batch.lane, parts.embedder)
    if command is not None:
        return _with_changes_noted(commands.prepare(batch, command, parts), batch, parts)
    filling.embed_again(batch, strange, parts)
    plan = deciding.decide(batch, parts)
    store = partial(apply.apply, batch=batch, plan=plan, debounce=parts.settings.reflection_debounce)
    return _with_changes_noted(store, batch, parts)


def _with_changes_noted(store: Store, batch: BatchRef, parts: Parts) -> Store:
    """Return how to store a batch and note that its changes need new summaries and expansions later."""
    debounce, profiles_debounce, expands = (
        parts.settings.reflection_debounce,
        parts.settings.profile_debounce,
        parts.expands,
    )

    def store_and_note(connection: Connection) -> None:
        store(connection)
        reflections.note_changes(connection, batch, expands=expands, least=debounce.least, most=debounce.most)
        set_profiles_timer(connection, batch.lane, least=profiles_debounce.least, most=profiles_debounce.most)

    return store_and_note


@_stage
def refresh_profiles(batch: BatchRef, parts: Parts) -> Store:
    """Write new summaries for due profiles, of entities in this batch or an earlier one."""
    stale, due = profiles.due_profiles(batch.lane, parts)
    with load.reading(batch, parts) as connection:
        model = load.model_for(connection, batch, parts) if parts.settings.llm_profiles else None
    refreshed = pipeline.profiles.refresh_profiles(stale, model)
    return profiles.how_to_store(batch.lane, parts, due, refreshed)


@_stage
def reflect(batch: BatchRef, parts: Parts) -> Store:
    """Run the reflection on an idle conversation that has been due for longest, over the messages it has not seen."""
    return reflecting.reflect(batch, parts)


@signals.task_prerun.connect
def _bind(task_id: str, task: Any, args: tuple[str, ...], **_: Any) -> None:
    tenant_id, namespace_id, batch_id = (*args, *("",) * 3)[:3]
    structlog.contextvars.bind_contextvars(
        task=task.name, task_id=task_id, tenant_id=tenant_id, namespace_id=namespace_id, batch_id=batch_id
    )


@signals.task_postrun.connect
def _unbind(**_: Any) -> None:
    structlog.contextvars.clear_contextvars()


class StageFailed(Exception):
    """A stage failed; the scheduler has it retried, or its events are dead. Contains no text of a conversation."""


def run_stage(stage: str, batch: BatchRef, work: Work, owner: str) -> None:
    """Run one stage of a batch, unless it is done, not due, or leased by another. Raises StageFailed after handling a failure.

    owner: names this run, to distinguish its lease from others.
    """
    used = parts()
    lease = _take_lease(stage, batch, owner, used)
    if lease is None:
        return
    started = time.monotonic()
    failed: Exception | None = None
    following: str | None = None
    try:
        with renewed(lease, used):
            following = _work_and_store(lease, used, work)
    except Exception as error:  # noqa: BLE001 - the edge of the process: every failure is dealt with
        failed = error
    except BaseException:
        # The worker was told to stop, and another may continue at once; or the stage hung, which counts as a crash.
        if time.monotonic() - started < used.settings.stage_seconds:
            put_off(lease, used, "stopped")
        raise
    # Handled here and not above, so that what is raised has no context: an error's message may contain any text.
    if failed is not None:
        what = describe(failed)
        outcome = after_failure(failed, lease.attempts, used.settings.attempts)
        if isinstance(failed, AnswerRefused):
            outcome, what = _trouble_of_endpoint(failed, lease, used) or (outcome, what)
        settle(lease, used, outcome, what)
        raise StageFailed(f"{stage}: {what}")
    _go_on(batch, following, used)


def _trouble_of_endpoint(refused: AnswerRefused, lease: leases.Lease, used: Parts) -> tuple[Wait, str] | None:
    """Return what to wait for, and why, if the model can answer no such question, so that no event dies of a refusal."""
    if refused.plain is None:
        return None
    try:
        with renewed(lease, used):
            with load.reading(lease.batch, used) as connection:
                model = load.model_for(connection, lease.batch, used)
            if model is not None:
                model.check(refused.plain)
    except ModelUnavailable as error:
        return wait_for_model(error, lease.attempts, used.settings.attempts), describe(error)
    except AnswerRefused as error:
        answers, what = leases.answers_to(refused.plain.name), f"the model's answers cannot be read: {describe(error)}"
        # A reflection is postponed by itself: otherwise its lane's messages would wait behind it.
        return Wait(answers, pause=_TOO_MUCH_PAUSE, by_less=True) if lease.stage == lanes.REFLECT else Wait(
            answers
        ), what
    return None


def _take_lease(stage: str, batch: BatchRef, owner: str, used: Parts) -> leases.Lease | None:
    lasting = timedelta(seconds=used.settings.lease_seconds)
    with tenant_transaction(used.engine, batch.lane.tenant_id) as connection:
        lease = leases.take(connection, batch, stage, owner=owner, lasting=lasting)
        if lease is None:
            _log.info("stage_not_due", stage=stage)
            return None
        if not admitted(connection, stage, used.settings):
            leases.put_off(connection, lease, error="left alone", delay=timedelta(0), counts=False)
            return None
    what = in_vain(lease, used.settings.stage_seconds)
    if what is not None:
        settle(lease, used, GiveUp(), what)
        raise StageFailed(f"{stage}: {what}")
    return lease


def admitted(connection: Connection, stage: str, settings: Settings) -> bool:
    """Return whether a stage may now ask all its providers. After an outage one stage at a time may try."""
    asked = providers_of(stage, settings)
    # Checked before one of them is tried: the try would have to wait for the other.
    if asked and not asked.isdisjoint(paused_providers(connection, settings)):
        return False
    if rules_take_over(connection, settings, stage):
        asked &= {leases.EMBEDDER}
    probe = timedelta(seconds=2 * settings.llm_timeout)
    return all(leases.admit(connection, provider, probe=probe) for provider in sorted(asked))


def _work_and_store(lease: leases.Lease, used: Parts, work: Work) -> str | None:
    store = work(lease.batch, used)
    with tenant_transaction(used.engine, lease.batch.lane.tenant_id) as connection:
        if not leases.holds(connection, lease):
            _log.warning("stage_fenced", stage=lease.stage, epoch=lease.epoch)
            return None
        store(connection)
        following = leases.advance(connection, lease)
        leases.leave_providers(connection, providers_of(lease.stage, used.settings))
    _log.info("stage_done", stage=lease.stage, next=following)
    return following


def _go_on(batch: BatchRef, following: str | None, used: Parts) -> None:
    if following == lanes.DONE:  # the freed slot need not wait for the scheduler
        try:
            dispatch(used.engine, used.settings, own_slot=True)
        except DBAPIError as error:
            _log.warning("dispatch_interrupted", error=describe(error))
    elif following is not None:
        hint((batch, following))


@contextmanager
def renewed(lease: leases.Lease, used: Parts) -> Iterator[None]:
    """Renew a lease from a thread while the block runs, for ``stage_seconds`` at most; then another worker may take over a stage
    that hangs, which is counted.

    Raises NoThread if no thread can be started.
    """
    ended = threading.Event()
    try:
        threading.Thread(target=_renew, args=(lease, used, ended), name="renewal", daemon=True).start()
    except RuntimeError:
        raise NoThread("cannot start a thread: the process has reached its thread limit") from None
    try:
        yield
    finally:
        ended.set()


def _renew(lease: leases.Lease, used: Parts, ended: threading.Event) -> None:
    seconds = used.settings.lease_seconds
    deadline = time.monotonic() + used.settings.stage_seconds
    while not ended.wait(seconds / 3):
        try:
            with tenant_transaction(used.engine, lease.batch.lane.tenant_id) as connection:
                if time.monotonic() >= deadline:
                    # Counted here, while the process lives: it is killed soon, and its parent knows no details.
                    why = f"ran for longer than {used.settings.stage_seconds:g} s"
                    if leases.overrun(connection, lease, error=why):
                        _log.error("stage_overran", stage=lease.stage, batch_id=str(lease.batch.batch_id))
                    return
                kept = leases.renew(connection, lease, lasting=timedelta(seconds=seconds))
        except DBAPIError as error:
            _log.warning("lease_not_renewed", stage=lease.stage, error=describe(error))
            continue
        if not kept:
            return


def put_off(lease: leases.Lease, used: Parts, what: str) -> None:
    """Have a stage repeated at once, for a reason other than the batch."""
    at_once = Retry(timedelta(0), counts=False)
    settle(lease, used, at_once, what, patience=used.settings.lease_seconds)


def settle(
    lease: leases.Lease, used: Parts, outcome: Wait | Retry | GiveUp, what: str, *, patience: float | None = None
) -> None:
    """Apply the outcome of a failure. what: the failure in words, without text of a conversation.

    An outcome that is not stored would count as a crash of the batch, so a missing database is waited for. patience: for how many
    seconds, by default as long as a stage may run: without the database the slot is useless anyway.
    """
    deadline = time.monotonic() + (used.settings.stage_seconds if patience is None else patience)
    waited = False
    while True:
        try:
            with tenant_transaction(used.engine, lease.batch.lane.tenant_id) as connection:
                if leases.holds(connection, lease):
                    ended = _end(connection, lease, used, outcome, what)
                else:
                    ended = _fenced(connection, lease, waited)
                leases.leave_providers(connection, providers_of(lease.stage, used.settings))
            break
        except DBAPIError as error:
            if time.monotonic() > deadline:
                _log.error("stage_not_settled", stage=lease.stage, error=describe(error))
                return
            waited = True
        time.sleep(0.5)
    _log.error("stage_failed", stage=lease.stage, error=what, outcome=ended)


def _end(connection: Connection, lease: leases.Lease, used: Parts, outcome: Wait | Retry | GiveUp, what: str) -> str:
    if isinstance(outcome, Wait):
        delay = leases.trip_breaker(connection, outcome.provider, what, pause=outcome.pause)
        lighter = _lighten(connection, lease, what) if outcome.by_less else None
        if lighter is not None:
            return lighter
        least = outcome.least or timedelta(0)
        leases.put_off(connection, lease, error=what, delay=max(delay, least), counts=outcome.least is not None)
        return f"waits for {outcome.provider}"
    if isinstance(outcome, Retry):
        leases.put_off(connection, lease, error=what, delay=outcome.delay, counts=outcome.counts)
        return "tried again"
    if lease.stage == lanes.REFLECT:
        return _end_reflection(connection, lease, what, reflections.give_up)
    if lease.stage == lanes.STAGES[-1]:
        put_off_profiles(connection, lease.batch.lane, pause=timedelta(minutes=5))
    return _split(connection, lease, what) if lease.events > 1 else _bury(connection, lease, used, what)


def _end_reflection(connection: Connection, lease: leases.Lease, what: str, then: Callable[..., str]) -> str:
    """The batch's events are already in effect, so a failed reflection loses nothing and blocks nothing."""
    due = reflections.first_due(connection, lease.batch.lane)
    leases.end(connection, lease, lanes.DONE, error=what)
    if due is None:
        return "not due any more"
    return f"{due.kind}: {then(connection, lease.batch.lane, due, why=what)}"


def _lighten(connection: Connection, lease: leases.Lease, what: str) -> str | None:
    """Ask for less, or let the lane go on without what always times out. Return None if neither is possible."""
    lane = lease.batch.lane
    if lease.stage == lanes.REFLECT:
        return _end_reflection(connection, lease, what, partial(reflections.lighten, pause=_TOO_MUCH_PAUSE))
    if lease.stage == lanes.STAGES[-1]:
        put_off_profiles(connection, lane, pause=_TOO_MUCH_PAUSE)
        leases.end(connection, lease, lanes.DONE, error=what)
        return "put off"
    return _split(connection, lease, what) if lease.events > 1 else None


def _split(connection: Connection, lease: leases.Lease, what: str) -> str:
    inbox.give_back(connection, lease.batch)
    leases.end(connection, lease, "split", error=what)
    return "split"


def _bury(connection: Connection, lease: leases.Lease, used: Parts, what: str) -> str:
    inbox.mark_dead(connection, lease.batch, f"{lease.stage}: {what}")
    leases.end(connection, lease, "dead", error=what)
    lane, most = lease.batch.lane, used.settings.quarantine_after
    if lanes.quarantine(connection, lane, dead=most, within=timedelta(hours=1)):
        _log.error("lane_quarantined", dead_letters=most)
    return "dead"


def _fenced(connection: Connection, lease: leases.Lease, waited: bool) -> str:
    """Handle a stage that another task holds. If an outage caused that, the other counted a crash, which is undone."""
    if waited:
        leases.forgive(connection, lease)
    return "fenced"
