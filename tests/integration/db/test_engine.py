"""The service's connection pool when Postgres closes connections."""

import time
from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import InternalError, OperationalError

from db import engine as engines
from db.engine import open_engine
from db.keys import LaneRef
from mosshead.store.connection import tenant_transaction
from workers.local import Addresses

_KILL = text("select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity where application_name = 'closed'")


IDLE_SECONDS = 0.1


@pytest.fixture
def pool(addresses: Addresses, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setattr(engines, "_IDLE_SECONDS", IDLE_SECONDS)
    engine = open_engine(f"{addresses.worker_url}&application_name=closed", setting="MOSSHEAD_WORKER_URL")
    yield engine
    engine.dispose()


def test_connection_that_died_while_idle_is_replaced(pool: Engine, admin_engine: Engine) -> None:
    with pool.begin() as connection:
        connection.exec_driver_sql("select 1")
    with admin_engine.connect() as connection:
        assert connection.execute(_KILL).scalar_one() == 1
    time.sleep(2 * IDLE_SECONDS)

    with pool.begin() as connection:
        assert connection.exec_driver_sql("select 2").scalar_one() == 2


def test_tenant_transaction_replaces_a_connection_that_just_died(
    pool: Engine, admin_engine: Engine, lane: LaneRef
) -> None:
    with tenant_transaction(pool, lane.tenant_id) as connection:
        connection.exec_driver_sql("select 1")
    with admin_engine.connect() as connection:
        assert connection.execute(_KILL).scalar_one() == 1

    with tenant_transaction(pool, lane.tenant_id) as connection:
        assert connection.exec_driver_sql("select 2").scalar_one() == 2


def test_connections_to_a_server_that_turns_out_to_be_read_only_are_given_up(pool: Engine) -> None:
    """As behind an address that led to the primary until a failover."""

    def server_process() -> int:
        with pool.begin() as connection:
            return int(connection.exec_driver_sql("select pg_backend_pid()").scalar_one())

    before = server_process()
    assert server_process() == before
    with pool.connect() as connection:
        connection.exec_driver_sql("set transaction read only")
        with pytest.raises(InternalError, match="read-only") as refused:
            connection.exec_driver_sql("update mosshead.lanes set ready_at = null where false")
    assert refused.value.connection_invalidated
    assert server_process() != before


def test_ping_that_fails_on_a_live_connection_is_an_error(pool: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """For example a cancelled query: the connection is not silently replaced."""

    def canceled(_: object) -> bool:
        raise psycopg.errors.QueryCanceled

    with pool.begin() as connection:
        connection.exec_driver_sql("select 1")
    monkeypatch.setattr(pool.dialect, "do_ping", canceled)
    time.sleep(2 * IDLE_SECONDS)

    with pytest.raises(OperationalError), pool.begin():
        pass
