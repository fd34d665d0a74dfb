"""`Namespace.entities`: the entities of a namespace, the graph between them, and questions about identity."""

import builtins
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Connection

from mosshead.api.arguments import AMemory, AnEntity, entity_id, memory_id
from mosshead.api.session import Session
from mosshead.arguments import aware, checked_limit, id_of, id_or_name, listed
from mosshead.errors import AmbiguousName, InvalidEvent, NotFound
from mosshead.language.names import normalise
from mosshead.models.memories import Entity, Profile
from mosshead.models.questions import Candidate, Question
from mosshead.paths import NamespacePath
from mosshead.publishing.publishers import AppSession
from mosshead.redaction import redact
from mosshead.store import entities, memories
from mosshead.text import readable

if TYPE_CHECKING:
    from mosshead.entities.disambiguation import Offered
    from mosshead.entities.mentions import Mention, Parser
    from mosshead.store.entities import Neighbour

_MOST_TEXT = 8_000
_FACTS = 3


@dataclass(frozen=True, slots=True)
class NamespaceEntities:
    """Reads entities, answers identity questions, and merges and splits entities."""

    session: Session

    def list(self) -> builtins.list[Entity]:
        """List the namespace's entities, ordered by number of memories."""
        return self.session.fetch(memories.entities)

    def get(self, entity: str | UUID) -> Entity:
        """Read an entity. The argument and errors are those of `profile`."""
        return self.profile(entity).entity

    def profile(self, entity: str | UUID) -> Profile:
        """Read an entity's profile by its id, name or alias. Spelling variants of a name match.

        Raises:
            NotFound: No entity has this id or name.
            AmbiguousName: Several entities have this name; the error lists their ids.
        """
        wanted, path = id_or_name(entity), self.session.path
        with self.session.transaction() as connection:
            ids = [wanted] if isinstance(wanted, UUID) else _called(connection, path, readable("entity", wanted))
            found = memories.profiles(connection, path, entity_ids=ids)
        if not found:
            raise NotFound(f"entity: no entity in {path} has this id or name")
        if len(found) > 1:
            bearers = "; ".join(f"{profile.entity.id} ({_told_apart(profile.entity)})" for profile in found)
            raise AmbiguousName(f"entity: {len(found)} entities have this name; pass an id instead: {bearers}")
        return found[0]

    def neighbours(
        self, entity: str | UUID, *, depth: int = 2, fan_out: int = 20, as_of: datetime | None = None
    ) -> "builtins.list[Neighbour]":
        """List the entities connected to an entity in the graph, nearest first. An unknown id has no neighbours.

        Args:
            entity: Its id, name or alias.
            depth: Maximum number of edges away, up to 4.
            fan_out: Maximum number of edges followed per entity, up to 200.
            as_of: Use the graph as known at this time, with a time zone; now by default.

        Raises:
            ValueError: An argument is invalid. For other errors see `profile`.
        """
        moment = aware(as_of)
        depth = checked_limit(depth, "depth", entities.MAX_DEPTH)
        fan_out = checked_limit(fan_out, "fan_out", entities.MAX_FAN_OUT)
        wanted = id_or_name(entity)
        found = wanted if isinstance(wanted, UUID) else self.get(wanted).id
        return self.session.fetch(entities.neighbours, found, depth=depth, fan_out=fan_out, as_of=moment)

    def mentions(self, message: str, *, parser: "Parser | None" = None, timeout: float = 1.0) -> "tuple[Mention, ...]":
        """Find what a message refers to: names, pronouns, descriptions, attributes, concepts and implied processes.

        Secrets in the message are redacted first; ``start`` and ``end`` are offsets in the redacted text. No embedding is made.

        Args:
            parser: Replaces the heuristics for everything but names, for example with an LLM. It receives the message and
                returns mappings with ``kind`` and ``text``.
            timeout: Seconds allowed for the parser; on timeout the heuristics are used.
        """
        from mosshead.entities import lookup  # loaded on demand: few apps call this
        from mosshead.entities.mentions import parse

        said = redact(readable("message", message))
        found = self.session.fetch(lookup.named, [said])
        return parse(said, found, parser=parser, seconds=timeout)

    def questions(self) -> builtins.list[Question]:
        """List the open questions about ambiguous mentions, oldest first.

        Until a question is answered, its memories are linked to none of the candidates with certainty. Candidates are described
        as they are known now; their scores are not stored and read as 0.
        """
        from mosshead.entities.disambiguation import question

        path = self.session.path
        with self.session.transaction() as connection:
            waiting = entities.questions(connection, path)
            offered = _offered(connection, path, {key for one in waiting for key in one.candidates})
        return [
            replace(
                question(one.mention, [offered[key] for key in one.candidates if key in offered], one.message),
                id=one.question_id,
                memories=tuple(one.memories),
            )
            for one in waiting
        ]

    def clarify(
        self,
        question: Question | UUID | str,
        entity: AnEntity | Candidate | None,
        *,
        session: AppSession | None = None,
    ) -> UUID:
        """Answer a question. Publish an event and return its id at once; the service applies it in order.

        The answer also helps to resolve later mentions. The decision has the event's id and can be undone.

        Args:
            question: One of `questions`, or its id; the memories waiting for it are then linked. Or one of ``context.questions``.
            entity: The entity meant; None for a new entity, which gets the event's id.
            session: As for `Namespace.publish`.

        Raises:
            NotFound: There is no such question or entity.
            InvalidEvent: The question is already answered.
        """
        wanted = None if entity is None else entity_id(entity)
        event: dict[str, Any] = {"type": "clarify", "entity_id": wanted}
        question_id = question.id if isinstance(question, Question) else id_of("question", question)
        if isinstance(question, Question) and question_id is None:
            event |= {"mention": question.mention, "text": around(question.message, question.mention) or None}
        with self.session.transaction() as connection:
            if question_id is not None:
                _check_open(connection, self.session.path, question_id)
                event["question_id"] = question_id
            if wanted is not None:
                _known(connection, self.session.path, "entity", wanted)
        return self.session.publish(event, session=session)

    def merge(self, entity: AnEntity, into: AnEntity, *, session: AppSession | None = None) -> UUID:
        """Merge an entity into another, which takes over its memories. Return the event's id, which also undoes the merge.

        Args:
            session: As for `Namespace.publish`.

        Raises:
            NotFound: There is no such entity.
            InvalidEvent: Both are the same entity, or the first is the user.
        """
        first, second = entity_id(entity), entity_id(into, "into")
        with self.session.transaction() as connection:
            found = _known(connection, self.session.path, "entity", first)
            _known(connection, self.session.path, "into", second)
        if found.is_user and first != second:
            raise InvalidEvent("entity: the user cannot be merged into another entity; merge the other into the user")
        return self.session.publish({"type": "merge", "entity_id": first, "into": second}, session=session)

    def split(
        self,
        entity: AnEntity,
        memories: Iterable[AMemory],
        *,
        name: str | None = None,
        aliases: Sequence[str] = (),
        description: str | None = None,
        session: AppSession | None = None,
    ) -> UUID:
        """Split an entity: move some of its memories to a new entity. Return the event's id.

        The id is also that of the new entity and of the decision; pass it to ``undo`` to revert the split.

        Args:
            name: The new entity's name; by default the old one's.
            aliases, description: Of the new entity, if any.
            session: As for `Namespace.publish`.

        Raises:
            NotFound: There is no such entity.
            InvalidEvent: None of the memories is about the entity.
        """
        wanted, moving = entity_id(entity), [memory_id(one) for one in memories]
        with self.session.transaction() as connection:
            _known(connection, self.session.path, "entity", wanted)
            if moving and not entities.about(connection, self.session.path, wanted, moving):
                raise InvalidEvent(f"memories: none of them is about {wanted}; pass memories about this entity")
        event = {"type": "split", "entity_id": wanted, "memories": moving, "name": name, "description": description}
        return self.session.publish({**event, "aliases": listed(aliases)}, session=session)


def around(message: str, mention: str) -> str:
    """Return a message, cut to the part around a mention if it is too long to store."""
    place = max(0, message.casefold().find(mention.casefold()) - _MOST_TEXT // 2)
    return message if len(message) <= _MOST_TEXT else message[place : place + _MOST_TEXT]


def _called(connection: Connection, path: NamespacePath, name: str) -> list[UUID]:
    """Return entities with exactly this name; if there are none, those with it in another spelling ("Lukasz" for Łukasz)."""
    from mosshead.entities import lookup

    exact = memories.entities_named(connection, path, [normalise(name)])
    spelled = [] if exact else lookup.named(connection, path, [name], are_names=True)
    return [*exact, *(one.entity.entity_id for one in spelled if one.whole and one.name == name.strip())]


def _check_open(connection: Connection, path: NamespacePath, question_id: UUID) -> None:
    found = entities.questions(connection, path, question_id=question_id)
    if not found:
        raise NotFound(f"question: there is no question {question_id} in {path}")
    if found[0].answered:
        raise InvalidEvent(f"question: {question_id} is already answered; undo that answer to give another")


def _known(connection: Connection, path: NamespacePath, name: str, wanted: UUID) -> Entity:
    found = memories.profiles(connection, path, entity_ids=[wanted])
    if not found:
        raise NotFound(f"{name}: there is no entity {wanted} in {path}")
    return found[0].entity


def _told_apart(entity: Entity) -> str:
    """Describe in a few words what distinguishes an entity from its namesakes."""
    return " at ".join(detail for detail in (entity.description, entity.parent) if detail) or entity.entity_type


def _offered(connection: Connection, path: NamespacePath, entity_ids: Collection[UUID]) -> "dict[UUID, Offered]":
    from mosshead.entities.disambiguation import Offered

    facts = entities.facts(connection, path, entity_ids, limit=_FACTS)
    found = (one.entity for one in memories.profiles(connection, path, entity_ids=entity_ids))
    return {one.id: Offered(entity_id=one.id, entity=one, facts=facts.get(one.id, ())) for one in found}
