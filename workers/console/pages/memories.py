"""The memories: searched, filtered, each with where it comes from and what was decided of it; replaced, forgotten and erased."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import cast, get_args
from uuid import UUID

from mosshead import Decision, MemoryKind, Namespace, NotFound, StoredMemory
from mosshead.ids import uuid7
from mosshead.models.memories import State
from workers.console.formatting import contents_of, memories_of, plain
from workers.console.handlers import MOST_SHOWN, Editing, ListPart, Page, Reading

_SHOWN = 50
_RELATED = 8
_VERSIONS = 20
_LAST_VERSION = 10**9


class Memories(Reading):
    """The list, by salience; or what is nearest to a text."""

    section = "memories"

    def show(self, *_ids: str) -> Page:
        """What the filters leave."""
        said, kind, state = self.given("q"), self.given("kind") or None, self.given("state") or "active"
        part: ListPart[StoredMemory]
        if said.strip():
            limit = self.number("limit", _SHOWN, most=MOST_SHOWN)
            hits = self.namespace.query(said, limit=limit, kind=kind)
            part, late = ListPart(hits.hits, None), hits.reason
        else:
            chosen = cast("State", state)
            part = self.part(lambda most: self.namespace.memories(limit=most, kind=kind, state=chosen), _SHOWN)
            late = None
        return Page(
            "memories.html",
            said=said,
            kind=kind,
            state=state,
            kinds=list(MemoryKind),
            states=get_args(State),
            part=part,
            late=late,
        )


class OneMemory(Reading):
    """A memory, its sources, its decisions, its earlier wordings and what stands beside it."""

    section = "memories"

    def show(self, *ids: str) -> Page:
        """Raises NotFound."""
        memory = self.namespace.get(ids[0])
        decisions = self.namespace.decisions.for_memory(memory.id)
        related = self.namespace.decisions.related(memory.id, limit=_RELATED)
        contents = contents_of(self.namespace, decisions) | memories_of(
            self.namespace, (memory.superseded_by, *(one.memory_id for one in related))
        )
        return Page(
            "memory.html",
            memory=memory,
            decisions=decisions,
            contents=contents,
            related=[one for one in related if one.memory_id is not None],
            entities=[self.namespace.entities.profile(one.entity_id).entity for one in related if one.entity_id],
            wordings=wordings(self.namespace, memory, decisions),
        )


class Replace(Editing):
    """Puts another memory in the place of one."""

    then = "memories/{0}"

    def publish(self, *ids: str) -> UUID:
        """Raises NotFound, MemoryChanged where it says something else by now, and InvalidEvent where the content does not fit."""
        old, said, event_id = self.namespace.get(ids[0]), plain(self.given("content")), uuid7()
        if said == plain(old.content).strip():
            raise ValueError("content: is what the memory says already; write what is so instead")
        version = self.number("version", old.version, most=_LAST_VERSION)
        self.namespace.remember(said, kind=old.kind, replaces=old.id, version=version, event_id=event_id)
        return event_id


class ForgetHandler(Editing):
    """Closes a memory."""

    then = "memories/{0}"

    def publish(self, *ids: str) -> UUID:
        """Raises NotFound, also where it is closed already."""
        return self.namespace.forget(ids[0], reason=self.given("reason").strip() or None)


class EraseHandler(Editing):
    """Deletes a memory for good, with the messages that it came from."""

    then = "memories"

    def publish(self, *ids: str) -> UUID:
        """Raises NotFound."""
        return self.namespace.erase(ids[0])


class MessagePage(Reading):
    """A message with those around it, and what was taken from it."""

    section = "messages"

    def show(self, *ids: str) -> Page:
        """Raises NotFound."""
        excerpt = self.namespace.messages.get(ids[0], around=(4, 2))
        return Page("message.html", excerpt=excerpt, taken=self.namespace.messages.memories(ids[0]), message_id=ids[0])


def wordings(
    namespace: Namespace, memory: StoredMemory, decisions: Sequence[Decision]
) -> list[tuple[datetime, StoredMemory]]:
    """What a memory said before, the latest first: as it was known when each decision about it was made, with that time."""
    found: list[tuple[datetime, StoredMemory]] = []
    for decision in decisions[:_VERSIONS]:
        with suppress(NotFound):
            then = namespace.get(memory.id, as_of=decision.decided_at)
            if not found or (then.content, then.state) != (found[-1][1].content, found[-1][1].state):
                found.append((decision.decided_at, then))
    return found[::-1] if len(found) > 1 else []
