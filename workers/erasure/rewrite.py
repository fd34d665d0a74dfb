"""`python -m workers rewrite`: takes what was erased out of files, too: those of the event queue's Redis and of the tables.

A row that is deleted stays in its page until something else needs the place. Rewritten, a table's files hold its rows and nothing
else. Nobody reads or writes a table meanwhile, and there has to be room for a second one: an operator says when.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import Connection, Engine

from db import namespaces
from db.engine import ADMIN_URL, admin_engine
from db.erasure import erasures
from db.erasure.memories import Key, Retold, VersionRow, versions_of
from db.erasure.scopes import ErasureScope
from db.keys import LaneRef
from db.schema.roles import OWNER
from mosshead.embeddings import Embedder
from mosshead.errors import StoreUnavailable
from mosshead.store.connection import tenant_transaction
from pipeline.embedding import embed
from pipeline.erasure import Says, Version, told_by_others
from pipeline.models import Fact
from workers.erasure.queue_files import rewrite_queue_files

_PATIENCE_SECONDS = 60.0
_POLL_SECONDS = 0.1


def rewrite(admin_url: str, broker_url: str | None, tell: Callable[[str], object]) -> int:
    """Rewrite all files with content where something was erased since they last were; returns how many receipts say so now.

    broker_url: None where Redis's files are to be left alone. tell: is given the name of each file and table before it is
    rewritten. Raises StoreUnavailable where Postgres does not answer, or an older transaction does not end: it may see what was
    erased since it began, and Postgres keeps that for it. Raises what `rewrite_queue_files` raises, before it touches a table.
    """
    with admin_engine(admin_url) as engine:
        return _rewrite(engine, broker_url, tell)


def _rewrite(engine: Engine, broker_url: str | None, tell: Callable[[str], object]) -> int:
    with _as_owner(engine) as connection:
        began, tenants = erasures.clock(connection), namespaces.tenants(connection)
    waiting = []
    for tenant_id in tenants:
        with _of_tenant(engine, tenant_id) as connection:
            if erasures.to_rewrite(connection, tenant_id):
                waiting.append(tenant_id)
    if not waiting:
        return 0
    if broker_url is not None:
        rewrite_queue_files(broker_url, tell)
    with _as_owner(engine) as connection:
        _outlast_others(connection)
        for table in erasures.tables_with_content(connection):
            tell(table)
            connection.exec_driver_sql(f"vacuum (full) mosshead.{table}")
            # Which pages all may see is not known of new files, and until it is, each search reads the table for its index.
            connection.exec_driver_sql(f"vacuum (analyze) mosshead.{table}")
    marked = 0
    for tenant_id in waiting:
        with _of_tenant(engine, tenant_id) as connection:
            marked += erasures.mark_rewritten(connection, tenant_id, before=began)
    return marked


def _outlast_others(connection: Connection) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    older = erasures.transactions(connection)
    while older & erasures.transactions(connection):
        if time.monotonic() > deadline:
            raise StoreUnavailable(
                f"{ADMIN_URL}: a transaction that began before this command has not ended, and what was erased is kept for it; "
                "look for a dump or an app that does not commit in pg_stat_activity, and run this again afterwards"
            )
        time.sleep(_POLL_SECONDS)


@contextmanager
def _of_tenant(engine: Engine, tenant_id: UUID) -> Iterator[Connection]:
    with tenant_transaction(engine, tenant_id) as connection:
        connection.exec_driver_sql(f"set local role {OWNER}")
        yield connection


@contextmanager
def _as_owner(engine: Engine) -> Iterator[Connection]:
    """Outside any transaction, for as long as it takes."""
    with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.exec_driver_sql(f"set role {OWNER}")
        connection.exec_driver_sql("set statement_timeout = 0")
        yield connection


def retold(connection: Connection, lane: LaneRef, part: ErasureScope, embedder: Embedder) -> ErasureScope:
    """A part with what the memories say from here on that others bear out, too. Those of whom nothing is left go with the rest.

    Raises what the embedder raises.
    """
    rows = defaultdict[UUID, list[VersionRow]](list)
    for row in versions_of(connection, lane, part.repeated, part.messages):
        rows[row.key[0]].append(row)
    left = {
        memory_id: told_by_others(
            [Version(one.key[1], Says(**one.says), one.erased, _fact(one.fact)) for one in of_one]
        )
        for memory_id, of_one in rows.items()
    }
    lost = frozenset(memory_id for memory_id, versions in left.items() if not versions)
    stay = [row for memory_id in part.repeated - lost for row in rows[memory_id]]
    says = {(memory_id, number): one for memory_id, versions in left.items() for number, one in versions.items()}
    told = Retold(
        gone=[row.key for row in stay if row.key not in says],
        anew={row.key: asdict(says[row.key]) for row in stay if row.key in says and asdict(says[row.key]) != row.says},
        vectors=embed(_new_words(stay, says), embedder),
        model=embedder.name,
    )
    return replace(part, memories=part.memories | lost, repeated=part.repeated - lost, retold=told)


def _new_words(rows: Sequence[VersionRow], says: Mapping[Key, Says]) -> dict[Key, str]:
    """What versions say that have no vector of it, nor the one before them that stays."""
    words = {}
    last: tuple[UUID, str] | None = None
    for before, row in zip((None, *rows), rows, strict=False):
        if row.key not in says:
            continue
        now = (row.key[0], says[row.key].content)
        began = before is None or (before.key[0], before.says["content"]) != (row.key[0], row.says["content"])
        if now != last and not (began and now[1] == row.says["content"]):
            words[row.key] = now[1]
        last = now
    return words


def _fact(logged: Mapping[str, Any] | None) -> Fact | None:
    """As an earlier release may have written it: what cannot be read says nothing."""
    try:
        return Fact.model_validate(logged) if logged else None
    except ValidationError:
        return None
