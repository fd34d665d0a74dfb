"""`track_conversation` over real views: what the registry and the memories add to a conversation, in two round trips."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine, event
from typer.testing import CliRunner

from mosshead import Memory, Namespace
from mosshead.cli.main import cli
from mosshead.contrib.focus import FocusState, FocusTurn, Pair, Tracked, track_conversation
from mosshead.contrib.focus.knowledge import FocusKnowledge
from mosshead.models.kinds import EntityType
from mosshead.paths import NamespacePath
from tests.given import MINILM, Publishing, Remembering, index_own
from workers.cli.indexing import index_scopes
from workers.local import Addresses

HISTORY = [
    {"role": "user", "content": "Is Halberd Glass open on Friday?"},
    {"role": "assistant", "content": "Tomas said so."},
    {"role": "user", "content": "Ask him about the furnace."},
    {"role": "tool", "content": "Ines"},
    {"role": "user", "content": "And what does the engraver need?"},
    {"role": "user", "content": "Send her husband the bill as well."},
]
MEMORIES: list[tuple[str, list[str]]] = [
    ("Halberd Glass blows lamps.", ["Halberd Glass"]),
    ("Tomas Reyl runs the furnace at Halberd Glass.", ["Tomas Reyl", "Halberd Glass"]),
    ("Ines Carrow engraves the goblets.", ["Ines Carrow", "Halberd Glass"]),
    ("She is married to Piet Carrow.", ["Ines Carrow", "Piet Carrow"]),
]


@pytest.fixture
def glass(remembering: Remembering, memory: Memory, fresh_namespace: NamespacePath) -> Namespace:
    """Return the fresh namespace, which knows a glass works and its people."""
    works = remembering.entity("Halberd Glass", entity_type=EntityType.ORG)
    ids = {"Halberd Glass": works}
    ids |= {name: remembering.entity(name, parent_id=works) for name in ("Tomas Reyl", "Ines Carrow")}
    ids["Piet Carrow"] = remembering.entity("Piet Carrow")
    vectors = MINILM.embed([content for content, _ in MEMORIES])
    for (content, about), vector in zip(MEMORIES, vectors, strict=True):
        roles = {ids[name]: ("about" if place else "subject", "sure") for place, name in enumerate(about)}
        remembering.memory(content, vector, about=roles)
    return memory.namespace(*fresh_namespace.parts)


def layers(found: Tracked) -> list[tuple[int, list[str], list[str]]]:
    return [
        (turn.place, [one.entity.name for one in turn.scene], [one.entity.name for one in turn.topic])
        for turn in found.turns
    ]


def references(found: Tracked) -> list[dict[str, list[str]]]:
    return [{one.text: [entity.name for entity in one.entities] for one in turn.references} for turn in found.turns]


def goes_by_the_index(engine: Engine) -> bool:
    """Return whether any of its connections has prepared a statement that uses the index."""
    statement = "select statement from pg_prepared_statements"
    with ExitStack() as stack:
        connections = [stack.enter_context(engine.connect()) for _ in range(3)]
        found = [sql for one in connections for sql in one.exec_driver_sql(statement).scalars()]
    return any("hnsw.ef_search" in sql for sql in found)


def test_conversation_is_tracked(glass: Namespace) -> None:
    found = track_conversation(glass, HISTORY)
    assert layers(found) == [
        (0, ["Halberd Glass"], ["Halberd Glass"]),
        (2, ["Halberd Glass"], ["Tomas Reyl"]),
        (4, ["Halberd Glass"], ["Ines Carrow"]),
        (5, ["Halberd Glass"], ["Piet Carrow"]),
    ]
    assert references(found) == [
        {},
        {"him": ["Tomas Reyl"]},
        {"the engraver": ["Ines Carrow"]},
        {"her": ["Ines Carrow"], "her husband": ["Piet Carrow"]},
    ]
    assert (found.scene, found.topic, found.mentions) == (
        found.turns[-1].scene,
        found.turns[-1].topic,
        found.turns[-1].mentions,
    )
    assert found.topic[0].entity.memories == 1
    assert found.scene[0].score < 1


def test_large_namespace_is_tracked_through_the_index(glass: Namespace, admin_url: str, addresses: Addresses) -> None:
    with Memory.connect(database_url=addresses.database_url, read_timeout=60) as alone:
        works = alone.namespace(*glass.path.parts)
        exact = track_conversation(works, HISTORY)
        try:
            index_own(admin_url, works.path.tenant_id, outgrown=len(MEMORIES) - 1)
            assert not goes_by_the_index(works.session.engine)
            assert track_conversation(works, HISTORY) == exact
            assert goes_by_the_index(works.session.engine)
        finally:
            index_scopes(admin_url)


def test_long_memories_are_found_too(glass: Namespace, remembering: Remembering) -> None:
    """Long ones are in another index."""
    diver = remembering.entity("Marit Oak")
    content = f"The diver repairs the harbour lamps. {' '.join(f'word{number}' for number in range(120))}"
    remembering.memory(content, MINILM.embed(["Where is the diver?"])[0], about={diver: ("subject", "sure")})

    found = track_conversation(glass, [{"role": "user", "content": "Where is the diver?"}])
    assert references(found) == [{"the diver": ["Marit Oak"]}]
    assert [one.entity.memories for one in found.topic] == [1]


def test_returned_state_replaces_the_earlier_turns(glass: Namespace) -> None:
    whole = track_conversation(glass, HISTORY)
    state: Any = None
    for turn in HISTORY:
        step = track_conversation(glass, [turn], state=state)
        state = json.loads(json.dumps(step.state.to_json()))
    assert FocusState.from_json(state) == whole.state
    assert step.references == whole.references


def test_conversation_id_alone_loads_its_stored_messages(glass: Namespace, publishing: Publishing) -> None:
    said = [one for one in HISTORY if one["role"] != "tool"]
    for second, one in enumerate(said):
        at = f"2026-03-02T12:00:{second:02}+00:00"
        publishing.send(publishing.message(one["content"], role=one["role"], conversation="c1", occurred_at=at))
    assert references(track_conversation(glass, conversation="c1")) == references(track_conversation(glass, said))
    assert track_conversation(glass, conversation="none").turns == ()


def test_history_of_any_length_takes_two_round_trips(glass: Namespace) -> None:
    with round_trips(glass.session.engine) as counted:
        track_conversation(glass, HISTORY * 3)
    assert len(counted) == 2


@contextmanager
def round_trips(engine: Engine) -> Iterator[list[object]]:
    """Count round trips: `in_one_trip` checks out a connection for each."""
    seen: list[object] = []

    def note(connection: object, *_: object) -> None:
        seen.append(connection)

    event.listen(engine, "checkout", note)
    try:
        yield seen
    finally:
        event.remove(engine, "checkout", note)


def test_unsure_foreign_and_user_memories_add_nothing(
    glass: Namespace, remembering: Remembering, memory: Memory
) -> None:
    remembering.entity("User", is_user=True)
    doubtful = remembering.entity("Marit Oak")
    content = "The diver repairs the harbour lamps."
    remembering.memory(content, MINILM.embed([content])[0], about={doubtful: ("subject", "unsure")})
    assert references(track_conversation(glass, [{"role": "user", "content": "Where is the diver?"}])) == [{}]
    assert track_conversation(glass, [{"role": "user", "content": "The User is here."}]).topic == ()
    elsewhere = memory.namespace(glass.path.parts[0], "another")
    assert layers(track_conversation(elsewhere, HISTORY)) == [(place, [], []) for place in (0, 2, 4, 5)]


def test_custom_tracker_is_used_and_gets_pairs(glass: Namespace) -> None:
    seen: list[tuple[str, set[UUID]]] = []

    def silent(state: FocusState, turn: FocusTurn, known: FocusKnowledge, *, on_pair: Any = None) -> FocusState:
        seen.append((turn.text, set(known.entities)))
        return state

    assert track_conversation(glass, HISTORY, tracker=silent).topic == ()
    assert [text for text, _ in seen] == [one["content"] for one in HISTORY if one["role"] != "tool"]

    pairs: list[Pair] = []
    track_conversation(glass, HISTORY, pairs=pairs.append)
    assert {one.decision for one in pairs} == {"pronoun", "description", "topic"}


def test_track_command_shows_each_turn(
    glass: Namespace, addresses: Addresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in addresses.environment().items():
        monkeypatch.setenv(name, value)
    lines = [f"{one['role'].title()}: {one['content']}" for one in HISTORY if one["role"] != "tool"]
    transcript = tmp_path / "talk.txt"
    transcript.write_text("\n".join(lines), encoding="utf-8")
    asked = ["track", "-n", "/".join(glass.path.parts), "--transcript", str(transcript)]
    answer = json.loads(CliRunner().invoke(cli, [*asked, "--json"]).stdout)
    assert [turn["topic"][0]["entity"]["name"] for turn in answer["turns"]] == [
        *("Halberd Glass", "Tomas Reyl", "Ines Carrow", "Piet Carrow")
    ]
    assert FocusState.from_json(answer["state"]) == track_conversation(glass, transcript_of(lines)).state
    assert "her husband: Piet Carrow" in " ".join(CliRunner().invoke(cli, asked, env={"COLUMNS": "200"}).stdout.split())
    assert CliRunner().invoke(cli, [*asked, "-c", "c1"]).exit_code == 2


def transcript_of(lines: list[str]) -> list[dict[str, str]]:
    return [{"role": role.lower(), "content": content} for role, _, content in (line.partition(": ") for line in lines)]


def test_malformed_history_or_state_is_refused(glass: Namespace) -> None:
    with pytest.raises(ValueError, match=r"messages\[0\].content: missing"):
        track_conversation(glass, [{"role": "user"}])
    with pytest.raises(ValueError, match="state: not what"):
        track_conversation(glass, HISTORY, state={"scene": []})
    assert track_conversation(glass, []).turns == ()


def test_scene_of_deleted_entities_is_ignored(glass: Namespace) -> None:
    state = track_conversation(glass, HISTORY[:1]).state.to_json()
    gone = json.loads(json.dumps(state).replace(state["scene"][0]["entity_id"], str(UUID(int=7))))  # as after a merge
    asked = [{"role": "user", "content": "What does the furnace of Tomas Reyl need?"}]

    found = track_conversation(glass, asked, state=gone)
    assert references(found) == references(track_conversation(glass, asked)) == [{"the furnace": ["Halberd Glass"]}]
    assert UUID(int=7) not in found.state.entity_ids
