"""The tasks, in the order in which a batch goes through them. Each loads by id, computes, and says how to store.

All run in the same way: lease, work outside any transaction, store and advance in one, then hint the next. A stage is done again
from its start whenever something dies on the way. What it stores, it stores once, under its lease. One that fails is put off,
split or buried, under its lease, too.
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
"""Loads, computes and returns how to store; holds no transaction while it computes."""

_TOO_MUCH_PAUSE = timedelta(hours=1)

_log = structlog.get_logger()


def _stage(work: Work) -> Any:
    """A task of a stage's work, under the name that Flower shows: mosshead.extract, …"""
    name = work.__name__

    def task(self: Task, tenant_id: str, namespace_id: str, batch_id: str) -> None:
        batch = BatchRef(LaneRef(UUID(tenant_id), UUID(namespace_id)), UUID(batch_id))
        run_stage(name, batch, work, owner=self.request.id)

    task.__doc__ = work.__doc__
    return app.task(task, name=f"mosshead.{name}", bind=True)


@_stage
def extract(batch: BatchRef, parts: Parts) -> Store:
    """Messages to facts."""
    with load.reading(batch, parts) as connection:
        messages = load.messages_of(connection, batch)
        background = load.background_of(connection, batch, messages)
        model = load.model_for(connection, batch, parts)
    found = pipeline.extraction.extract.extract(messages, background, model)
    load.report_refused("facts", found.refused)
    load.report_refused("entities", found.refused_entities)
    # Without defaults: a worker of the version before, which may do the next stage, refuses a field that it does not know.
    facts = [one.model_dump(mode="json", exclude_defaults=True) for one in found.facts]
    refused = [RefusedRow(one.why, one.as_json()) for one in found.turned_down]
    formed_by = model.name if model else "rules"
    return partial(candidates.store_facts, batch=batch, facts=facts, refused=refused, formed_by=formed_by)


@_stage
def score_salience(batch: BatchRef, parts: Parts) -> Store:
    """How much each fact matters."""
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
    """A vector for each fact, and two for each message."""
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
    """Facts to memories, or a command carried out: the only stage that touches memories."""
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
    """How a batch takes effect, and has what it changed summarised and expanded anew, later."""
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
    """New summaries of those whose profiles are due: of whom this batch was about, or an earlier one."""
    stale, due = profiles.due_profiles(batch.lane, parts)
    with load.reading(batch, parts) as connection:
        model = load.model_for(connection, batch, parts) if parts.settings.llm_profiles else None
    refreshed = pipeline.profiles.refresh_profiles(stale, model)
    return profiles.how_to_store(batch.lane, parts, due, refreshed)


@_stage
def reflect(batch: BatchRef, parts: Parts) -> Store:
    """What is made of a conversation once it rests: the reflection that is due for longest, with what it has not seen yet."""
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
    """A stage failed; the scheduler has it tried again, or its events are dead. Holds no text of a conversation."""


def run_stage(stage: str, batch: BatchRef, work: Work, owner: str) -> None:
    """Run one stage of a batch, unless it is done, not due, or another's. Raises StageFailed after a failure was dealt with.

    owner: names this run, so that its lease can be told from that of another.
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
        # The worker is told to stop, and another may go on at once; or the stage hangs, and that counts as a crash.
        if time.monotonic() - started < used.settings.stage_seconds:
            put_off(lease, used, "stopped")
        raise
    # Dealt with here and not above, so that what is raised drags no context along: an error's message can hold anything.
    if failed is not None:
        what = describe(failed)
        outcome = after_failure(failed, lease.attempts, used.settings.attempts)
        if isinstance(failed, AnswerRefused):
            outcome, what = _trouble_of_endpoint(failed, lease, used) or (outcome, what)
        settle(lease, used, outcome, what)
        raise StageFailed(f"{stage}: {what}")
    _go_on(batch, following, used)


def _trouble_of_endpoint(refused: AnswerRefused, lease: leases.Lease, used: Parts) -> tuple[Wait, str] | None:
    """What to wait for, and why, where no event is to die of an answer that was refused: the model does not answer a question of
    this kind at all.
    """
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
        # A reflection is put off by itself: behind it, its lane's messages would wait.
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
    """Whether a stage may ask now for all that it depends on. After an outage one stage at a time may try."""
    asked = providers_of(stage, settings)
    # Before one of them is tried: it would be kept waiting for the other.
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
    if following == lanes.DONE:  # this task's slot is free, and need not wait for the scheduler
        try:
            dispatch(used.engine, used.settings, own_slot=True)
        except DBAPIError as error:
            _log.warning("dispatch_interrupted", error=describe(error))
    elif following is not None:
        hint((batch, following))


@contextmanager
def renewed(lease: leases.Lease, used: Parts) -> Iterator[None]:
    """Renew a lease from a thread while the block runs, for ``stage_seconds`` at most: a stage that hangs is taken over then,
    and that is counted.

    Raises NoThread where the process gets none.
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
                    # Counted here, while the process lives: it is killed in its task soon, and its parent knows no more.
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
    """Have a stage done again at once, for a reason that is not the batch's."""
    at_once = Retry(timedelta(0), counts=False)
    settle(lease, used, at_once, what, patience=used.settings.lease_seconds)


def settle(
    lease: leases.Lease, used: Parts, outcome: Wait | Retry | GiveUp, what: str, *, patience: float | None = None
) -> None:
    """Carry out what a failure means. what: the failure in words, without text of a conversation.

    An ending that the database did not hear of would pass for a crash of the batch. One that is away is waited for.
    patience: for so many seconds, by default as long as a stage may run: without the database a task's slot is of no use.
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
    """Have less asked at once, or the lane go on without it: what never comes in time would hold it up for ever. None where
    neither can be."""
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
    """Another has the stage. Where that came of an outage, the other took it for a crash's."""
    if waited:
        leases.forgive(connection, lease)
    return "fenced"
