"""Memories from elsewhere, at the caller's side: all lines are checked, then sent in events of fair size, each entity first."""

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
"""Of one event as JSON: well under what an event may have, for a mark that takes a secret's place can be longer."""

_AT_ONCE = MAX_IMPORTED - 1
"""Of one event in all; who is the user may come on top."""

_MOST_FAULTS = 100
"""Lines at fault that an error names."""

_NOT_CARRIED = frozenset({"tier", "reinforced", "record_name", "record", "sources"})
"""What an export says of a memory besides: of messages and schemas that are elsewhere."""

_SKIPPED = ("relation", "edge", "document", "prompt")
_NO_TYPE = f"type: one of entity, memory; as an export has them, {', '.join(_SKIPPED)} are skipped"

Line = Mapping[str, Any] | str
_AnyRecord = TypeVar("_AnyRecord", ImportedEntity, ImportedMemory)


@dataclass(frozen=True, slots=True)
class CheckedLines:
    """Lines that fit, each thing once. entities: parents before what belongs to them."""

    entities: tuple[ImportedEntity, ...]
    memories: tuple[ImportedMemory, ...]
    skipped: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What was published of an import. event_ids: in order. skipped: by type, lines that are not brought over, as relations."""

    event_ids: tuple[UUID, ...]
    entities: int
    memories: int
    skipped: Mapping[str, int] = field(hash=False)

    @classmethod
    def of(cls, checked: CheckedLines, event_ids: Sequence[UUID]) -> Self:
        """What was published of checked lines."""
        entities, memories = len(checked.entities), len(checked.memories)
        return cls(event_ids=tuple(event_ids), entities=entities, memories=memories, skipped=checked.skipped)


def check_lines(lines: Iterable[Line], known: Callable[[Collection[str]], Collection[str]]) -> CheckedLines:
    """Check all lines of an import; known says which keys the namespace bears. Raises InvalidEvent, without their text."""
    if isinstance(lines, str | Mapping):
        raise InvalidEvent("lines: give them one by one, as a list, an open file or text.splitlines() does")
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
    """The events that bring what was checked: entities first, then memories."""
    # Where the namespace has a user already, the user of the lines bears another key there, and only the event says who that is.
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
    """What the lines hold, by key with the number of its line, and what is at fault, by number."""

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
        self.faults += [(number, f"{name}: not a field of this type of line; leave it out") for name in strange]
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
        self.faults += [(number, f"is_user: line {users[0]} says it of another key") for number in users[1:]]
        entities = {key: entity for key, (_, entity) in self.entities.items()}
        circular = [number for key, (number, one) in self.entities.items() if key in _upward(entities, one.parent)]
        self.faults += [(number, "parent: is below the entity itself, by other lines") for number in circular]


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
        raise InvalidEvent(f"{field_name}: line {first[0]} has the same, and says otherwise")


def _told(faults: Sequence[tuple[int, str]]) -> str:
    told = [f"line {number}: {fault}" for number, fault in sorted(faults)[:_MOST_FAULTS]]
    more = [f"and {len(faults) - _MOST_FAULTS:,} more"] if len(faults) > _MOST_FAULTS else []
    return "\n".join(["import not accepted; nothing was published:", *told, *more])


def _upward(entities: Mapping[str, ImportedEntity], key: str | None) -> dict[str, None]:
    """An entity of the lines and what it belongs to, as far up as the lines go, each once."""
    found: dict[str, None] = {}
    while key is not None and key in entities and key not in found:
        found[key] = None
        key = entities[key].parent
    return found


def _bytes_of(record: BaseModel) -> int:
    return len(record.model_dump_json(exclude_defaults=True).encode())
