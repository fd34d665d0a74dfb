"""The tasks, in the order in which a batch goes through them. Each loads by id, computes, and says how to store."""

from functools import partial
from typing import Any
from uuid import UUID

from celery import Task

import pipeline.embedding
import pipeline.extraction.extract
import pipeline.profiles
import pipeline.salience
from db import candidates
from db.candidates import RefusedRow
from db.keys import BatchRef, LaneRef
from workers.celery_app import app
from workers.commands import dispatch as commands
from workers.dependencies import Parts
from workers.reflection import run as reflecting
from workers.stages import embed as filling
from workers.stages import load, profiles
from workers.stages.consolidate import apply
from workers.stages.consolidate import plan as deciding
from workers.stages.runner import Store, Work, run_stage


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
    model = load.model_for(batch, parts)
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
    return partial(filling.keep, batch=batch, model=parts.embedder.name, of_facts=of_facts, of_turns=of_turns)


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
        return commands.prepare(batch, command, parts)
    filling.embed_again(batch, strange, parts)
    plan = deciding.decide(batch, parts)
    return partial(apply.apply, batch=batch, plan=plan, debounce=parts.settings.reflection_debounce)


@_stage
def refresh_profiles(batch: BatchRef, parts: Parts) -> Store:
    """New summaries of those whose profiles are due: of whom this batch was about, or an earlier one."""
    stale, due = profiles.due_profiles(batch.lane, parts)
    model = load.model_for(batch, parts) if parts.settings.llm_profiles else None
    refreshed = pipeline.profiles.refresh_profiles(stale, model)
    return profiles.how_to_store(batch.lane, parts, due, refreshed)


@_stage
def reflect(batch: BatchRef, parts: Parts) -> Store:
    """What is made of a conversation once it rests: the reflection that is due for longest, with what it has not seen yet."""
    return reflecting.reflect(batch, parts)
