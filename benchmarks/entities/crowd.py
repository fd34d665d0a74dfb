"""A crowd around a world: namesakes of its commonest name, other people and firms, and what is known of them. Made up, by a seed.

What the crowd is described with shares no longer word with the world's memories. With its questions it may, by chance.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from benchmarks.entities import vocabulary
from benchmarks.entities.world import World, WorldEntity, WorldMemory
from mosshead.models.kinds import EntityType, MemoryKind

_FIRMS = 20  # one in so many of the crowd
_BELONGS = 3  # one in so many people to a firm
_STEM = 5
_SINCE = datetime(2014, 1, 1, tzinfo=UTC)
_DAYS = 4_400
_DISTINCT = 800
"""Sentences about those who bear other names: few, so that embedding them does not take the day. They are never candidates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Of a world with its crowd, the world's own counted. bearers: of its commonest name."""

    bearers: int
    entities: int
    memories: int


def commonest_name(world: World) -> str:
    """The name that most people of the world bear."""
    return Counter(one.name for one in world.entities if one.entity_type is EntityType.PERSON).most_common(1)[0][0]


def crowd(world: World, size: Size, *, seed: int) -> tuple[list[WorldEntity], list[WorldMemory]]:
    """Who has to join a world for it to be of that size, and what is known of them; nobody where it is as large already."""
    drawn = random.Random(seed)  # noqa: S311 - no secret, but a crowd that can be had again
    words = _Words.beside(world)
    name = commonest_name(world)
    bearers = max(0, size.bearers - sum(one.name == name for one in world.entities))
    others = max(0, size.entities - len(world.entities) - bearers)
    firms = [_firm(number, drawn) for number in range(others // _FIRMS)]
    namesakes = [_person(f"namesake-{number}", name, firms, drawn) for number in range(bearers)]
    strangers = [
        _person(f"stranger-{number}", drawn.choice(words.names), firms, drawn) for number in range(others - len(firms))
    ]
    people = [*namesakes, *strangers]
    wanted = max(0, size.memories - len(world.memories)) if people else 0
    stock = [f"{drawn.choice(('He', 'She'))} {_sentence(words, drawn)}" for _ in range(_DISTINCT)]
    about = (people[place % len(people)] for place in range(wanted))
    memories = [
        _memory(number, one, _said(one, words, drawn) if one.name == name else drawn.choice(stock), drawn)
        for number, one in enumerate(about)
    ]
    return [*firms, *people], memories


@dataclass(frozen=True, slots=True)
class _Words:
    trades: Sequence[str]
    habits: Sequence[str]
    things: Sequence[str]
    deeds: Sequence[str]
    names: Sequence[str]

    @classmethod
    def beside(cls, world: World) -> "_Words":
        """The vocabulary, without what the world's own memories have words of."""
        taken = {stem for memory in world.memories for stem in _stems(memory.content)}
        borne = {word for entity in world.entities for name in (entity.name, *entity.aliases) for word in name.split()}
        trades, habits, things, deeds = (
            [one for one in listed if not taken & set(_stems(one))]
            for listed in (vocabulary.TRADES, vocabulary.HABITS, vocabulary.THINGS, vocabulary.DEEDS)
        )
        return cls(trades, habits, things, deeds, [one for one in vocabulary.FIRST_NAMES if one not in borne])


def _stems(text: str) -> Iterator[str]:
    """The heads of the longer words, which is near enough to a stem to tell words apart. A template's gap is no word."""
    return (word[:_STEM] for word in re.findall(r"(?<!{)\b[a-z]{4,}", text.lower()))


def _made_up(drawn: random.Random) -> str:
    return "".join(drawn.choice(part) for part in vocabulary.SYLLABLES)


def _firm(number: int, drawn: random.Random) -> WorldEntity:
    return _entity(f"firm-{number}", f"{_made_up(drawn)} & {_made_up(drawn)}", EntityType.ORG)


def _person(key: str, name: str, firms: Sequence[WorldEntity], drawn: random.Random) -> WorldEntity:
    firm = drawn.choice(firms).key if firms and not drawn.randrange(_BELONGS) else None
    return _entity(key, name, EntityType.PERSON, aliases=(f"{name} {_made_up(drawn)}",), parent=firm)


def _entity(
    key: str, name: str, kind: EntityType, aliases: tuple[str, ...] = (), parent: str | None = None
) -> WorldEntity:
    return WorldEntity(type="entity", key=f"crowd-{key}", name=name, entity_type=kind, aliases=aliases, parent=parent)


def _sentence(words: _Words, drawn: random.Random) -> str:
    """What is said of somebody, without who it is."""
    town, (thing, other) = _made_up(drawn), drawn.sample(words.things, 2)
    return drawn.choice(
        (
            f"is a {drawn.choice(words.trades)} in {town}.",
            f"{drawn.choice(words.habits)}.",
            f"{drawn.choice(words.deeds).format(thing=thing, other=other, town=town)}.",
        )
    )


def _said(one: WorldEntity, words: _Words, drawn: random.Random) -> str:
    return f"{drawn.choice((one.name, *one.aliases))} {_sentence(words, drawn)}"


def _memory(number: int, one: WorldEntity, content: str, drawn: random.Random) -> WorldMemory:
    return WorldMemory(
        type="memory",
        id=f"crowd-{number}",
        content=content,
        about=(one.key,),
        kind=MemoryKind.FACT,
        occurred_at=_SINCE + timedelta(days=drawn.randrange(_DAYS), minutes=drawn.randrange(1_440)),
    )
