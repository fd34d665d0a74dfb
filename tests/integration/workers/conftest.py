"""Fixtures shared by the tests of the service's processes."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import Engine, text

from config.settings import Settings, settings
from mosshead import Memory, Namespace
from mosshead.errors import NotFound
from mosshead.paths import NamespacePath
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming
from tests.given import Publishing
from tests.integration.mosshead.conftest import Taken, broker, taken
from tests.replaying_given import Replaying
from workers.dependencies import parts
from workers.replay import replays

__all__ = ["broker", "taken"]


@pytest.fixture
def taken_here(taken: Taken, publishing: Publishing) -> Callable[[int], list[dict[str, Any]]]:
    """Return a function that takes that many events of the fresh namespace out of the queue, ignoring other tests' events."""

    def take(count: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while len(found) < count:
            found += [one for one in taken(1) if tuple(one["namespace"]) == publishing.path.parts]
        return found

    return take


@pytest.fixture
def settle(forming: Forming, taken_here: Callable[[int], list[dict[str, Any]]]) -> Callable[[int], None]:
    """Return a function that has the service apply that many published events."""

    def carry_out(count: int) -> None:
        for one in taken_here(count):
            forming.send(one)

    return carry_out


@pytest.fixture
def picky(admin_engine: Engine) -> Iterator[None]:
    """Make the database refuse messages that say 7, as it refuses unforeseen values."""
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("""
            create function public.refuse_seven() returns trigger language plpgsql as $$
            begin raise exception 'no sevens' using errcode = '22003'; end $$;
            create trigger picky before insert on mosshead.messages
            for each row when (new.content = '7') execute function public.refuse_seven()
        """)
    yield
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("drop trigger picky on mosshead.messages; drop function public.refuse_seven()")


@pytest.fixture
def fake(service: Settings, settled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    """Return an LLM for the stages that run in this process."""
    with FakeOpenAI() as served:
        monkeypatch.setenv("OPENAI_BASE_URL", served.base_url)
        settings.cache_clear()
        parts.cache_clear()
        yield served


class Said(str):
    """The output of a command, with its exit status."""

    status: int

    @property
    def json(self) -> Any:
        return json.loads(self)


@pytest.fixture
def run(service: Settings, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Return a function that runs a command in this process, as `workers.cli.main.main` does."""
    from workers.cli.main import cli

    def run(*arguments: object) -> Said:
        capsys.readouterr()
        status = 0
        try:
            cli([str(one) for one in arguments], standalone_mode=True)
        except SystemExit as ended:
            status = int(ended.code or 0)
        said = Said("".join(capsys.readouterr()))
        said.status = status
        return said

    return run


@pytest.fixture
def forming(service: Settings, settled: None, worker_engine: Engine, publishing: Publishing) -> Forming:
    """Return an object that forms memories of the fresh namespace in this process."""
    return Forming(worker_engine, publishing)


@pytest.fixture
def sarah(memory: Memory, fresh_namespace: NamespacePath) -> Namespace:
    """Return the fresh namespace, as an app reads it."""
    return memory.namespace(*fresh_namespace.parts)


Find = Callable[..., dict[str, int]]


@pytest.fixture
def find(admin_engine: Engine, forming: Forming) -> Find:
    """Return a function that counts the tenant's rows by table that contain one of some words in any column."""

    def find(*words: str) -> dict[str, int]:
        given = {"tenant_id": forming.publishing.lane.tenant_id, "words": "|".join(words)}
        with admin_engine.connect() as connection:
            counted = " union all ".join(
                f"select '{table}' as name, count(*) as rows from mosshead.{table} as one "
                "where tenant_id = :tenant_id and cast(one as text) ~* :words"
                for table in connection.execute(_TABLES_WITH, {"column": "tenant_id"}).scalars()
            )
            found = connection.execute(text(counted), given).all()
        return {row.name: row.rows for row in found if row.rows}

    return find


@pytest.fixture
def replayed(worker_engine: Engine, forming: Forming, memory: Memory) -> Iterator[Replaying]:
    """Leave nothing behind that a later scheduler would process."""
    one = Replaying(worker_engine, forming, memory)
    yield one
    with suppress(NotFound):
        replays.drop(worker_engine, one.path)


Dump = Callable[[NamespacePath], dict[str, list[Any]]]

_TABLES_WITH = text("""
    select relname from pg_class join pg_attribute on attrelid = pg_class.oid and attname = :column
    where relnamespace = 'mosshead'::regnamespace and relkind = 'r' order by relname
""")

OF_NAMESPACES = _TABLES_WITH.bindparams(column="namespace_id")
"""The tables whose rows belong to a namespace."""

_OF_THE_LANE = {"events", "batches", "candidate_facts", "lanes", "publishers", "usage", "step_results", "namespaces"}
"""Columns that are not exchanged, or only in part."""


@pytest.fixture
def dump(admin_engine: Engine) -> Dump:
    """Return all rows of a namespace by table, without the lane's own and without generated columns."""

    def dumped(path: NamespacePath) -> dict[str, list[Any]]:
        given = {"tenant_id": path.tenant_id, "namespace_id": path.namespace_id}
        found: defaultdict[str, list[Any]] = defaultdict(list)
        with admin_engine.connect() as connection:
            tables = connection.execute(OF_NAMESPACES).scalars()
            all_rows = " union all ".join(
                f"select '{table}' as name, (to_jsonb(one) - '{{namespace_id}}'::text[])::text as row "
                f"from mosshead.{table} as one where tenant_id = :tenant_id and namespace_id = :namespace_id"
                for table in tables
                if table not in _OF_THE_LANE | {"generations"}
            )
            for one in connection.execute(text(all_rows), given):
                found[one.name].append(one.row)
        return {name: sorted(rows) for name, rows in found.items()}

    return dumped
