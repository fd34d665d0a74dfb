"""Concurrent reads: on their own connections while there are any, under one deadline, and each as its tenant."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import Engine, create_engine, text

from mosshead import ReadTimeout
from mosshead.deadline import at_the_same_time, bounded, ends_within, remaining
from mosshead.store.connection import Sql, in_one_trip
from mosshead.urls import sqlalchemy_url
from tests.given import until_blocked
from workers.local import Addresses

TENANT = UUID(int=7)
WHO = Sql("select pg_backend_pid() as pid, current_setting('mosshead.tenant_id') as tenant")
TURN = 7_261
"""Number of a lock that the test holds and each read waits for."""

WAITING = Sql(f"select pg_advisory_xact_lock_shared({TURN}) is null as waited")
SLEEP = Sql("select pg_sleep(20)")
WRONG = Sql("select 1 / 0")


@pytest.fixture(params=[1, 2])
def connections(request: pytest.FixtureRequest) -> int:
    """Return the number of connections of a pool."""
    many: int = request.param
    return many


@pytest.fixture
def reader(addresses: Addresses, connections: int) -> Iterator[Engine]:
    """Return a reader with a pool of that size and a minute for a read: the machine may be busy."""
    url = sqlalchemy_url(addresses.database_url, "X")
    engine = create_engine(url, pool_size=connections, max_overflow=0, pool_timeout=0.05)
    yield bounded(engine, 60)
    engine.dispose()


def asking(engine: Engine, statement: Sql) -> Callable[[], Any]:
    """Send a statement in one trip and return its row."""
    return lambda: in_one_trip(engine, TENANT, [statement])[0][0]


def test_each_read_has_its_own_connection_and_tenant_and_takes_turns_if_there_is_one(
    reader: Engine, connections: int
) -> None:
    with ends_within(reader):
        first, second = at_the_same_time(asking(reader, WHO), asking(reader, WHO))
    assert {first.tenant, second.tenant} == {str(TENANT)}
    if connections == 1:
        assert first.pid == second.pid


@pytest.mark.parametrize("connections", [2], indirect=True)
def test_reads_run_at_the_same_time(reader: Engine, admin_engine: Engine) -> None:
    with ThreadPoolExecutor(1) as threads:
        with admin_engine.begin() as holding:
            holding.execute(text(f"select pg_advisory_xact_lock({TURN})"))
            both = threads.submit(at_the_same_time, asking(reader, WAITING), asking(reader, WAITING))
            until_blocked(admin_engine, "pg_advisory_xact_lock_shared", count=2)
        assert len(both.result()) == 2


@pytest.mark.parametrize("wrong", [0, 1])
def test_error_of_one_read_is_raised_and_the_pool_stays_intact(reader: Engine, wrong: int) -> None:
    statements = [WHO, WHO]
    statements[wrong] = WRONG
    with pytest.raises(psycopg.errors.DivisionByZero):
        at_the_same_time(*(asking(reader, one) for one in statements))

    assert len(at_the_same_time(asking(reader, WHO), asking(reader, WHO))) == 2


@pytest.mark.parametrize("slow", [0, 1])
def test_one_deadline_covers_both_reads(reader: Engine, slow: int) -> None:
    statements = [WHO, WHO]
    statements[slow] = SLEEP
    with pytest.raises(ReadTimeout), ends_within(reader, 0.3):
        at_the_same_time(*(asking(reader, one) for one in statements))
    assert remaining() is None


def test_both_reads_see_the_deadline(reader: Engine) -> None:
    with ends_within(reader, 0.3):
        assert all(left is not None and left <= 0.3 for left in at_the_same_time(remaining, remaining))


def test_no_connection_keeps_the_tenant(reader: Engine, connections: int) -> None:
    at_the_same_time(asking(reader, WHO), asking(reader, WHO))
    taken = [reader.connect() for _ in range(connections)]
    kept = [one.execute(text("select current_setting('mosshead.tenant_id', true)")).scalar_one() for one in taken]
    for one in taken:
        one.close()
    assert set(kept) <= {None, ""}


def test_percent_sign_is_written_twice(reader: Engine) -> None:
    rest = in_one_trip(reader, TENANT, [Sql("select 7 %% 4 as rest")])
    assert rest[0][0].rest == 3


def test_trip_is_one_read_only_transaction(addresses: Addresses) -> None:
    may_write = {"options": "-c default_transaction_read_only=off"}
    engine = create_engine(sqlalchemy_url(addresses.database_url, "X"), connect_args=may_write)
    moment = Sql("select now() as begun, pg_sleep(0.01) is null as slept")
    (first,), (second,) = in_one_trip(engine, TENANT, [moment, moment])
    assert first.begun == second.begun
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        in_one_trip(engine, TENANT, [Sql("create temporary table said (content text)")])
    with engine.connect() as connection:
        assert connection.execute(text("show transaction_read_only")).scalar_one() == "off"
    engine.dispose()
