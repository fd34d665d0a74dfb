"""Run the code of pages without a test of their own, unchanged, against a working service."""

import asyncio
import contextlib
import io
import logging
from collections.abc import Mapping
from typing import Any

import pytest

from mosshead import AsyncMemory, Memory, Namespace
from mosshead.contrib.working_memory import WorkingMemory
from tests.acceptance.running import Running
from tests.acceptance.test_readme import python_with_output
from tests.fake_openai import FakeOpenAI
from tests.pages import DOCS


def person(key: str, name: str, **more: Any) -> dict[str, Any]:
    """Return an import line for a person."""
    return {"type": "entity", "key": key, "name": name, "entity_type": "person", **more}


def firm(key: str, name: str) -> dict[str, Any]:
    """Return an import line for a firm."""
    return {"type": "entity", "key": key, "name": name, "entity_type": "org"}


def known(key: str, content: str, *about: str) -> dict[str, Any]:
    """Return an import line for a memory."""
    return {"type": "memory", "id": key, "content": content, "about": list(about)}


PETERS = (
    firm("wobs", "WOBS"),
    person("writer", "Peter Ott", aliases=["Peter"], description="the writer at WOBS"),
    person("brother", "Peter Okafor", aliases=["Peter"], description="your brother"),
    known("p1", "Peter Ott writes columns about gardens", "writer"),
    known("p2", "Peter Okafor sails a dinghy", "brother"),
)
GLASS = (
    firm("glass", "Halberd Glass"),
    person("tomas", "Tomas Reyl", aliases=["Tomas"], parent="glass"),
    known("t1", "Tomas Reyl tends the furnace", "tomas"),
)


@pytest.fixture
def sarah(running: Running, request: pytest.FixtureRequest) -> Namespace:
    return running.memory.namespace("docs", request.node.name)


def run(page: str, number: int, variables: dict[str, Any], *, at: tuple[str, str] = ("", "")) -> str:
    """Run a block of a page, with the page's address replaced; return its output."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(python_with_output(DOCS / page)[number][0].replace(*at), page, "exec"), variables)
    return printed.getvalue()


def brought(sarah: Namespace, lines: tuple[Mapping[str, Any], ...]) -> None:
    """Import what a page presupposes."""
    sarah.import_records(lines)
    sarah.wait(timeout=90)


def test_code_of_the_graph_page_runs(sarah: Namespace) -> None:
    brought(sarah, (firm("barn", "Harp Barn"), person("bo", "Bo", parent="barn")))
    assert run("how-to/identity-questions.md", 3, {"sarah": sarah}) == "1 Harp Barn part_of out None\n"


def test_code_of_the_identity_questions_page_runs(sarah: Namespace) -> None:
    brought(sarah, PETERS)
    sarah.publish("Peter is learning to bake rye bread.")
    sarah.wait(timeout=90)
    variables: dict[str, Any] = {"sarah": sarah}
    told = run("how-to/identity-questions.md", 0, variables)
    assert told.startswith("Which Peter do you mean: ")
    assert {"the writer at WOBS", "your brother"} == {line.split(" ", 1)[1] for line in told.splitlines()[1:]}
    variables["question"] = sarah.entities.questions()[0]
    run("how-to/identity-questions.md", 1, variables)  # two answers, the second of which is too late
    sarah.wait(timeout=90)
    assert sarah.entities.questions() == []
    peter = variables["question"].candidates[0].entity_id
    other = variables["question"].candidates[1].entity_id
    memories = [one for one in sarah.memories(about=peter) if one.key is None]
    run("how-to/identity-questions.md", 2, {"sarah": sarah, "pete": other, "peter": peter, "memories": memories})
    sarah.wait(timeout=90)
    assert "Peter Haas" in {one.name for one in sarah.entities.list()}


def test_code_of_the_name_resolution_page_runs(sarah: Namespace) -> None:
    brought(sarah, PETERS)
    told = run("explanation/identity.md", 0, {"sarah": sarah})
    assert told.startswith("Which Peter do you mean: ")
    assert "the writer at WOBS" in told
    assert "your brother" in told


def test_code_of_the_working_memory_page_runs(sarah: Namespace) -> None:
    brought(sarah, GLASS)
    variables: dict[str, Any] = {"sarah": sarah}
    run("how-to/working-memory.md", 5, variables)
    tracked = variables["tracked"]
    assert [(one.entity.name, round(one.score, 2)) for one in tracked.scene] == [("Halberd Glass", 0.92)]
    assert [one.entity.name for one in tracked.topic] == ["Tomas Reyl"]
    assert [(one.text, [who.name for who in one.entities]) for one in tracked.references] == [("him", ["Tomas Reyl"])]
    run("how-to/working-memory.md", 6, variables | {"new_turns": [{"role": "user", "content": "Is he in?"}]})


def test_code_of_the_reading_and_recall_pages_runs(sarah: Namespace) -> None:
    run("explanation/memory-formation.md", 0, {"sarah": sarah})
    sarah.publish("The number of the boat is AX 77.", conversation="c6")
    sarah.wait(timeout=90)
    assert "AX 77" in run("explanation/reading.md", 0, {"sarah": sarah, "turns": []})


def test_code_of_the_stories_page_runs(sarah: Namespace, monkeypatch: pytest.MonkeyPatch) -> None:
    told = (("s1", "Anna sings in the Harp Choir", "2024-03-02"), ("s2", "Sarah met Anna at the choir", "2024-03-12"))
    known_then = [
        known(key, content, "anna") | {"occurred_at": f"{day}T12:00:00+00:00"}
        for key, content, day in (*told, ("s3", "Anna keeps bees", "2025-04-06"))
    ]
    brought(sarah, (person("anna", "Anna"), *known_then))
    variables: dict[str, Any] = {"sarah": sarah}
    pages = python_with_output(DOCS / "how-to/working-memory.md")
    assert run("how-to/working-memory.md", 7, variables) == pages[7][1]
    answer = {
        "sentences": [
            {"text": "Anna sings in the Harp Choir, where you met her on 12 March 2024", "evidence": [1, 2]},
            {"text": "She keeps bees [3].", "evidence": [3, 4]},
        ]
    }
    with FakeOpenAI() as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", fake.base_url)
        fake.script("StoryAnswer", answer)
        assert run("how-to/working-memory.md", 8, variables) == pages[8][1]


def test_code_of_the_web_apps_page_runs(
    running: Running, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MOSSHEAD_DATABASE_URL", "MOSSHEAD_BROKER_URL"):
        monkeypatch.setenv(name, running.addresses.environment()[name])
    variables: dict[str, Any] = {}
    run("how-to/publish.md", 0, variables)
    with variables["memory"] as memory:
        sarah = memory.namespace("acme", request.node.name)
        sarah.publish("I just moved to Seattle.")
        sarah.wait(timeout=90)
        run("how-to/publish.md", 1, variables)

        def notes() -> str:
            async def told() -> str:
                async with await AsyncMemory.connect() as opened:
                    await opened.warm_up()
                    said: str = await variables["notes_for"](opened, request.node.name, "c1", "Where do I live?")
                    return said

            return asyncio.run(told())

        # On a busy machine, a read may exceed the page's time limit.
        running.eventually(lambda: notes() == "- User just moved to Seattle", "a read in time")
        sarah.wait(timeout=90)
        assert "Where do I live?" in {one.content for one in sarah.messages.search("live").messages}


def test_code_of_the_publishing_erasing_and_replaying_pages_runs(running: Running, sarah: Namespace) -> None:
    run("how-to/publish.md", 2, {"sarah": sarah})
    assert run("how-to/replay.md", 0, {"memory": running.memory}) == "\n"
    brought(sarah, PETERS)
    (message,) = sarah.messages.search("Seattle").messages
    peter = sarah.entities.get("Peter Ott")
    memory_id = next(one.id for one in sarah.memories() if one.key == "p2")
    told = run("how-to/erase.md", 0, {"sarah": sarah, "memory_id": memory_id, "message_id": message.id, "peter": peter})
    assert told.endswith(" 0\n")
    assert sarah.memories() == []


def test_code_of_the_reading_page_on_timeouts_and_rerankers_runs(running: Running, sarah: Namespace) -> None:
    sarah.publish("I live in Leeds.")
    sarah.wait(timeout=90)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("MOSSHEAD_DATABASE_URL", running.addresses.database_url)
        variables: dict[str, Any] = {"sarah": sarah, "Memory": Memory, "log": logging.getLogger("docs")}
        run("explanation/reading.md", 1, variables)
        variables["memory"].close()

    class Encoder:
        def predict(self, pairs: list[tuple[str, str]]) -> list[float]:
            return [float(len(text)) for _, text in pairs]

    run("explanation/reading.md", 2, variables | {"cross_encoder": Encoder(), "message": "Where do I live?"})


def test_code_of_the_embedders_page_runs() -> None:
    assert run("how-to/models.md", 0, {}) == "0.27\n"


def test_code_of_the_redis_working_memory_page_runs(running: Running, sarah: Namespace) -> None:
    variables: dict[str, Any] = {"sarah": sarah, "WorkingMemory": WorkingMemory}
    run("how-to/working-memory.md", 3, variables, at=("redis://localhost:6379/1", running.addresses.broker_url))
    assert variables["working"].resolve("Peter") is None
    sarah.publish("I live in Leeds.", conversation="c1")
    run("how-to/working-memory.md", 4, variables)
    sarah.wait(timeout=90)
    assert sarah.messages.summary("c1") is not None


def test_model_that_answers_nothing_leaves_the_reading_page_as_it_is(
    sarah: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought(sarah, PETERS)
    with FakeOpenAI() as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", fake.base_url)
        fake.script("ExpressionAnswer", {"out_of_place": [1, 2]})
        variables: dict[str, Any] = {"sarah": sarah, "message": "What does Peter Okafor sail?"}
        run("explanation/reading.md", 3, variables)
        assert fake.calls["ExpressionAnswer"] == 1
