"""Who is meant, asked as an app asks: how much is known of an entity, how often it was said, and when, do not count."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Engine

from benchmarks.entities.world import Who, World, read_world
from config.settings import Settings
from mosshead import Memory, Namespace
from mosshead.entities.disambiguation import telling
from mosshead.publishing.imports import check_lines, events_of
from mosshead.publishing.publishers import check_events
from mosshead.store.entities import known_keys
from tests.forming import Forming
from tests.given import MINILM, Publishing

FOLDER = Path(__file__).resolve().parents[2] / "data" / "entities" / "carpenter_and_band"
BUSY = "anna-upstairs"
"""The entity about which much more is learned, none of it asked about."""
NEWS = [f"Form {number} has a blue margin." for number in range(40)]

Bring = Callable[[Namespace, Iterable[Mapping[str, Any]]], None]


class Answer(NamedTuple):
    """The status, and by key who fits best."""

    status: str
    best: str | None


@pytest.fixture(scope="module")
def world() -> World:
    return read_world(FOLDER)


@pytest.fixture
def bring(settled: None, memory: Memory, worker_engine: Engine, ingest_engine: Engine, service: Settings) -> Bring:
    """Import lines into a namespace."""

    def carry(namespace: Namespace, lines: Iterable[Mapping[str, Any]]) -> None:
        forming = Forming(worker_engine, Publishing(ingest_engine, namespace.path))
        events = events_of(check_lines(lines, lambda keys: namespace.session.fetch(known_keys, keys)))
        for event in (json.loads(one.body) for one in check_events(namespace.path, list(events))):
            forming.command(**{name: event[name] for name in ("type", "entities", "memories")})

    return carry


@pytest.fixture
def asked(world: World) -> list[Who]:
    """Return questions about the name that most entities have."""
    return [row for row in world.who if row.mention == "Anna"]


def lines_of(world: World, years: int = 0) -> list[dict[str, Any]]:
    """Return the world's lines; years: by how much every other memory is earlier."""
    lines = [one.model_dump(mode="json") for one in world.entities]
    for place, memory in enumerate(world.memories):
        earlier = memory.occurred_at - timedelta(days=365 * years * (place % 2))
        lines.append({**memory.model_dump(mode="json"), "occurred_at": earlier.isoformat()})
    return lines


def answers(namespace: Namespace, rows: Iterable[Who]) -> dict[str, Answer]:
    keys = {one.id: one.key for one in namespace.entities.list()}
    found = {}
    for row in rows:
        history = [turn.model_dump(mode="json") for turn in row.history]
        resolved = namespace.resolve(row.text, mention=row.mention, history=history)
        best = keys[resolved.candidates[0].entity_id] if resolved.candidates else None
        found[row.id] = Answer(resolved.status, best)
    return found


def apart(world: World, rows: Iterable[Who]) -> list[Who]:
    """Return questions that the news is no nearer to than the earlier memories of its entity, and shares no word with."""
    news = MINILM.embed(NEWS)
    known = MINILM.embed([one.content for one in world.memories if BUSY in one.about])
    stems = {word[:4] for word in re.findall(r"[a-z]+", NEWS[0].casefold())}
    found = []
    for row in rows:
        said = telling(row.text, row.mention, [turn.content for turn in row.history])
        text = MINILM.embed([said.text])[0]
        nearer = (news @ text).max() >= (known @ text).max()
        if not nearer and stems.isdisjoint(word[:4] for word in (*said.words, *said.scene_words)):
            found.append(row)
    return found


def test_unrelated_repeated_or_older_memories_change_no_winner(
    bring: Bring, sarah: Namespace, world: World, asked: list[Who]
) -> None:
    bring(sarah, lines_of(world))
    before = answers(sarah, asked)
    rows = [row for row in apart(world, asked) if before[row.id].best != BUSY]
    assert len(rows) > 20

    bring(
        sarah, ({"type": "memory", "id": f"news-{n}", "content": said, "about": [BUSY]} for n, said in enumerate(NEWS))
    )
    again = [one for one in world.memories if "anna-drums" in one.about]
    bring(
        sarah,
        (
            {**one.model_dump(mode="json"), "id": f"again-{place}", "occurred_at": "2026-03-01T09:00:00Z"}
            for place, one in enumerate(again)
        ),
    )
    after = answers(sarah, rows)

    assert {row.id: after[row.id].best for row in rows} == {row.id: before[row.id].best for row in rows}


def test_time_of_a_memory_does_not_count(
    bring: Bring, sarah: Namespace, memory: Memory, world: World, asked: list[Who]
) -> None:
    bring(sarah, lines_of(world))
    other = memory.namespace(sarah.path.parts[0], "of another age")
    bring(other, lines_of(world, years=9))

    assert answers(other, asked) == answers(sarah, asked)
