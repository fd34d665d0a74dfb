"""Maintain a collection of memories: an LLM proposes changes, and code decides."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any
from uuid import UUID, uuid5

from pydantic import BaseModel

from mosshead.contrib.managers.prompts import Talk, collection_prompt, talk_of
from mosshead.contrib.managers.values import (
    MOST_CHANGES,
    Managed,
    ManagedMemories,
    ProposedChange,
    RefusedChange,
    check_sources,
)
from mosshead.llm.protocol import AnswerRefused, LanguageModel
from mosshead.llm.structured import read_object
from mosshead.models.documents import Episode
from mosshead.schemas import as_json, by_name, patched, read

_IDS = UUID("3f0c9f7e-6a52-5d0e-9a55-0d0c1e3d7b11")
"""Ids of new memories derive from it: the same memory from the same inputs has the same id."""

Known = Managed | tuple[UUID | str, BaseModel]


@dataclass(frozen=True, kw_only=True)
class MemoryManager:
    """Create it with `create_memory_manager`.

    of_episodes: whether the assistant's words count, too.
    """

    model: LanguageModel
    schemas: Mapping[str, type[BaseModel]]
    instructions: str = ""
    actions: tuple[str, ...] = ("insert", "update")
    of_episodes: bool = False

    def __call__(
        self, conversation: str | Sequence[Mapping[str, Any]], existing: Iterable[Known] = ()
    ) -> ManagedMemories:
        """Return the memories after a conversation: all existing ones in order, and the new ones.

        Each proposed change is made or refused; an invalid answer is refused as a whole. Values of other schemas and deleted
        ones stay as they are. Without a user message the model is not called.

        Args:
            conversation: A transcript ("User: … / Assistant: …") or a list of ``{role, content}``.
            existing: The result of an earlier call, or pairs of an id and a value.

        Raises:
            ModelUnavailable: If the model does not answer.
            InvalidEvent: If the conversation is invalid.
            ValueError: If existing has duplicate ids, an id that is not a UUID, or an item that is not such a pair.
        """
        kept = [_as_managed(number, one) for number, one in enumerate(existing)]
        if len({one.id for one in kept}) < len(kept):
            raise ValueError("existing: two memories have the same id")
        talk = talk_of(conversation)
        try:
            return self.after(talk, kept)
        except AnswerRefused as error:
            return ManagedMemories(tuple(kept), (RefusedChange(why=str(error)),))

    def after(self, talk: Talk, kept: Sequence[Managed] = ()) -> ManagedMemories:
        """The same for a conversation already parsed. Raises AnswerRefused, too."""
        if not talk.spoken or not self.actions:
            return ManagedMemories(tuple(kept))
        mine = (one for one in kept if one.action != "deleted" and type(one.value) in self.schemas.values())
        shown = dict(enumerate(mine, 1))
        prompt = collection_prompt(self, talk, {number: one.value for number, one in shown.items()})
        answer = self.model.answer(prompt)
        memories, refused = {one.id: one for one in kept}, list[RefusedChange]()
        for change in answer.changes[:MOST_CHANGES]:
            if change is None:
                refused.append(RefusedChange(why="the change is not in the shape that was asked for"))
                continue
            target = shown.get(change.memory) if change.memory is not None else None
            try:
                made = self._made(change, target, memories, talk)
            except ValueError as error:
                given = None if target is None else target.id
                refused.append(RefusedChange(why=str(error), action=change.action, id=given, data=change.data))
            else:
                memories[made.id] = made
        if (beyond := len(answer.changes) - MOST_CHANGES) > 0:
            refused.append(RefusedChange(why=f"{beyond} changes beyond the first {MOST_CHANGES}"))
        return ManagedMemories(tuple(memories.values()), tuple(refused))

    def _made(
        self, change: ProposedChange, target: Managed | None, memories: Mapping[UUID, Managed], talk: Talk
    ) -> Managed:
        """Return the memory that a proposal makes from the current ones. Raises ValueError."""
        if change.action not in self.actions:
            raise ValueError(f"action: may not be taken; allowed are {', '.join(self.actions)}")
        check_sources(change.sources, talk.numbers, talk.numbers if self.of_episodes else talk.spoken)
        if change.action == "insert":
            return self._inserted(change, memories)
        if target is None:
            raise ValueError("memory: no memory was shown under this number")
        if memories[target.id].action != "unchanged":
            raise ValueError("memory: another change of this answer has changed it already")
        if change.action == "delete":
            return replace(target, action="deleted", reason=change.reason, sources=change.sources)
        value = patched(type(target.value), target.value, _object(change.data))
        if _same(value, target.value):
            return target
        return replace(target, value=value, action="updated", reason=change.reason, sources=change.sources)

    def _inserted(self, change: ProposedChange, memories: Mapping[UUID, Managed]) -> Managed:
        schema = self.schemas.get(change.kind or "")
        if schema is None:
            raise ValueError(f"kind: no such schema; there are {', '.join(self.schemas)}")
        value = read(schema, _object(change.data))
        if any(_same(one.value, value) for one in memories.values() if one.action != "deleted"):
            raise ValueError("data: is known already")
        said = json.dumps([type(value).__name__, as_json(value)], ensure_ascii=False, sort_keys=True)
        # The id may belong to a memory that has changed since, or was deleted.
        ids = (uuid5(_IDS, f"{number}{said}") for number in count())
        memory_id = next(key for key in ids if key not in memories)
        return Managed(id=memory_id, value=value, action="inserted", reason=change.reason, sources=change.sources)


def _as_managed(number: int, one: Known) -> Managed:
    if isinstance(one, Managed):
        return replace(one, action="deleted" if one.action == "deleted" else "unchanged", reason=None, sources=())
    if not (isinstance(one, tuple | list) and len(one) == 2 and isinstance(one[1], BaseModel)):
        raise ValueError(
            f"existing[{number}]: pass the result of an earlier call, or a pair of an id and a value of one of the schemas"
        )
    try:
        return Managed(id=UUID(str(one[0])), value=one[1])
    except ValueError:
        raise ValueError(
            f"existing: an id is a UUID, got {str(one[0])[:40]!r}; make one of your own key with uuid5"
        ) from None


def _object(data: str | None) -> dict[str, Any]:
    try:
        return read_object(data or "")
    except ValueError as error:
        raise ValueError(f"data: {error}") from None


def _same(one: BaseModel, other: BaseModel) -> bool:
    return type(one) is type(other) and as_json(one) == as_json(other)


def episode_manager(
    model: LanguageModel, *, schema: type[BaseModel] = Episode, instructions: str = ""
) -> MemoryManager:
    """Make an episode manager from an open model."""
    return MemoryManager(
        model=model,
        schemas=by_name([schema]),
        instructions=instructions,
        actions=("insert",),
        of_episodes=True,
    )
