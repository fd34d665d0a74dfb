"""How a command of the operator's logs in: as a worker does, once, and under the same checks."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from sqlalchemy import Engine

from config.settings import Settings
from db.engine import check_login, open_engine
from db.keys import LaneRef
from db.namespaces import path_of
from mosshead.store.connection import tenant_transaction
from workers.parts import WORKER_URL


@contextmanager
def logged_in(settings: Settings) -> Iterator[Engine]:
    """An engine for the block. Raises ConfigurationError or StoreUnavailable where the login will not do."""
    engine = open_engine(settings.login("worker"), setting=WORKER_URL)
    try:
        check_login(engine, setting=WORKER_URL)
        yield engine
    finally:
        engine.dispose()


def paths_of(engine: Engine, lanes: Collection[LaneRef]) -> Mapping[LaneRef, tuple[str, ...] | None]:
    """The names of lanes, which each tenant alone may see; None for what is no namespace."""
    paths = {}
    for tenant_id in {lane.tenant_id for lane in lanes}:
        with tenant_transaction(engine, tenant_id) as connection:
            for lane in {one for one in lanes if one.tenant_id == tenant_id}:
                paths[lane] = path_of(connection, lane)
    return paths
