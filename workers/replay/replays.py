"""Start, list, compare and drop replays; `workers.replay.switch` swaps the two generations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel
from sqlalchemy import Connection, Engine

from config.settings import Settings
from db import namespaces, usage
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
from workers.dependencies import open_other_model
from workers.replay.knowledge import known_memories


class ReplayRefused(MossheadError):
    """A namespace cannot be replayed, or the two generations cannot change places, or not yet; says what to do."""


class Readiness(BaseModel):
    """Whether a model answers in a shape, as all that it will be asked wants."""

    ready: bool


_DOES_IT_ANSWER = Prompt("does_it_answer", 1, 'Answer with {"ready": true}.', "Are you ready?", Readiness)


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay, as an operator sees it. path: of the namespace, or its id. behind: events that are still to take effect in it."""

    path: tuple[str, ...]
    generation: Generation
    llm_model: str | None
    behind: int
    dead: int


def start(
    engine: Engine, settings: Settings, path: NamespacePath, *, llm_model: str | None, instructions: str | None
) -> None:
    """Have a namespace replayed. llm_model: asked first whether it answers, for what fails stands in everybody's way.

    Raises NotFound, ReplayRefused, ConfigurationError, InvalidNamespace, and what asking a model raises.
    """
    there = path.replayed()  # whether there can be one, before anything is asked
    if llm_model is not None:
        if not llm_model.strip() or not llm_model.isprintable():
            raise ConfigurationError(
                "--llm-model: is empty, or holds what no name does; give one as MOSSHEAD_LLM_MODEL has it"
            )
        open_other_model(settings, llm_model).answer(_DOES_IT_ANSWER)
    with tenant_transaction(engine, path.tenant_id) as connection:
        if generations.start(connection, path, llm_model=llm_model, instructions=instructions) is not None:
            return
        if not generations.exists(connection, path):
            raise NotFound(f"{path}: there is no such namespace")
    raise ReplayRefused(
        f"{path}: is replayed already, or {there} is a namespace of an app's; 'python -m workers replay' lists replays, and "
        "'replay drop' deletes one"
    )


def listed(engine: Engine) -> Sequence[Replay]:
    """All replays, the first that was started in front."""
    with engine.begin() as connection:
        every = generations.listed(connection)
    replays = []
    for one in every:
        with tenant_transaction(engine, one.lane.tenant_id) as connection:
            replays.append(
                Replay(
                    path=namespaces.path_of(connection, one.lane) or (str(one.lane.namespace_id),),
                    generation=one,
                    llm_model=namespaces.llm_model(connection, one.replay),
                    behind=generations.behind(connection, one),
                    dead=generations.dead(connection, one.replay),
                )
            )
    return replays


@dataclass(frozen=True, slots=True)
class Difference:
    """How a replay differs from its namespace. behind: events that are to take effect in it. dead: that were given up there.

    left_out: commands that could not be replayed. costs: what the replay asked of LLMs, by model.
    """

    memories: Comparison
    behind: int
    dead: int
    left_out: Sequence[Mapping[str, str]]
    costs: Sequence[Cost]


def difference(engine: Engine, path: NamespacePath) -> Difference:
    """Compare a namespace with its replay. Raises NotFound where there is none."""
    with tenant_transaction(engine, path.tenant_id) as connection:
        generation = _given(path, generations.of(connection, LaneRef(path.tenant_id, path.namespace_id)))
        since = erasures.clock(connection) - generation.started_at
        return Difference(
            memories=compare(
                known_memories(connection, generation.lane), known_memories(connection, generation.replay)
            ),
            behind=generations.behind(connection, generation),
            dead=generations.dead(connection, generation.replay),
            left_out=generation.left_out,
            costs=usage.costs(
                connection, path.tenant_id, by="model", since=since, namespace_id=generation.replay.namespace_id
            ),
        )


def drop(engine: Engine, path: NamespacePath) -> None:
    """Delete what was replayed of a namespace. Raises NotFound where nothing was."""
    with tenant_transaction(engine, path.tenant_id) as connection:
        generations.drop(connection, locked(connection, path))


def locked(connection: Connection, path: NamespacePath) -> Generation:
    """A namespace's generation, with which nobody else goes on until the transaction ends. Raises NotFound."""
    return _given(path, generations.lock(connection, LaneRef(path.tenant_id, path.namespace_id)))


def _given(path: NamespacePath, generation: Generation | None) -> Generation:
    if generation is None:
        raise NotFound(f"{path}: is not replayed; 'python -m workers replay start' begins that")
    return generation
