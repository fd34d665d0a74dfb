"""`mosshead service index`: create indexes for namespaces too large for a scan, and drop those of namespaces that shrank.

Safe to repeat, and while the service runs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from db import search_indexes
from db.engine import admin_engine
from db.schema.roles import OWNER
from db.search_indexes import Scope
from workers.cli.output import repeat
from workers.cli.rounds import each

OFTEN: Final = 300.0
"""Seconds between two checks. A namespace that has just grown too large is scanned until then, with equal results."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Work:
    """The indexes to create and to drop. whole: scopes that have all their indexes. drop: names of the indexes to drop. make:
    scopes, each with the names of its missing indexes.
    """

    whole: Sequence[Scope]
    drop: Sequence[str]
    make: Sequence[tuple[Scope, Sequence[str]]]


def work(large: Sequence[Scope], indexes: Mapping[str, bool], *, outgrown: int) -> Work:
    """Compare the existing indexes with the scopes that need some. Pure. A broken index is rebuilt.

    large: scopes that may keep their indexes. indexes: the existing ones: by name, whether each is valid.
    """
    lacking = {scope: [name for name in scope.indexes if not indexes.get(name)] for scope in large}
    stay = {name for scope in large for name in scope.indexes if indexes.get(name)}
    return Work(
        whole=[scope for scope, names in lacking.items() if not names],
        drop=[name for name in indexes if name not in stay],
        make=[
            (scope, names)
            for scope, names in lacking.items()
            if names and (scope.rows > outgrown or any(name in indexes for name in scope.indexes))
        ],
    )


def index_scopes(
    admin_url: str, *, outgrown: int = search_indexes.OUTGROWN, shrunk: int = search_indexes.SHRUNK
) -> Work | None:
    """Create and drop indexes until each scope has what it needs. Return what was done, or None if another process is doing it.

    Raises StoreUnavailable if Postgres does not answer.
    """
    with (
        admin_engine(admin_url) as engine,
        engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection,
        search_indexes.indexing(connection, OWNER) as alone,
    ):
        if not alone:
            return None
        found = work(
            search_indexes.large_scopes(connection, shrunk), search_indexes.indexes(connection), outgrown=outgrown
        )
        whole = list(found.whole)
        search_indexes.tell(connection, whole)  # before any index is dropped, so that readers do not rely on it
        for name in found.drop:
            search_indexes.drop_index(connection, name)

        def make(wanted: tuple[Scope, Sequence[str]]) -> None:
            scope, names = wanted
            _log.info("index_begun", namespace_id=str(scope.lane.namespace_id), scanned=scope.scanned, rows=scope.rows)
            for name in names:
                search_indexes.make_index(connection, scope, name)
            search_indexes.gather_statistics(connection)
            whole.append(scope)
            search_indexes.tell(connection, whole)

        each(found.make, make, lane=lambda wanted: wanted[0].lane)
        return found


def keep_indexed(admin_url: str, stopped: Callable[[], bool], *, every: float = OFTEN) -> None:
    """Run `index_scopes` repeatedly until ``stopped``. every: seconds to wait before each run. If Postgres is away, the next run
    tries again.
    """
    repeat(lambda: index_scopes(admin_url), stopped, every=every, interrupted="index_interrupted")
