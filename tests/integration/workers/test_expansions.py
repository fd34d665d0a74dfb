"""Expansions, phrases one might use when talking about a memory: an LLM writes them off the hot path; readers never see them."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Engine, text

from config.settings import settings
from mosshead import Hits, Namespace
from mosshead.store.connection import tenant_transaction
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI, Request
from tests.forming import Forming
from tests.given import MINILM
from tests.integration.workers.conftest import Find
from workers.dependencies import parts

ANSWER = "ExpansionAnswer"
SAID = {
    "Peter Lanyon is a dentist": ("quuxmolar", "toothache"),
    "Peter Wells plays the cello": ("bow", "orchestra"),
    "Peter Wells plays the tuba": ("quuxbrass",),
}
PETERS = list(SAID)[:2]


@pytest.fixture
def fake(fake: FakeOpenAI) -> Iterator[FakeOpenAI]:
    """Return facts as they are said, and phrases for each memory shown."""

    def phrases(request: Request) -> Any:
        shown = re.findall(r"\[(\d+)\]\n\| (.*)", request.prompt)
        said = [(int(number), SAID.get(content.rstrip("."), ())) for number, content in shown]
        return {"memories": [{"memory": number, "phrases": list(words)} for number, words in said]}

    with fake.answering(ANSWER, phrases):
        yield fake


def say(fake: FakeOpenAI, forming: Forming, *said: str, **given: Any) -> None:
    facts = [
        fact_like(
            content=one,
            quote=one,
            sources=[number],
            mentions=[
                {
                    "name": " ".join(one.split()[:2]),
                    "entity_type": "person",
                    "role": "subject",
                    "aliases": [],
                    "parent": None,
                    "description": None,
                }
            ],
        )
        for number, one in enumerate(said, 1)
    ]
    fake.script("ExtractionAnswer", {"facts": facts})
    forming.say(*said, **given)


def rows(engine: Engine, forming: Forming) -> dict[str, str]:
    with tenant_transaction(engine, forming.publishing.lane.tenant_id) as connection:
        found = connection.execute(
            text("""
            select memory.content, expansion.phrases from mosshead.expansions as expansion
            join mosshead.memories as memory using (tenant_id, namespace_id, memory_id) where memory.known_to is null
        """)
        )
        return {row.content: row.phrases for row in found}


def test_many_memories_are_expanded_in_one_call_and_found_by_words_they_do_not_contain(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, worker_engine: Engine
) -> None:
    say(fake, forming, *PETERS)

    assert fake.calls[ANSWER] == 1
    assert set(rows(worker_engine, forming).values()) == {"quuxmolar\ntoothache", "bow\norchestra"}
    found = sarah.resolve("I rang Peter because of my quuxmolar and a toothache", mention="Peter")
    assert found.entity is not None
    assert found.entity.name == "Peter Lanyon"


def cosines(text: str) -> dict[str, float]:
    """Return the cosines of a text and the memories about the Peters."""
    vectors = MINILM.embed([text, *PETERS])
    return {content: float(one @ vectors[0]) for content, one in zip(PETERS, vectors[1:], strict=True)}


def similarities(hits: Hits) -> dict[str, float]:
    return {hit.content: hit.similarity for hit in hits}


@pytest.mark.parametrize("narrowed", [{}, {"metadata": {}}], ids=["all", "narrowed"])
def test_query_finds_a_memory_by_a_word_that_only_its_expansion_has(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, narrowed: dict[str, Any]
) -> None:
    say(fake, forming, *PETERS)
    dentist, cellist = PETERS
    asked = r"quuxmolar at three o'clock \ %s"
    near = cosines(asked)
    assert near[cellist] > near[dentist], "else the words prove nothing"

    found = similarities(sarah.query(asked, **narrowed))

    assert list(found) == [dentist, cellist]
    assert near[dentist] + 0.05 < found[dentist] <= near[dentist] + 0.3001
    assert found[cellist] == pytest.approx(near[cellist], abs=2e-3), "its own words add nothing"
    assert list(similarities(sarah.query(asked, limit=1, **narrowed))) == [dentist]
    assert list(similarities(sarah.query(asked, threshold=near[cellist] + 0.01, **narrowed))) == [dentist]


def test_query_ignores_an_expansion_of_an_earlier_version(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, admin_engine: Engine
) -> None:
    say(fake, forming, *PETERS, "Anna Quill leads an orchestra")
    own = cosines("orchestra")
    counted = similarities(sarah.query("orchestra"))
    with admin_engine.begin() as connection:
        connection.execute(
            text("update mosshead.expansions set made_of = '' where namespace_id = :id"),
            {"id": forming.publishing.lane.namespace_id},
        )

    found = similarities(sarah.query("orchestra"))

    assert {one: found[one] for one in PETERS} == pytest.approx(own, abs=2e-3)
    assert counted[PETERS[1]] > found[PETERS[1]] + 0.01, "else the words prove nothing"


def test_no_read_returns_an_expansion(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, caplog: pytest.LogCaptureFixture, capsys: Any
) -> None:
    say(fake, forming, *PETERS)

    message = "Who helps with a toothache?"
    shown = (
        str(sarah.context(message).as_system_message()),
        repr(sarah.context(message)),
        repr(sarah.query(message)),
        repr(sarah.memories()),
        repr(list(sarah.export())),
        repr(sarah.resolve("I rang Peter because of my back", mention="Peter")),
        caplog.text,
        "".join(capsys.readouterr()),
    )
    assert "dentist" in shown[0]
    assert not [one for one in shown if "quuxmolar" in one or "orchestra" in one]


def test_changed_memory_is_expanded_again(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find, worker_engine: Engine
) -> None:
    say(fake, forming, PETERS[1])
    update = {"action": "update", "memory": 1, "content": "Peter Wells plays the tuba", "reason": "not the cello"}
    fake.script("ConsolidationAnswer", {"decisions": [{"fact": 1, **update}]})
    say(fake, forming, "Peter Wells plays the tuba")

    assert rows(worker_engine, forming) == {memory.content: "quuxbrass" for memory in sarah.memories()}
    assert not {"embeddings", "traits", "expansions"} & set(find("orchestra"))


def test_expansion_is_erased_with_its_memory(fake: FakeOpenAI, forming: Forming, find: Find) -> None:
    say(fake, forming, PETERS[0], conversation="gone")
    assert {"expansions", "embeddings", "traits", "vocabulary"} <= set(find("quuxmolar"))

    forming.erase(conversation="gone")

    assert find("quuxmolar") == {}


def test_expansion_is_removed_when_its_memory_is_undone(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    say(fake, forming, PETERS[0])
    (memory,) = sarah.memories()
    (decision,) = sarah.decisions.for_memory(memory.id)

    forming.command(type="undo", decision_id=str(decision.id))

    assert sarah.memories() == []
    assert not {"expansions", "embeddings", "traits"} & set(find("quuxmolar"))


def test_nothing_is_expanded_without_an_llm(forming: Forming, sarah: Namespace, worker_engine: Engine) -> None:
    forming.say("I like green tea.")

    assert sarah.memories()
    assert rows(worker_engine, forming) == {}
    with tenant_transaction(worker_engine, forming.publishing.lane.tenant_id) as connection:
        assert connection.exec_driver_sql("select kind from mosshead.reflections").all() == []


def test_expansions_wait_while_their_own_budget_is_spent(
    fake: FakeOpenAI, forming: Forming, worker_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSSHEAD_EXPANSION_TOKENS_PER_DAY", "1")
    settings.cache_clear()
    parts.cache_clear()
    say(fake, forming, PETERS[0])
    say(fake, forming, PETERS[1])

    assert fake.calls[ANSWER] == 1, "one call was let through, and spent it"
    assert list(rows(worker_engine, forming)) == [PETERS[0]]
    with tenant_transaction(worker_engine, forming.publishing.lane.tenant_id) as connection:
        waiting = connection.exec_driver_sql("select kind from mosshead.reflections where due_at > now()").scalars()
        assert list(waiting) == ["expansions"]
        connection.exec_driver_sql("update mosshead.usage set at = at - interval '25 hours'")
        connection.exec_driver_sql("update mosshead.reflections set due_at = now()")
        connection.exec_driver_sql("update mosshead.lanes set reflections_due_at = now()")
    say(fake, forming, "I like tea")

    assert PETERS[1] in rows(worker_engine, forming)


def test_budget_of_zero_turns_expansions_off(
    fake: FakeOpenAI, forming: Forming, worker_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSSHEAD_EXPANSION_TOKENS_PER_DAY", "0")
    settings.cache_clear()
    parts.cache_clear()
    say(fake, forming, PETERS[0])

    assert fake.calls[ANSWER] == 0
    assert rows(worker_engine, forming) == {}
