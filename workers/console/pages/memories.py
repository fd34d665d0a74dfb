"""The pages of memories and messages: search, filters, details, and what a message would retrieve."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import cast, get_args

from mosshead import Decision, MemoryKind, Namespace, NotFound, StoredMemory
from mosshead.ids import uuid7
from mosshead.models.context import context_line
from mosshead.models.memories import State
from mosshead.models.messages import StoredMessage
from workers.console.formatting import contents_of, memories_of, plain
from workers.console.handlers import MOST_SHOWN, ListPart, OfNamespace, Page, Published

_SHOWN = 50
_RECALLED = 6


def memories(request: OfNamespace) -> Page:
    """List the filtered memories by salience, or those nearest to a text."""
    said, kind, state = request.given("q"), request.given("kind") or None, request.given("state") or "active"
    part: ListPart[StoredMemory]
    if said.strip():
        limit = request.number("limit", _SHOWN, most=MOST_SHOWN)
        hits = request.namespace.query(said, limit=limit, kind=kind)
        part, late = ListPart(hits.hits, None), hits.reason
    else:
        chosen = cast("State", state)
        part = request.part(lambda most: request.namespace.memories(limit=most, kind=kind, state=chosen), _SHOWN)
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


def memory(request: OfNamespace, memory_id: str) -> Page:
    """Show a memory with its sources, decisions, earlier wordings and related memories. Raises NotFound."""
    namespace = request.namespace
    found = namespace.get(memory_id)
    decisions = namespace.decisions.for_memory(found.id)
    related = namespace.decisions.related(found.id, limit=8)
    beside = memories_of(namespace, (found.superseded_by, *(one.memory_id for one in related)))
    return Page(
        "memory.html",
        memory=found,
        decisions=decisions,
        contents=contents_of(namespace, decisions) | beside,
        related=[one for one in related if one.memory_id is not None],
        entities=[namespace.entities.profile(one.entity_id).entity for one in related if one.entity_id],
        wordings=_wordings(namespace, found, decisions),
    )


def replace(request: OfNamespace, memory_id: str) -> Published:
    """Replace a memory.

    Raises NotFound, MemoryChanged if it has changed since, or InvalidEvent if the content is invalid.
    """
    old, said, event_id = request.namespace.get(memory_id), plain(request.given("content")), uuid7()
    if said == plain(old.content).strip():
        raise ValueError("content: is the same as before; write what is true instead")
    version = request.number("version", old.version, most=10**9)
    request.namespace.remember(said, kind=old.kind, replaces=old.id, version=version, event_id=event_id)
    return event_id, f"memories/{memory_id}"


def forget(request: OfNamespace, memory_id: str) -> Published:
    """Close a memory. Raises NotFound, also if it is already closed."""
    event_id = request.namespace.forget(memory_id, reason=request.given("reason").strip() or None)
    return event_id, f"memories/{memory_id}"


def erase_memory(request: OfNamespace, memory_id: str) -> Published:
    """Delete a memory for good, with its source messages. Raises NotFound."""
    return request.namespace.erase(memory_id), "memories"


def _wordings(
    namespace: Namespace, memory: StoredMemory, decisions: Sequence[Decision]
) -> list[tuple[datetime, StoredMemory]]:
    """Return a memory's earlier wordings with their times, latest first: one as known at each decision about it."""
    found: list[tuple[datetime, StoredMemory]] = []
    for decision in decisions[:20]:
        with suppress(NotFound):
            then = namespace.get(memory.id, as_of=decision.decided_at)
            if not found or (then.content, then.state) != (found[-1][1].content, found[-1][1].state):
                found.append((decision.decided_at, then))
    return found[::-1] if len(found) > 1 else []


def message(request: OfNamespace, message_id: str) -> Page:
    """Show a message with its neighbours and the memories from it. Raises NotFound."""
    excerpt = request.namespace.messages.get(message_id, around=(4, 2))
    taken = request.namespace.messages.memories(message_id)
    return Page("message.html", excerpt=excerpt, taken=taken, message_id=message_id)


def messages(request: OfNamespace) -> Page:
    """List the messages that match a text, with their neighbours; without a text, the newest first."""
    said, conversation = request.given("q"), request.given("conversation")
    latest: ListPart[StoredMessage] | None = None
    recalled = None
    if said.strip():
        recalled = request.namespace.messages.search(
            said,
            conversation=conversation or None,
            conversation_only=bool(conversation),
            limit=request.number("limit", _RECALLED, most=100),
        )
    else:
        named = conversation or None
        latest = request.part(lambda most: request.namespace.messages.latest(conversation=named, limit=most), _SHOWN)
    hits = {one.message.id: one for one in recalled.hits} if recalled else {}
    return Page("messages.html", said=said, conversation=conversation, latest=latest, recalled=recalled, hits=hits)


def retrieval(request: OfNamespace) -> Page:
    """Show the context of a message as a model gets it, and why each part is in it."""
    said, conversation = request.given("message"), request.given("conversation")
    budget = request.number("budget", 800, most=20_000)
    context = None
    if said.strip():
        context = request.namespace.context(said, conversation=conversation or None, budget=budget)
    lines = [(one, context_line(one)) for one in context.explain()] if context else []
    return Page(
        "retrieval.html",
        message=said,
        conversation=conversation,
        budget=budget,
        context=context,
        lines=lines,
        best=max((0.001, *(one.score for one, _ in lines))),
    )
