"""The world under other names: its own keys and ids give the answers away, and so would their order."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.entities.world import WorldEntity, WorldMemory

Record = dict[str, Any]
"""A line of `mosshead import`."""


@dataclass(frozen=True, slots=True)
class Disguise:
    """keys, ids: the world's own names, by those that the service is given. records: what is imported, in no telling order."""

    keys: Mapping[str | None, str]
    ids: Mapping[str | None, str]
    records: tuple[Record, ...]


def disguise(entities: Sequence[WorldEntity], memories: Sequence[WorldMemory], *, seed: int) -> Disguise:
    """Shuffle a world and name its entities "e17", its memories "m4". The same seed gives the same names and order."""
    shuffled = random.Random(seed)  # noqa: S311 - no secret, but an order that can be had again
    keys = _names("e", [entity.key for entity in entities], shuffled)
    ids = _names("m", [memory.id for memory in memories], shuffled)
    records = [_entity(entity, keys) for entity in entities] + [_memory(memory, keys, ids) for memory in memories]
    shuffled.shuffle(records)
    return Disguise(_inverse(keys), _inverse(ids), tuple(records))


def _inverse(names: Mapping[str, str]) -> dict[str | None, str]:
    return {given: own for own, given in names.items()}


def _names(prefix: str, own: Sequence[str], shuffled: random.Random) -> dict[str, str]:
    numbers = shuffled.sample(range(len(own)), len(own))
    return {name: f"{prefix}{number}" for name, number in zip(own, numbers, strict=True)}


def _entity(entity: WorldEntity, keys: Mapping[str, str]) -> Record:
    parent = keys[entity.parent] if entity.parent else None
    return {**entity.model_dump(mode="json"), "key": keys[entity.key], "parent": parent}


def _memory(memory: WorldMemory, keys: Mapping[str, str], ids: Mapping[str, str]) -> Record:
    return {**memory.model_dump(mode="json"), "id": ids[memory.id], "about": [keys[key] for key in memory.about]}
