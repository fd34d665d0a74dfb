"""What the LLM costs, what a tenant may spend, and what happens once it is spent."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier
from typing import Any, TypeVar
from uuid import UUID, uuid4

import pytest
from pydantic import BaseModel
from sqlalchemy import Engine, text
from structlog.testing import capture_logs

from config.settings import Settings, settings
from db.keys import BatchRef, LaneRef
from db.usage import set_budget
from mosshead.errors import NotFound
from mosshead.llm import Prompt
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from tests.fake_openai import FakeOpenAI
from tests.given import MINILM, Publishing, claimed
from workers import tasks
from workers.cli import usage
from workers.cli.output import tenant_id_of
from workers.cli.status import read_status
from workers.dependencies import Parts, UsageLog, parts
from workers.stages.load import model_for, reading

A = TypeVar("A", bound=BaseModel)
Run = Callable[..., Any]

MODEL = "gpt-4o-mini"


class Answer(BaseModel):
    words: str


PROMPT = Prompt("extraction", 1, "system", "user", Answer)


class Asked:
    """A language model that takes 7 tokens, returns 3, and answers only once all concurrent callers have asked."""

    name = "model"

    def __init__(self, usage_log: UsageLog, together: Barrier) -> None:
        self._usage = usage_log
        self._together = together

    def answer(self, prompt: Prompt[A]) -> A:
        self._together.wait(timeout=30)
        self._usage.note(prompt.name, 7, 3)
        return prompt.answer.model_validate({"words": "so it is"})


@pytest.fixture
def another(ingest_engine: Engine, fresh_namespace: NamespacePath) -> Publishing:
    """Return another namespace of the same tenant."""
    return Publishing(ingest_engine, NamespacePath.of((fresh_namespace.parts[0], "peter")))


@pytest.fixture
def stranger(ingest_engine: Engine) -> Publishing:
    """Return a namespace of another tenant."""
    return Publishing(ingest_engine, NamespacePath.of((f"tenant-{uuid4().hex}", "paul")))


@pytest.fixture(autouse=True)
def _nothing_is_down(settled: None) -> None:
    """Reset the providers that earlier tests left failing."""


def batch_of(publishing: Publishing, engine: Engine, said: str = "I like coffee") -> BatchRef:
    """Return a batch of one message, due for extraction."""
    publishing.say(said)
    return claimed(engine, publishing.lane)


def with_a_model(engine: Engine, *, limit: int | None, together: int = 1) -> Parts:
    """Return a stage's parts in a process with an LLM and the given budget of tenants."""
    chosen = Settings().model_copy(update={"tenant_tokens_per_day": limit})
    log = UsageLog()
    return Parts(chosen, engine, MINILM, Asked(log, Barrier(together)), log)


def ask(batch: BatchRef, used: Parts) -> bool:
    """Return whether a stage of the batch may ask the LLM, and ask if it may."""
    with reading(batch, used) as connection:
        model = model_for(connection, batch, used)
    if model is not None:
        model.answer(replace(PROMPT, user=uuid4().hex))
    return model is not None


def a_day_passes(engine: Engine, lane: LaneRef) -> None:
    with tenant_transaction(engine, lane.tenant_id) as connection:
        connection.execute(text("update mosshead.usage set at = at - interval '25 hours'"))


class TestOverBudget:
    def test_rules_take_over_until_a_day_has_passed(
        self, worker_engine: Engine, publishing: Publishing, another: Publishing
    ) -> None:
        used = with_a_model(worker_engine, limit=10)
        first, second = batch_of(publishing, worker_engine), batch_of(another, worker_engine)

        assert ask(first, used), "nothing is spent yet"
        assert not ask(first, used), "10 tokens are: the next stage does without"
        assert not ask(second, used), "and so does another namespace"
        a_day_passes(worker_engine, publishing.lane)
        assert ask(second, used)

    def test_remaining_budget_allows_one_more_call(self, worker_engine: Engine, publishing: Publishing) -> None:
        used = with_a_model(worker_engine, limit=11)
        batch = batch_of(publishing, worker_engine)
        ask(batch, used)
        assert ask(batch, used)

    def test_tenants_share_no_budget(self, worker_engine: Engine, publishing: Publishing, stranger: Publishing) -> None:
        used = with_a_model(worker_engine, limit=10)
        first, second = batch_of(publishing, worker_engine), batch_of(stranger, worker_engine)
        ask(first, used)

        assert not ask(first, used)
        assert ask(second, used)

    def test_tenants_own_budget_outranks_the_setting(
        self, worker_engine: Engine, publishing: Publishing, stranger: Publishing
    ) -> None:
        first, second = batch_of(publishing, worker_engine), batch_of(stranger, worker_engine)
        with tenant_transaction(worker_engine, stranger.lane.tenant_id) as connection:
            assert set_budget(connection, stranger.lane.tenant_id, 1_000)
        for used in (with_a_model(worker_engine, limit=10), with_a_model(worker_engine, limit=10)):
            for batch in (first, second):
                ask(batch, used)

        assert not ask(first, used)
        assert ask(second, used)

    def test_exhausted_budget_is_logged_once_a_batch_with_ids_only(
        self, worker_engine: Engine, publishing: Publishing, another: Publishing
    ) -> None:
        used = with_a_model(worker_engine, limit=10)
        first, second = batch_of(publishing, worker_engine), batch_of(another, worker_engine)
        ask(first, used)
        with capture_logs() as logs:
            for batch in (first, second, first, second):
                assert not ask(batch, used)

        tenant_id = str(publishing.lane.tenant_id)
        assert logs == [
            {"event": "over_budget", "log_level": "warning", "tenant_id": tenant_id, "batch_id": str(batch.batch_id)}
            for batch in (first, second)
        ]

    def test_two_concurrent_callers_overdraw_it_by_one_call_each(
        self, worker_engine: Engine, publishing: Publishing, another: Publishing
    ) -> None:
        batches = [batch_of(publishing, worker_engine), batch_of(another, worker_engine)]
        together = with_a_model(worker_engine, limit=10, together=2)
        with ThreadPoolExecutor(2) as threads:
            assert list(threads.map(lambda batch: ask(batch, of_ones_own(together)), batches)) == [True, True]

        assert spent(worker_engine, batches[0]) == 20
        with capture_logs() as logs, ThreadPoolExecutor(4) as threads:
            assert not any(threads.map(lambda batch: ask(batch, together), batches * 4))
        assert sorted(entry["batch_id"] for entry in logs) == sorted(str(batch.batch_id) for batch in batches)

    def test_no_budget_is_exceeded_without_an_llm(self, worker_engine: Engine, publishing: Publishing) -> None:
        used = replace(with_a_model(worker_engine, limit=1), model=None)
        batch = batch_of(publishing, worker_engine)
        with capture_logs() as logs, reading(batch, used) as connection:
            assert model_for(connection, batch, used) is None
        assert logs == []


def of_ones_own(used: Parts) -> Parts:
    """Return usage as another process has it, whose model reports to no one else."""
    log = UsageLog()
    assert isinstance(used.model, Asked)
    return replace(used, model=Asked(log, used.model._together), usage=log)


def spent(engine: Engine, batch: BatchRef) -> int:
    """Return what the batch's tenant has spent."""
    with tenant_transaction(engine, batch.lane.tenant_id) as connection:
        return int(
            connection.execute(text("select sum(prompt_tokens + completion_tokens) from mosshead.usage")).scalar_one()
        )


@pytest.mark.parametrize("stage", ["extract", "consolidate", "refresh_profiles"])
def test_call_is_logged_under_the_stage_that_made_it(worker_engine: Engine, publishing: Publishing, stage: str) -> None:
    batch = batch_of(publishing, worker_engine)
    with worker_engine.begin() as connection:
        moved = text("update mosshead.batches set stage = :stage where batch_id = :id")
        connection.execute(moved, {"stage": stage, "id": batch.batch_id})
    ask(batch, with_a_model(worker_engine, limit=None))

    (cost,) = usage.costs(worker_engine, by="stage", since=timedelta(days=1), tenant_id=batch.lane.tenant_id)
    assert (cost.of, cost.calls, cost.prompt_tokens, cost.completion_tokens) == (stage, 1, 7, 3)


class TestTheStageExtract:
    """The real task, with an endpoint over HTTP."""

    @pytest.fixture
    def fake(self, service: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
        assert not service.uses_llm
        with FakeOpenAI() as fake:
            monkeypatch.setenv("OPENAI_BASE_URL", fake.base_url)
            monkeypatch.setenv("MOSSHEAD_TENANT_TOKENS_PER_DAY", "1")
            settings.cache_clear()
            parts.cache_clear()
            yield fake

    def extracted(self, batch: BatchRef) -> tuple[str, list[str]]:
        """Return the extracted facts and who extracted them."""
        ids = (batch.lane.tenant_id, batch.lane.namespace_id, batch.batch_id)
        tasks.extract.apply(args=[str(one) for one in ids], throw=True)
        with tenant_transaction(parts().engine, batch.lane.tenant_id) as connection:
            who = text("select formed_by from mosshead.batches where batch_id = :id")
            what = text("select fact ->> 'content' from mosshead.candidate_facts where batch_id = :id order by number")
            found = connection.execute(what, {"id": batch.batch_id}).scalars()
            return str(connection.execute(who, {"id": batch.batch_id}).scalar_one()), list(found)

    def test_facts_are_found_over_budget_and_their_extractor_is_known(
        self, fake: FakeOpenAI, worker_engine: Engine, publishing: Publishing, another: Publishing
    ) -> None:
        tenant = publishing.path.parts[0]
        first = self.extracted(batch_of(publishing, worker_engine))
        second = self.extracted(batch_of(another, worker_engine))

        assert (first[0], second[0]) == (MODEL, "rules")
        assert first[1]
        assert second[1]
        assert fake.calls["ExtractionAnswer"] == 1
        over = read_status(settings()).over_budget[tenant]
        assert (over.tokens_per_day, over.own, over.over) == (1, False, True)
        a_day_passes(worker_engine, publishing.lane)
        assert tenant not in read_status(settings()).over_budget


@pytest.fixture
def calls(worker_engine: Engine, publishing: Publishing, another: Publishing) -> str:
    """Log two calls in one namespace, one of them a day ago, and one in another; return the tenant's name."""
    used = with_a_model(worker_engine, limit=None)
    first, second = batch_of(publishing, worker_engine), batch_of(another, worker_engine)
    ask(first, used)
    a_day_passes(worker_engine, publishing.lane)
    ask(first, used)
    ask(second, used)
    return publishing.path.parts[0]


class TestTheCommandUsage:
    def costs(self, run: Run, *arguments: str) -> dict[str | None, tuple[int, int, int]]:
        said = run("usage", *arguments, "--json").json
        by = arguments[arguments.index("--by") + 1] if "--by" in arguments else "stage"
        rows = {row[by]: (row["calls"], row["prompt_tokens"], row["completion_tokens"]) for row in said["usage"]}
        sums = tuple(sum(row[place] for row in rows.values()) for place in range(3))
        assert (said["calls"], said["prompt_tokens"], said["completion_tokens"]) == sums
        return rows

    def test_usage_sums_by_the_requested_grouping(self, run: Run, calls: str) -> None:
        assert self.costs(run, "--tenant", calls) == {"extract": (3, 21, 9)}
        assert self.costs(run, "--tenant", calls, "--by", "model") == {"model": (3, 21, 9)}
        namespaces = {f"{calls}/sarah": (2, 14, 6), f"{calls}/peter": (1, 7, 3)}
        assert self.costs(run, "--tenant", calls, "--by", "namespace") == namespaces
        days = self.costs(run, "--tenant", calls, "--by", "day")
        assert list(days.values()) == [(1, 7, 3), (2, 14, 6)], "in their order"

    def test_days_are_in_order_whichever_tenant_is_asked_first(
        self, run: Run, worker_engine: Engine, ingest_engine: Engine
    ) -> None:
        used = with_a_model(worker_engine, limit=None)
        for days_ago in range(8):
            path = NamespacePath.of((f"tenant-{uuid4().hex}", "sarah"))
            ask(batch_of(Publishing(ingest_engine, path), worker_engine), used)
            for _ in range(days_ago):
                a_day_passes(worker_engine, LaneRef(path.tenant_id, path.namespace_id))
        days = list(self.costs(run, "--by", "day", "--since", "30d"))
        assert len(days) >= 8
        assert days == sorted(filter(None, days))

    def test_usage_of_one_namespace_and_time(self, run: Run, calls: str) -> None:
        assert self.costs(run, "--namespace", f"{calls}/sarah") == {"extract": (2, 14, 6)}
        assert self.costs(run, "--namespace", f"{calls}/sarah", "--since", "24h") == {"extract": (1, 7, 3)}
        for long in ("2d", "999999d"):
            assert self.costs(run, "--tenant", calls, "--since", long) == {"extract": (3, 21, 9)}

    def test_usage_over_all_tenants(self, run: Run, calls: str, worker_engine: Engine, stranger: Publishing) -> None:
        before = self.costs(run)["extract"]
        assert before >= self.costs(run, "--tenant", calls)["extract"]
        ask(batch_of(stranger, worker_engine), with_a_model(worker_engine, limit=None))
        assert self.costs(run)["extract"] == (before[0] + 1, before[1] + 7, before[2] + 3)

    def test_text_output_is_a_table(self, run: Run, calls: str) -> None:
        said = run("usage", "--tenant", calls)
        assert [line.split() for line in said.splitlines()] == [
            ["stage", "calls", "prompt", "tokens", "completion", "tokens"],
            ["extract", "3", "21", "9"],
            ["all", "3", "21", "9"],
        ]
        nobody = run("usage", "--tenant", f"{calls}-not", "--since", "30min")
        assert nobody.strip() == "The LLM was not called in the last 30min."

    @pytest.mark.parametrize(
        "arguments",
        [
            ("--since", "soon"),
            ("--since", "7"),
            ("--by", "colour"),
            ("--tenant", "acme", "--namespace", "acme/sarah"),
        ],
    )
    def test_ambiguous_arguments_are_refused(self, run: Run, arguments: tuple[str, ...]) -> None:
        assert run("usage", *arguments).status == 2


class TestTheCommandBudget:
    def listed(self, run: Run, tenant: str) -> dict[str, Any] | None:
        budgets = run("budget", "list", "--json").json["budgets"]
        return next((one for one in budgets if one["tenant"] == tenant), None)

    def test_budget_is_set_shown_and_removed(self, run: Run, calls: str) -> None:
        assert self.listed(run, calls) is None
        assert run("budget", "set", calls, 20).strip() == f"{calls}: 20 tokens a day."
        shown = {"tenant": calls, "tokens_per_day": 20, "spent": 20, "own": True, "over": True}
        assert self.listed(run, calls) == shown
        assert "over" in run("budget", "list")
        assert run("budget", "set", calls, 21, "--json").json == {"tenant": calls, "tokens_per_day": 21}
        assert self.listed(run, calls) == {**shown, "tokens_per_day": 21, "over": False}
        assert run("budget", "clear", calls).strip() == f"{calls}: no limit."
        assert self.listed(run, calls) is None

    def test_setting_is_shown_too(self, run: Run, calls: str, monkeypatch: pytest.MonkeyPatch) -> None:
        assert "Every other tenant: no limit." in run("budget", "list")
        monkeypatch.setenv("MOSSHEAD_TENANT_TOKENS_PER_DAY", "5000")
        settings.cache_clear()
        run("budget", "set", calls, 20)

        assert run("budget", "list", "--json").json["default"] == 5_000
        assert "Every other tenant: 5,000 tokens a day." in run("budget", "list")
        assert run("budget", "clear", calls).strip() == f"{calls}: 5,000 tokens a day."

    def test_missing_tenant_is_named(self, run: Run) -> None:
        for arguments in (("set", "nobody at all", 5), ("clear", "nobody at all")):
            with pytest.raises(NotFound, match=r"^nobody at all: "):
                run("budget", *arguments)

    @pytest.mark.parametrize("tokens", [0, -1, 2**63, "many"])
    def test_budget_must_be_a_number_of_tokens(self, run: Run, calls: str, tokens: object) -> None:
        assert run("budget", "set", calls, "--", tokens).status == 2
        assert self.listed(run, calls) is None


def test_id_of_a_tenant_equals_that_of_its_namespaces(fresh_namespace: NamespacePath) -> None:
    found: UUID = tenant_id_of(fresh_namespace.parts[0])
    assert found == fresh_namespace.tenant_id
