"""An endpoint's fault makes no event dead: all facts exist once it works again, and `status` reports it meanwhile."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import Engine

from config.settings import settings
from db.keys import BatchRef
from mosshead import Namespace
from mosshead.paths import NamespacePath
from tests.fake_openai import FakeOpenAI, Fault
from tests.forming import Forming, carry_through
from tests.given import Publishing, claim
from workers.cli.status import read_status, rows
from workers.dependencies import parts, rules_take_over
from workers.tasks import StageFailed

SCHEMA = "ExtractionAnswer"
SAID = ("I like tea.", "I like ham.", "I like figs.")

TROUBLE = {
    "rubbish": (Fault("invalid_json"), "the model's answers cannot be read"),
    "another shape": (Fault("misfit"), "the model's answers cannot be read"),
    "every request refused": (Fault.status(400), "the model's answers cannot be read"),
    "rate limit": (Fault.status(429), "429"),
    "no credit": (Fault.status(402), "402"),
    "wrong key": (Fault.status(401), "OPENAI_API_KEY"),
}


@pytest.fixture(autouse=True)
def alone(admin_engine: Engine, fake: FakeOpenAI) -> Iterator[None]:
    """Isolate the test from the breakers of others, and them from its own."""
    forget(admin_engine)
    yield
    forget(admin_engine)


def forget(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.exec_driver_sql("delete from mosshead.breakers; delete from mosshead.llm_manners")


def a_while(engine: Engine) -> None:
    """Let time pass: the provider may be tried, and waiting stages are due."""
    with engine.begin() as connection:
        connection.exec_driver_sql("""
            update mosshead.breakers set open_until = now(), since = since - interval '1 minute';
            update mosshead.batches set due_at = now() where stage not in ('done', 'dead', 'split');
            update mosshead.reflections set due_at = now() where due_at is not null;
            update mosshead.lanes set reflections_due_at = now(), ready_at = least(ready_at, now())
            where reflections_due_at is not null and batch_id is null
        """)


def try_all(forming: Forming, engine: Engine) -> None:
    """Run each due stage once; those of a failing batch wait."""
    batch = claim(engine, forming.publishing.lane) or open_batch(forming, engine)
    while batch is not None:
        with suppress(StageFailed):
            carry_through(batch)
        batch = claim(engine, forming.publishing.lane)


def open_batch(forming: Forming, engine: Engine) -> BatchRef | None:
    with engine.begin() as connection:
        found = connection.exec_driver_sql(
            "select batch_id from mosshead.lanes where namespace_id = %(id)s and batch_id is not null",
            {"id": forming.publishing.lane.namespace_id},
        ).scalar()
    return BatchRef(forming.publishing.lane, found) if found else None


def dead_letters(forming: Forming, engine: Engine) -> list[str]:
    """Return the reasons of the namespace's dead letters."""
    with engine.connect() as connection:
        found = connection.exec_driver_sql(
            "select reason from mosshead.dead_letters where namespace_id = %(id)s",
            {"id": forming.publishing.lane.namespace_id},
        )
        return [str(one) for one in found.scalars()]


@pytest.mark.parametrize(("fault", "words"), TROUBLE.values(), ids=TROUBLE.keys())
def test_no_event_dies_of_an_endpoints_fault_in_a_namespace_that_then_stays_idle(
    *, fake: FakeOpenAI, forming: Forming, sarah: Namespace, admin_engine: Engine, fault: Fault, words: str
) -> None:
    forming.publishing.send(*map(forming.publishing.message, SAID))
    with fake.answering(SCHEMA, fault):
        for _ in range(10):
            try_all(forming, admin_engine)
            found = read_status(settings())
            assert words in str({name: said for name, said, _ in rows(found)}["provider away"])
            assert dead_letters(forming, admin_engine) == []
            assert sarah.memories() == []
            a_while(admin_engine)

    try_all(forming, admin_engine)

    assert sorted(one.content for one in sarah.memories()) == ["User likes figs.", "User likes ham.", "User likes tea."]
    found = read_status(settings())
    assert found.breakers == []
    assert dead_letters(forming, admin_engine) == []


def test_no_event_dies_of_a_model_that_fails_only_at_consolidation(
    *, fake: FakeOpenAI, forming: Forming, sarah: Namespace, admin_engine: Engine, ingest_engine: Engine
) -> None:
    forming.say("I like tea.")
    tenant, user = forming.publishing.path.parts
    other = Forming(forming.engine, Publishing(ingest_engine, NamespacePath.of((tenant, f"{user}-2"))))
    forming.publishing.send(forming.publishing.message("I like green tea."))
    with fake.answering("ConsolidationAnswer", Fault("invalid_json")):
        for turn in range(1, 6):
            try_all(forming, admin_engine)
            other.publishing.send(other.publishing.message(f"I like fig {turn}."))
            extracted = fake.calls[SCHEMA]
            try_all(other, admin_engine)
            if turn == 1:
                assert fake.calls[SCHEMA] == extracted + 1, "extraction goes on"
            found = read_status(settings())
            (shown,) = (str(said) for name, said, _ in rows(found) if name == "provider away")
            assert shown.startswith("llm (consolidation): the model's answers cannot be read")
            assert f"; {turn} failures in a row" in shown, "what is extracted well does not close it"
            assert dead_letters(forming, admin_engine) == []
            assert [one.content for one in sarah.memories()] == ["User likes tea."]
            a_while(admin_engine)

    for one in (forming, other):
        try_all(one, admin_engine)

    assert sorted(one.content for one in sarah.memories()) == ["User likes green tea.", "User likes tea."]
    assert read_status(settings()).breakers == []
    assert dead_letters(forming, admin_engine) == dead_letters(other, admin_engine) == []


REFLECTED: dict[str, tuple[str, dict[str, Any]]] = {
    "DocumentAnswer": (
        "manage_document",
        {"profiles": [{"name": "Drinks", "json_schema": {"type": "object", "properties": {"hot": {}}}}]},
    ),
    "ManagerAnswer": ("manage_memories", {"episodes": True}),
    "ExpansionAnswer": ("expansions", {}),
}


@pytest.mark.parametrize("schema", REFLECTED)
def test_reflection_that_always_fails_is_postponed_and_holds_nothing_up(
    *, fake: FakeOpenAI, forming: Forming, sarah: Namespace, admin_engine: Engine, schema: str
) -> None:
    question, wanted = REFLECTED[schema]
    if wanted:
        forming.command(type="configure", **wanted)
    with fake.answering(schema, Fault("invalid_json")):
        for content in SAID:
            forming.publishing.send(forming.publishing.message(content))
            for _ in range(3):
                try_all(forming, admin_engine)
            shown = {name: said for name, said, _ in rows(read_status(settings()))}
            assert str(shown["provider away"]).startswith(f"llm ({question}): the model's answers cannot be read")
            assert skipped(forming, admin_engine) == []
            a_while(admin_engine)
        assert [one.content for one in sarah.memories()] == ["User likes tea.", "User likes ham.", "User likes figs."]
    asked = fake.calls[schema]

    for _ in range(5):
        try_all(forming, admin_engine)
        a_while(admin_engine)

    assert fake.calls[schema] > asked
    assert skipped(forming, admin_engine) == []
    assert dead_letters(forming, admin_engine) == []
    assert read_status(settings()).breakers == []


def skipped(forming: Forming, engine: Engine) -> list[str]:
    """Return why reflections of the namespace were skipped."""
    with engine.connect() as connection:
        found = connection.exec_driver_sql(
            "select skipped_for from mosshead.reflection_batches where namespace_id = %(id)s and skipped_for is not null",
            {"id": forming.publishing.lane.namespace_id},
        )
        return [str(one) for one in found.scalars()]


def test_refused_content_of_an_event_still_makes_it_dead(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, admin_engine: Engine
) -> None:
    forming.publishing.send(forming.publishing.message(SAID[0]))
    fake.script(SCHEMA, Fault("refusal"))

    try_all(forming, admin_engine)

    assert read_status(settings()).breakers == []
    assert [one.split(":")[1].strip() for one in dead_letters(forming, admin_engine)] == ["AnswerDeclined"]
    forming.publishing.send(forming.publishing.message(SAID[1]))
    try_all(forming, admin_engine)
    assert [one.content for one in sarah.memories()] == ["User likes ham."]


def test_rules_take_over_after_the_stated_time_until_the_endpoint_answers_again(
    *, fake: FakeOpenAI, forming: Forming, sarah: Namespace, admin_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSSHEAD_RULES_AFTER_SECONDS", "60")
    settings.cache_clear()
    parts.cache_clear()
    forming.publishing.send(forming.publishing.message(SAID[0]))
    with fake.answering(SCHEMA, Fault("invalid_json")):
        try_all(forming, admin_engine)
        assert sarah.memories() == [], "not yet"
        a_while(admin_engine)
        try_all(forming, admin_engine)  # tried once more, and fails
        with admin_engine.begin() as connection:
            assert rules_take_over(connection, settings(), "extract")
            connection.exec_driver_sql("update mosshead.batches set due_at = now() where finished_at is null")
        try_all(forming, admin_engine)
        shown = {name: said for name, said, _ in rows(read_status(settings()))}

    assert [one.content for one in sarah.memories()] == ["User likes tea"]
    assert {one.extracted_by for one in sarah.decisions.latest()} == {"rules"}
    assert shown["facts by"] == "the offline rules, while the LLM is away"
    a_while(admin_engine)
    forming.publishing.send(forming.publishing.message(SAID[1]))
    try_all(forming, admin_engine)
    assert {one.extracted_by for one in sarah.decisions.latest(limit=1)} == {"gpt-4o-mini"}


def test_processes_share_how_a_model_is_to_be_asked_and_status_shows_it(fake: FakeOpenAI, forming: Forming) -> None:
    unavailable = {"error": {"message": "This response_format type is unavailable now", "param": None}}
    fake.script(SCHEMA, *[Fault.status(400, body=unavailable)] * 3)
    forming.say(SAID[0])
    asked = len(fake.requests)
    parts.cache_clear()  # as another process

    forming.say(SAID[1])

    later = [one.body for one in fake.requests[asked:] if "ExtractionAnswer" in str(one.body)]
    assert later
    shown = {name: said for name, said, _ in rows(read_status(settings()))}
    assert "tools" in str(shown["asked for JSON"]) or "json_object" in str(shown["asked for JSON"])
    assert not any("json_schema" in body.get("response_format", {}) for body in later)
