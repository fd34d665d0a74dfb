"""What a monitor reads of the service: true figures that name nobody and are there whatever server is down."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr
from redis import Redis
from sqlalchemy import Engine, text
from structlog.testing import capture_logs

from config.settings import Settings
from db import inbox, leases, usage
from db.metrics import MEASURES
from mosshead import Memory
from mosshead.paths import NamespacePath
from mosshead.publishing.broker import KEY_PREFIX, QUEUE_NAME
from tests.given import LONG, Publishing, Remembering, Worker, claimed, direction
from workers.metrics import MetricsPage

Sample = tuple[str, frozenset[tuple[str, str]]]


def read(settings: Settings) -> dict[Sample, float]:
    """Return each sample of a new page by its name without the prefix and its labels."""
    page = MetricsPage(settings).read().decode()
    return {
        (sample.name.removeprefix("mosshead_"), frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }


def sample(name: str, **labels: str) -> Sample:
    return name, frozenset(labels.items())


def grown(before: dict[Sample, float], after: dict[Sample, float]) -> dict[Sample, float]:
    """Return which figures of the service changed, and by how much."""
    changed = {one: after[one] - before.get(one, 0.0) for one in after if not one[0].startswith("process_")}
    moving = ("oldest_waiting_seconds", "lag_seconds", "broker_memory_bytes")
    return {one: by for one, by in changed.items() if by and one[0] not in moving}


def test_every_figure_is_there_while_nothing_happens(service: Settings, settled: None) -> None:
    found = read(service)

    wanted = {name for measure in MEASURES.values() for name in measure.gauges} - {
        *("llm_calls_last_5m", "llm_prompt_tokens_last_5m", "llm_completion_tokens_last_5m")
    }
    assert wanted - {name for name, _ in found} == set()
    assert {one: value for one, value in found.items() if one[0] == "measure_failed" and value} == {}
    assert sample("process_resident_memory_bytes") in found


def test_waiting_events_are_counted_until_they_take_effect(
    service: Settings, settled: None, publishing: Publishing, worker: Worker, slots: Callable[[int], None]
) -> None:
    before = read(service)
    publishing.say("one", "two")
    waiting = read(service)
    batch = claimed(worker.engine, worker.lane)
    lease = worker.leased(batch)
    working = read(service)
    worker.put_off(lease)
    worker.finish(batch)
    slots(3)
    ended = read(service)

    assert grown(before, waiting) == {sample("backlog_events"): 2.0, sample("lanes_due"): 1.0}
    assert 0 < waiting[sample("oldest_waiting_seconds")] < 600
    assert grown(waiting, working) == {
        sample("lanes_due"): -1.0,
        sample("slots_busy"): 1.0,
        sample("batches_open", stage="extract"): 1.0,
    }
    assert working[sample("oldest_waiting_seconds")] > waiting[sample("oldest_waiting_seconds")]
    gone = grown(working, ended)
    assert gone.pop(sample("backlog_events")) == -2.0
    assert gone[sample("batches_ended_last_5m", outcome="done")] >= 1.0
    assert (gone[sample("workers")], gone[sample("slots")]) == (1.0, 3.0)
    assert ended[sample("lag_seconds", quantile="1")] > 0


def test_quarantined_namespace_is_counted_and_does_not_raise_the_age_of_the_oldest(
    service: Settings, settled: None, publishing: Publishing, worker: Worker
) -> None:
    def change(what: str) -> None:
        with worker.transaction() as connection:
            ours = {"tenant_id": worker.lane.tenant_id}
            connection.execute(text(f"update mosshead.lanes set {what} where tenant_id = :tenant_id"), ours)

    before = read(service)
    publishing.say("one")
    change("quarantined_at = now(), first_pending_at = now() - interval '1 year'")
    stopped = read(service)
    change("quarantined_at = null, ready_at = null, pending = 0")

    assert grown(before, stopped) == {sample("backlog_events"): 1.0, sample("lanes_quarantined"): 1.0}
    assert stopped[sample("oldest_waiting_seconds")] < 86_400


def test_event_that_was_given_up_is_a_dead_letter(
    service: Settings, settled: None, publishing: Publishing, worker: Worker
) -> None:
    before = read(service)
    publishing.say("one")
    batch = claimed(worker.engine, worker.lane)
    with worker.transaction() as connection:
        lease = leases.take(connection, batch, "extract", owner="a task", lasting=LONG)
        assert lease is not None
        inbox.mark_dead(connection, batch, "it cannot be read")
        leases.end(connection, lease, "dead", error="it cannot be read")

    assert grown(before, read(service)) == {
        sample("dead_letters", origin="stage"): 1.0,
        sample("batches_ended_last_5m", outcome="dead"): 1.0,
    }


def test_cost_of_the_llm_is_summed_over_all_tenants(service: Settings, settled: None, remembering: Remembering) -> None:
    model = f"model-{uuid4()}"
    for tokens in (10, 20):
        with remembering.transaction() as connection:
            spent = {"prompt_tokens": tokens, "completion_tokens": 1}
            usage.log_usage(connection, remembering.lane, uuid4(), stage="extract", prompt="p", model=model, **spent)

    found = read(service)

    of_model = {"stage": "extract", "model": model}
    assert found[sample("llm_calls_last_5m", **of_model)] == 2.0
    assert found[sample("llm_prompt_tokens_last_5m", **of_model)] == 30.0
    assert found[sample("llm_completion_tokens_last_5m", **of_model)] == 2.0


def test_failing_provider_is_down_and_its_failures_are_counted(
    service: Settings, settled: None, worker_engine: Engine
) -> None:
    assert read(service)[sample("provider_failures", provider="llm")] == 0.0
    with worker_engine.begin() as connection:
        connection.exec_driver_sql(
            "insert into mosshead.breakers (provider, open_until, failures, reason) "
            "values ('llm', now() + interval '1 minute', 3, 'it answered 503')"
        )

    found = read(service)

    assert found[sample("provider_failures", provider="llm")] == 3.0
    assert found[sample("provider_away", provider="llm")] == 1.0
    assert found[sample("provider_away", provider="embedder")] == 0.0


def test_memory_and_its_namespace_are_counted(service: Settings, settled: None, remembering: Remembering) -> None:
    before = read(service)
    remembering.memory("Likes coffee", direction(1.0))

    assert grown(before, read(service)) == {sample("memories"): 1.0, sample("namespaces"): 1.0}


def test_events_in_the_queue_and_the_memory_of_redis_are_read(service: Settings) -> None:
    with Redis.from_url(service.broker()) as redis:
        redis.lpush(KEY_PREFIX + QUEUE_NAME, "one", "two")
        found = read(service)
        redis.delete(KEY_PREFIX + QUEUE_NAME)

    assert found[sample("queued_events")] == 2.0
    assert found[sample("broker_memory_bytes")] > 100_000


def test_no_label_names_a_tenant_and_no_word_of_a_conversation_is_on_the_page(
    service: Settings, memory: Memory, publishing: Publishing, worker: Worker, fresh_namespace: NamespacePath
) -> None:
    publishing.say("heliotrope")
    memory.namespace(*fresh_namespace.parts).publish("heliotrope", conversation="heliotrope")
    claimed(worker.engine, worker.lane)
    page = MetricsPage(service).read().decode()

    labels = {name for family in text_string_to_metric_families(page) for one in family.samples for name in one.labels}
    assert labels == {"measure", "stage", "outcome", "quantile", "provider", "origin"} | labels & {"model"}
    for word in ("heliotrope", *fresh_namespace.parts[:1], str(worker.lane.tenant_id), str(worker.lane.namespace_id)):
        assert word not in page


@pytest.mark.parametrize(
    ("away", "measures"),
    [
        ({"worker_url": "postgresql://mosshead_worker@127.0.0.1:1/mosshead"}, set(MEASURES)),
        ({"broker_url": "redis://127.0.0.1:1/0"}, {"broker"}),
    ],
)
def test_unreadable_figures_are_left_out_and_named(
    service: Settings, away: dict[str, str | SecretStr], measures: set[str]
) -> None:
    with capture_logs():
        found = read(service.model_copy(update=away))

    failed = {dict(labels)["measure"] for (name, labels), value in found.items() if name == "measure_failed" and value}
    assert failed == measures
    assert (sample("backlog_events") in found) is ("lanes" not in measures)
    assert (sample("queued_events") in found) is ("broker" not in measures)


def test_statement_that_takes_too_long_is_cancelled_and_the_others_are_read(
    service: Settings, admin_engine: Engine
) -> None:
    with admin_engine.begin() as holding, capture_logs() as logs:
        holding.exec_driver_sql("lock table mosshead.dead_letters in access exclusive mode")
        found = read(service)

    assert [one["measure"] for one in logs] == ["dead_letters"]
    assert found[sample("measure_failed", measure="dead_letters")] == 1.0
    assert found[sample("measure_failed", measure="memories")] == 0.0
