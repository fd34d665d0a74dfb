"""Asks a running service about a world, through the public face alone, and translates its answers into the world's own names."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, time
from typing import Any

from benchmarks.entities.coretrieval import Fetched, within
from benchmarks.entities.disguise import Disguise
from benchmarks.entities.focus import Referred, Tracked
from benchmarks.entities.who import Answer
from benchmarks.entities.world import Said, Talk, Together, Who
from mosshead import Entity, Namespace
from mosshead.contrib.focus import track_conversation
from mosshead.paths import NamespacePath

_NOON = time(12, tzinfo=UTC)
_FARTHEST = 50
"""How far down the plain vector list is looked: no budget of a context holds more."""


class Asking:
    """A world that a namespace holds under other names."""

    def __init__(self, namespace: Namespace, disguise: Disguise) -> None:
        self._namespace = namespace
        self._disguise = disguise

    def load(self, *, patience: float, on_sent: Callable[[int, int], object] | None = None) -> None:
        """Import the world, and wait until all of it is known. patience: seconds. Raises WaitTimeout."""
        self._namespace.import_records(self._disguise.records, on_sent=on_sent)
        self._namespace.wait(timeout=patience)

    @property
    def path(self) -> NamespacePath:
        """The namespace's."""
        return self._namespace.session.path

    def renamed(self, of_memories: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
        """What is given by the world's ids, by those that the service knows."""
        return {given: of_memories[own] for given, own in self._disguise.ids.items() if given and own in of_memories}

    def who(self, row: Who) -> Answer:
        """Who is meant."""
        found = self._namespace.resolve(row.text, mention=row.mention, history=_history(row.history))
        return Answer(found.status, self._own(found.entity) if found.entity else None)

    def together(self, row: Together, *, budget: int, count_tokens: Callable[[str], int]) -> Fetched:
        """What a context of so many tokens holds, and what the plain vector list of as many does."""
        now = datetime.combine(row.user_now, _NOON)
        context = self._namespace.context(row.text, history=_history(row.history), budget=budget, now=now)
        nearest = self._namespace.query(row.text, limit=_FARTHEST)
        ids = self._disguise.ids
        return Fetched(
            context=frozenset(ids[one.key] for one in context.memories if one.key in ids),
            vector=within(((ids.get(one.key, ""), one.content) for one in nearest), budget, count_tokens),
        )

    def talk(self, talk: Talk) -> Iterator[Tracked]:
        """What is in focus after each turn of the user, asked anew each time with all that was said so far."""
        for place, turn in enumerate(talk.turns, 1):
            if turn.gold is not None:
                found = track_conversation(self._namespace, _history(talk.turns[:place]))
                yield Tracked(
                    scene=self._keys(one.entity for one in found.scene),
                    topic=self._keys(one.entity for one in found.topic),
                    mention=self._keys(one.entity for one in found.mentions),
                    references=tuple(Referred(one.text, self._keys(one.entities)) for one in found.references),
                )

    def _own(self, entity: Entity) -> str:
        """The world's own key; of what is not of the world, such as the user, the id, which is no key."""
        return self._disguise.keys.get(entity.key, str(entity.id))

    def _keys(self, entities: Iterable[Entity]) -> frozenset[str]:
        return frozenset(map(self._own, entities))


def _history(turns: Sequence[Said]) -> list[dict[str, Any]]:
    return [{"role": turn.role, "content": turn.content} for turn in turns]
