"""The whole way of an event with the offline rules: published to a real queue, processed by real processes, read back."""

import json
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

from mosshead import MemoryKind
from tests.acceptance.running import Running

STORY = """\
User: The company is Wolf of Blog Street, also known as WOBS. We do link building. Peter is one of our writers.
Assistant: Nice to meet you all.
User: You need to learn this: to check that content passes as human, first run it through two AI detectors, then read it aloud.
"""


def test_published_event_can_be_queried(running: Running) -> None:
    sarah = running.memory.namespace("acme", "sarah")

    event_id = sarah.publish("I just moved to Seattle", role="user", conversation="c1")
    progress = sarah.wait(timeout=90)

    assert progress.pending == 0
    hits = sarah.query("Where does she live?", limit=5)
    assert not hits.partial
    assert "Seattle" in hits[0].content
    assert hits[0].content.startswith("User")
    memory = sarah.get(hits[0].id)
    assert [source.message_id for source in memory.sources] == [event_id]
    assert memory.sources[0].quote == "I just moved to Seattle"


def test_acceptance_story_is_in_one_context(running: Running) -> None:
    """One message's context contains the writer's role and the taught process, years later."""
    nadia = running.memory.namespace("acme", "nadia")
    nadia.publish_conversation(STORY, conversation="c1", occurred_at=datetime(2023, 1, 12, tzinfo=UTC), ended=True)
    nadia.wait(timeout=90)

    context = nadia.context("Check if Peter's content is passing as human", budget=200)

    assert any("Peter" in memory.content and "writer" in memory.content for memory in context.memories)
    assert any(memory.kind is MemoryKind.PROCESS and "detectors" in memory.content for memory in context.memories)
    assert "Wolf of Blog Street" in nadia.entities.profile("WOBS").summary
    assert {entity.name for entity in nadia.entities.list()} >= {"Peter", "Wolf of Blog Street"}


def test_every_message_is_stored_once_and_takes_effect(running: Running) -> None:
    tom = running.memory.namespace("acme", "tom")
    published = [tom.publish(f"My lucky number {number} is {number * 7}", conversation="c") for number in range(60)]
    tom.wait(timeout=90)

    stored = running.rows(
        f"select event_id, state from mosshead.events where namespace_id = '{tom.path.namespace_id}' order by position"
    )
    assert [event_id for event_id, _ in stored] == published
    assert {state for _, state in stored} == {"done"}


def test_duplicate_event_is_stored_once_and_delays_nothing(running: Running) -> None:
    ada = running.memory.namespace("acme", "ada")
    first = ada.publish("I like tea")
    ada.publish("I like tea", event_id=first)
    ada.publish("I like figs")
    ada.wait(timeout=90)  # shorter than the wait for a gap

    assert {memory.content for memory in ada.memories()} == {"User likes tea", "User likes figs"}
    (stored,) = running.rows(f"select count(*) from mosshead.events where event_id = '{first}'")
    assert stored == (1,)


def test_tenants_do_not_see_each_others_memories(running: Running) -> None:
    for tenant, drink in (("north", "cocoa"), ("south", "cider")):
        namespace = running.memory.namespace(tenant, "user")
        namespace.publish(f"I love {drink}")
        namespace.wait(timeout=90)

    assert [hit.content for hit in running.memory.namespace("north", "user").query("drinks")] == ["User loves cocoa"]
    assert running.memory.namespace("north", "somebody-else").query("drinks").hits == ()


def test_command_line_publishes_and_queries(running: Running, tmp_path: Path) -> None:
    transcript = tmp_path / "talk.txt"
    transcript.write_text("User: I love rye bread\nAssistant: Noted!\n")
    environment = {**os.environ, **running.addresses.environment()}

    def mosshead(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mosshead", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)

    published = mosshead("publish", "-n", "acme/cli", "--transcript", str(transcript), "--wait", "90", "--json")
    assert published.returncode == 0, published.stderr
    assert len(json.loads(published.stdout)["event_ids"]) == 2

    found = mosshead("query", "-n", "acme/cli", "bread", "--json")
    assert [hit["content"] for hit in json.loads(found.stdout)["hits"]] == ["User loves rye bread"]


def test_threads_share_one_memory(running: Running) -> None:
    shared = running.memory.namespace("acme", "threads")

    def publish(thread: int) -> None:
        for number in range(10):
            shared.publish(f"I own item {thread}-{number}", conversation=f"c{thread}")

    threads = [threading.Thread(target=publish, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    progress = shared.wait(timeout=90)

    assert set(progress.consolidated.values()) == {40}
