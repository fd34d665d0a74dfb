"""Who and what the memories of a namespace are about: entities, the graph between them, and the questions of who is who."""

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
    """Reads entities, and says who is who."""

    session: Session

    def list(self) -> builtins.list[Entity]:
        """List the entities of the namespace, those with the most memories first."""
        return self.session.fetch(memories.entities)

    def get(self, entity: str | UUID) -> Entity:
        """Read an entity. As `profile`, whose errors it raises."""
        return self.profile(entity).entity

    def profile(self, entity: str | UUID) -> Profile:
        """Read what is known of an entity, by its id, its name or an alias, however that is spelled.

        Raises NotFound where nothing bears the name, AmbiguousName where several do; ask by id then.
        """
        wanted, path = id_or_name(entity), self.session.path
        with self.session.transaction() as connection:
            ids = [wanted] if isinstance(wanted, UUID) else _called(connection, path, readable("entity", wanted))
            found = memories.profiles(connection, path, entity_ids=ids)
        if not found:
            raise NotFound(f"entity: nothing in {path} is called that")
        if len(found) > 1:
            bearers = "; ".join(f"{profile.entity.id} ({_told_apart(profile.entity)})" for profile in found)
            raise AmbiguousName(f"entity: {len(found)} bear this name; ask by id: {bearers}")
        return found[0]

    def neighbours(
        self, entity: str | UUID, *, depth: int = 2, fan_out: int = 20, as_of: datetime | None = None
    ) -> "builtins.list[Neighbour]":
        """List what is related to an entity (its id, its name or an alias), and to that, the nearest first.

        depth: how many edges away at most, up to 4. fan_out: how many edges of each entity are followed, up to 200. as_of: as it
        was known and held at that time, with a time zone; now by default.
        Raises ValueError where one of these does not fit, otherwise as `profile`; of an unknown id there are no neighbours.
        """
        moment = aware(as_of)
        depth = checked_limit(depth, "depth", entities.MAX_DEPTH)
        fan_out = checked_limit(fan_out, "fan_out", entities.MAX_FAN_OUT)
        wanted = id_or_name(entity)
        found = wanted if isinstance(wanted, UUID) else self.get(wanted).id
        return self.session.fetch(entities.neighbours, found, depth=depth, fan_out=fan_out, as_of=moment)

    def mentions(self, message: str, *, parser: "Parser | None" = None, timeout: float = 1.0) -> "tuple[Mention, ...]":
        """Find what a message refers to: entities by name, pronouns, descriptions, attributes, concepts and processes it implies.

        parser: asked in place of the heuristics for all but the names, an LLM of yours, say; it gets the message and returns
        mappings of ``kind`` and ``text``. timeout: seconds allowed for the parser; after that the heuristics
        answer.
        Secrets in the message are replaced before anything sees it; ``start`` and ``end`` count in the text after that. No
        embedding is made.
        """
        from mosshead.entities import lookup  # what few apps ask for is loaded when it is asked for
        from mosshead.entities.mentions import parse

        said = redact(readable("message", message))
        found = self.session.fetch(lookup.named, [said])
        return parse(said, found, parser=parser, seconds=timeout)

    def questions(self) -> builtins.list[Question]:
        """List the open questions about ambiguous mentions, oldest first.

        Until one is answered, what was said is linked to none of its candidates for sure. Candidates are described by what is
        known of them now; their scores are not kept, and are 0.
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
        """Answer a question; an event, which returns its id at once and takes effect in its turn.

        question: one of `questions`, or its id: what waits for the answer is linked then. Or one of ``context.questions``.
        entity: who is meant; None for somebody new, whose id is the event's then. The answer is kept, and helps to tell who is
        meant from then on. The decision has the event's id, by which it can be undone. session: as for `Namespace.publish`.
        Raises NotFound where there is no such question or entity, InvalidEvent where it was answered before.
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
        """Say that two entities are one: what is known of the first is known of the second from here on. Returns the event's id.

        The decision has the event's id: ``undo`` with it takes the merge back. session: as for `Namespace.publish`.
        Raises NotFound, and InvalidEvent where both are the same, or the first is the user.
        """
        first, second = entity_id(entity), entity_id(into, "into")
        with self.session.transaction() as connection:
            found = _known(connection, self.session.path, "entity", first)
            _known(connection, self.session.path, "into", second)
        if found.is_user and first != second:
            raise InvalidEvent("entity: the user cannot become a part of somebody else; merge the other into the user")
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
        """Say that one entity is two: some of the memories about it are about somebody else. Returns the event's id.

        That id is the new entity's, too, and the decision's: ``undo`` with it takes the split back.
        name: of the other; the same by default. aliases, description: of the other, where it has any. session: as for
        `Namespace.publish`. Raises NotFound, and InvalidEvent where none of the memories is about the entity.
        """
        wanted, moving = entity_id(entity), [memory_id(one) for one in memories]
        with self.session.transaction() as connection:
            _known(connection, self.session.path, "entity", wanted)
            if moving and not entities.about(connection, self.session.path, wanted, moving):
                raise InvalidEvent(f"memories: none of them is about {wanted}; name such as are")
        event = {"type": "split", "entity_id": wanted, "memories": moving, "name": name, "description": description}
        return self.session.publish({**event, "aliases": listed(aliases)}, session=session)


def around(message: str, mention: str) -> str:
    """A message, or of one too long to be kept the part around a mention."""
    place = max(0, message.casefold().find(mention.casefold()) - _MOST_TEXT // 2)
    return message if len(message) <= _MOST_TEXT else message[place : place + _MOST_TEXT]


def _called(connection: Connection, path: NamespacePath, name: str) -> list[UUID]:
    """Those that are called just so; where nobody is, those whose name it is in another spelling: "Lukasz" for Łukasz."""
    from mosshead.entities import lookup

    exact = memories.entities_named(connection, path, [normalise(name)])
    spelled = [] if exact else lookup.named(connection, path, [name], are_names=True)
    return [*exact, *(one.entity.entity_id for one in spelled if one.whole and one.name == name.strip())]


def _check_open(connection: Connection, path: NamespacePath, question_id: UUID) -> None:
    found = entities.questions(connection, path, question_id=question_id)
    if not found:
        raise NotFound(f"question: there is no question {question_id} in {path}")
    if found[0].answered:
        raise InvalidEvent(f"question: {question_id} is answered already; undo that answer to give another")


def _known(connection: Connection, path: NamespacePath, name: str, wanted: UUID) -> Entity:
    found = memories.profiles(connection, path, entity_ids=[wanted])
    if not found:
        raise NotFound(f"{name}: there is no entity {wanted} in {path}")
    return found[0].entity


def _told_apart(entity: Entity) -> str:
    """What tells an entity from its namesakes, in a few words."""
    return " at ".join(detail for detail in (entity.description, entity.parent) if detail) or entity.entity_type


def _offered(connection: Connection, path: NamespacePath, entity_ids: Collection[UUID]) -> "dict[UUID, Offered]":
    from mosshead.entities.disambiguation import Offered

    facts = entities.facts(connection, path, entity_ids, limit=_FACTS)
    found = (one.entity for one in memories.profiles(connection, path, entity_ids=entity_ids))
    return {one.id: Offered(entity_id=one.id, entity=one, facts=facts.get(one.id, ())) for one in found}
