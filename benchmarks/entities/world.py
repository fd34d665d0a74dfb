"""Worlds: what is known, what is asked about it, and the right answers, as tests/data/entities/README.md describes the format."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from mosshead.models.kinds import EntityType, MemoryKind, Role

WORLD, WHO, TOGETHER, TALK = (
    "disambiguation/worlds.jsonl",
    "disambiguation/queries.jsonl",
    "coretrieval/queries.jsonl",
    "tracking/conversations.jsonl",
)

Key = Annotated[str, Field(min_length=1)]
Text = Annotated[str, Field(min_length=1)]
Reference = Key | tuple[Key, ...] | None
"""Whom words refer to: a key, several for a plural, or nothing of the world."""


class WorldError(ValueError):
    """A world that does not fit the format; says the file, the line, the field and what is wrong with it."""


class _Part(BaseModel):
    # What another set says besides is no fault.
    model_config = ConfigDict(frozen=True, extra="ignore")


class WorldEntity(_Part):
    """Somebody or something of the world. parent: the key of another."""

    type: Literal["entity"]
    key: Key
    name: Text
    entity_type: EntityType
    aliases: tuple[Text, ...] = ()
    parent: Key | None = None


class WorldMemory(_Part):
    """What is known. about: keys of entities, the memory's subject first."""

    type: Literal["memory"]
    id: Key
    content: Text
    about: tuple[Key, ...]
    kind: MemoryKind
    occurred_at: AwareDatetime


class Said(_Part):
    """A turn before a question."""

    role: Role
    content: Text


class Who(_Part):
    """A question of who is meant. expect: a key, "ask", or both "none" and "ask"; plausible and trap are the reader's."""

    id: Key
    text: Text
    history: tuple[Said, ...] = ()
    mention: Text
    expect: Key | tuple[Literal["none", "ask"], ...]
    kind: Text
    plausible: tuple[Key, ...] = ()
    trap: tuple[Key, ...] = ()

    @property
    def known(self) -> str | None:
        """The key of who is meant; None where that is to be asked, or nobody who is known."""
        return self.expect if isinstance(self.expect, str) and self.expect != "ask" else None

    @property
    def open(self) -> bool:
        """Whether the words fit several, so that it is to be asked."""
        return self.expect == "ask"


class Together(_Part):
    """A question whose context must hold one memory of each group. user_now: the day on which it is asked."""

    id: Key
    text: Text
    history: tuple[Said, ...] = ()
    user_now: date
    needs: tuple[Annotated[tuple[Key, ...], Field(min_length=1)], ...] = Field(min_length=1)
    kind: Text


class Focus(_Part):
    """The layers after a turn. pronouns: by the words as they stand, whom they refer to."""

    scene: tuple[Key, ...] = ()
    topic: tuple[Key, ...] = ()
    mention: tuple[Key, ...] = ()
    pronouns: dict[str, Reference] = Field(default_factory=dict)


class Turn(Said):
    """A turn of a conversation. gold: what is in focus after it, where the user spoke."""

    gold: Focus | None = None


class Talk(_Part):
    """A conversation."""

    id: Key
    about: str = ""
    turns: tuple[Turn, ...] = Field(min_length=1)


class World(_Part):
    """All four files of a folder."""

    entities: tuple[WorldEntity, ...]
    memories: tuple[WorldMemory, ...]
    who: tuple[Who, ...]
    together: tuple[Together, ...]
    talks: tuple[Talk, ...]


_RECORD: TypeAdapter[WorldEntity | WorldMemory] = TypeAdapter(
    Annotated[WorldEntity | WorldMemory, Field(discriminator="type")]
)
_Row = TypeVar("_Row")


def read_world(data: Path) -> World:
    """The world of a folder. Raises WorldError for the first line that does not fit, or names what the world lacks."""
    records = _read(data / WORLD, _RECORD)
    world = World(
        entities=tuple(record for record in records if isinstance(record, WorldEntity)),
        memories=tuple(record for record in records if isinstance(record, WorldMemory)),
        who=_read(data / WHO, TypeAdapter(Who)),
        together=_read(data / TOGETHER, TypeAdapter(Together)),
        talks=_read(data / TALK, TypeAdapter(Talk)),
    )
    fault = next(_faults(world), None)
    if fault:
        raise WorldError(f"{data}: {fault}")
    return world


def _read(file: Path, adapter: TypeAdapter[_Row]) -> tuple[_Row, ...]:
    if not file.is_file():
        raise WorldError(f"{file}: is not there")
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(
        _parsed(line, f"{file.name}:{number}", adapter) for number, line in enumerate(lines, 1) if line.strip()
    )


def _parsed(line: str, where: str, adapter: TypeAdapter[_Row]) -> _Row:
    try:
        return adapter.validate_python(json.loads(line))
    except json.JSONDecodeError as error:
        raise WorldError(f"{where}: is not JSON: {error.msg} at column {error.colno}") from None
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False)]
        raise WorldError(f"{where}: {'; '.join(faults)}") from None


def _faults(world: World) -> Iterator[str]:
    """What names something that is not there, or is there twice."""
    keys = {one.key for one in world.entities}
    ids = {one.id for one in world.memories}
    rows: tuple[Any, ...] = (*world.who, *world.together, *world.talks)
    named = [one.key for one in world.entities] + [one.id for one in (*world.memories, *rows)]
    yield from (f"{name}: is there twice" for name in sorted(name for name in set(named) if named.count(name) > 1))
    for place, key in _named_keys(world):
        if key not in keys:
            yield f"{place}: {key} is no entity of the world"
    for row in world.together:
        yield from (f"{row.id}: needs: {one} is no memory" for group in row.needs for one in group if one not in ids)
    for who in world.who:
        if who.mention.casefold() not in who.text.casefold():
            yield f"{who.id}: mention: is not in the text"


def _named_keys(world: World) -> Iterator[tuple[str, str]]:
    """The keys that something names, each with the place that does."""
    yield from ((f"{one.key}: parent", one.parent) for one in world.entities if one.parent)
    yield from ((f"{one.id}: about", key) for one in world.memories for key in one.about)
    for who in world.who:
        yield from ((f"{who.id}: expect", key) for key in (who.known, *who.plausible, *who.trap) if key)
    for talk in world.talks:
        for focus in (turn.gold for turn in talk.turns if turn.gold):
            yield from ((f"{talk.id}: gold", key) for key in (*focus.scene, *focus.topic, *focus.mention))
            yield from ((f"{talk.id}: pronouns", key) for one in focus.pronouns.values() for key in keys_of(one))


def keys_of(reference: Reference) -> frozenset[str]:
    """Whom words refer to, as a set; empty for nothing of the world."""
    if isinstance(reference, str):
        return frozenset({reference})
    return frozenset(reference or ())
