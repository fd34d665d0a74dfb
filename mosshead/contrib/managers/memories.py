"""A collection of memories, kept by an LLM that proposes and by code that disposes."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid5

from pydantic import BaseModel

from mosshead.contrib.managers.prompts import EPISODES, Talk, collection_prompt, talk_of
from mosshead.contrib.managers.values import (
    MOST_CHANGES,
    Managed,
    ManagedMemories,
    ProposedChange,
    RefusedChange,
    unsourced,
)
from mosshead.llm.protocol import AnswerRefused, LanguageModel
from mosshead.llm.structured import read_object
from mosshead.models.documents import Episode
from mosshead.schemas import as_json, patched, read

_IDS = UUID("3f0c9f7e-6a52-5d0e-9a55-0d0c1e3d7b11")
"""Ids of new memories are derived under it: the same memory from the same inputs has the same id."""

Known = Managed | tuple[UUID | str, BaseModel]


@dataclass(frozen=True, kw_only=True)
class MemoryManager:
    """Use `create_memory_manager`.

    rules: of what counts, where it is not the user's words alone that do (``any_role``).
    """

    model: LanguageModel
    schemas: Mapping[str, type[BaseModel]]
    instructions: str = ""
    actions: tuple[str, ...] = ("insert", "update")
    rules: str | None = None
    any_role: bool = False

    def __call__(
        self, conversation: str | Sequence[Mapping[str, Any]], existing: Iterable[Known] = ()
    ) -> ManagedMemories:
        """The memories after a conversation: all of the existing, in their order, and what is new.

        conversation: a transcript ("User: … / Assistant: …") or a list of ``{role, content}``. existing: what an earlier call
        gave, or pairs of an id and a value. One that is of no schema of this manager stays as it is, and so does a deleted one.
        What the model proposes is done or refused, change by change; an answer that is none at all is refused as a whole.
        Without a word of a user nothing is asked.
        Raises ModelUnavailable where the model does not answer, InvalidEvent where the conversation cannot be read, and
        ValueError where two of the existing have one id, an id is no UUID, or one is no such pair.
        """
        kept = _kept(existing)
        talk = talk_of(conversation)
        try:
            return self.after(talk, kept)
        except AnswerRefused as error:
            return ManagedMemories(tuple(kept), (RefusedChange(why=str(error)),))

    def after(self, talk: Talk, kept: Sequence[Managed] = ()) -> ManagedMemories:
        """The same of what was read already. Raises AnswerRefused, too."""
        if not talk.is_spoken or not self.actions:
            return ManagedMemories(tuple(kept))
        shown = dict(enumerate((one for one in kept if self._is_mine(one)), 1))
        prompt = collection_prompt(
            talk,
            known={number: (type(one.value).__name__, as_json(one.value)) for number, one in shown.items()},
            schemas={name: schema.model_json_schema() for name, schema in self.schemas.items()},
            actions=self.actions,
            instructions=self.instructions,
            **({} if self.rules is None else {"whose": self.rules}),
        )
        answer = self.model.answer(prompt)
        changes = _Changes(self, talk, shown, {one.id: one for one in kept})
        for change in answer.changes[:MOST_CHANGES]:
            changes.make(change)
        return changes.result(len(answer.changes) - MOST_CHANGES)

    def _is_mine(self, one: Managed) -> bool:
        return one.action != "deleted" and self.schemas.get(type(one.value).__name__) is type(one.value)


@dataclass
class _Changes:
    """The state while proposals are taken up one by one. memories: by id, in order."""

    manager: MemoryManager
    talk: Talk
    shown: Mapping[int, Managed]
    memories: dict[UUID, Managed]
    refused: list[RefusedChange] = field(default_factory=list)

    def make(self, change: ProposedChange | None) -> None:
        """Carry a proposal out, or note why not."""
        if change is None:
            self.refused.append(RefusedChange(why="the change is not in the shape that was asked for"))
            return
        target = self.shown.get(change.memory) if change.memory is not None else None
        try:
            made = self._made(change, target)
        except ValueError as error:
            given = None if target is None else target.id
            self.refused.append(RefusedChange(why=str(error), action=change.action, id=given, data=change.data))
            return
        self.memories[made.id] = made

    def result(self, beyond: int) -> ManagedMemories:
        """The new state. beyond: how many proposals were not looked at."""
        too_many = [RefusedChange(why=f"{beyond} changes beyond the first {MOST_CHANGES}")] if beyond > 0 else []
        return ManagedMemories(tuple(self.memories.values()), (*self.refused, *too_many))

    def _made(self, change: ProposedChange, target: Managed | None) -> Managed:
        if change.action not in self.manager.actions:
            raise ValueError(f"action: may not be taken; allowed are {', '.join(self.manager.actions)}")
        grounds = self.talk.numbers if self.manager.any_role else self.talk.spoken
        if (why := unsourced(change.sources, self.talk.numbers, grounds)) is not None:
            raise ValueError(why)
        if change.action == "insert":
            return self._inserted(change)
        if target is None:
            raise ValueError("memory: no memory was shown under this number")
        if self.memories[target.id].action != "unchanged":
            raise ValueError("memory: another change of this answer has changed it already")
        if change.action == "delete":
            return replace(target, action="deleted", reason=change.reason, sources=change.sources)
        return _updated(change, target)

    def _inserted(self, change: ProposedChange) -> Managed:
        schema = self.manager.schemas.get(change.kind or "")
        if schema is None:
            raise ValueError(f"kind: no such schema; there are {', '.join(self.manager.schemas)}")
        value = read(schema, _object(change.data))
        memory_id = next(key for key in _ids(value) if not self._is_other(key, value))
        standing = (one.value for one in self.memories.values() if one.action != "deleted")
        if memory_id in self.memories or any(_same(one, value) for one in standing):
            raise ValueError("data: is known already")
        return Managed(id=memory_id, value=value, action="inserted", reason=change.reason, sources=change.sources)

    def _is_other(self, memory_id: UUID, value: BaseModel) -> bool:
        """Whether an id is taken by a memory that says something else by now, or by one that was deleted."""
        one = self.memories.get(memory_id)
        return one is not None and (one.action == "deleted" or not _same(one.value, value))


def _updated(change: ProposedChange, target: Managed) -> Managed:
    value = patched(type(target.value), target.value, _object(change.data))
    return (
        target
        if _same(value, target.value)
        else replace(target, value=value, action="updated", reason=change.reason, sources=change.sources)
    )


def _kept(existing: Iterable[Known]) -> list[Managed]:
    kept = [_as_managed(number, one) for number, one in enumerate(existing)]
    if len({one.id for one in kept}) < len(kept):
        raise ValueError("existing: two memories have the same id")
    return kept


def _as_managed(number: int, one: Known) -> Managed:
    if isinstance(one, Managed):
        return replace(one, action=one.action if one.action == "deleted" else "unchanged", reason=None, sources=())
    if not (isinstance(one, tuple | list) and len(one) == 2 and isinstance(one[1], BaseModel)):
        raise ValueError(
            f"existing[{number}]: give what an earlier call gave, or a pair of an id and a value of one of the schemas"
        )
    return Managed(id=_id(one[0]), value=one[1])


def _id(given: UUID | str) -> UUID:
    try:
        return UUID(str(given))
    except ValueError:
        raise ValueError(
            f"existing: an id is a UUID, got {str(given)[:40]!r}; make one of your own key with uuid5"
        ) from None


def _object(data: str | None) -> dict[str, Any]:
    try:
        return read_object(data or "")
    except ValueError as error:
        raise ValueError(f"data: {error}") from None


def _same(one: BaseModel, other: BaseModel) -> bool:
    return type(one) is type(other) and as_json(one) == as_json(other)


def _ids(value: BaseModel) -> Iterator[UUID]:
    """The ids that a new memory may have, in order: what it says decides, and its number among those that said so before."""
    said = json.dumps([type(value).__name__, as_json(value)], ensure_ascii=False, sort_keys=True)
    number = 0
    while True:
        yield uuid5(_IDS, f"{number}{said}")
        number += 1


def episode_manager(
    model: LanguageModel, *, schema: type[BaseModel] = Episode, instructions: str = ""
) -> MemoryManager:
    """What `create_episode_manager` makes of a model that is open already."""
    return MemoryManager(
        model=model,
        schemas={schema.__name__: schema},
        instructions=instructions,
        actions=("insert",),
        rules=EPISODES,
        any_role=True,
    )
