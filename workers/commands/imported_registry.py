"""Which entity bears a key, of those that are known and those that an import brings."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from sqlalchemy import Connection

from db import entities as registry
from db import imports
from db.decisions import Stamp
from db.imports import BroughtEntity, Link
from db.keys import LaneRef
from mosshead.events.imports import ImportedEntity, ImportedMemory
from mosshead.ids import imported_id


class Registry:
    """Which entity bears a key, of those that are known and those that the event brings."""

    def __init__(
        self,
        connection: Connection,
        lane: LaneRef,
        home_id: UUID,
        *,
        entities: Sequence[ImportedEntity],
        about: Iterable[str],
        refused: Counter[str],
    ) -> None:
        """home_id: by which ids are derived. entities: that the event brings; about: the keys that its memories name.

        refused: counts what is left out.
        """
        self._connection = connection
        self._lane = lane
        self._home_id = home_id
        self._brought: dict[str, ImportedEntity] = {}
        for one in entities:
            self._brought.setdefault(one.key, one)
        self._refused = refused
        named = [key for one in entities for key in (one.key, one.parent) if key is not None]
        keys = {*named, *about}
        self._ids = imports.entities_of_keys(connection, lane, keys)
        self._follow_merges(keys)
        self._add_new()

    def bring(self, stamp: Stamp) -> set[UUID]:
        """Write what is new of the entities; returns those of which something was learned."""
        parents = self._parents()
        rows = [
            BroughtEntity(
                entity_id=self._ids[key],
                key=key,
                name=one.name,
                entity_type=one.entity_type,
                description=one.description,
                parent_id=parents.get(key),
                is_user=one.is_user,
                aliases=tuple(one.aliases),
            )
            for key, one in self._brought.items()
            if key in self._ids
        ]
        return imports.bring(self._connection, self._lane, rows, stamp) if rows else set()

    def links(self, memory_id: UUID, memory: ImportedMemory) -> Iterable[Link]:
        """Whom a memory is about."""
        roles = memory.roles or [("about" if place else "subject", "sure") for place in range(len(memory.about))]
        for key, (role, certainty) in zip(memory.about, roles, strict=True):
            entity_id = self._ids.get(key)
            if entity_id is None:
                self._refused["about: no entity of that key"] += 1
            else:
                yield memory_id, entity_id, role, certainty

    def _follow_merges(self, keys: Iterable[str]) -> None:
        """Who was merged into somebody is known as that one."""
        missing = {key: self._ids_of_old(key) for key in keys if key not in self._ids}
        now = registry.merged(self._connection, self._lane, {one for ids in missing.values() for one in ids})
        self._ids.update({key: now[one] for key, ids in missing.items() for one in ids if one in now})

    def _ids_of_old(self, key: str) -> list[UUID]:
        own = imports.own_id(key)
        return [imported_id(self._home_id, "entity", key), *([own] if own else [])]

    def _add_new(self) -> None:
        user = imports.user(self._connection, self._lane)
        for key, one in self._brought.items():
            if key not in self._ids:
                new = imported_id(self._home_id, "entity", key)
                self._ids[key] = user if one.is_user and user else new
            if one.is_user:
                user = user or self._ids[key]

    def _parents(self) -> dict[str, UUID]:
        """By key, the parent, where it is known and not below the entity itself."""
        wanted = {key: one.parent for key, one in self._brought.items() if one.parent and key in self._ids}
        parents = {key: self._ids[parent] for key, parent in wanted.items() if parent in self._ids}
        self._refused["parent: no entity of that key"] += len(wanted) - len(parents)
        above = imports.parents_above(
            self._connection, self._lane, {*parents.values(), *(self._ids[key] for key in parents)}
        )
        for key, parent in list(parents.items()):
            if _is_above(self._ids[key], parent, above):
                self._refused["parent: is below the entity"] += 1
                del parents[key]
            else:
                above.setdefault(self._ids[key], parent)
        return parents


def _is_above(entity_id: UUID, other: UUID | None, parents: Mapping[UUID, UUID]) -> bool:
    """Whether an entity is another one, or above it."""
    seen: set[UUID] = set()
    while other is not None and other != entity_id and other not in seen:
        seen.add(other)
        other = parents.get(other)
    return other == entity_id
