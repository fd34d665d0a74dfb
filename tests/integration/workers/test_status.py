"""Whether the service can work, as an operator asks."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pydantic import SecretStr
from redis import Redis
from sqlalchemy import Engine, text

from config.settings import Settings
from db import housekeeping, leases
from db.leases import Breaker
from db.status import ServiceFigures
from db.usage import TenantBudget
from mosshead import Memory, StoreUnavailable
from mosshead.cli.output import print_answer
from mosshead.errors import QueueUnavailable
from mosshead.paths import NamespacePath
from tests.forming import Forming
from tests.given import LONG, Publishing, Worker, claimed
from tests.integration.workers.conftest import Said
from workers.cli.output import fields
from workers.cli.status import STUCK_SECONDS, Status, read_status, rows
from workers.local import wait_until

LATE = STUCK_SECONDS + 1

QUIET = Status(
    queued_events=0,
    broker_memory=0.1,
    figures=ServiceFigures(
        backlog=0,
        waiting_lanes=0,
        oldest_waiting=0.0,
        quarantined_lanes=0,
        quarantined_by_reason={},
        at_work={},
        oldest_due=0.0,
        failing={},
        clocks_ahead=0,
        lag_p50=None,
        lag_p95=None,
        lag_max=None,
        dead_letters=0,
        dead_by_reason={},
        newest_dead_letter=None,
        refused_last_hour=0,
        workers=1,
        slots=2,
        other_languages=None,
    ),
    breakers=(),
    moving=False,
    offline_rules=True,
    over_budget={},
    llm_manners=(),
    rules_take_over=False,
    english_only=(),
    indexes_due=0,
    models=(),
    refused_tasks={},
)
AWAY = Breaker("llm", 12.0, 3, "the LLM endpoint answered 503")
NO_WORKERS: dict[str, Any] = {"workers": 0, "slots": 0}


def waiting(seconds: float) -> dict[str, Any]:
    return {"backlog": 1, "waiting_lanes": 1, "oldest_waiting": seconds}


def test_status_counts_what_the_intake_has_not_taken(
    service: Settings, memory: Memory, fresh_namespace: NamespacePath
) -> None:
    assert read_status(service).queued_events == 0
    memory.namespace(*fresh_namespace.parts).publish_conversation("User: one\nAssistant: two")
    wait_until(lambda: read_status(service).queued_events == 2, timeout=60, what="the events in the queue")

    assert read_status(service).queued_events == 2, "looking takes nothing"
    assert read_status(service).offline_rules


def test_json_is_flat_and_has_the_documented_fields(service: Settings) -> None:
    found = read_status(service).as_dict()

    assert list(found) == [
        "backlog",
        "waiting_lanes",
        "oldest_waiting",
        "quarantined_lanes",
        "quarantined_by_reason",
        "at_work",
        "oldest_due",
        "failing",
        "clocks_ahead",
        "lag_p50",
        "lag_p95",
        "lag_max",
        "dead_letters",
        "dead_by_reason",
        "newest_dead_letter",
        "refused_last_hour",
        "workers",
        "slots",
        "other_languages",
        "queued_events",
        "broker_memory",
        "breakers",
        "offline_rules",
        "over_budget",
        "indexes_due",
        "models",
        "refused_tasks",
        "llm_manners",
        "rules_take_over",
        "english_only",
        "stuck",
    ]


@pytest.mark.parametrize(
    ("figures", "others", "stuck"),
    [
        ({}, {}, False),
        (NO_WORKERS, {}, False),
        (waiting(STUCK_SECONDS), {}, False),
        (waiting(LATE), {}, True),
        (waiting(LATE), {"moving": True}, False),
        (waiting(LATE), {"breakers": (AWAY,)}, False),
        (waiting(1) | NO_WORKERS, {}, True),
        (waiting(1) | NO_WORKERS, {"moving": True}, True),
        ({"at_work": {"extract": 1}} | NO_WORKERS, {}, True),
        ({"at_work": {"extract": 1}, "oldest_due": LATE}, {}, True),
        ({"at_work": {"extract": 1}, "oldest_due": LATE}, {"breakers": (AWAY,)}, False),
        ({}, {"broker_memory": 0.99}, False),
        ({}, {"broker_memory": 1.0}, True),
        ({}, {"broker_memory": None}, False),
    ],
    ids=[
        "nothing waits",
        "nothing waits and nobody is there",
        "waits for a while",
        "waits for long",
        "waits behind others",
        "waits for a provider",
        "waits for nobody",
        "whose last worker has just gone",
        "is at work for nobody",
        "is at work and not taken up",
        "is at work and waits for a provider",
        "Redis is nearly full",
        "Redis is full",
        "nobody knows how full Redis is",
    ],
)
def test_service_is_stuck_when_waiting_work_is_not_taken(
    figures: dict[str, Any], others: dict[str, Any], stuck: bool
) -> None:
    assert replace(QUIET, figures=replace(QUIET.figures, **figures), **others).stuck is stuck


def test_batch_that_no_worker_takes_is_shown(
    service: Settings, settled: None, worker: Worker, worker_engine: Engine, publishing: Publishing
) -> None:
    publishing.say("hello")
    batch = claimed(worker_engine, publishing.lane)
    with worker.transaction() as connection:
        hour_ago = text("update mosshead.batches set due_at = now() - interval '1 hour' where batch_id = :id")
        connection.execute(hour_ago, {"id": batch.batch_id})
    assert read_status(service).figures.oldest_due > STUCK_SECONDS

    with worker.transaction() as connection:
        assert leases.take(connection, batch, "extract", owner="a task", lasting=LONG) is not None
    assert read_status(service).figures.oldest_due == 0.0


def test_provider_that_is_no_longer_asked_is_not_waited_for(
    service: Settings, settled: None, worker_engine: Engine
) -> None:
    with worker_engine.begin() as connection:
        pauses = {"first": timedelta(seconds=2), "most": timedelta(minutes=5)}
        leases.trip_breaker(connection, "llm", "the LLM endpoint refused the key", pause=None, **pauses)
    assert read_status(service).breakers == []
    with_llm = service.model_copy(update={"openai_api_key": SecretStr("a key")})
    assert [one.provider for one in read_status(with_llm).breakers] == ["llm"]


def test_memory_use_of_redis_is_shown_where_it_has_a_limit(service: Settings, run: Callable[..., Said]) -> None:
    assert read_status(service).broker_memory is None
    with Redis.from_url(service.broker()) as broker:
        used = broker.info("memory")["used_memory"]
        try:
            broker.config_set("maxmemory", 4 * used)
            found = read_status(service)
            assert 0.2 < (found.broker_memory or 0) < 0.35
            assert run("status", "--json").json["stuck"] is False
            broker.config_set("maxmemory", used // 2)
            said = run("status")
        finally:
            broker.config_set("maxmemory", 0)
    assert said.status == 1
    assert "stuck: Redis is full" in said


def test_login_that_may_not_inspect_redis_still_gets_a_status(service: Settings) -> None:
    with Redis.from_url(service.broker()) as broker:
        broker.acl_setuser(
            "weak", enabled=True, passwords="+secret", keys=["*"], commands=["+@all", "-info"], reset=True
        )
        try:
            weak = f"redis://weak:secret@{service.broker().rpartition('@')[2]}"
            found = read_status(service.model_copy(update={"broker_url": weak}))
        finally:
            broker.acl_deluser("weak")
    assert (found.queued_events, found.broker_memory) == (0, None)


def test_refused_tasks_of_several_workers_are_summed_until_they_are_old(
    service: Settings, worker_engine: Engine
) -> None:
    with worker_engine.begin() as connection:
        housekeeping.clear_refusals(connection, age=timedelta(0))
        for _ in range(2):
            housekeeping.add_refusals(connection, {"unknown task": 1, "not a task message": 3})
    assert read_status(service).refused_tasks == {"not a task message": 6, "unknown task": 2}

    with worker_engine.begin() as connection:
        connection.execute(text("update mosshead.refused_tasks set hour = now() - interval '2 days'"))
        assert housekeeping.clear_refusals(connection, age=timedelta(days=7)) == 0
    assert read_status(service).refused_tasks == {}
    with worker_engine.begin() as connection:
        assert housekeeping.clear_refusals(connection, age=timedelta(days=1)) == 2


def test_messages_in_languages_outside_the_settings_are_reported(
    service: Settings, forming: Forming, worker_engine: Engine
) -> None:
    with worker_engine.begin() as connection:
        connection.execute(text("update mosshead.batches set in_english = null"))
    for said in ("Ich wohne seit dem Frühling in Leipzig.", "Мою сестру зовут Катя.", "昨日は雨でした。"):
        assert read_status(service).english_only == [], "two say little"
        forming.say(said)
    forming.say("I live in Leeds, and my dog is called Bruno.")
    forming.say("12 34 56")

    found = read_status(service)
    assert found.figures.other_languages == 0.75
    embedder, rules = found.english_only
    assert "mosshead service models add e5" in embedder
    assert "OPENAI_API_KEY" in rules
    told = [value for name, value, _ in rows(found) if name == "not in English"]
    assert told == [f"most messages of the last day; {one}" for one in (embedder, rules)]
    other = service.model_copy(update={"embedder": "e5", "openai_api_key": SecretStr("a key")})
    assert read_status(other).english_only == []
    for _ in range(2):
        forming.say("I bought a used car last week, and it broke down.")
    assert read_status(service).english_only == []


def test_text_output_shows_what_needs_attention(capsys: pytest.CaptureFixture[str]) -> None:
    found = replace(
        QUIET,
        figures=replace(
            QUIET.figures,
            **waiting(LATE),
            **NO_WORKERS,
            quarantined_lanes=2,
            quarantined_by_reason={"why": 2},
            failing={"ValueError": 1},
            clocks_ahead=1,
            lag_p50=0.5,
            lag_p95=3.0,
            lag_max=7200.0,
            dead_letters=3,
            dead_by_reason={"[bold]why\x1b[2J": 3},
            newest_dead_letter=90.0,
            refused_last_hour=1,
        ),
        breakers=(AWAY,),
        broker_memory=0.87,
        refused_tasks={"not a task message": 1_200, "unknown task": 1},
        over_budget={"acme\x1b[2J": TenantBudget(tokens_per_day=5_000, spent=6_000, own=True)},
    )
    print_answer(False, {}, fields(rows(found)))
    said = " ".join(capsys.readouterr().out.split())  # as wide as the user's terminal

    for part in (
        "stuck: no worker is alive",
        "1, the first for 5 min",
        "0.5 s median, 3.0 s p95, 2 h at most",
        "llm: the LLM endpoint answered 503; 3 failures in a row, tried again in 12 s",
        "quarantined lanes 2; see 'mosshead service lanes' 2 why",
        "3, the newest 90 s ago; see 'mosshead service dead list'",
        r"3 [bold]why\x1b[2J",
        "refused 1 in the last hour",
        "clocks ahead 1 publishers in the last day; their events have the time of arrival",
        "Redis's memory 87% used",
        "refused tasks 1,201 in the last day; something else writes to this Redis 1,200 not a task message 1 unknown task",
        "over budget 1 tenant: the offline rules find the facts; see 'mosshead service budget list'",
        r"acme\x1b[2J: 6,000 tokens in 24 h of 5,000",
    ):
        assert part in said


def test_output_for_a_quiet_service_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    print_answer(False, {}, fields(rows(QUIET)))
    said = capsys.readouterr().out

    assert "working" in said
    assert not any(word in said for word in ("dead", "quarantined", "away", "failing", "refused", "budget"))


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        (
            {"broker_url": "redis://:s3cret@127.0.0.1:9/0"},
            QueueUnavailable,
            "^MOSSHEAD_BROKER_URL: cannot connect to ",
        ),
        (
            {"worker_url": "postgresql://w:s3cret@127.0.0.1:9/r"},
            StoreUnavailable,
            "^MOSSHEAD_WORKER_URL: cannot connect to ",
        ),
    ],
)
def test_server_that_does_not_answer_is_named(
    service: Settings, wrong: dict[str, str], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says) as caught:
        read_status(service.model_copy(update=wrong))
    assert "s3cret" not in str(caught.value)
