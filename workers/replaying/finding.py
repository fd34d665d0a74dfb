"""The replay of a namespace, as a command names it."""

from sqlalchemy import Connection

from db.keys import LaneRef
from db.replay import generations
from db.replay.generations import Generation
from mosshead.errors import MossheadError, NotFound
from mosshead.paths import NamespacePath


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
