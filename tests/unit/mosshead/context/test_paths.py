"""Paths: the items each must deliver come first, whatever the others find."""

from typing import Any

from mosshead.context.assemble import Path, called_for, delivered, paths
from mosshead.models.kinds import MemoryKind
from mosshead.search.memories import Bearing, MemoryFound, rank_memories
from tests.reading_given import NOW, entity, found, scanned

VERA, BRUNO = 0, 1


def sorted_into(*those: MemoryFound, named: tuple[int, ...] = ()) -> dict[str, Path]:
    bearings = {entity(one): Bearing(memories=400) for one in range(4)}
    names = {entity(one): f"name {one}" for one in named}
    ranked = rank_memories(scanned(*those, bearings=bearings), named=list(names))
    return {path.label: path for path in paths(ranked, names)}


def numbers(path: Path) -> list[int]:
    return [one.id.int - 1 for one in path.hits]


def test_each_named_entity_has_a_path_that_delivers_the_best_and_the_oldest() -> None:
    later = [found(number, number / 10, 0.0, VERA, said_at=NOW) for number in range(1, 60)]
    found_paths = sorted_into(found(0, -2.0, 0.0, VERA), *later, found(90, 0.0, 0.0, BRUNO), named=(VERA, BRUNO))
    hers = found_paths["entity: name 0"]
    assert (set(numbers(hers)[: hers.delivers]), len(hers.hits)) == ({59, 58, 0}, 40)
    assert found_paths["entity: name 1"].delivers == 1


def test_process_is_delivered_where_it_is_requested() -> None:
    process: dict[str, Any] = {"kind": MemoryKind.PROCESS, "content": "Oil the chain, then the hinges"}
    assert sorted_into(found(0, 4.0, **process))["process"].delivers == 1
    assert sorted_into(found(0, 1.0, **process))["process"].delivers == 0
    assert called_for(sorted_into(found(0, 4.0, **process)).values()) == ["Oil the chain, then the hinges"]
    assert called_for(sorted_into(found(0, 1.0, **process)).values()) == []


def test_semantic_path_uses_only_the_words() -> None:
    found_paths = sorted_into(found(0, 0.0, 0.0, VERA), found(1, 1.0), named=(VERA,))
    assert numbers(found_paths["semantic"]) == [1, 0]


def test_relations_lead_to_other_subjects_of_the_best() -> None:
    found_paths = sorted_into(
        found(0, 30.0, 0.0, VERA, BRUNO), found(1, 0.0, 0.0, BRUNO), found(2, 0.0, 0.0, VERA), named=(VERA,)
    )
    assert (numbers(found_paths["relations"]), found_paths["relations"].delivers) == ([1], 0)


def test_paths_deliver_in_turns() -> None:
    found_paths = sorted_into(
        *(found(number, number / 10, 0.0, VERA) for number in range(3)),
        found(7, 5.0),
        found(8, 0.0, 0.0, BRUNO),
        named=(VERA, BRUNO),
    )
    assert [one.id.int - 1 for one in delivered(list(found_paths.values()))][:3] == [0, 8, 7]


def test_empty_path_is_left_out() -> None:
    assert sorted_into(named=(VERA,)) == {}


def test_only_the_oldest_memory_of_a_possible_entity_is_delivered() -> None:
    those = [found(number, number / 10, 0.0, VERA, said_at=NOW) for number in range(1, 9)]
    ranked = rank_memories(scanned(*those, found(0, -2.0, 0.0, VERA)), plausible=[entity(VERA)])
    (hers,) = (one for one in paths(ranked, {}, {entity(VERA): "Vera"}) if one.name == "entity")
    assert (numbers(hers), hers.delivers) == ([0], 1)
