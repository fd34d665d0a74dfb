"""`Identity`: of one namespace, who is who: the questions that are open, their answers, entities that are one, or two."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Connection, Engine

from mosshead.api.arguments import listed
from mosshead.api.decisions import History, id_of
from mosshead.embeddings import Embedder
from mosshead.entities import questions as asking
from mosshead.entities.questions import Offered
from mosshead.errors import InvalidEvent, NotFound
from mosshead.models.entities import RegisteredEntity
from mosshead.models.memories import Entity, StoredMemory
from mosshead.models.questions import Candidate, Question
from mosshead.paths import NamespacePath
from mosshead.publishing.publishers import AppSession, publish_checked
from mosshead.publishing.validation import check_events
from mosshead.store import entities
from mosshead.store import memories as views
from mosshead.store.connection import tenant_transaction

if TYPE_CHECKING:
    from mosshead.publishing.spool_publisher import SpoolPublisher

_MOST_TEXT = 8_000
_FACTS = 3


class Identity(History):
    """The part of a `Namespace` that says who is who."""

    def __init__(
        self, path: NamespacePath, engine: Engine, embedder: Embedder, publisher: "SpoolPublisher | None"
    ) -> None:
        """Use `Memory.namespace`."""
        super().__init__(path, engine, embedder)
        self._publisher = publisher

    def questions(self) -> list[Question]:
        """What the service waits to be told, because the words left it open: whom a mention means. Asked first, in front.

        Until then what was said is about none of the candidates for sure. They are told apart by what is known of them now; their
        scores are not kept, and are 0.
        """
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            waiting = entities.questions(connection, self.path)
            offered = _offered(connection, self.path, {key for one in waiting for key in one.candidates})
        return [
            replace(
                asking.question(one.mention, [offered[key] for key in one.candidates if key in offered], one.message),
                id=one.question_id,
                memories=tuple(one.memories),
            )
            for one in waiting
        ]

    def clarify(
        self,
        question: Question | UUID | str,
        entity: Entity | Candidate | UUID | str | None,
        *,
        session: AppSession | None = None,
    ) -> UUID:
        """Answer a question; an event, which returns its id at once and takes effect in its turn.

        question: one of `questions`, or its id: what waits for the answer is linked then. Or one of ``context.questions``.
        entity: who is meant; None for somebody new, whose id is the event's then. The answer is kept, and helps to tell who is
        meant from then on. The decision has the event's id, by which it can be undone. session: as for `publish`.
        Raises NotFound where there is no such question or entity, InvalidEvent where it was answered before.
        """
        wanted = None if entity is None else _entity_id(entity)
        event: dict[str, Any] = {"type": "clarify", "entity_id": wanted}
        question_id = question.id if isinstance(question, Question) else id_of("question", question)
        if isinstance(question, Question) and question_id is None:
            event |= {"mention": question.mention, "text": around(question.message, question.mention) or None}
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            if question_id is not None:
                self._check_open(connection, question_id)
                event["question_id"] = question_id
            if wanted is not None:
                self._found(connection, "entity", wanted)
        return self._publish([event], session=session)[0]

    def merge(
        self, entity: Entity | UUID | str, into: Entity | UUID | str, *, session: AppSession | None = None
    ) -> UUID:
        """Say that two entities are one: what is known of the first is known of the second from here on. Returns the event's id.

        The decision has the event's id: ``undo`` with it takes the merge back. session: as for `publish`.
        Raises NotFound, and InvalidEvent where both are the same, or the first is the user.
        """
        first, second = _entity_id(entity), _entity_id(into, "into")
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            found = self._found(connection, "entity", first)
            self._found(connection, "into", second)
        if found.is_user and first != second:
            raise InvalidEvent("entity: the user cannot become a part of somebody else; merge the other into the user")
        return self._publish([{"type": "merge", "entity_id": first, "into": second}], session=session)[0]

    def split(
        self,
        entity: Entity | UUID | str,
        memories: Iterable[StoredMemory | UUID | str],
        *,
        name: str | None = None,
        aliases: Sequence[str] = (),
        description: str | None = None,
        session: AppSession | None = None,
    ) -> UUID:
        """Say that one entity is two: some of the memories about it are about somebody else. Returns the event's id.

        That id is the new entity's, too, and the decision's: ``undo`` with it takes the split back.
        name: of the other; the same by default. aliases, description: of the other, where it has any. session: as for `publish`.
        Raises NotFound, and InvalidEvent where none of the memories is about the entity.
        """
        wanted = _entity_id(entity)
        moving = [one.id if isinstance(one, StoredMemory) else id_of("memories", one) for one in memories]
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            self._found(connection, "entity", wanted)
            if moving and not entities.about(connection, self.path, wanted, moving):
                raise InvalidEvent(f"memories: none of them is about {wanted}; name such as are")
        event = {"type": "split", "entity_id": wanted, "memories": moving, "name": name, "description": description}
        return self._publish([{**event, "aliases": listed(aliases)}], session=session)[0]

    def _check_open(self, connection: Connection, question_id: UUID) -> None:
        found = entities.questions(connection, self.path, question_id=question_id)
        if not found:
            raise NotFound(f"question: there is no question {question_id} in {self.path}")
        if found[0].answered:
            raise InvalidEvent(f"question: {question_id} is answered already; undo that answer to give another")

    def _found(self, connection: Connection, name: str, entity_id: UUID) -> Entity:
        found = _entities(connection, self.path, {entity_id})
        if not found:
            raise NotFound(f"{name}: there is no entity {entity_id} in {self.path}")
        return found[entity_id]

    def _publish(
        self,
        events: Sequence[Mapping[str, Any]],
        *,
        on_sent: Callable[[], object] | None = None,
        session: AppSession | None = None,
    ) -> list[UUID]:
        checked = check_events(self.path, events)
        publish_checked(self._publisher, self.path, checked, on_sent=on_sent, session=session)
        return [event.event_id for event in checked]


def around(message: str, mention: str) -> str:
    """A message, or of one too long to be kept the part around a mention."""
    place = max(0, message.casefold().find(mention.casefold()) - _MOST_TEXT // 2)
    return message if len(message) <= _MOST_TEXT else message[place : place + _MOST_TEXT]


def _entities(connection: Connection, path: NamespacePath, entity_ids: Iterable[UUID]) -> dict[UUID, Entity]:
    return {one.entity.id: one.entity for one in views.profiles(connection, path, entity_ids=entity_ids)}


def _offered(connection: Connection, path: NamespacePath, entity_ids: Collection[UUID]) -> dict[UUID, Offered]:
    facts = entities.facts(connection, path, entity_ids, limit=_FACTS)
    return {
        key: Offered(entity=_registered(entity), facts=facts.get(key, ()))
        for key, entity in _entities(connection, path, entity_ids).items()
    }


def _registered(entity: Entity) -> RegisteredEntity:
    return RegisteredEntity(
        entity_id=entity.id,
        name=entity.name,
        entity_type=entity.entity_type,
        aliases=entity.aliases,
        description=entity.description,
        parent=entity.parent,
        is_user=entity.is_user,
    )


def _entity_id(given: Entity | Candidate | UUID | str, name: str = "entity") -> UUID:
    if isinstance(given, Entity):
        return given.id
    return given.entity_id if isinstance(given, Candidate) else id_of(name, given)
