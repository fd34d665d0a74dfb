"""Worlds: which fit the format, which do not, and the names that the service is given instead of keys."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.entities.disguise import disguise
from benchmarks.entities.world import TALK, TOGETHER, WHO, WORLD, WorldError, read_world

OWN = sorted(path.parent.parent for path in Path("tests/data/entities").glob(f"*/{WORLD}"))

ENTITIES: list[dict[str, Any]] = [
    {"type": "entity", "key": "mill", "name": "The Mill", "entity_type": "org", "aliases": [], "parent": None},
    {
        "type": "entity",
        "key": "jo-miller",
        "name": "Jo",
        "entity_type": "person",
        "aliases": ["Jo Ek"],
        "parent": "mill",
    },
]
MEMORIES: list[dict[str, Any]] = [
    {
        "type": "memory",
        "id": "grinds",
        "content": "Jo grinds spelt.",
        "about": ["jo-miller", "mill"],
        "kind": "fact",
        "occurred_at": "2020-02-03T10:00:00Z",
    }
]
ROW: dict[str, Any] = {
    "id": "q1",
    "text": "Ask Jo",
    "history": [],
    "mention": "Jo",
    "expect": "jo-miller",
    "kind": "attribute",
}
NEED: dict[str, Any] = {
    "id": "c1",
    "text": "Spelt?",
    "history": [],
    "user_now": "2026-03-02",
    "needs": [["grinds"]],
    "kind": "plain",
}
GOLD = {"scene": ["mill"], "topic": [], "mention": [], "pronouns": {"he": "jo-miller", "it": None}}
CONVERSATION: dict[str, Any] = {
    "id": "t1",
    "about": "",
    "turns": [{"role": "user", "content": "Is he in?", "gold": GOLD}],
}

FILES = {"world": WORLD, "who": WHO, "together": TOGETHER, "talk": TALK}

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a complete world with some parts replaced."""

    def written(**other: list[Any]) -> Path:
        rows: dict[str, list[Any]] = {
            "world": [*ENTITIES, *MEMORIES],
            "who": [ROW],
            "together": [NEED],
            "talk": [CONVERSATION],
            **other,
        }
        for name, file in FILES.items():
            (tmp_path / file).parent.mkdir(exist_ok=True)
            (tmp_path / file).write_text("".join(f"{json.dumps(row)}\n" for row in rows[name]))
        return tmp_path

    return written


@pytest.mark.parametrize("folder", OWN, ids=lambda folder: folder.name)
def test_own_worlds_fit_the_format(folder: Path) -> None:
    world = read_world(folder)

    assert len(world.who) > 80
    assert len(world.talks) >= 10


def test_own_worlds_exist() -> None:
    assert len(OWN) >= 2


def test_world_is_read(write: Write) -> None:
    world = read_world(write())

    assert [one.key for one in world.entities] == ["mill", "jo-miller"]
    assert world.who[0].known == "jo-miller"
    gold = world.talks[0].turns[0].gold
    assert gold is not None
    assert gold.pronouns == {"he": "jo-miller", "it": None}


def test_extra_fields_of_another_data_set_are_ignored(write: Write) -> None:
    folder = write(who=[{**ROW, "colour": "red"}])
    file = folder / FILES["who"]
    file.write_text(f"{file.read_text()}\n")  # nor is a blank line

    assert len(read_world(folder).who) == 1


@pytest.mark.parametrize(
    ("other", "fault"),
    [
        ({"world": [*ENTITIES, {**MEMORIES[0], "about": ["nobody"]}]}, "grinds: about: nobody is no entity"),
        ({"world": [{**ENTITIES[1], "parent": "sky"}, ENTITIES[0], *MEMORIES]}, "jo-miller: parent: sky is no entity"),
        ({"world": [*ENTITIES, *MEMORIES, *MEMORIES]}, "grinds: is there twice"),
        ({"who": [{**ROW, "expect": "nobody"}]}, "q1: expect: nobody is no entity"),
        ({"who": [{**ROW, "trap": ["nobody"]}]}, "q1: expect: nobody is no entity"),
        ({"who": [{**ROW, "mention": "Bo"}]}, "q1: mention: is not in the text"),
        ({"together": [{**NEED, "needs": [["grinds", "gone"]]}]}, "c1: needs: gone is no memory"),
        ({"together": [{**NEED, "needs": []}]}, "queries.jsonl:1: needs"),
        ({"talk": [{**CONVERSATION, "turns": []}]}, "conversations.jsonl:1: turns"),
    ],
)
def test_unsuitable_world_is_named_with_its_fault(write: Write, other: dict[str, list[Any]], fault: str) -> None:
    with pytest.raises(WorldError, match=fault):
        read_world(write(**other))


def test_gold_key_of_no_entity_is_named(write: Write) -> None:
    turn = {"role": "user", "content": "And she?", "gold": {"pronouns": {"she": ["jo-miller", "nobody"]}}}

    with pytest.raises(WorldError, match="t1: pronouns: nobody is no entity"):
        read_world(write(talk=[{**CONVERSATION, "turns": [turn]}]))


def test_missing_file_is_named(write: Write) -> None:
    folder = write()
    (folder / TALK).unlink()

    with pytest.raises(WorldError, match="is not there"):
        read_world(folder)


def test_rows_to_be_asked_and_about_nobody_have_no_key(write: Write) -> None:
    world = read_world(write(who=[{**ROW, "expect": "ask"}, {**ROW, "id": "q2", "expect": ["none", "ask"]}]))

    assert [(row.known, row.open) for row in world.who] == [(None, True), (None, False)]


def test_imported_lines_reveal_no_key_or_id() -> None:
    world = read_world(OWN[0])

    given = disguise(world.entities, world.memories, seed=1)

    named = [record["key"] if record["type"] == "entity" else record["id"] for record in given.records]
    assert not {name for name in named if not name[1:].isdigit()}
    assert [name for name in named if name[0] == "m"] != sorted(
        (n for n in named if n[0] == "m"), key=lambda n: int(n[1:])
    )
    for name, own in ((one, own) for names in (given.keys, given.ids) for one, own in names.items()):
        assert name != own
    by_key = {record["key"]: record for record in given.records if record["type"] == "entity"}
    by_id = {record["id"]: record for record in given.records if record["type"] == "memory"}
    for entity in world.entities:
        (key,) = (given_key for given_key, own in given.keys.items() if own == entity.key)
        assert key is not None
        assert by_key[key]["name"] == entity.name
        assert (by_key[key]["parent"] is None) == (entity.parent is None)
        assert given.keys.get(by_key[key]["parent"]) == entity.parent
    for memory in world.memories:
        (name,) = (given_id for given_id, own in given.ids.items() if own == memory.id)
        assert name is not None
        assert by_id[name]["content"] == memory.content
        assert tuple(given.keys[key] for key in by_id[name]["about"]) == memory.about


def test_entities_of_one_kind_are_not_adjacent_under_their_names() -> None:
    world = read_world(OWN[0])

    given = disguise(world.entities, world.memories, seed=1)

    kinds = [record["type"] for record in given.records]
    assert kinds != sorted(kinds)
    in_order = [own for name, own in sorted(given.keys.items(), key=lambda pair: int(str(pair[0])[1:]))]
    assert in_order != [one.key for one in world.entities]
    assert disguise(world.entities, world.memories, seed=1) == given
    assert disguise(world.entities, world.memories, seed=2) != given
