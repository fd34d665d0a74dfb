"""`mosshead service index`: a namespace that has outgrown a scan gets indexes, and one that has shrunk loses them.

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
"""Seconds between two looks at what is due. What has just outgrown a scan is searched by one until then, and no worse for it."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done. whole: scopes that lack nothing. drop: names of indexes. make: scopes, and the names each lacks."""

    whole: Sequence[Scope]
    drop: Sequence[str]
    make: Sequence[tuple[Scope, Sequence[str]]]


def work(large: Sequence[Scope], indexes: Mapping[str, bool], *, outgrown: int) -> Work:
    """What is to be done, as of what there is. Pure. A broken index is made anew.

    large: scopes that may keep their indexes. indexes: those that there are, by name: whether each is whole.
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
    """Make and drop indexes until each scope has what it needs; returns what was done, or None where another is at it.

    Raises StoreUnavailable where Postgres does not answer.
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
        search_indexes.tell(connection, whole)  # before any is dropped, so that readers do not count on it
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
    """`index_scopes`, again and again until ``stopped``. every: seconds from the end of one to the next; the first comes then.

    Where Postgres is away, the next finds it back.
    """
    repeat(lambda: index_scopes(admin_url), stopped, every=every, interrupted="index_interrupted")
