"""The paths to a context's memories, which do not compete for one list: each has what it must deliver. Pure."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from mosshead.models.kinds import MemoryKind
from mosshead.search.memories import RankedMemory

_MOST = 40
"""How many memories a path has, at most."""

_OF_AN_ENTITY, _ALIKE = 2, 1
_CALLED_FOR = 3.0  # standard deviations of fit from which a message calls for a process
_LENT = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """What one path found, best first.

    name: "entity", "process", "semantic" or "relations". subject: whose memories these are, on the entity path. delivers: so many
    of the first have their place in the context before all else is ranked.
    """

    name: str
    hits: tuple[RankedMemory, ...]
    subject: str | None = None
    delivers: int = 0

    @property
    def label(self) -> str:
        """As an explanation has it."""
        return f"{self.name}: {self.subject}" if self.subject else self.name


def paths(
    ranked: Sequence[RankedMemory], named: Mapping[UUID, str], plausible: Mapping[UUID, str] | None = None
) -> tuple[Path, ...]:
    """Sort what was ranked into paths; a memory may be on several.

    named: whom the message means, each with the name that it has there. plausible: likewise, whom it may mean.

    - entity, one for each who is named: the two best about them, and what has longest been so of them;
      of each who may be meant, only that, which tells who they are
    - process: the process that fits best, where it fits well enough to be called for
    - semantic: the one whose own words fit best
    - relations: what is known of others whom the best hits are about; nothing of it must be delivered
    """
    found = [_of_entity(ranked, entity, name) for entity, name in named.items()]
    found += [_first_known(ranked, entity, name) for entity, name in (plausible or {}).items()]
    alike = _by(ranked, lambda one: one.relevance.fit)[:_MOST]
    semantic = Path(name="semantic", hits=tuple(alike), delivers=_ALIKE)
    found += [_processes(ranked), semantic, _related(ranked, named)]
    return tuple(path for path in found if path.hits)


def without(found: Iterable[Path], memory_ids: Collection[UUID]) -> tuple[Path, ...]:
    """The same paths without some memories; what must be delivered of the rest is still delivered."""
    kept = (replace(path, hits=tuple(one for one in path.hits if one.id not in memory_ids)) for path in found)
    return tuple(path for path in kept if path.hits)


def _of_entity(ranked: Sequence[RankedMemory], entity: UUID, name: str) -> Path:
    about = [one for one in ranked if entity in one.found.entities]
    longest = oldest(about)
    first = about[:_OF_AN_ENTITY]
    if longest is not None and longest not in first:
        first.append(longest)
    rest = [one for one in about if one not in first]
    return Path(name="entity", subject=name, hits=(*first, *rest)[:_MOST], delivers=len(first))


def _first_known(ranked: Sequence[RankedMemory], entity: UUID, name: str) -> Path:
    first = oldest([one for one in ranked if entity in one.found.entities])
    return Path(name="entity", subject=name, hits=(first,) if first else (), delivers=1)


def oldest(about: Sequence[RankedMemory]) -> RankedMemory | None:
    """The oldest of what is lastingly so."""
    first = min(about, key=lambda one: (-one.relevance.foundation, one.found.memory.said_at, one.id), default=None)
    return first if first is not None and first.relevance.foundation > 0 else None


def _processes(ranked: Iterable[RankedMemory]) -> Path:
    fitting = _by([one for one in ranked if one.found.memory.kind is MemoryKind.PROCESS], lambda one: one.relevance.own)
    called_for = bool(fitting) and fitting[0].relevance.own >= _CALLED_FOR
    return Path(name="process", hits=tuple(fitting[:_MOST]), delivers=int(called_for))


def _related(ranked: Iterable[RankedMemory], named: Mapping[UUID, str]) -> Path:
    others = [one for one in ranked if one.relevance.lent >= _LENT and one.found.entities.isdisjoint(named)]
    return Path(name="relations", hits=tuple(_by(others, lambda one: one.relevance.lent)[:_MOST]))


def _by(ranked: Iterable[RankedMemory], key: Callable[[RankedMemory], float]) -> list[RankedMemory]:
    return sorted(ranked, key=lambda one: (-key(one), one.id))


def delivered(found: Sequence[Path]) -> Iterator[RankedMemory]:
    """What the paths must deliver, in turns, so that none waits for another."""
    for place in range(max((path.delivers for path in found), default=0)):
        yield from (path.hits[place] for path in found if place < min(path.delivers, len(path.hits)))


def called_for(found: Iterable[Path]) -> list[str]:
    """The taught processes that a message calls for, as they read."""
    processes = (path for path in found if path.name == "process")
    return [one.found.memory.content for path in processes for one in path.hits[: path.delivers]]
