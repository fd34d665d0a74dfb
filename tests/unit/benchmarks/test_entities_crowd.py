"""The crowd: of the requested size, under one name, and separate from the world's facts."""

import re
from pathlib import Path

import pytest

from benchmarks.entities import vocabulary
from benchmarks.entities.crowd import Size, commonest_name, crowd
from benchmarks.entities.world import read_world

WORLD = read_world(Path("tests/data/entities/nurse_and_choir"))
SIZE = Size(bearers=60, entities=400, memories=1_500)


def test_crowd_and_world_together_have_the_requested_size() -> None:
    others, known = crowd(WORLD, SIZE, seed=1)

    people = [*WORLD.entities, *others]
    assert len(people) == SIZE.entities
    assert len(WORLD.memories) + len(known) == SIZE.memories
    assert sum(one.name == "Martin" for one in people) == SIZE.bearers


def test_crowd_is_consistent() -> None:
    others, known = crowd(WORLD, SIZE, seed=1)
    keys = {one.key for one in others}

    assert len(keys) == len(others)
    assert {one.parent for one in others if one.parent} <= keys
    assert {key for memory in known for key in memory.about} <= keys
    assert len({memory.id for memory in known}) == len(known)


def test_every_namesake_is_known_for_something_of_its_own() -> None:
    others, known = crowd(WORLD, SIZE, seed=1)
    namesakes = {one.key for one in others if one.name == "Martin"}

    said = [memory.content for memory in known if memory.about[0] in namesakes]
    assert {memory.about[0] for memory in known} >= namesakes
    assert len(set(said)) > 0.8 * len(said)


def test_crowd_uses_no_other_name_of_the_world() -> None:
    world = read_world(Path("tests/data/entities/carpenter_and_band"))

    others, _ = crowd(world, SIZE, seed=1)

    assert "Greta Holm" in {one.name for one in world.entities}
    assert "Greta" in vocabulary.FIRST_NAMES
    assert "Greta" not in {one.name for one in others}


def test_facts_of_the_crowd_share_no_long_word_with_those_of_the_world() -> None:
    _, known = crowd(WORLD, SIZE, seed=1)
    written = " ".join(re.sub(r"\b[A-Z]\w+", "", memory.content) for memory in known).lower()
    theirs = " ".join(memory.content for memory in WORLD.memories).lower()

    assert not set(re.findall(r"[a-z]{5,}", written)) & set(re.findall(r"[a-z]{5,}", theirs))


def test_same_seed_gives_the_same_crowd() -> None:
    assert crowd(WORLD, SIZE, seed=1) == crowd(WORLD, SIZE, seed=1)
    assert crowd(WORLD, SIZE, seed=1) != crowd(WORLD, SIZE, seed=2)


def test_nobody_is_added_to_a_world_that_is_large_enough() -> None:
    assert crowd(WORLD, Size(bearers=3, entities=10, memories=20), seed=1) == ([], [])


@pytest.mark.parametrize(("folder", "name"), [("nurse_and_choir", "Martin"), ("carpenter_and_band", "Anna")])
def test_commonest_name_is_that_of_most_people(folder: str, name: str) -> None:
    assert commonest_name(read_world(Path("tests/data/entities") / folder)) == name
