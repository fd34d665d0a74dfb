"""`Namespace`: what an app does with one user's memories."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING, Any, get_args
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import Connection, text

from mosshead.api.arguments import checked_kind, checked_limit, id_or_name
from mosshead.api.decisions import aware, id_of
from mosshead.api.documents import Documenting
from mosshead.api.entities import Identity
from mosshead.api.erasures import Erasing
from mosshead.api.reads import Querying, Retrieving
from mosshead.errors import AmbiguousName, InvalidEvent, NotFound, WaitTimeout
from mosshead.events.transcripts import turns
from mosshead.language.names import normalise
from mosshead.models.kinds import MemoryKind, Role
from mosshead.models.memories import Entity, Profile, Progress, State, StoredMemory
from mosshead.paths import NamespacePath
from mosshead.publishing.publishers import AppSession
from mosshead.redaction import redact
from mosshead.store import memories as views
from mosshead.store.connection import tenant_transaction
from mosshead.text import readable

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from mosshead.entities.mentions import Mention, Parser
    from mosshead.publishing.imports import Imported
    from mosshead.store.entities import Neighbour


_POLL_SECONDS = 0.05


class Bringing(Identity):
    """The part of a `Namespace` that imports."""

    def import_records(
        self,
        lines: Iterable[Mapping[str, Any] | str],
        *,
        on_sent: Callable[[int, int], object] | None = None,
        session: AppSession | None = None,
    ) -> "Imported":
        """Bring entities and memories from elsewhere, as docs/import.md shows each: objects, or lines of JSON, in any order.

        Each memory stays one of its own. The same ``key`` or ``id`` twice is the same thing; what is known already stays.
        on_sent: called for each event with its number and how many there are. session: as for `publish`.
        All lines are checked before any is stored, and all are stored or none. Raises InvalidEvent, which names every line at
        fault, and otherwise as `publish`.
        """
        from mosshead.publishing.imports import Imported, check_lines, events_of  # few apps import

        if isinstance(lines, str | Mapping):
            raise InvalidEvent("lines: give them one by one, as a list, an open file or text.splitlines() does")
        checked = check_lines(lines, self._known_keys)
        events = list(events_of(checked))
        numbers = count(1)
        sent = None if on_sent is None else lambda: on_sent(next(numbers), len(events))
        event_ids = self._publish(events, on_sent=sent, session=session)
        return Imported(
            event_ids=tuple(event_ids),
            entities=len(checked.entities),
            memories=len(checked.memories),
            skipped=checked.skipped,
        )

    def _known_keys(self, keys: Collection[str]) -> set[str]:
        from mosshead.store.entities import known_keys

        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return known_keys(connection, self.path, keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What was said in a conversation, in a few sentences.

    up_to: the id of the latest message that it holds. version: how often it was written. updated_at: when it was last.
    """

    conversation: str
    text: str
    up_to: UUID
    version: int
    updated_at: datetime


class Summarising(Identity):
    """The part of a `Namespace` that has conversations summed up."""

    def summarise(self, conversation: str, *, session: AppSession | None = None) -> UUID:
        """Have a conversation summed up in the background; an event, which returns its id at once.

        What was said in it so far at once, from then on whenever it rests or is over; asked again, whatever is new at once.
        session: as for `publish`, and so is what it raises.
        """
        return self._publish([{"type": "summarise", "conversation": conversation}], session=session)[0]

    def summary(self, conversation: str) -> Summary | None:
        """The summary of a conversation; None where none was asked for, or none is made yet.

        Raises StoreUnavailable where Postgres cannot be asked.
        """
        wanted = readable("conversation", conversation)
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return _summary(connection, self.path, wanted)


class Namespace(Bringing, Documenting, Erasing, Querying, Retrieving, Summarising):
    """One namespace's memories; made by `Memory.namespace`, cheap, and safe to share between threads."""

    # Write ------------------------------------------------------------------------------------------------------------

    def publish(
        self,
        content: str | list[dict[str, Any]],
        *,
        role: str = Role.USER,
        conversation: str | None = None,
        speaker: str | None = None,
        occurred_at: datetime | str | None = None,
        injected: Iterable[StoredMemory | UUID] = (),
        session: AppSession | None = None,
        **more: Any,
    ) -> UUID:
        """Publish one message, and return the event's id at once. Memories form in the background.

        occurred_at: when it was said, with a time zone; now by default.
        injected: the memories that were in the prompt of this turn, as ``context.memories``: what merely repeats one is no news.
        more: any further field of a message event (``sequence``, ``metadata``, ``tool_calls``, ``event_id``, …; docs/events.md).
        session: your own session or connection to Mosshead's database: the message is published when you commit, or not at all.
        Raises InvalidEvent where a field does not fit; SpoolFull or SpoolUnavailable where the spool does not take it.
        """
        ids = [one.id if isinstance(one, StoredMemory) else one for one in injected]
        event = {"role": role, "content": content, "conversation": conversation, "speaker": speaker, **more}
        if ids:
            event["injected"] = ids
        return self._publish([_message(event, occurred_at)], session=session)[0]

    def publish_conversation(
        self,
        messages: str | Sequence[Mapping[str, Any]],
        *,
        conversation: str | None = None,
        occurred_at: datetime | str | None = None,
        speakers: Mapping[str, str] | None = None,
        ended: bool = False,
        on_sent: Callable[[], object] | None = None,
        session: AppSession | None = None,
    ) -> list[UUID]:
        """Publish a transcript ("User: … / Assistant: …") or a list of ``{role, content}``, in order; returns the events' ids.

        occurred_at: for messages that do not bring their own. speakers: the roles of a transcript's speakers, where those are
        names: ``{"Sarah": "user"}``. ended: also say that the conversation is over, so that it is consolidated at once.
        A message of a list may bring its own ``conversation`` and ``occurred_at``. on_sent: called for each message.
        session: as for `publish`.
        All messages are checked before any is stored, and all are stored or none. Raises InvalidEvent, which names the message at
        fault, and otherwise as `publish`.
        """
        events = [
            _message(
                {
                    "role": turn.role,
                    "content": turn.content,
                    "speaker": turn.speaker,
                    "conversation": conversation,
                    **turn.more,
                },
                turn.occurred_at or occurred_at,
            )
            for turn in turns(messages, speakers)
        ]
        if ended:
            events.append(_without_none({"type": "conversation_ended", "conversation": conversation}))
        return self._publish(events, on_sent=on_sent, session=session)

    def end_conversation(self, conversation: str, *, session: AppSession | None = None) -> UUID:
        """Say that a conversation is over: what it holds is consolidated at once instead of after a pause.

        session: as for `publish`.
        """
        return self._publish([{"type": "conversation_ended", "conversation": conversation}], session=session)[0]

    def undo(self, decision_id: UUID | str, *, session: AppSession | None = None) -> UUID:
        """Take back what a decision did (`decisions`); an event, which returns its id at once and takes effect in its turn.

        The undo is a decision of its own, bears its event's id, and can be undone. session: as for `publish`.
        Raises NotFound, and UndoRefused where it was taken back already, or where later decisions build on it, which it names.
        What changes before the event takes effect can still have it refused: the decision log says so then.
        """
        event = {"type": "undo", "decision_id": self._check_undo(decision_id)}
        return self._publish([event], session=session)[0]

    def configure(
        self,
        *,
        instructions: str = "",
        schemas: Iterable[type[BaseModel] | Mapping[str, Any]] = (),
        profiles: Iterable[type[BaseModel] | Mapping[str, Any]] = (),
        episodes: bool = False,
        session: AppSession | None = None,
    ) -> UUID:
        """Say what this namespace's memories are for, from here on; replaces what was said before. Returns the event's id.

        instructions: what to look for or to leave alone, in your own words, for the LLM that extracts.
        schemas: pydantic models, or JSON Schemas with a ``title``; facts that fit one bring their data as ``memory.record``, and
            are read back by `collection`.
        profiles: the same; of each one document is kept up to date (`profile_document`; docs/documents.md). episodes: whether to
            keep what was gone about in a conversation and how it turned out (`episodes`). Both need an LLM.
        session: as for `publish`. Raises InvalidEvent.
        """
        shapes = {"schemas": _shapes("schemas", schemas), "profiles": _shapes("profiles", profiles)}
        event = {"type": "configure", "instructions": instructions, **shapes, "episodes": episodes}
        return self._publish([event], session=session)[0]

    def wait(self, timeout: float = 30.0) -> Progress:
        """Wait until all that was published is consolidated and the profiles are refreshed; for tests and demos.

        It knows of all that any process published through the same spool, and of what the inbox has from elsewhere; with
        ``session=``, commit first.
        timeout: seconds. Raises WaitTimeout, which says how far it came; nothing is lost then.
        """
        if not timeout >= 0:  # NaN would wait for ever
            raise ValueError(f"timeout: seconds, 0 or more, got {timeout!r}")
        deadline = time.monotonic() + timeout
        while True:
            progress = self.progress()
            if not progress.partial and not progress.at_work:
                return progress
            if time.monotonic() >= deadline:
                raise WaitTimeout(
                    f"after {timeout:g} s: {_waited_for(progress)}; "
                    "check that intake, scheduler and workers run ('python -m workers status')"
                )
            time.sleep(_POLL_SECONDS)

    # Read -------------------------------------------------------------------------------------------------------------

    def mentions(self, message: str, *, parser: "Parser | None" = None, seconds: float = 1.0) -> "tuple[Mention, ...]":
        """What a message refers to: entities by name, pronouns, descriptions, attributes, concepts and processes it implies.

        parser: asked in place of the heuristics for all but the names, an LLM of yours, say; it gets the message and returns
        mappings of ``kind`` and ``text``, within so many seconds, else the heuristics answer. Secrets in the message are replaced
        before anything sees it; ``start`` and ``end`` count in the text after that. No embedding is made.
        """
        from mosshead.entities import lookup  # what few apps ask for is loaded when it is asked for, here and below
        from mosshead.entities.mentions import parse

        said = redact(readable("message", message))
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            found = lookup.named(connection, self.path, [said])
        return parse(said, found, parser=parser, seconds=seconds)

    def memories(
        self,
        *,
        limit: int = 1000,
        kind: MemoryKind | str | None = None,
        state: State = "active",
        about: Entity | UUID | str | None = None,
    ) -> list[StoredMemory]:
        """What is known now, most salient first.

        kind: of that kind alone. state: instead of what holds, what was replaced, or taken back. about: what is linked to an
        entity, for sure or perhaps.
        Raises ValueError, which names what does not fit, and NotFound where ``about`` is no id.
        """
        if state not in (states := get_args(State)):
            raise ValueError(f"state: one of {', '.join(states)}, got {state!r}")
        if about is not None:
            about = about.id if isinstance(about, Entity) else id_of("about", about)
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return views.memories(
                connection, self.path, checked_limit(limit), kind=checked_kind(kind), state=state, about=about
            )

    def entities(self) -> list[Entity]:
        """Whom and what the memories are about; those with the most memories first."""
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return views.entities(connection, self.path)

    def profile(self, entity: str | UUID) -> Profile:
        """What is known of an entity, by its id, its name or an alias, however that is spelled.

        Raises NotFound where nothing bears the name, AmbiguousName where several do; ask by id then.
        """
        wanted = id_or_name(entity)
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            ids = [wanted] if isinstance(wanted, UUID) else self._called(connection, readable("entity", wanted))
            found = views.profiles(connection, self.path, entity_ids=ids)
        if not found:
            raise NotFound(f"entity: nothing in {self.path} is called that")
        if len(found) > 1:
            from mosshead.entities.questions import told_apart

            bearers = "; ".join(f"{profile.entity.id} ({told_apart(profile.entity)})" for profile in found)
            raise AmbiguousName(f"entity: {len(found)} bear this name; ask by id: {bearers}")
        return found[0]

    def _called(self, connection: "Connection", name: str) -> list[UUID]:
        """Those that are called just so; where nobody is, those whose name it is in another spelling: "Lukasz" for Łukasz."""
        from mosshead.entities import lookup

        exact = views.entities_named(connection, self.path, [normalise(name)])
        spelled = [] if exact else lookup.named(connection, self.path, [name], are_names=True)
        return [*exact, *(one.entity.entity_id for one in spelled if one.whole and one.name == name.strip())]

    def neighbours(
        self, entity: str | UUID, *, depth: int = 2, fan_out: int = 20, as_of: datetime | None = None
    ) -> "list[Neighbour]":
        """What is related to an entity (its id, its name or an alias), and to that, the nearest first.

        depth: how many edges away at most, up to 4. fan_out: how many edges of each entity are followed, up to 200. as_of: as it
        was known and held at that time, with a time zone; now by default.
        Raises ValueError where one of these does not fit, otherwise as `profile`; of an unknown id there are no neighbours.
        """
        from mosshead.store.entities import MAX_DEPTH, MAX_FAN_OUT, neighbours

        moment = aware(as_of)
        for name, given, most in (("depth", depth, MAX_DEPTH), ("fan_out", fan_out, MAX_FAN_OUT)):
            if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= most:
                raise ValueError(f"{name}: from 1 to {most}, got {given!r}")
        wanted = id_or_name(entity)
        entity_id = wanted if isinstance(wanted, UUID) else self.profile(wanted).entity.id
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return neighbours(connection, self.path, entity_id, depth=depth, fan_out=fan_out, as_of=moment)


def _waited_for(progress: Progress) -> str:
    """What a wait would have gone on for."""
    if not progress.partial:
        return "all events are consolidated, and the profiles and reflections that follow from them are still at work"
    counts = {
        "received and not consolidated": progress.pending,
        "published and not received": progress.not_received,
    }
    told = {
        state: f"{count:,} {'event is' if count == 1 else 'events are'}" for state, count in counts.items() if count
    }
    return ", ".join(f"{events} {state}" for state, events in told.items())


def _shapes(name: str, given: Iterable[type[BaseModel] | Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Schemas as events have them. Raises InvalidEvent where one is none, or two have one name: one of them would count."""
    if isinstance(given, type | str | Mapping):
        raise InvalidEvent(f"{name}: give a list of pydantic models, or of JSON Schemas with a title")
    shapes = [_shape(f"{name}.{number}", one) for number, one in enumerate(given)]
    twice = next((one for one, count in Counter(shape["name"] for shape in shapes).items() if count > 1), None)
    if twice is not None:
        raise InvalidEvent(f"{name}: two are called {twice}; rename one")
    return shapes


def _shape(name: str, schema: type[BaseModel] | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(schema, Mapping):
        return {"name": schema.get("title"), "json_schema": dict(schema)}
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        raise InvalidEvent(f"{name}: a pydantic model, or a JSON Schema with a title, got {type(schema).__name__}")
    return {"name": schema.__name__, "json_schema": _unfolded(schema.model_json_schema())}


def _unfolded(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON Schema that says what it is: of a model that holds itself, pydantic's only points to that."""
    pointer = str(schema.get("$ref", "")).rpartition("/")[2]
    return {**schema["$defs"][pointer], "$defs": schema["$defs"]} if pointer else schema


def _message(fields: Mapping[str, Any], occurred_at: datetime | str | None) -> dict[str, Any]:
    return _without_none({"type": "message", **fields, "occurred_at": occurred_at})


def _without_none(event: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if value is not None}


def _summary(connection: Connection, path: NamespacePath, conversation: str) -> Summary | None:
    scope = {"tenant_id": path.tenant_id, "namespace_id": path.namespace_id, "conversation": conversation}
    row = connection.execute(_SUMMARY, scope).one_or_none()
    if row is None:
        return None
    return Summary(
        conversation=conversation,
        text=row.content,
        up_to=row.up_to,
        version=row.version,
        updated_at=row.updated_at,
    )


_SUMMARY = text("""
    select content, up_to, version, updated_at from mosshead_read_v1.summaries
    where tenant_id = :tenant_id and namespace_id = :namespace_id and conversation_id = :conversation and content <> ''
""")
