"""`mosshead service dead` and `lanes`, as an operator types them."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, text

from db import inbox, leases
from db.keys import LaneRef
from mosshead.errors import NotFound
from tests.given import LONG, Publishing, Worker, claimed, contents_of

CANARY = "zanzibar"

Run = Callable[..., Any]


@pytest.fixture
def dead(worker: Worker, publishing: Publishing) -> UUID:
    """Return the dead letter of the first of two messages."""
    first, _ = publishing.say(CANARY, "two")
    batch = claimed(worker.engine, worker.lane, messages=1)
    with worker.transaction() as connection:
        lease = leases.take(connection, batch, "extract", owner="a task", lasting=LONG)
        assert lease is not None
        inbox.mark_dead(connection, batch, f"extract: why {worker.lane.tenant_id}")
        leases.end(connection, lease, "dead")
    return first


def test_list_shows_namespace_and_reason_and_no_text(run: Run, dead: UUID, publishing: Publishing) -> None:
    tenant, name = publishing.path.parts
    said = run("dead", "list", "--tenant", tenant)
    (letter,) = run("dead", "list", "--tenant", tenant, "--json").json["dead_letters"]

    assert str(dead) in said
    assert CANARY not in said
    assert (letter["id"], letter["origin"], letter["namespace"]) == (str(dead), "stage", [tenant, name])
    assert letter["reason"].startswith("extract: why")
    assert (letter["times"], letter["bytes"]) == (1, None)
    assert 0 <= letter["age"] < 60
    assert run("dead", "list", "--tenant", f"{tenant}-not").strip() == "There are no dead letters."


def test_show_prints_the_text(run: Run, dead: UUID) -> None:
    assert CANARY in run("dead", "show", dead)
    found = run("dead", "show", dead, "--json").json
    assert (found["event"]["content"], found["body"]) == (CANARY, None)


def test_show_escapes_terminal_control_characters(run: Run, ingest_engine: Engine) -> None:
    letter_id = uuid4()
    letter = {"reason": "why", "digest": letter_id.hex, "bytes": 3, "body": "G1sySv8=", "event": None}
    with ingest_engine.begin() as connection:
        inbox.refuse(connection, [json.dumps(letter)])

    said = run("dead", "show", letter_id)
    assert r"\x1b[2J\xff" in said
    assert "\x1b" not in said
    assert run("dead", "show", letter_id, "--json").json["body"] == "\x1b[2J\\xff"
    assert run("dead", "discard", letter_id).strip() == "1 discarded."


def test_show_keeps_the_tabs_of_a_text(run: Run, ingest_engine: Engine) -> None:
    letter_id = uuid4()
    letter = {"reason": "why", "digest": letter_id.hex, "bytes": 3, "body": "YQli", "event": None}
    with ingest_engine.begin() as connection:
        inbox.refuse(connection, [json.dumps(letter)])

    assert run("dead", "show", letter_id).endswith("\n\na\tb\n")
    assert run("dead", "discard", letter_id).strip() == "1 discarded."


def test_requeue_puts_the_event_back_in_its_place(run: Run, dead: UUID, worker: Worker) -> None:
    assert run("dead", "requeue", dead, "--json").json == {"requeued": [str(dead)], "still_dead": {}}
    assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == [CANARY]


def test_requeue_by_reason_takes_all_that_have_it(run: Run, dead: UUID, worker: Worker) -> None:
    said = run("dead", "requeue", "--reason", f"why {worker.lane.tenant_id}")
    assert "1 requeued." in said
    assert "0 requeued." in run("dead", "requeue", "--reason", f"why {worker.lane.tenant_id}")


def test_letter_that_stays_dead_gives_its_reason_with_exit_status_1(
    run: Run, publishing: Publishing, ingest_engine: Engine
) -> None:
    bad = publishing.message(CANARY, role="narrator")
    with ingest_engine.begin() as connection:
        inbox.refuse(connection, [json.dumps({"reason": "old", "digest": "", "event": bad})])
    said = run("dead", "requeue", bad["event_id"])
    again = run("dead", "requeue", bad["event_id"], "--json")

    assert said.status == again.status == 1
    assert "0 requeued." in said
    assert again.json["requeued"] == []
    assert list(again.json["still_dead"]) == [bad["event_id"]]
    assert again.json["still_dead"][bad["event_id"]].startswith("event not accepted: role: one of")
    assert CANARY not in said + again


@pytest.mark.parametrize("command", ["show", "requeue", "discard"])
def test_unknown_id_is_named_and_nothing_is_done(run: Run, dead: UUID, command: str) -> None:
    missing = uuid4()
    with pytest.raises(NotFound, match=f"no dead letter {missing}"):
        run("dead", command, *([dead] if command != "show" else []), missing)
    assert CANARY in run("dead", "show", dead), "still there"


@pytest.mark.parametrize(
    "arguments",
    [
        ("dead", "requeue"),
        ("dead", "requeue", "--all", "--reason", "why"),
        ("dead", "discard"),
        ("dead", "show", "no-uuid"),
        ("lanes", "resume"),
        ("lanes", "resume", "acme", "sarah", "--all"),
    ],
)
def test_ambiguous_selection_is_refused(run: Run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).status == 2


def stop(engine: Engine, lane: LaneRef) -> None:
    with engine.begin() as connection:
        statement = text("""
            update mosshead.lanes set quarantined_at = now(), quarantined_for = 'many dead letters' where tenant_id = :tenant_id
        """)
        connection.execute(statement, lane.scope)


def quarantined(run: Run) -> list[list[str]]:
    """Return the paths of the stopped lanes."""
    states = run("lanes", "--limit", 10_000, "--json").json["lanes"]
    return [state["namespace"] for state in states if state["quarantined"] is not None]


def test_quarantined_lane_is_shown_and_resumed_by_its_path(
    run: Run, publishing: Publishing, admin_engine: Engine
) -> None:
    publishing.say("one")
    stop(admin_engine, publishing.lane)
    path = publishing.path.parts

    assert "quarantined" in run("lanes", "--limit", 10_000)
    assert list(path) in quarantined(run)
    assert run("lanes", "resume", *path).strip() == "1 resumed."
    assert list(path) not in quarantined(run)
    with pytest.raises(NotFound, match=f"^{'/'.join(path)}: no such lane is quarantined"):
        run("lanes", "resume", *path)


def test_all_lanes_are_resumed_at_once(run: Run, publishing: Publishing, admin_engine: Engine) -> None:
    publishing.say("one")
    stop(admin_engine, publishing.lane)

    assert run("lanes", "resume", "--all", "--json").json["resumed"] >= 1
    assert quarantined(run) == []


def test_lane_shows_its_running_batch(run: Run, publishing: Publishing, worker: Worker) -> None:
    publishing.say("one", "two")
    worker.leased(claimed(worker.engine, worker.lane), owner="a task")
    states = run("lanes", "--limit", 10_000, "--json").json["lanes"]
    (state,) = [one for one in states if one["namespace"] == list(publishing.path.parts)]

    assert (state["pending"], state["stage"], state["lease_owner"]) == (2, "extract", "a task")
    assert (state["quarantined"], state["quarantined_for"], state["error"]) == (None, None, None)
    assert state["leased"] > 0
    assert state["waiting"] >= 0
