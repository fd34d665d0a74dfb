"""Switching the two generations of a namespace."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError
from structlog.testing import capture_logs

from config.settings import settings
from db.dead_letters import resume
from db.keys import LaneRef
from db.replay import generations
from db.replay.generations import EXCHANGED_TABLES, Generation, exchange
from mosshead import Namespace
from mosshead.errors import NotFound
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from tests.forming import Forming, carry_out_erasure, carry_through
from tests.given import claimed, under_way, until_blocked, until_logged
from tests.integration.db.test_security import fill
from tests.integration.workers.conftest import OF_NAMESPACES, Dump, Find
from tests.replaying_given import Replaying, contents
from workers.replay import replays
from workers.replay.follow import follow
from workers.replay.replays import ReplayRefused, locked
from workers.scheduler import release_abandoned, run_scheduler

ROOT = Path(__file__).resolve().parents[3]
_WAITS_FOR_FEEDBACK = text("""
    with batch as (
        insert into mosshead.reflection_batches (tenant_id, namespace_id, kind, subject, batch_id)
        values (:tenant_id, :namespace_id, 'prompt', 'greeting', :batch_id)
    )
    insert into mosshead.reflections (tenant_id, namespace_id, kind, subject, dirty_since)
    values (:tenant_id, :namespace_id, 'prompt', 'greeting', now())
""")
_TOLD_APART = text("""
    with summary as (
        update mosshead.summaries set content = namespace_id::text where namespace_id = :namespace_id
    )
    update mosshead.reflections set subject = namespace_id::text where namespace_id = :namespace_id
""")
_NOT_FILLED = {
    *("traits", "vocabulary", "scopes"),  # maintained by triggers
    *("events", "messages", "conversations", "turns", "candidate_turns", "publishers", "tombstones", "erasures"),
    *("lanes", "batches", "candidate_facts", "step_results", "dead_letters", "usage"),
    *("namespaces", "generations", "prompts", "prompt_feedback", "refused"),
}
"""Tables outside generations: messages, lane data, and the namespace's own data."""

_BY_ANOTHER = text("update mosshead.events set formed_by = namespace_id::text where tenant_id = :tenant_id")
_BATCHES_OF_EVENTS = text("""
    select event_id, batch_id, place, formed_by from mosshead.events where namespace_id = :namespace_id order by event_id
""")
_NAMED = text("select distinct payload -> 'namespace' from mosshead.events where namespace_id = :namespace_id")
_BATCHES_OF_DECISIONS = text("select batch_id from mosshead.decisions where namespace_id = :namespace_id")


def test_switch_changes_what_apps_read_and_back(
    replayed: Replaying, forming: Forming, sarah: Namespace, worker_engine: Engine
) -> None:
    forming.say("I live in Berlin.", "My brother Peter Haas plays the cello.", "Peter Haas lives in Ghent.")
    before = {one.id for one in sarah.memories()}
    replayed.start()
    there = {one.id for one in replayed.there.memories()}
    exported_there = list(replayed.there.export())

    replayed.switch()

    assert {one.id for one in sarah.memories()} == there
    assert list(sarah.export()) == exported_there
    assert {one.id for one in replayed.there.memories()} == before
    assert sarah.query("cello", limit=1)[0].content == replayed.there.query("cello", limit=1)[0].content
    assert "cello" in sarah.context("What does Peter play?").text
    forming.say("I moved to Porto.")
    replayed.follow()
    assert any("Porto" in one for one in contents(sarah))
    assert contents(replayed.there) == contents(sarah)
    replayed.switch()
    assert {one.id for one in sarah.memories()} & before
    assert contents(replayed.there) == contents(sarah)


def test_switch_exchanges_a_whole_generation_and_nothing_else(
    replayed: Replaying, forming: Forming, sarah: Namespace, dump: Dump, admin_engine: Engine
) -> None:
    """Including what triggers maintain, in both directions: twice changes nothing."""
    forming.command(
        type="configure", profiles=[{"name": "Person", "json_schema": {"type": "object", "properties": {}}}]
    )
    forming.say("I live in Berlin.", "My brother Peter Haas plays the cello.", "Peter Haas lives in Ghent.")
    forming.say("Peter Meier is a plumber.", "I moved to Porto.", conversation="c2")
    [cello] = [one for one in sarah.memories() if "cello" in one.content]
    forming.command(type="forget", memories=[str(cello.id)])
    replayed.start()
    with admin_engine.begin() as connection:
        for path in (sarah.path, replayed.there.path):
            missing = set(connection.execute(OF_NAMESPACES).scalars()) - _NOT_FILLED - set(dump(path))
            for table in sorted(missing):
                fill(connection, table, path.tenant_id, path.namespace_id)
            connection.execute(_TOLD_APART, {"namespace_id": path.namespace_id})
    here, there = dump(sarah.path), dump(replayed.there.path)
    assert set(EXCHANGED_TABLES) <= set(here)
    assert all(here[table] != there[table] for table in EXCHANGED_TABLES)

    replayed.switch()

    assert (dump(sarah.path), dump(replayed.there.path)) == (there, here)
    replayed.switch()
    assert (dump(sarah.path), dump(replayed.there.path)) == (here, there)
    with admin_engine.connect() as connection:
        for table in connection.execute(OF_NAMESPACES).scalars():
            elsewhere = text(f"select count(*) from mosshead.{table} where {_ELSEWHERE}")
            assert (table, connection.execute(elsewhere, replayed.both).scalar_one()) == (table, 0)


_ELSEWHERE = "tenant_id = :tenant_id and namespace_id not in (:namespace_id, :replay_id)"


def test_namespaces_own_data_stays(
    replayed: Replaying, forming: Forming, sarah: Namespace, dump: Dump, admin_engine: Engine
) -> None:
    """Prompts with their decisions and pending feedback."""
    forming.command(type="set_prompt", name="greeting", template="Hello")
    forming.say("I live in Berlin.")
    replayed.start()
    with admin_engine.begin() as connection:
        connection.execute(_WAITS_FOR_FEEDBACK, {"batch_id": uuid4(), **replayed.lane.scope})
    own = own_of(dump(sarah.path))
    assert all(own.values())

    replayed.switch()

    assert own_of(dump(sarah.path)) == own
    assert not any(own_of(dump(replayed.there.path)).values())


_OWN = re.compile(r'"(action": "set_|kind": ")prompt"')


def own_of(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return the rows that belong to no generation."""
    found = {table: [one for one in rows.get(table, ()) if _OWN.search(one)] for table in ("decisions", "reflections")}
    return {**found, "prompts": rows.get("prompts", []), "reflection_batches": rows.get("reflection_batches", [])}


def test_decisions_name_the_batch_of_their_events(
    replayed: Replaying, forming: Forming, sarah: Namespace, admin_engine: Engine
) -> None:
    """Erasures and reflections use it to find the messages; and events say who formed what of them."""
    for said in ("I live in Berlin.", "I play the cello.", "I like tea."):
        forming.say(said)
    replayed.start()
    with admin_engine.begin() as connection:
        connection.execute(_BY_ANOTHER, replayed.lane.scope)

    def batches(path: NamespacePath) -> list[Any]:
        with admin_engine.connect() as connection:
            scope = {"namespace_id": path.namespace_id}
            of_events = [tuple(row) for row in connection.execute(_BATCHES_OF_EVENTS, scope)]
            named = set(connection.execute(_BATCHES_OF_DECISIONS, scope).scalars())
        assert named
        assert named <= {batch for _, batch, _, _ in of_events}
        return of_events

    here, there = batches(sarah.path), batches(replayed.there.path)
    assert here != there

    replayed.switch()

    assert (batches(sarah.path), batches(replayed.there.path)) == (there, here)


def test_manual_changes_are_repeated_in_a_replay_of_the_replaced_generation(
    replayed: Replaying, forming: Forming, sarah: Namespace, admin_engine: Engine
) -> None:
    """A command refers to known items by their current ids, and to the namespace as its app does."""
    forming.say("I live in Berlin.", "I play the cello.")
    [cello] = [one for one in sarah.memories() if "cello" in one.content]
    forming.command(type="forget", memories=[str(cello.id)])
    replayed.start()
    replayed.switch()
    replays.drop(replayed.engine, replayed.path)

    replayed.start()

    assert (contents(replayed.there), replayed.left_out) == ({"User lives in Berlin"}, [])
    for path in (sarah.path, replayed.there.path):
        with admin_engine.connect() as connection:
            named = connection.execute(_NAMED, {"namespace_id": path.namespace_id}).scalars()
            assert [tuple(one) for one in named] == [path.parts]


def test_due_work_moves_with_its_generation_and_wakes_its_lane(
    replayed: Replaying, forming: Forming, sarah: Namespace, admin_engine: Engine
) -> None:
    """Profiles to be refreshed and waiting reflections belong to the generation that formed them."""
    forming.say("I live in Berlin.")
    replayed.start()

    def due(path: NamespacePath) -> list[Any]:
        with admin_engine.connect() as connection:
            return list(connection.execute(_DUE, {"namespace_id": path.namespace_id}).one())

    with admin_engine.begin() as connection:
        connection.execute(_IS_DUE, {"namespace_id": sarah.path.namespace_id, "profiles": 3, "reflections": 9})
        connection.execute(_IS_DUE, {"namespace_id": replayed.there.path.namespace_id, "profiles": 5, "reflections": 4})
    assert (due(sarah.path), due(replayed.there.path)) == ([3, 9, None], [5, 4, None])

    replayed.switch()

    assert (due(sarah.path), due(replayed.there.path)) == ([5, 4, 4], [3, 9, 3])


_IS_DUE = text("""
    update mosshead.lanes
    set ready_at = null, profiles_due_at = to_timestamp(:profiles), reflections_due_at = to_timestamp(:reflections)
    where namespace_id = :namespace_id
""")
_DUE = text("""
    select extract(epoch from profiles_due_at), extract(epoch from reflections_due_at), extract(epoch from ready_at)
    from mosshead.lanes where namespace_id = :namespace_id
""")


def test_command_received_during_the_switch_cancels_it(
    replayed: Replaying, forming: Forming, sarah: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names a memory by the id that its app has just read."""
    forming.say("I live in Berlin.", "I play the cello.")
    [cello] = [one for one in sarah.memories() if "cello" in one.content]
    replayed.start()

    def meanwhile(connection: Connection, generation: Generation) -> None:
        forming.publishing.send(forming.event(type="forget", memories=[str(cello.id)]))
        exchange(connection, generation)

    monkeypatch.setattr(generations, "exchange", meanwhile)
    with pytest.raises(ReplayRefused, match="a command waits in it"):
        replayed.switch()

    assert cello.id in {one.id for one in sarah.memories()}
    assert not stopped(replayed.engine, forming)
    monkeypatch.undo()
    forming.say("I like tea.")
    replayed.follow()
    replayed.switch()
    assert contents(sarah) == {"User lives in Berlin", "User likes tea"}


def test_publisher_after_the_switch_waits_until_readers_see_it(
    replayed: Replaying, forming: Forming, sarah: Namespace, admin_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event with an earlier id arrives either in time to be waited for, or after the switch."""
    forming.say("I live in Berlin.")
    [before] = sarah.memories()
    replayed.start()

    with ThreadPoolExecutor(1) as pool:
        publishing = []

        def then(connection: Connection, generation: Generation) -> None:
            exchange(connection, generation)
            forget = forming.event(type="forget", memories=[str(before.id)])
            publishing.append(pool.submit(forming.publishing.send, forget))
            until_blocked(admin_engine, "mosshead_write_v1.publish")

        monkeypatch.setattr(generations, "exchange", then)
        replayed.switch()
        assert publishing[0].result(timeout=30) == 1

    assert {one.id for one in sarah.memories()} != {before.id}


def test_lane_resumed_during_the_switch_cancels_it(
    replayed: Replaying, forming: Forming, sarah: Namespace, dump: Dump, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its batch is then running, with memories that would belong to the other generation."""
    forming.say("I live in Berlin.")
    replayed.start()
    forming.publishing.send(forming.publishing.message("I moved to Porto."))
    here, there = dump(sarah.path), dump(replayed.there.path)
    begun = []

    def meanwhile(connection: Connection, generation: Generation) -> None:
        with tenant_transaction(replayed.engine, replayed.lane.tenant_id) as another:
            assert resume(another, replayed.lane)
        begun.append(claimed(replayed.engine, replayed.lane))
        exchange(connection, generation)

    monkeypatch.setattr(generations, "exchange", meanwhile)
    with pytest.raises(ReplayRefused, match="somebody resumed it meanwhile; try again later"):
        replayed.switch()

    assert (dump(sarah.path), dump(replayed.there.path)) == (here, there)
    assert not stopped(replayed.engine, forming)
    monkeypatch.undo()
    carry_through(begun[0])
    replayed.follow()
    replayed.switch()
    assert any("Porto" in one for one in contents(sarah))


def test_erasure_received_during_the_switch_leaves_nothing_in_either(
    replayed: Replaying,
    forming: Forming,
    sarah: Namespace,
    find: Find,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A worker starts at once, and waits for the switching process."""
    forming.say("I live in Berlin.", conversation="c")
    forming.say("I play the quuxhorn.", conversation="d")
    replayed.start()
    assert "messages" in find("quux")

    with ThreadPoolExecutor(1) as pool:
        erasing = []

        def meanwhile(connection: Connection, generation: Generation) -> None:
            forming.publishing.send(forming.event(type="erase", conversation="d"))
            erasing.append(pool.submit(carry_out_erasure, forming.publishing.lane))
            until_blocked(replayed.engine, "generations")
            exchange(connection, generation)

        monkeypatch.setattr(generations, "exchange", meanwhile)
        with pytest.raises(NotFound, match="has no replay"):
            replayed.switch(wait=20.0)
        erasing[0].result(timeout=30)

    assert find("quux") == {}
    assert contents(sarah) == {"User lives in Berlin"}
    assert [one.scope for one in sarah.erasures.list()] == ["conversation"]
    assert not stopped(replayed.engine, forming)


def test_drop_during_the_switch_deletes_what_apps_read_before(
    replayed: Replaying, forming: Forming, sarah: Namespace, dump: Dump, monkeypatch: pytest.MonkeyPatch
) -> None:
    forming.say("I live in Berlin.", "I play the cello.")
    replayed.start()
    there = dump(replayed.there.path)

    with ThreadPoolExecutor(1) as pool:
        dropping = []

        def meanwhile(connection: Connection, generation: Generation) -> None:
            dropping.append(pool.submit(replays.drop, replayed.engine, replayed.path))
            until_blocked(replayed.engine, "generations")
            exchange(connection, generation)

        monkeypatch.setattr(generations, "exchange", meanwhile)
        replayed.switch()
        dropping[0].result(timeout=30)

    assert (dump(sarah.path), dump(replayed.there.path)) == (there, {})
    assert not stopped(replayed.engine, forming)


def test_waiting_command_is_waited_for(
    replayed: Replaying, forming: Forming, sarah: Namespace, worker_engine: Engine
) -> None:
    """It names memories that have other ids in the other generation."""
    forming.say("I live in Berlin.", "I play the cello.")
    [cello] = [one for one in sarah.memories() if "cello" in one.content]
    replayed.start()
    forming.publishing.send(forming.event(type="forget", memories=[str(cello.id)]))

    with pytest.raises(ReplayRefused, match="a command waits in it; try again later"):
        replayed.switch()

    assert {one.id for one in sarah.memories()} >= {cello.id}
    assert not stopped(worker_engine, forming)
    forming.say("I like tea.")
    replayed.follow()
    replayed.switch()
    assert not any("cello" in one for one in contents(sarah))


def test_unreplayed_events_are_waited_for(replayed: Replaying, forming: Forming) -> None:
    forming.say("I live in Berlin.")
    replays.start(replayed.engine, settings(), replayed.path, llm_model=None, instructions=None)

    with pytest.raises(ReplayRefused, match="not everything is replayed yet"):
        replayed.switch()
    follow(replayed.engine, replayed.lane)
    with pytest.raises(ReplayRefused, match="a batch of its replay is running"):
        replayed.switch()


def test_running_batch_is_waited_for(replayed: Replaying, forming: Forming, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that began just before the two lanes were held."""
    forming.say("I live in Berlin.")
    replayed.start()
    for said in ("I like tea.", "I play the cello."):
        forming.publishing.send(forming.publishing.message(said))
    begun = [claimed(replayed.engine, replayed.lane, messages=1)]

    with pytest.raises(ReplayRefused, match="a batch of it is running"):
        replayed.switch()
    carry_through(begun.pop())
    replayed.follow()

    def hold(connection: Connection, generation: Generation) -> None:
        begun.append(claimed(replayed.engine, replayed.lane, messages=1))
        just_then(connection, generation)

    just_then = generations.hold
    monkeypatch.setattr(generations, "hold", hold)
    with pytest.raises(ReplayRefused, match="a batch of it is running"):
        replayed.switch()
    assert not stopped(replayed.engine, forming)


def test_profile_being_written_is_waited_for(replayed: Replaying, forming: Forming) -> None:
    """No event waits then, but a worker is running all the same."""
    forming.say("I live in Berlin.")
    replayed.start()
    under_way(replayed.engine, LaneRef(replayed.lane.tenant_id, replayed.there.path.namespace_id))

    with pytest.raises(ReplayRefused, match="a batch of its replay is running"):
        replayed.switch()


def test_waiting_erasure_is_waited_for(replayed: Replaying, forming: Forming) -> None:
    """It deletes the replay, so that there is nothing to switch to."""
    forming.say("I live in Berlin.", conversation="c")
    replayed.start()
    forming.publishing.send(forming.event(type="erase", conversation="c"))

    with pytest.raises(ReplayRefused, match="a command waits in it"):
        replayed.switch()


def test_switch_that_fails_midway_changes_nothing_and_holds_nothing(
    replayed: Replaying, forming: Forming, sarah: Namespace, dump: Dump, monkeypatch: pytest.MonkeyPatch
) -> None:
    forming.say("I live in Berlin.")
    replayed.start()
    here, there = dump(sarah.path), dump(replayed.there.path)

    def fail(connection: Connection, generation: Generation) -> None:
        exchange(connection, generation)
        connection.exec_driver_sql("select 1 / 0")

    monkeypatch.setattr(generations, "exchange", fail)
    with pytest.raises(DBAPIError):
        replayed.switch()

    assert (dump(sarah.path), dump(replayed.there.path)) == (here, there)
    assert not stopped(replayed.engine, forming)


def test_killed_switch_changes_nothing_and_can_be_restarted(
    replayed: Replaying, forming: Forming, sarah: Namespace, dump: Dump, admin_engine: Engine
) -> None:
    """It leaves only two stopped lanes, which a later switch accepts."""
    forming.say("I live in Berlin.", "My brother Peter Haas plays the cello.")
    replayed.start()
    here, there = dump(sarah.path), dump(replayed.there.path)
    command = [sys.executable, "-m", "workers", "replay", "switch", *sarah.path.parts]
    with admin_engine.begin() as connection:
        connection.execute(_NAME_IS_HELD, forming.publishing.lane.scope)
        with subprocess.Popen(command, cwd=ROOT) as dying:
            until_blocked(admin_engine, "update mosshead.namespaces")  # nearly finished
            dying.kill()

    assert (dump(sarah.path), dump(replayed.there.path)) == (here, there)
    assert stopped(replayed.engine, forming) == {"changes places with its replay"}
    replayed.switch()
    assert (dump(sarah.path), dump(replayed.there.path)) == (there, here)
    assert not stopped(replayed.engine, forming)


@pytest.mark.parametrize("dropped", [False, True])
def test_lanes_held_by_a_killed_switch_are_released_by_themselves(
    replayed: Replaying, forming: Forming, sarah: Namespace, admin_engine: Engine, dropped: bool
) -> None:
    """Also if its replay is gone since, and not while a switch is running, however long it takes."""
    forming.say("I live in Berlin.")
    replayed.start()
    forming.publishing.send(forming.publishing.message("I like tea."))
    with tenant_transaction(replayed.engine, replayed.lane.tenant_id) as connection:
        generation = locked(connection, replayed.path)
        generations.hold(connection, generation)
    release_abandoned(replayed.engine)
    assert stopped(replayed.engine, forming), "that was just now"
    with admin_engine.begin() as connection:
        connection.execute(_HELD_LONG_AGO, forming.publishing.lane.scope)
    with tenant_transaction(replayed.engine, replayed.lane.tenant_id) as connection:
        locked(connection, replayed.path)
        release_abandoned(replayed.engine)
        assert not follow(replayed.engine, replayed.lane), "nor does the scheduler wait for it"
    assert stopped(replayed.engine, forming)
    if dropped:
        replays.drop(replayed.engine, replayed.path)

    with capture_logs() as logs:
        run_scheduler(settings(), until_logged(logs, "switch_abandoned"))

    assert [one["lanes"] for one in logs if one["event"] == "switch_abandoned"] == [1 if dropped else 2]
    assert not stopped(replayed.engine, forming)
    forming.send()
    assert contents(sarah) == {"User lives in Berlin", "User likes tea"}


_HELD_LONG_AGO = text("""
    update mosshead.lanes set quarantined_at = now() - interval '1 hour'
    where tenant_id = :tenant_id and quarantined_at is not null
""")
_NAME_IS_HELD = text("select from mosshead.namespaces where namespace_id = :namespace_id for no key update")


def test_two_concurrent_switches_run_one_after_the_other(
    replayed: Replaying, forming: Forming, sarah: Namespace, dump: Dump
) -> None:
    forming.say("I live in Berlin.", "I play the cello.")
    replayed.start()
    here, there = dump(sarah.path), dump(replayed.there.path)

    with ThreadPoolExecutor(4) as threads:
        for one in [threads.submit(replayed.switch, wait=20.0) for _ in range(4)]:
            one.result()

    assert (dump(sarah.path), dump(replayed.there.path)) == (here, there)
    assert not stopped(replayed.engine, forming)


def test_abandoned_switch_releases_nothing_while_another_runs(replayed: Replaying, forming: Forming) -> None:
    """Otherwise the other switch, which holds the same lanes, would have worked for nothing."""
    forming.say("I live in Berlin.")
    replayed.start()

    def give_up() -> None:
        with replays._held(replayed.engine, replayed.path):
            pass

    with ThreadPoolExecutor(1) as pool, tenant_transaction(replayed.engine, replayed.lane.tenant_id) as connection:
        generations.hold(connection, locked(connection, replayed.path))
        connection.commit()
        assert stopped(replayed.engine, forming)
        with tenant_transaction(replayed.engine, replayed.lane.tenant_id) as another:
            locked(another, replayed.path)
            given_up = pool.submit(give_up)
            until_blocked(replayed.engine, "generations")
            assert stopped(replayed.engine, forming)
        given_up.result(timeout=30)
    assert not stopped(replayed.engine, forming)


def test_stopped_lane_is_not_switched(replayed: Replaying, forming: Forming, admin_engine: Engine) -> None:
    forming.say("I live in Berlin.")
    replayed.start()
    with admin_engine.begin() as connection:
        connection.execute(
            text(
                "update mosshead.lanes set quarantined_at = now(), quarantined_for = 'many dead letters' "
                "where tenant_id = :tenant_id"
            ),
            {"tenant_id": replayed.lane.tenant_id},
        )

    with pytest.raises(ReplayRefused, match="quarantined"):
        replayed.switch()


def stopped(engine: Engine, forming: Forming) -> set[str]:
    """Return why lanes of the tenant are quarantined."""
    with engine.begin() as connection:
        rows = connection.execute(
            text(
                "select quarantined_for from mosshead.lanes where tenant_id = :tenant_id and quarantined_at is not null"
            ),
            {"tenant_id": forming.publishing.lane.tenant_id},
        )
        return set(rows.scalars())
