"""Start, list, compare and drop replays, and swap the two generations while apps read and publish."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from pydantic import BaseModel
from sqlalchemy import Connection, Engine, Row

from config.settings import Settings
from db import usage
from db.erasure import erasures
from db.keys import LaneRef
from db.replay import generations
from db.replay.generations import Generation
from db.usage import Cost
from mosshead.errors import ConfigurationError, MossheadError, NotFound
from mosshead.llm import Prompt
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from pipeline.replay.compare import Comparison, compare
from pipeline.replay.translate import NOT_REPLAYED
from workers.dependencies import open_other_model
from workers.replay.follow import known_memories

_log = structlog.get_logger()


class ReplayRefused(MossheadError):
    """A namespace cannot be replayed, or the generations cannot be swapped (yet); the message says what to do."""


class Readiness(BaseModel):
    """The answer that a model must give before a replay: it tests structured output."""

    ready: bool


_DOES_IT_ANSWER = Prompt("does_it_answer", 1, 'Answer with {"ready": true}.', "Are you ready?", Readiness)


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay, as an operator sees it. path: of the namespace, or its id. behind: events that have yet to take effect in it."""

    path: tuple[str, ...]
    generation: Generation
    llm_model: str | None
    behind: int
    dead: int


def start(
    engine: Engine, settings: Settings, path: NamespacePath, *, llm_model: str | None, instructions: str | None
) -> None:
    """Start the replay of a namespace. llm_model: checked first, since a failing model would hold up everybody.

    Raises NotFound, ReplayRefused, ConfigurationError, InvalidNamespace, and what asking a model raises.
    """
    there = path.replayed()  # checked before any model is asked
    if llm_model is not None:
        if not llm_model.strip() or not llm_model.isprintable():
            raise ConfigurationError(
                "--llm-model: is empty or has invalid characters; give a name in the form of MOSSHEAD_LLM_MODEL"
            )
        open_other_model(settings, llm_model).answer(_DOES_IT_ANSWER)
    with tenant_transaction(engine, path.tenant_id) as connection:
        if generations.start(connection, path, llm_model=llm_model, instructions=instructions) is not None:
            return
        if not generations.exists(connection, path):
            raise NotFound(f"{path}: there is no such namespace")
    raise ReplayRefused(
        f"{path}: has a replay already, or {there} is an app's namespace; 'mosshead service replay' lists replays, and "
        "'replay drop' deletes one"
    )


def listed(engine: Engine) -> Sequence[Replay]:
    """Return all replays, oldest first."""
    with engine.begin() as connection:
        every = generations.listed(connection)
    replays = []
    for one in every:
        with tenant_transaction(engine, one.lane.tenant_id) as connection:
            replays.append(_seen(connection, one))
    return replays


def difference(engine: Engine, path: NamespacePath) -> tuple[Replay, Comparison, Sequence[Cost]]:
    """Compare a namespace with its replay; also return the replay's LLM costs by model. Raises NotFound if there is none."""
    with tenant_transaction(engine, path.tenant_id) as connection:
        generation = _given(path, generations.of(connection, LaneRef(path.tenant_id, path.namespace_id)))
        here, there = generation.lane, generation.replay
        since = erasures.clock(connection) - generation.started_at
        costs = usage.costs(connection, path.tenant_id, by="model", since=since, namespace_id=there.namespace_id)
        memories = compare(known_memories(connection, here), known_memories(connection, there))
        return _seen(connection, generation), memories, costs


def _seen(connection: Connection, generation: Generation) -> Replay:
    come = generations.progress(connection, generation)
    path = tuple(come.path or [str(generation.lane.namespace_id)])
    return Replay(path, generation, come.llm_model, come.behind, come.dead)


def switch(engine: Engine, path: NamespacePath, *, despite: bool = False, wait: float = 60.0) -> None:
    """Swap the two once both are at rest and everything is replayed.

    despite: swap even if events were left out of the replay or given up. wait: seconds for them to come to rest. Raises NotFound
    or ReplayRefused; nothing has changed then.
    """
    deadline = time.monotonic() + wait
    while why := _try(engine, path, despite=despite):
        if time.monotonic() > deadline:
            raise ReplayRefused(f"{path}: {why}; try again later")
        time.sleep(0.5)


def _try(engine: Engine, path: NamespacePath, *, despite: bool) -> str | None:
    """Swap the two; return why that has to wait."""
    with tenant_transaction(engine, path.tenant_id) as connection:
        generation = locked(connection, path)
        now = generations.standing(connection, generation, but_not=NOT_REPLAYED)
        if now.quarantined:
            raise ReplayRefused(f"{path}: it or its replay is quarantined; see 'mosshead service lanes'")
        if not despite:
            _check(connection, generation, path)
        if why := _not_yet(now):
            return why
        generations.hold(connection, generation)
    with _held(engine, path), tenant_transaction(engine, path.tenant_id) as connection:
        generation = locked(connection, path)
        now = generations.standing(connection, generation, but_not=NOT_REPLAYED)
        if why := _not_yet(now) if now.held else "another process is swapping the two":
            return why
        generations.exchange(connection, generation)
        # Publishers wait from here on: a command with ids came before, or finds the generation that is read then. If someone
        # resumed the lane meanwhile, the memories of a running batch would land in the other generation.
        now = generations.standing(connection, generation, but_not=NOT_REPLAYED)
        why = ("a command waits in it" if now.named else None) if now.held else "somebody resumed it meanwhile"
        if why:
            connection.rollback()
        return why


@contextmanager
def _held(engine: Engine, path: NamespacePath) -> Iterator[None]:
    """Keep work in the two lanes from being claimed within the block."""
    try:
        yield
    finally:
        lane = LaneRef(path.tenant_id, path.namespace_id)
        with tenant_transaction(engine, path.tenant_id) as connection:
            # Not while another process holds them as well.
            generations.lock(connection, lane)
            generations.release(connection, lane)


def _check(connection: Connection, generation: Generation, path: NamespacePath) -> None:
    if dead := generations.progress(connection, generation).dead:
        raise ReplayRefused(
            f"{path}: {dead} events died in the replay; see 'mosshead service dead list', or give --despite"
        )
    if generation.left_out:
        raise ReplayRefused(
            f"{path}: commands could not be replayed ({len(generation.left_out)}); 'mosshead service replay diff' lists them. "
            "Give --despite, and then repeat in the app what is missing"
        )


def _not_yet(now: Row[Any]) -> str | None:
    if now.left:
        return "not everything is replayed yet"
    if now.replaying:
        return "a batch of its replay is running"
    if now.busy:
        return "a batch of it is running"
    return "a command waits in it" if now.named else None  # it would find nothing under its ids


def drop(engine: Engine, path: NamespacePath) -> None:
    """Delete the replay of a namespace. Raises NotFound if there is none."""
    with tenant_transaction(engine, path.tenant_id) as connection:
        generations.drop(connection, locked(connection, path))


def locked(connection: Connection, path: NamespacePath) -> Generation:
    """Return a namespace's generation, locked until the transaction ends. Raises NotFound."""
    return _given(path, generations.lock(connection, LaneRef(path.tenant_id, path.namespace_id)))


def _given(path: NamespacePath, generation: Generation | None) -> Generation:
    if generation is None:
        raise NotFound(f"{path}: has no replay; 'mosshead service replay start' starts one")
    return generation
