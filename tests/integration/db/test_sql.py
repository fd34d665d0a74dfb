"""How statements are run: as many as a text has, and what is returned where there is no row."""

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import NoResultFound

from db import usage
from db.keys import BatchRef, LaneRef
from db.replay import generations
from mosshead.store.connection import Sql, tenant_transaction


@pytest.fixture
def connection(worker_engine: Engine, lane: LaneRef) -> Iterator[Connection]:
    with tenant_transaction(worker_engine, lane.tenant_id) as connection:
        yield connection


NO_ROW = Sql("select 1 as one where false")


@pytest.mark.parametrize("wanted", [NO_ROW.one, NO_ROW.value, NO_ROW.number])
def test_a_row_that_must_be_there_and_is_not_raises(connection: Connection, wanted: Callable[..., object]) -> None:
    with pytest.raises(NoResultFound):
        wanted(connection)


def test_a_row_that_may_be_missing_is_none(connection: Connection) -> None:
    assert (NO_ROW.row(connection), NO_ROW.scalar(connection)) == (None, None)


def test_one_row_is_returned_whole_and_by_its_first_column(connection: Connection) -> None:
    statement = Sql("select cast(%(number)s as integer) as one, 2 as two")
    assert tuple(statement.one(connection, number=1)) == (1, 2)
    assert statement.value(connection, number=1) == statement.number(connection, number=1) == 1


def test_the_stage_of_a_batch_that_is_gone_is_no_word(connection: Connection, lane: LaneRef) -> None:
    with pytest.raises(NoResultFound):
        usage.stage_of(connection, BatchRef(lane, uuid4()))


def test_nothing_waits_in_a_lane_that_is_gone(connection: Connection, lane: LaneRef) -> None:
    assert generations.waiting(connection, lane) == 0


def test_statements_are_run_for_each_row_and_for_no_row_not_at_all(connection: Connection) -> None:
    connection.exec_driver_sql("create temporary table counted (number integer) on commit drop")
    insert = Sql("""
        insert into counted values (%(number)s);
        insert into counted values (10 * %(number)s)
    """)
    insert.run_each(connection, [{"number": 1}, {"number": 2}])
    insert.run_each(connection, [])
    assert Sql("select number from counted order by number").scalars(connection) == [1, 2, 10, 20]


def test_statements_end_with_the_semicolons_that_end_lines() -> None:
    sql = """
        select ';' as not_here; select 1;
        select 2;

        ;
    """
    assert [one.strip() for one in Sql(sql).statements] == ["select ';' as not_here; select 1", "select 2"]
