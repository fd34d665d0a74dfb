"""A database in use moves to another embedding model, by the operator's commands and an endpoint with faults."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from pgvector import HalfVector
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from config.settings import Settings, settings
from db import embedding_models, housekeeping
from db.engine import open_engine
from db.erasure import erasures
from db.keys import LaneRef
from db.lanes import STAGES
from mosshead import EmbedderMismatch, Memory, Namespace
from mosshead.errors import ConfigurationError, EmbedderUnavailable, NotFound
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from mosshead.urls import session_name
from tests.fake_answers import Json
from tests.fake_openai import FakeOpenAI
from tests.fake_responses import EMBEDDINGS, Fault, Request, embeddings_body
from tests.forming import Forming
from tests.given import MODEL, Remembering, claimed, until_blocked
from tests.integration.workers.conftest import Find, Said
from tests.integration.workers.test_erasing_retold import decided, say_in_turn
from tests.machine_given import database_of_its_own
from workers import tasks
from workers.cli import models
from workers.dependencies import check_parts, parts
from workers.local import Addresses
from workers.local.ports import wait_until
from workers.stages import embed as filling

OTHER = "other@256"
OTHER_EMBEDDER = f"openai:{OTHER}"

WORKS = "User works at Brightleaf"
TOLD = ("I work at Brightleaf", "I work at Brightleaf on the quux team", "I work at Brightleaf in Leeds")

Run = Callable[..., Said]


# Models belong to the whole database: these tests have their own database, which starts with MiniLM only.
@pytest.fixture(scope="module")
def addresses(addresses: Addresses) -> Iterator[Addresses]:
    with database_of_its_own(addresses) as own:
        yield own


@contextmanager
def opened(url: str | None) -> Iterator[Engine]:
    assert url is not None
    engine = open_engine(url, setting="MOSSHEAD_WORKER_URL")
    yield engine
    engine.dispose()


@pytest.fixture(scope="module")
def admin_engine(addresses: Addresses) -> Iterator[Engine]:
    with opened(addresses.admin_url) as engine:
        yield engine


@pytest.fixture(scope="module")
def worker_engine(addresses: Addresses) -> Iterator[Engine]:
    with opened(addresses.worker_url) as engine:
        yield engine


@pytest.fixture(scope="module")
def ingest_engine(addresses: Addresses) -> Iterator[Engine]:
    with opened(addresses.ingest_url) as engine:
        yield engine


@pytest.fixture(autouse=True)
def emptied(admin_engine: Engine) -> None:
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("set local session_replication_role = replica")
        for table in connection.execute(_TABLES).scalars().all():
            connection.exec_driver_sql(f"delete from mosshead.{table}")
        embedding_models.set_active_model(connection, MODEL, 384)


_TABLES = text("""
    select relname from pg_class
    where relnamespace = 'mosshead'::regnamespace and relkind = 'r' and relname <> 'alembic_version'
""")


@pytest.fixture(autouse=True)
def endpoint(service: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    """Configure the endpoint of the other model; there is no LLM."""
    with FakeOpenAI() as served:
        monkeypatch.setenv("MOSSHEAD_EMBEDDING_URL", served.base_url)
        _start_with(None)
        yield served


@contextmanager
def embedding_with(embedder: str) -> Iterator[None]:
    """Make this process's worker one that was started with an embedder."""
    before = os.environ.get("MOSSHEAD_EMBEDDER")
    try:
        _start_with(embedder)
        yield
    finally:
        _start_with(before)


def _start_with(embedder: str | None) -> None:
    os.environ.pop("MOSSHEAD_EMBEDDER", None)
    if embedder:
        os.environ["MOSSHEAD_EMBEDDER"] = embedder
    settings.cache_clear()
    parts.cache_clear()


@contextmanager
def app_with(addresses: Addresses, embedder: str, path: NamespacePath) -> Iterator[Namespace]:
    with Memory.connect(
        database_url=addresses.database_url, broker_url=addresses.broker_url, embedder=embedder
    ) as connected:
        yield connected.namespace(*path.parts)


def readers_of(engine: Engine, model: str) -> int:
    """Sessions of apps that read with a model; Postgres ends one a moment after the app has closed it."""
    with engine.connect() as connection:
        return embedding_models.readers_with(connection, session_name(model))


def over(run: Run) -> None:
    """Move to the other model, with every step of the operator."""
    for command in (("add", OTHER_EMBEDDER), ("fill",), ("switch", OTHER)):
        assert run("models", *command).status == 0


def a_life(forming: Forming, sarah: Namespace) -> datetime:
    """Add facts, one outdated, and two namesakes with an answer that tells them apart; return a time before the change."""
    forming.say("I live in Leeds.", "I like figs.", conversation="a")
    forming.say("My brother Peter keeps bees.", conversation="b")
    forming.say("Peter Haas is one of our writers at WOBS.", conversation="c")
    (haas,) = [one for one in sarah.entities.list() if one.name == "Peter Haas"]
    forming.command(type="clarify", mention="Peter", text="Peter's bees are fine.", entity_id=str(haas.id))
    middle = datetime.now(UTC)
    forming.say("I moved to York.", conversation="d")
    return middle


def vectors_of(engine: Engine, model: str) -> dict[str, set[tuple[Any, ...]]]:
    """Return the rows of a model by table, without the vectors."""
    columns = {
        "embeddings": "tenant_id, namespace_id, owner_kind, owner_id, version, words, length",
        "turns": "tenant_id, namespace_id, conversation_id, said_at, message_id, words, role, speaker",
        "traits": "tenant_id, namespace_id, entity_id, owner_kind, owner_id, words",
        "vocabulary where holders > 0": "tenant_id, namespace_id, scanned, lexeme, holders, occurrences",
        "scopes": "tenant_id, namespace_id, memories, turns",
    }
    with engine.connect() as connection:
        return {
            table: {
                tuple(row)
                for row in connection.execute(
                    text(f"select {names} from (select * from mosshead.{table}) as one where model = :model"),
                    {"model": model},
                )
            }
            for table, names in columns.items()
        }


def states(run: Run) -> dict[str, tuple[str, int]]:
    return {one["name"]: (one["state"], one["lacking"]) for one in run("models", "--json").json["models"]}


def all_reads(sarah: Namespace, middle: datetime) -> dict[str, Any]:
    """Return the results of the public reads, now and as of an earlier time."""
    return {
        "query": [hit.content for hit in sarah.query("Where do I live?", limit=10)],
        "past": [hit.content for hit in sarah.query("Where do I live?", limit=10, as_of=middle)],
        "context": sarah.context("What does Peter do with his bees?").text,
        "messages": [one.content for one in sarah.messages.search("figs").messages],
        "resolve": sarah.resolve("Ask Peter about the bees", mention="Peter").status,
    }


def test_move_to_another_model(run: Run, forming: Forming, addresses: Addresses, admin_engine: Engine) -> None:
    path = forming.publishing.path
    with app_with(addresses, "minilm", path) as old:
        middle = a_life(forming, old)
        before = all_reads(old, middle)
        assert "is filling" in run("models", "add", OTHER_EMBEDDER)
        assert states(run) == {MODEL: ("active", 0), OTHER: ("filling", 1)}
        with pytest.raises(EmbedderMismatch), app_with(addresses, OTHER_EMBEDDER, path):
            pass
        with pytest.raises(ConfigurationError, match="is not ready"):
            run("models", "switch", OTHER)

        filled = run("models", "fill")

        assert f"{OTHER} is ready" in filled
        assert states(run) == {MODEL: ("active", 0), OTHER: ("ready", 0)}
        assert vectors_of(admin_engine, OTHER) == vectors_of(admin_engine, MODEL)
        assert all(vectors_of(admin_engine, OTHER).values())
        assert all_reads(old, middle) == before
        with app_with(addresses, OTHER_EMBEDDER, path) as new:
            found = all_reads(new, middle)
        assert {name: sorted(found[name]) for name in ("query", "past")} == {
            name: sorted(before[name]) for name in ("query", "past")
        }
        assert "User lives in Leeds" in found["past"]
        assert found["messages"]

        assert "MOSSHEAD_EMBEDDER=openai:other@256" in run("models", "switch", OTHER)
        assert states(run) == {MODEL: ("ready", 0), OTHER: ("active", 0)}
        assert all_reads(old, middle) == before
    wait_until(lambda: readers_of(admin_engine, MODEL) == 0, timeout=10, what="the end of the app's sessions")
    assert run("models", "drop", MODEL).status == 0
    assert not any(vectors_of(admin_engine, MODEL).values())
    assert states(run) == {OTHER: ("active", 0)}
    with app_with(addresses, OTHER_EMBEDDER, path) as new:
        assert all_reads(new, middle) == found
    with pytest.raises(EmbedderMismatch), app_with(addresses, "minilm", path):
        pass


def test_workers_of_both_models_take_turns(
    run: Run, forming: Forming, addresses: Addresses, admin_engine: Engine
) -> None:
    path = forming.publishing.path
    forming.say("I live in Leeds.", conversation="a")
    over(run)
    forming.say("I like figs.", conversation="a")  # by a worker not restarted yet

    with embedding_with(OTHER_EMBEDDER):
        check_parts()
        forming.say("I like figs.", conversation="b")
        forming.say("I work at Brightleaf.", conversation="b")
    with pytest.raises(EmbedderMismatch, match="embeds with other@256"):
        check_parts()
    forming.say("I work at Brightleaf.", conversation="c")

    run("models", "fill")
    assert vectors_of(admin_engine, OTHER) == vectors_of(admin_engine, MODEL)
    for embedder in ("minilm", OTHER_EMBEDDER):
        with app_with(addresses, embedder, path) as sarah:
            hits = sarah.query("What do I like?", limit=10)
            assert sorted(hit.content for hit in hits) == [
                "User likes figs",
                "User lives in Leeds",
                "User works at Brightleaf",
            ]


@pytest.mark.parametrize("dropped", [False, True])
def test_batch_embedded_by_one_worker_is_consolidated_by_another(
    run: Run, forming: Forming, addresses: Addresses, *, dropped: bool
) -> None:
    forming.say("I like figs.", conversation="a")
    over(run)
    forming.publishing.say("I like figs.", "I like figs, and I work at Brightleaf.")
    batch = claimed(forming.engine, forming.publishing.lane)
    ids = [str(one) for one in (batch.lane.tenant_id, batch.lane.namespace_id, batch.batch_id)]
    for place, stage in enumerate(STAGES):
        with embedding_with("minilm" if place < STAGES.index("consolidate") else OTHER_EMBEDDER):
            if stage == "consolidate" and dropped:
                run("models", "drop", MODEL)
            getattr(tasks, stage).apply(args=ids, throw=True, task_id=str(batch.batch_id))

    run("models", "fill")
    with app_with(addresses, OTHER_EMBEDDER, forming.publishing.path) as sarah:
        assert sorted(one.content for one in sarah.memories()) == ["User likes figs", "User works at Brightleaf"]
        assert sarah.query("User works at Brightleaf")[0].similarity > 0.99
        assert len(sarah.messages.search("figs", around=0, limit=10).messages) == 3


def test_changed_profile_keeps_no_vector_of_its_earlier_text(run: Run, forming: Forming, admin_engine: Engine) -> None:
    forming.say("My brother Peter keeps bees.", conversation="b")
    over(run)
    forming.say("Peter lives in Leeds.", conversation="b")  # still with MiniLM

    assert states(run)[OTHER] == ("active", 1)
    run("models", "fill")

    assert any("Leeds" in summary for summary in summaries_that_fit(admin_engine))


def summaries_that_fit(engine: Engine) -> list[str]:
    """Return the profiles' texts, after checking that the other model's vectors are of them."""
    with engine.connect() as connection:
        profiles = connection.execute(
            text("""
                select summary, cast(embedding as text) as vector from mosshead.profiles as profile
                join mosshead.embeddings as one on one.owner_id = profile.entity_id and owner_kind = 'profile'
                where model = :model
            """),
            {"model": OTHER},
        ).all()
    check_made_of({row.summary: row.vector for row in profiles})
    return [row.summary for row in profiles]


def check_made_of(vectors: dict[str, str]) -> None:
    """Check that each text has the other model's vector."""
    with embedding_with(OTHER_EMBEDDER):
        for said, vector in vectors.items():
            (expected,) = parts().embedder.embed([said])
            assert expected @ HalfVector.from_text(vector).to_numpy() > 0.99


def meanwhile(endpoint: FakeOpenAI, happens: Callable[[], object]) -> None:
    """Make something happen while the endpoint is embedding."""

    def answer(request: Request) -> Json:
        happens()
        return embeddings_body(request.body)

    endpoint.script(EMBEDDINGS, answer)


def test_memory_erased_while_it_is_embedded_stays_gone(
    run: Run, forming: Forming, endpoint: FakeOpenAI, find: Find, admin_engine: Engine
) -> None:
    forming.say("I live in Quuxville.", conversation="gone")
    forming.say("I like figs.", conversation="kept")
    run("models", "add", OTHER_EMBEDDER)
    meanwhile(endpoint, lambda: forming.erase(conversation="gone"))
    run("models", "fill")
    assert find("quux") == {}

    run("models", "fill")
    assert vectors_of(admin_engine, OTHER) == vectors_of(admin_engine, MODEL)


def test_messages_erased_while_they_are_embedded_stay_gone(
    run: Run, forming: Forming, endpoint: FakeOpenAI, find: Find
) -> None:
    forming.say("Is it raining in Quuxville?", conversation="gone")
    run("models", "add", OTHER_EMBEDDER)
    meanwhile(endpoint, lambda: forming.erase(everything=True))
    run("models", "fill")
    assert find("quux") == {}


def test_memory_replaced_while_it_is_embedded_is_not_found(
    run: Run, forming: Forming, endpoint: FakeOpenAI, addresses: Addresses, admin_engine: Engine
) -> None:
    forming.say("I live in Leeds.", conversation="a")
    run("models", "add", OTHER_EMBEDDER)
    meanwhile(endpoint, lambda: forming.say("I moved to York.", conversation="b"))
    run("models", "fill")
    run("models", "fill")

    assert vectors_of(admin_engine, OTHER) == vectors_of(admin_engine, MODEL)
    with app_with(addresses, OTHER_EMBEDDER, forming.publishing.path) as sarah:
        assert [hit.content for hit in sarah.query("Where do I live?")] == ["User moved to York"]


def test_profile_that_changes_while_it_is_embedded_is_embedded_again(
    run: Run, forming: Forming, endpoint: FakeOpenAI, admin_engine: Engine
) -> None:
    forming.say("My brother Peter keeps bees.", conversation="b")
    run("models", "add", OTHER_EMBEDDER)
    meanwhile(endpoint, lambda: forming.say("Peter lives in Leeds.", conversation="b"))
    run("models", "fill")
    run("models", "fill")
    assert any("Leeds" in summary for summary in summaries_that_fit(admin_engine))


@pytest.mark.parametrize("said", ["I live in Leeds.", "Is it raining?"])
def test_namespace_with_a_running_erasure_is_left_for_the_next_time(
    run: Run, forming: Forming, worker_engine: Engine, admin_engine: Engine, said: str
) -> None:
    lane = forming.publishing.lane
    forming.say(said)
    run("models", "add", OTHER_EMBEDDER)
    with tenant_transaction(worker_engine, lane.tenant_id) as connection:
        assert erasures.alone(connection, lane)
        run("models", "fill")
        assert not any(vectors_of(admin_engine, OTHER).values())
        assert states(run)[OTHER] == ("ready", 1)
    run("models", "fill")
    assert states(run)[OTHER] == ("ready", 0)


def test_fill_waits_for_a_writer_in_the_lane(
    run: Run, forming: Forming, worker_engine: Engine, admin_engine: Engine
) -> None:
    lane = forming.publishing.lane
    forming.say("I live in Leeds.")
    run("models", "add", OTHER_EMBEDDER)
    filling = threading.Thread(target=models.fill_all, args=(worker_engine, settings()))
    with tenant_transaction(worker_engine, lane.tenant_id) as connection:
        erasures.lock_lane(connection, lane)
        filling.start()
        until_blocked(admin_engine, "mosshead.lanes")
        assert not any(vectors_of(admin_engine, OTHER).values())
    filling.join()
    assert states(run)[OTHER] == ("ready", 0)


def refuse_figs(endpoint: FakeOpenAI) -> None:
    def answer(request: Request) -> Any:
        refused = any("figs" in one for one in request.body["input"])
        return Fault.status(400, param="input") if refused else embeddings_body(request.body)

    for _ in range(50):
        endpoint.script(EMBEDDINGS, answer)


def test_text_the_endpoint_refuses_is_left_out(run: Run, forming: Forming, endpoint: FakeOpenAI) -> None:
    forming.say("I live in Leeds.", "I like figs.", "I work at Brightleaf.")
    run("models", "add", OTHER_EMBEDDER)
    refuse_figs(endpoint)
    filled = run("models", "fill")
    assert f"{OTHER} is ready" in filled
    assert states(run)[OTHER] == ("ready", 1)


def test_text_the_endpoint_refuses_does_not_keep_the_old_model_for_ever(
    run: Run, forming: Forming, endpoint: FakeOpenAI, addresses: Addresses
) -> None:
    forming.say("I live in Leeds.", "I like figs.")
    refuse_figs(endpoint)
    over(run)
    with pytest.raises(ConfigurationError, match=r"other@256 lacks vectors.* give --incomplete"):
        run("models", "drop", MODEL, "--force")

    assert "is gone" in run("models", "drop", MODEL, "--incomplete")

    assert states(run) == {OTHER: ("active", 1)}  # the refused message
    with app_with(addresses, OTHER_EMBEDDER, forming.publishing.path) as sarah:
        assert sorted(one.content for one in sarah.memories()) == ["User likes figs", "User lives in Leeds"]
        assert [hit.content for hit in sarah.query("likes", limit=10)] == ["User lives in Leeds"]


def test_ready_model_also_has_vectors_of_what_arrived_during_the_fill(
    run: Run, forming: Forming, endpoint: FakeOpenAI, admin_engine: Engine
) -> None:
    forming.say("I live in Leeds.")
    run("models", "add", OTHER_EMBEDDER)
    meanwhile(endpoint, lambda: forming.say("I like figs."))

    assert f"{OTHER} is ready" in run("models", "fill")

    assert vectors_of(admin_engine, OTHER) == vectors_of(admin_engine, MODEL)


def test_fill_survives_an_outage_of_postgres(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> bool:
        raise OperationalError("select", None, Exception())

    monkeypatch.setattr(models, "fill_all", away)
    monkeypatch.setattr(models, "configure_logging", lambda _: None)  # it would affect all later tests
    monkeypatch.setattr(models, "until_asked_to_stop", lambda: lambda: True)
    assert run("models", "fill", "--every", 1).status == 1


def contents_that_fit(engine: Engine) -> list[tuple[str, str]]:
    """Return kind and text of the memories that the other model's vectors are of."""
    with engine.connect() as connection:
        rows = connection.execute(
            text("""
                select owner_kind, content, cast(embedding as text) as vector from mosshead.embeddings as one
                join mosshead.memories as memory on memory.memory_id = one.owner_id and memory.version = one.version
                where model = :model and owner_kind in ('memory', 'past_memory')
            """),
            {"model": OTHER},
        ).all()
    check_made_of({row.content: row.vector for row in rows})
    return sorted((row.owner_kind, row.content) for row in rows)


@pytest.fixture
def made_more_precise(endpoint: FakeOpenAI, forming: Forming, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Publish messages that refine one memory step by step through an LLM, each in its own conversation."""
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
    _start_with(None)
    team = f"{WORKS} on the quux team"
    endpoint.script("ConsolidationAnswer", decided("update", team), decided("update", f"{team} in Leeds"))

    def say(*said: str) -> None:
        say_in_turn(endpoint, forming, *said, gone=1)

    return say


def test_memory_undone_while_a_model_lacks_something_has_no_vector_of_another_text(
    run: Run, forming: Forming, made_more_precise: Callable[..., None], addresses: Addresses, admin_engine: Engine
) -> None:
    made_more_precise(TOLD[0])
    over(run)
    made_more_precise(*TOLD[1:])
    with app_with(addresses, "minilm", forming.publishing.path) as sarah:
        (memory,) = sarah.memories()
        latest = sarah.decisions.for_memory(memory.id)[-1]
    forming.command(type="undo", decision_id=str(latest.id))

    run("models", "fill")

    assert vectors_of(admin_engine, OTHER) == vectors_of(admin_engine, MODEL)
    assert ("memory", f"{WORKS} on the quux team") in contents_that_fit(admin_engine)


def test_memory_rewritten_by_an_erasure_has_one_vector_that_is_found(
    run: Run, forming: Forming, made_more_precise: Callable[..., None], admin_engine: Engine
) -> None:
    made_more_precise(*TOLD)
    over(run)
    forming.erase(conversation="gone")

    run("models", "fill")

    assert vectors_of(admin_engine, OTHER) == vectors_of(admin_engine, MODEL)
    assert contents_that_fit(admin_engine) == [("memory", f"{WORKS} in Leeds"), ("past_memory", WORKS)]


def test_endpoint_that_changes_its_dimensions_fills_nothing(
    run: Run, forming: Forming, endpoint: FakeOpenAI, admin_engine: Engine
) -> None:
    forming.say("I live in Leeds.")
    assert "(1536 dimensions)" in run("models", "add", "openai:other")
    for _ in range(2):
        endpoint.script(EMBEDDINGS, lambda request: embeddings_body({**request.body, "dimensions": 512}))

    with pytest.raises(ConfigurationError, match="answers with 512 dimensions, and other has 1536 here"):
        run("models", "add", "openai:other")
    said = run("models", "fill")

    assert said.status == 1
    assert "answers with 512 dimensions" in said
    assert not any(vectors_of(admin_engine, "other").values())


def test_worker_does_not_start_if_the_endpoint_changed_its_dimensions(
    run: Run, forming: Forming, endpoint: FakeOpenAI
) -> None:
    forming.say("I live in Leeds.")
    for command in (("add", "openai:other"), ("fill",), ("switch", "other")):
        assert run("models", *command).status == 0
    with embedding_with("openai:other"):
        check_parts()
        endpoint.script(EMBEDDINGS, lambda request: embeddings_body({**request.body, "dimensions": 512}))
        with pytest.raises(
            ConfigurationError,
            match=r"^the endpoint answers with 512 dimensions, and other has 1536 here; set MOSSHEAD_EMBEDDING_URL or "
            r"OPENAI_BASE_URL .* such as openai:MODEL@512, with 'mosshead service models add'$",
        ):
            check_parts()


def test_model_dropped_meanwhile_does_not_become_the_active_one(
    run: Run, forming: Forming, monkeypatch: pytest.MonkeyPatch
) -> None:
    forming.say("I live in Leeds.")
    for command in (("add", OTHER_EMBEDDER), ("fill",)):
        assert run("models", *command).status == 0
    switch = embedding_models.switch

    def late(connection: Connection, name: str) -> None:
        embedding_models.set_ready(connection, name, ready=False)
        switch(connection, name)

    monkeypatch.setattr(embedding_models, "switch", late)
    with pytest.raises(ConfigurationError, match="is no longer ready; run 'mosshead service models fill' first"):
        run("models", "switch", OTHER)
    assert states(run)[MODEL][0] == "active"


def test_missing_model_does_not_stop_the_other_from_being_filled(
    run: Run, forming: Forming, endpoint: FakeOpenAI
) -> None:
    forming.say("I live in Leeds.")
    over(run)
    with embedding_with(OTHER_EMBEDDER):
        forming.say("I like figs.")
    run("models", "switch", MODEL)
    remembering = Remembering(forming.engine, forming.publishing.lane)
    remembering.memory("User works at Brightleaf", parts().embedder.embed(["User works at Brightleaf"])[0])
    run("models", "add", "openai:third@256")
    endpoint.script(EMBEDDINGS, *[_all_but_other] * 9)

    said = run("models", "fill")

    assert said.status == 1
    assert f"{OTHER}: MOSSHEAD_EMBEDDER: the endpoint does not know the model 'other' (404)" in said
    assert "third@256 is ready" in said
    assert states(run) == {MODEL: ("active", 0), OTHER: ("ready", 1), "third@256": ("ready", 0)}


def _all_but_other(request: Request) -> Any:
    return Fault.status(404) if request.body["model"] == "other" else embeddings_body(request.body)


class TestDropping:
    @pytest.fixture(autouse=True)
    def gone_over(self, run: Run, forming: Forming) -> None:
        forming.say("I live in Leeds.")
        over(run)

    def refused(self, run: Run, why: str, name: str = MODEL) -> None:
        with pytest.raises(ConfigurationError, match=why):
            run("models", "drop", name)

    def test_active_needed_or_unknown_model_is_not_dropped(
        self, run: Run, forming: Forming, worker_engine: Engine
    ) -> None:
        self.refused(run, "is the active model; switch to another first", OTHER)
        with pytest.raises(NotFound, match=rf"^third: no such model; there are {MODEL}, {OTHER}$"):
            run("models", "drop", "third")

        for model in (MODEL, None):  # a worker embeds with it, or may
            with worker_engine.begin() as connection:
                housekeeping.beat(connection, "celery@two", 2, MODEL)
                connection.execute(text("update mosshead.workers set model = :model"), {"model": model})
            self.refused(run, rf"these workers embed with {MODEL}: celery@two; restart them first")
        with worker_engine.begin() as connection:
            housekeeping.beat(connection, "celery@two", 2, OTHER)

        forming.say("I like figs.")  # known only to this model
        self.refused(run, r"other@256 lacks vectors; run 'mosshead service models fill' first")
        run("models", "fill")
        assert run("models", "drop", MODEL).status == 0

    def test_model_in_use_by_apps_is_dropped_only_by_force(
        self, run: Run, forming: Forming, addresses: Addresses
    ) -> None:
        with app_with(addresses, "minilm", forming.publishing.path) as old:
            assert old.query("Where do I live?")
            self.refused(run, r"1 connections of apps read with all-MiniLM-L6-v2.* openai:other@256, or give --force")
            assert "is gone" in run("models", "drop", MODEL, "--force")
            assert not old.query("Where do I live?")

    def test_concurrent_fill_creates_nothing_again(
        self, run: Run, worker_engine: Engine, admin_engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        emptied = models._emptied

        def filled_at_once(engine: Engine, lane: LaneRef, name: str) -> int:
            gone = emptied(engine, lane, name)
            models.fill_all(worker_engine, settings())
            with embedding_with("minilm"):
                filling.fill(worker_engine, lane, parts().embedder)  # one that began earlier
            return gone

        monkeypatch.setattr(models, "_emptied", filled_at_once)
        assert run("models", "drop", MODEL).status == 0
        assert not any(vectors_of(admin_engine, MODEL).values())
        assert states(run) == {OTHER: ("active", 0)}

    def test_nothing_is_lost_while_events_are_published(self, run: Run, forming: Forming, addresses: Addresses) -> None:
        with embedding_with(OTHER_EMBEDDER):
            said = threading.Thread(target=lambda: forming.publishing.say("I like figs."))
            said.start()
            run("models", "drop", MODEL)
            said.join()
            forming.say("I work at Brightleaf.")
        with app_with(addresses, OTHER_EMBEDDER, forming.publishing.path) as new:
            assert len(new.memories()) == 3


def test_database_without_vectors_needs_no_second_model(run: Run, admin_engine: Engine) -> None:
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("delete from mosshead.models")
    with pytest.raises(
        ConfigurationError, match=f"set MOSSHEAD_EMBEDDER={OTHER_EMBEDDER} for the service and the apps"
    ):
        run("models", "add", OTHER_EMBEDDER)


def test_endpoint_that_does_not_answer_adds_no_model(run: Run, endpoint: FakeOpenAI) -> None:
    endpoint.script(EMBEDDINGS, Fault.status(500))
    with pytest.raises(EmbedderUnavailable):
        run("models", "add", OTHER_EMBEDDER)
    assert states(run) == {MODEL: ("active", 0)}


def test_models_are_listed(run: Run, forming: Forming) -> None:
    forming.say("I live in Leeds.")
    run("models", "add", OTHER_EMBEDDER)
    run("models", "add", OTHER_EMBEDDER)
    header, *lines = run("models").splitlines()
    assert header.split("  ")[0] == "model"
    assert [line.split() for line in lines] == [[MODEL, "384", "active", "0"], [OTHER, "256", "filling", "1"]]
