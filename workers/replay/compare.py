"""Comparing: what a replay remembers that the namespace does not, and the other way round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Engine

from db import usage
from db.erasure import erasures
from db.keys import LaneRef
from db.replay import generations
from db.replay.generations import Generation
from db.usage import Cost
from mosshead.errors import MossheadError, NotFound
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from pipeline.replay.compare import Comparison, compare
from workers.replay.knowledge import known_memories


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
        generation = found(connection, path)
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


class ReplayRefused(MossheadError):
    """A namespace cannot be replayed, or the two generations cannot change places, or not yet; says what to do."""


def found(connection: Connection, path: NamespacePath) -> Generation:
    """The generation of a namespace. Raises NotFound where nothing is replayed of it."""
    return _given(path, generations.of(connection, LaneRef(path.tenant_id, path.namespace_id)))


def locked(connection: Connection, path: NamespacePath) -> Generation:
    """As `found`, and nobody else goes on with it until the transaction ends."""
    return _given(path, generations.lock(connection, LaneRef(path.tenant_id, path.namespace_id)))


def _given(path: NamespacePath, generation: Generation | None) -> Generation:
    if generation is None:
        raise NotFound(f"{path}: is not replayed; 'python -m workers replay start' begins that")
    return generation
