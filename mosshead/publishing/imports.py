"""Imports, on the app's side: check all lines, then send them in events of moderate size, entities first."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError

from mosshead.errors import InvalidEvent
from mosshead.events import MAX_EVENT_BYTES, faults_of
from mosshead.events.commands import MAX_IMPORTED, ImportedEntity, ImportedMemory
from mosshead.events.envelope import NOT_STORABLE, storable
from mosshead.portions import portions
from mosshead.serialization import json_object
from mosshead.timestamps import LIES_AHEAD, lies_ahead

_MOST_BYTES = MAX_EVENT_BYTES // 4
"""Target size of an event as JSON: well below the maximum, since a redaction mark may be longer than the secret."""

_AT_ONCE = MAX_IMPORTED - 1
"""Maximum records per event; the user's entity may be added."""

_MOST_FAULTS = 100
"""How many invalid lines an error lists."""

_NOT_CARRIED = frozenset({"tier", "reinforced", "record_name", "record", "sources"})
"""Fields of an exported memory that refer to messages or schemas and are not imported."""

_SKIPPED = ("relation", "edge", "document", "prompt")
_NO_TYPE = f"type: one of entity, memory; as an export has them, {', '.join(_SKIPPED)} are skipped"

Line = Mapping[str, Any] | str
_AnyRecord = TypeVar("_AnyRecord", ImportedEntity, ImportedMemory)


@dataclass(frozen=True, slots=True)
class CheckedLines:
    """Valid lines without duplicates. entities: Parents come before their children."""

    entities: tuple[ImportedEntity, ...]
    memories: tuple[ImportedMemory, ...]
    skipped: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of an import. event_ids: In order. skipped: Number of lines not imported, such as relations, by type."""

    event_ids: tuple[UUID, ...]
    entities: int
    memories: int
    skipped: Mapping[str, int] = field(hash=False)

    @classmethod
    def of(cls, checked: CheckedLines, event_ids: Sequence[UUID]) -> Self:
        """Return the result of importing checked lines."""
        entities, memories = len(checked.entities), len(checked.memories)
        return cls(event_ids=tuple(event_ids), entities=entities, memories=memories, skipped=checked.skipped)


def check_lines(lines: Iterable[Line], known: Callable[[Collection[str]], Collection[str]]) -> CheckedLines:
    """Check all lines of an import. Raises InvalidEvent, which quotes no text. known: Returns the keys the namespace has."""
    if isinstance(lines, str | Mapping):
        raise InvalidEvent("lines: pass an iterable of lines, such as a list, an open file or text.splitlines()")
    read = _Reading()
    for number, line in enumerate(lines, 1):
        if not isinstance(line, str) or line.strip():
            read.line(number, line)
    read.check_keys(known)
    if read.faults:
        raise InvalidEvent(_told(read.faults))
    entities = {key: entity for key, (_, entity) in read.entities.items()}
    parents_first = dict.fromkeys(one for key in entities for one in reversed(_upward(entities, key)))
    memories = tuple(memory for _, memory in read.memories.values())
    return CheckedLines(tuple(entities[key] for key in parents_first), memories, dict(read.skipped))


def events_of(checked: CheckedLines) -> Iterator[dict[str, Any]]:
    """Yield the events of checked lines: entities first, then memories."""
    # If the namespace already has a user, the imported user has another key there, which each event must identify.
    users = {one.key: one for one in checked.entities if one.is_user}
    all_records: list[ImportedEntity | ImportedMemory] = [*checked.entities, *checked.memories]
    for records in portions(all_records, _bytes_of, most=_MOST_BYTES, most_items=_AT_ONCE):
        memories = [one for one in records if isinstance(one, ImportedMemory)]
        entities = {one.key: one for one in records if isinstance(one, ImportedEntity)}
        entities |= {key: users[key] for memory in memories for key in memory.about if key in users}
        yield {
            "type": "import",
            "entities": [one.model_dump(exclude_defaults=True) for one in entities.values()],
            "memories": [one.model_dump(exclude_defaults=True) for one in memories],
        }


class _Reading:
    """The records of the lines, by key with their line number, and the faults, by line number."""

    def __init__(self) -> None:
        self.entities: dict[str, tuple[int, ImportedEntity]] = {}
        self.memories: dict[str, tuple[int, ImportedMemory]] = {}
        self.skipped: Counter[str] = Counter()
        self.faults: list[tuple[int, str]] = []

    def line(self, number: int, line: Line) -> None:
        try:
            record = _object(line)
            kind = record.pop("type", None)
            if kind == "entity":
                entity = ImportedEntity.model_validate(self._without_strange(number, record, ImportedEntity))
                _take(self.entities, entity.key, number, entity, "key")
            elif kind == "memory":
                carried = {name: value for name, value in record.items() if name not in _NOT_CARRIED}
                memory = ImportedMemory.model_validate(self._without_strange(number, carried, ImportedMemory))
                if memory.occurred_at is not None and lies_ahead(memory.occurred_at):
                    self.faults.append((number, f"occurred_at: {LIES_AHEAD}"))
                else:
                    _take(self.memories, memory.id, number, memory, "id")
            elif kind in _SKIPPED:
                self.skipped[kind] += 1
            else:
                self.faults.append((number, _NO_TYPE))
        except ValidationError as error:
            self.faults.append((number, faults_of(error)))
        except InvalidEvent as error:
            self.faults.append((number, str(error)))

    def _without_strange(self, number: int, record: Mapping[str, Any], of: type[BaseModel]) -> dict[str, Any]:
        strange = sorted(record.keys() - of.model_fields.keys())
        self.faults += [(number, f"{name}: not a field of this type of line; omit it") for name in strange]
        return {name: value for name, value in record.items() if name in of.model_fields}

    def check_keys(self, known: Callable[[Collection[str]], Collection[str]]) -> None:
        named = {one.parent for _, one in self.entities.values() if one.parent is not None}
        named.update(key for _, one in self.memories.values() for key in one.about)
        unknown = named - self.entities.keys()
        unknown -= set(known(frozenset(unknown))) if unknown else set()
        fields = [(number, "parent") for number, entity in self.entities.values() if entity.parent in unknown]
        for number, memory in self.memories.values():
            if places := [str(place) for place, key in enumerate(memory.about) if key in unknown]:
                fields.append((number, f"about[{', '.join(places)}]"))
        self.faults += [
            (number, f"{field}: no line and no entity of the namespace has this key") for number, field in fields
        ]
        users = [number for number, one in self.entities.values() if one.is_user]
        self.faults += [(number, f"is_user: line {users[0]} already sets it for another key") for number in users[1:]]
        entities = {key: entity for key, (_, entity) in self.entities.items()}
        circular = [number for key, (number, one) in self.entities.items() if key in _upward(entities, one.parent)]
        self.faults += [(number, "parent: other lines make it a descendant of this entity") for number in circular]


def _object(line: Line) -> dict[str, Any]:
    record: Any = json_object(line) if isinstance(line, str) else line
    if not isinstance(record, Mapping):
        raise InvalidEvent("not a JSON object")
    if not storable(record):
        raise InvalidEvent(NOT_STORABLE)
    return {name: value for name, value in record.items() if value is not None}


def _take(taken: dict[str, tuple[int, _AnyRecord]], key: str, number: int, record: _AnyRecord, field_name: str) -> None:
    first = taken.setdefault(key, (number, record))
    if first[1] != record:
        raise InvalidEvent(f"{field_name}: line {first[0]} has the same one with other content")


def _told(faults: Sequence[tuple[int, str]]) -> str:
    told = [f"line {number}: {fault}" for number, fault in sorted(faults)[:_MOST_FAULTS]]
    more = [f"and {len(faults) - _MOST_FAULTS:,} more"] if len(faults) > _MOST_FAULTS else []
    return "\n".join(["import not accepted; nothing was published:", *told, *more])


def _upward(entities: Mapping[str, ImportedEntity], key: str | None) -> dict[str, None]:
    """Return an entity and its ancestors among the lines, without repetition."""
    found: dict[str, None] = {}
    while key is not None and key in entities and key not in found:
        found[key] = None
        key = entities[key].parent
    return found


def _bytes_of(record: BaseModel) -> int:
    return len(record.model_dump_json(exclude_defaults=True).encode())
