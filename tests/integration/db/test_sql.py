"""Running statements: several in one text, and what is returned where there is no row."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import NoResultFound

from db import usage
from db.keys import BatchRef, LaneRef
from db.replay import generations
from mosshead.store.connection import BinaryVector, Sql, tenant_transaction


@pytest.fixture
def connection(worker_engine: Engine, lane: LaneRef) -> Iterator[Connection]:
    with tenant_transaction(worker_engine, lane.tenant_id) as connection:
        yield connection


NO_ROW = Sql("select 1 as one where false")


@pytest.mark.parametrize("wanted", [NO_ROW.one, NO_ROW.value, NO_ROW.number])
def test_missing_required_row_raises(connection: Connection, wanted: Callable[..., object]) -> None:
    with pytest.raises(NoResultFound):
        wanted(connection)


def test_missing_optional_row_is_none(connection: Connection) -> None:
    assert (NO_ROW.row(connection), NO_ROW.scalar(connection)) == (None, None)


def test_row_is_returned_whole_and_by_its_first_column(connection: Connection) -> None:
    statement = Sql("select cast(%(number)s as integer) as one, 2 as two")
    assert tuple(statement.one(connection, number=1)) == (1, 2)
    assert statement.value(connection, number=1) == statement.number(connection, number=1) == 1


def test_bound_and_given_parameters_are_combined(connection: Connection) -> None:
    statement = Sql("select %(one)s::integer, %(two)s::integer, %(three)s::integer", {"one": 1, "two": 1})
    assert tuple(statement.one(connection, {"two": 2}, three=3)) == (1, 2, 3)


def test_percent_sign_that_is_no_placeholder_is_written_twice(connection: Connection) -> None:
    assert Sql("select 7 %% %(number)s::integer").value(connection, number=4) == 3
    assert Sql("select 7 %% 4").value(connection) == 3


def test_values_of_all_types_statements_take_arrive(connection: Connection, lane: LaneRef) -> None:
    ids, now = [uuid4(), uuid4()], datetime.now(UTC)
    given = {"nothing": None, "ids": ids, "none": [], "at": now, "words": ["a", "b"], "fact": Jsonb({"ends": None})}
    row = Sql("""
        select %(nothing)s::uuid is null as nothing, %(ids)s::uuid[] as ids, %(none)s::uuid[] as none, %(at)s::timestamptz as at,
               'b' = any(%(words)s) as among, %(fact)s::jsonb as fact, %(vector)s::halfvec::text as vector
    """).one(connection, given, vector=BinaryVector([1, 0.5]))
    assert tuple(row) == (True, ids, [], now, True, {"ends": None}, "[1,0.5]")


def test_deleted_batch_has_no_stage(connection: Connection, lane: LaneRef) -> None:
    with pytest.raises(NoResultFound):
        usage.stage_of(connection, BatchRef(lane, uuid4()))


def test_deleted_lane_has_nothing_waiting(connection: Connection, lane: LaneRef) -> None:
    assert generations.waiting(connection, lane) == 0


def test_statements_run_once_per_row_and_never_without_rows(connection: Connection) -> None:
    connection.exec_driver_sql("create temporary table counted (number integer) on commit drop")
    insert = Sql(
        """
        insert into counted values (%(number)s);
        insert into counted values (%(times)s * %(number)s)
    """,
        {"times": 10},
    )
    insert.run_each(connection, [{"number": 1}, {"number": 2}])
    insert.run_each(connection, [])
    assert Sql("select number from counted order by number").scalars(connection) == [1, 2, 10, 20]


def test_statements_end_at_semicolons_that_end_lines() -> None:
    sql = """
        select ';' as not_here; select 1;
        select 2;

        ;
    """
    assert [one.strip() for one in Sql(sql).statements] == ["select ';' as not_here; select 1", "select 2"]
