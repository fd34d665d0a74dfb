"""`mosshead service index`, as an operator runs it."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import Engine, text
from structlog.testing import capture_logs

from config.settings import Settings, settings
from db import search_indexes
from db.keys import LaneRef
from mosshead.errors import ConfigurationError, StoreUnavailable
from tests.given import MODEL, until_logged
from workers.cli.indexing import index_scopes, keep_indexed
from workers.cli.status import read_status
from workers.local import wait_until
from workers.scheduler import run_scheduler


@pytest.mark.usefixtures("service", "settled")
def test_index_reports_that_there_is_nothing_to_index(
    run: Callable[..., str], admin_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSSHEAD_ADMIN_URL", admin_url)
    settings.cache_clear()

    assert run("index").strip() == "Nothing to index."


@pytest.mark.usefixtures("settled")
def test_scheduler_and_status_report_due_indexes(
    service: Settings, lane: LaneRef, admin_engine: Engine, worker_engine: Engine
) -> None:
    scope = {**lane.scope, "model": MODEL, "memories": search_indexes.OUTGROWN + 1}
    with admin_engine.begin() as connection:
        connection.execute(
            text("insert into mosshead.scopes values (:tenant_id, :namespace_id, :model, :memories)"), scope
        )
    with worker_engine.begin() as connection:
        due = search_indexes.due(connection)
    with capture_logs() as logs:
        run_scheduler(service, until_logged(logs, "indexes_due"))

    assert due >= 1
    assert [log["namespaces"] for log in logs if log["event"] == "indexes_due"] == [due]
    assert read_status(service).indexes_due == due
    with admin_engine.begin() as connection:
        connection.execute(text("delete from mosshead.scopes where namespace_id = :namespace_id"), scope)


_ODD_VECTOR = """
    insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding)
    values (:tenant_id, :namespace_id, :model, 'memory', :owner_id, 1, '[1,0,0]')
"""


def test_index_refused_by_postgres_does_not_stop_those_of_other_namespaces(
    lane: LaneRef, admin_url: str, admin_engine: Engine
) -> None:
    """The namespace holds a vector of a different length than its model's."""
    other = {"tenant_id": uuid4(), "namespace_id": uuid4(), "model": "odd"}
    scope = "insert into mosshead.scopes values (:tenant_id, :namespace_id, :model, :rows)"
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("insert into mosshead.models (model, dimensions) values ('odd', 5)")
        connection.execute(text(_ODD_VECTOR), {**other, "owner_id": uuid4()})
        connection.execute(text("delete from mosshead.scopes where namespace_id = :namespace_id"), other)
        connection.execute(text(scope), {**other, "rows": search_indexes.OUTGROWN + 2})
        connection.execute(text(scope), {**lane.scope, "model": MODEL, "rows": search_indexes.OUTGROWN + 1})
    try:
        with capture_logs() as logs, pytest.raises(psycopg.errors.DataException):
            index_scopes(admin_url)
        with admin_engine.begin() as connection:
            indexed = (
                connection.exec_driver_sql("select namespace_id from mosshead.scopes where indexed").scalars().all()
            )
    finally:
        with admin_engine.begin() as connection:
            connection.execute(
                text("delete from mosshead.scopes where namespace_id = :namespace_id"), [other, lane.scope]
            )
            connection.execute(text("delete from mosshead.embeddings where namespace_id = :namespace_id"), other)
            connection.exec_driver_sql("delete from mosshead.vocabulary where model = 'odd'")
            connection.exec_driver_sql("delete from mosshead.models where model = 'odd'")
        index_scopes(admin_url)
    assert lane.namespace_id in indexed
    assert [one["namespace_id"] for one in logs if one["event"] == "namespace_left_out"] == [str(other["namespace_id"])]


def test_scope_that_becomes_too_large_for_a_scan_is_indexed(
    lane: LaneRef, admin_url: str, admin_engine: Engine
) -> None:
    scope = {**lane.scope, "model": MODEL}
    count = "update mosshead.scopes set memories = :rows, turns = :rows where namespace_id = :namespace_id"
    with admin_engine.begin() as connection:
        connection.execute(text("insert into mosshead.scopes values (:tenant_id, :namespace_id, :model)"), scope)

    def indexed() -> tuple[bool, bool]:
        with admin_engine.begin() as connection:
            statement = "select indexed, turns_indexed from mosshead.scopes where namespace_id = :namespace_id"
            both = connection.execute(text(statement), scope).one()
        return both.indexed, both.turns_indexed

    ended = threading.Event()
    running = threading.Thread(target=keep_indexed, args=(admin_url, ended.is_set), kwargs={"every": 0.05})
    running.start()
    try:
        for rows in (search_indexes.OUTGROWN + 1, 0):
            with admin_engine.begin() as connection:
                connection.execute(text(count), {**scope, "rows": rows})
            wait_until(lambda: indexed() == (rows > 0, rows > 0), timeout=30, what="the indexes")  # noqa: B023
    finally:
        ended.set()
        running.join()


def test_missing_database_is_waited_for() -> None:
    rounds = iter((False, False, False, True))
    with capture_logs() as logs:
        keep_indexed("postgresql://admin@127.0.0.1:9/mosshead", lambda: next(rounds), every=0)
    assert [(log["event"], log["error"]) for log in logs] == [("index_interrupted", "StoreUnavailable")] * 3


def test_index_command_repeats_until_it_is_stopped(service: Settings, admin_url: str) -> None:
    env = {**os.environ, "MOSSHEAD_ADMIN_URL": admin_url, "MOSSHEAD_DATABASE_URL": str(service.database_url)}
    command = [sys.executable, "-m", "workers", "index", "--every", "60"]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1)
        process.terminate()
        assert process.wait(60) == 0


def test_index_needs_the_administrators_address(run: Callable[..., str]) -> None:
    with pytest.raises(ConfigurationError, match="MOSSHEAD_ADMIN_URL is not set"):
        run("index")


def test_unreachable_database_is_named() -> None:
    with pytest.raises(StoreUnavailable, match=r"^MOSSHEAD_ADMIN_URL: cannot connect"):
        index_scopes("postgresql://admin@127.0.0.1:9/mosshead")
