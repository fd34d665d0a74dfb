"""`Namespace`: what an app does with one user's memories."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, get_args
from uuid import UUID

from pydantic import BaseModel

from mosshead.api.arguments import AMemory, AnEntity, checked_kind, entity_id, memory_ids, schemas_of
from mosshead.api.checks import check_erased, check_memories, check_replaced, pending_memory
from mosshead.api.decisions import NamespaceDecisions, check_undo
from mosshead.api.documents import NamespaceDocuments
from mosshead.api.entities import NamespaceEntities
from mosshead.api.erasures import NamespaceErasures
from mosshead.api.messages import NamespaceMessages
from mosshead.api.session import Session
from mosshead.arguments import (
    OnTimeout,
    aware,
    checked_conversation,
    checked_limit,
    checked_metadata,
    checked_threshold,
    id_of,
    listed,
)
from mosshead.errors import NotFound
from mosshead.events.transcripts import turns
from mosshead.ids import remembered_id, uuid7
from mosshead.models.kinds import MemoryKind, Role
from mosshead.models.memories import Hits, Progress, State, StoredMemory
from mosshead.paths import NamespacePath
from mosshead.publishing.publishers import AppSession
from mosshead.redaction import asking_speaker, redact, redact_history
from mosshead.store import export as stored
from mosshead.store import memories
from mosshead.text import readable

if TYPE_CHECKING:
    from mosshead.entities.resolution import Resolution
    from mosshead.models.context import Context
    from mosshead.publishing.imports import Imported
    from mosshead.search.rerank import Reranker


class Namespace:
    """One namespace's memories. Get it from `Memory.namespace`; it is cheap and safe to share between threads.

    Five attributes group the other methods: ``entities``, ``decisions``, ``documents``, ``messages`` and ``erasures``.
    """

    def __init__(self, session: Session) -> None:
        """Use `Memory.namespace`."""
        self.session = session
        self.entities = NamespaceEntities(session)
        self.decisions = NamespaceDecisions(session)
        self.documents = NamespaceDocuments(session)
        self.messages = NamespaceMessages(session)
        self.erasures = NamespaceErasures(session)

    @property
    def path(self) -> NamespacePath:
        """The path of this namespace, the tenant first."""
        return self.session.path

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
        """Publish one message and return its event id at once. Memories form in the background.

        Args:
            occurred_at: When it was said, with a time zone; now by default.
            injected: Memories in this turn's prompt (``context.memories``). A message that only repeats one adds nothing new.
            more: Other fields of a message event: ``sequence``, ``metadata``, ``tool_calls``, ``event_id``, …
                (docs/reference/events.md).
            session: Your own session or connection to Mosshead's database. The message is published when you commit.

        Raises:
            InvalidEvent: A field is invalid.
            SpoolFull, SpoolUnavailable: The spool cannot store the message.
        """
        ids = [one.id if isinstance(one, StoredMemory) else one for one in injected]
        event = {"role": role, "content": content, "conversation": conversation, "speaker": speaker, **more}
        return self.session.publish(_message(event | {"injected": ids or None}, occurred_at), session=session)

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
        """Publish a transcript ("User: … / Assistant: …") or a list of ``{role, content}`` in order; return the ids.

        All messages are checked before any is stored; all are stored or none. A message in a list may have its own
        ``conversation`` and ``occurred_at``.

        Args:
            occurred_at: The time of messages without their own.
            speakers: The role of each named speaker in a transcript: ``{"Sarah": "user"}``.
            ended: Also end the conversation, so that it is consolidated at once.
            on_sent: Called after each message.
            session: As for `publish`.

        Raises:
            InvalidEvent: A message is invalid; the error names it. For other errors see `publish`.
        """
        events = [
            _message({"conversation": conversation, **turn.fields}, turn.occurred_at or occurred_at)
            for turn in turns(messages, speakers)
        ]
        if ended:
            events.append(_without_none({"type": "conversation_ended", "conversation": conversation}))
        return self.session.publish_all(events, on_sent=on_sent, session=session)

    def end_conversation(self, conversation: str, *, session: AppSession | None = None) -> UUID:
        """End a conversation, so that it is consolidated at once instead of after a pause.

        Args:
            session: As for `publish`.
        """
        return self.session.publish({"type": "conversation_ended", "conversation": conversation}, session=session)

    def import_records(
        self,
        lines: Iterable[Mapping[str, Any] | str],
        *,
        on_sent: Callable[[int, int], object] | None = None,
        session: AppSession | None = None,
    ) -> "Imported":
        """Import entities and memories, as objects or lines of JSON in any order (docs/how-to/import-and-export.md).

        Imported memories are never merged with others. A repeated ``key`` or ``id`` means the same thing; existing entries stay.
        All lines are checked before any is stored; all are stored or none.

        Args:
            on_sent: Called after each event with its number and the total.
            session: As for `publish`.

        Raises:
            InvalidEvent: Lines are invalid; the error names each. For other errors see `publish`.
        """
        # Loaded on demand: few apps import.
        from mosshead.publishing.imports import Imported, check_lines, events_of
        from mosshead.store.entities import known_keys

        checked = check_lines(lines, lambda keys: self.session.fetch(known_keys, keys))
        events = list(events_of(checked))
        numbers = count(1)
        sent = None if on_sent is None else lambda: on_sent(next(numbers), len(events))
        event_ids = self.session.publish_all(events, on_sent=sent, session=session)
        return Imported.of(checked, event_ids)

    def configure(
        self,
        *,
        instructions: str = "",
        schemas: Iterable[type[BaseModel] | Mapping[str, Any]] = (),
        profiles: Iterable[type[BaseModel] | Mapping[str, Any]] = (),
        episodes: bool = False,
        session: AppSession | None = None,
    ) -> UUID:
        """Configure what to extract from now on, replacing the earlier configuration. Return the event's id.

        Args:
            instructions: What the extracting LLM should look for or ignore, in your own words.
            schemas: Pydantic models, or JSON Schemas with a ``title``. A fact that matches one has its data in
                ``memory.record``; read them with ``documents.records``.
            profiles: Schemas in the same form. The service keeps one document per schema up to date (``documents.get``;
                docs/how-to/documents.md). Needs an LLM.
            episodes: Record how tasks were approached and how they turned out (``documents.episodes``). Needs an LLM.
            session: As for `publish`.

        Raises:
            InvalidEvent: A schema is invalid, or two have the same name.
        """
        shapes = {"schemas": schemas_of("schemas", schemas), "profiles": schemas_of("profiles", profiles)}
        event = {"type": "configure", "instructions": instructions, **shapes, "episodes": episodes}
        return self.session.publish(event, session=session)

    # Correct ----------------------------------------------------------------------------------------------------------

    def remember(
        self,
        content: str,
        *,
        kind: MemoryKind | str = MemoryKind.FACT,
        about: Sequence[str] | None = None,
        replaces: AMemory | None = None,
        version: int | None = None,
        occurred_at: datetime | None = None,
        event_id: UUID | str | None = None,
        by: Literal["tool"] | None = None,
        session: AppSession | None = None,
    ) -> UUID:
        """Store a memory verbatim and return its id once it is in the spool.

        This process sees it at once, marked ``pending``; other processes see it once the service has applied it. Undo it by
        its decision (`Namespace.decisions`). A later change may still cause the service to refuse it; the decision log says so.

        Args:
            about: Names of the entities it is about, the subject first; by default the known entities named in the content.
            replaces: The memory that it supersedes.
            version: The version of ``replaces`` that you read; by default that of the memory given.
            occurred_at: When it became true, with a time zone; now by default.
            event_id: An idempotency key, new by default; repeated calls with the same id store one memory.
            by: "tool" if a model called this through a tool; the decision records it.
            session: As for `publish`; the memory is then visible only once applied.

        Raises:
            InvalidEvent: A field is invalid. For other errors see `publish`.
            NotFound: The memory to replace does not exist or is closed.
            MemoryChanged: The text of the memory to replace has changed since ``version``.
        """
        given = None if event_id is None else id_of("event_id", event_id)
        event_id, since = given or uuid7(), occurred_at or datetime.now(UTC)
        event: dict[str, Any] = {"type": "remember", "event_id": event_id, "content": content, "kind": kind}
        event |= {"occurred_at": since, **({} if by is None else {"by": by})}
        event |= {} if about is None else {"about": listed(about)}
        pending = self.session.pending()
        closes: dict[UUID, UUID | None] = {}
        memory_id = remembered_id(self.path.home_id, event_id)
        if replaces is not None:
            if given and (pending.memory(memory_id) or self.session.fetch(memories.standing, [memory_id])):
                return memory_id  # a repeated call; the memory that it replaces is already closed
            old, read = check_replaced(self.session, replaces, version, pending)
            event |= {"replaces": old, "of_version": read}
            closes = {old: memory_id}
        self.session.publish(event, session=session)
        if session is None:
            memory = pending_memory(memory_id, content, kind=kind, about=about or (), since=since)
            self.session.add_pending(event_id, memory=memory, closes=closes)
        return memory_id

    def forget(
        self, memories: AMemory | Iterable[AMemory], *, reason: str | None = None, session: AppSession | None = None
    ) -> UUID:
        """Close up to 200 memories, so that reads no longer return them. Return the event's id, which also undoes it.

        Closed memories are kept: `get` and ``as_of`` still find them. This process stops seeing them at once, other processes
        once the service has applied it.

        Args:
            reason: A note for the decision log.
            session: As for `publish`.

        Raises:
            NotFound: A memory does not exist or is already closed; none is closed then.
        """
        wanted, pending = memory_ids(memories), self.session.pending()
        check_memories(self.session, wanted, pending)
        event_id = uuid7()
        event = {"type": "forget", "event_id": event_id, "memories": wanted, "reason": reason}
        self.session.publish(event, session=session)
        if session is None:
            self.session.add_pending(event_id, closes=dict.fromkeys(wanted))
        return event_id

    def reflect(
        self,
        *,
        kind: str | None = None,
        subject: str | None = None,
        conversation: str | None = None,
        session: AppSession | None = None,
    ) -> UUID:
        """Start reflection now instead of after a quiet period, and return the event's id. `wait` waits for it, too.

        Args:
            kind: Run only this kind of reflection (docs/explanation/memory-formation.md lists them).
            subject: Reflect only on this subject.
            conversation: Reflect only on this conversation.
            session: As for `publish`.
        """
        event = {"type": "reflect", "kind": kind, "subject": subject, "conversation": conversation}
        return self.session.publish(event, session=session)

    def undo(self, decision_id: UUID | str, *, session: AppSession | None = None) -> UUID:
        """Undo a decision. Publish an event and return its id at once; the service applies it in order.

        The undo is itself a decision, with the event's id, and can be undone. A later change may still cause the service to
        refuse it; the decision log says so.

        Args:
            session: As for `publish`.

        Raises:
            NotFound: There is no such decision.
            UndoRefused: It is not in effect, it is an erasure, or later decisions build on it; the error names those.
        """
        event = {"type": "undo", "decision_id": check_undo(self.session, decision_id)}
        return self.session.publish(event, session=session)

    def erase(
        self,
        memories: AMemory | Iterable[AMemory] = (),
        *,
        conversation: str | None = None,
        entity: AnEntity | None = None,
        everything: bool = False,
        session: AppSession | None = None,
    ) -> UUID:
        """Delete data permanently, ahead of queued events. Return the event's id, which is also the receipt's (``erasures``).

        This cannot be undone; `forget` can. Events published earlier that arrive later are dropped. docs/how-to/erase.md lists
        what is deleted and what stays. Pass exactly one of the first four arguments.

        Args:
            memories: Memories, with the messages they came from.
            conversation: A conversation's messages, with everything derived from them alone.
            entity: An entity or its id, with every memory ever linked to it.
            everything: The whole namespace.
            session: As for `publish`.

        Raises:
            InvalidEvent: Not exactly one of the four is given, or the entity is the user.
            NotFound: There is no such memory or entity.
        """
        wanted = memory_ids(memories)
        scope = {"memories": wanted, "conversation": conversation, "entity": entity, "everything": everything}
        event_id, checked = uuid7(), check_erased(self.session, scope)
        self.session.publish({"type": "erase", "event_id": event_id, **checked}, session=session)
        if session is None and wanted:
            self.session.add_pending(event_id, closes=dict.fromkeys(wanted))
        if session is None and everything:
            self.session.overlay.drop(self.path)
        self.session.overlay.close(self.path)
        return event_id

    # Read -------------------------------------------------------------------------------------------------------------

    def query(
        self,
        text: str,
        *,
        limit: int = 10,
        threshold: float | None = None,
        kind: MemoryKind | str | None = None,
        metadata: Mapping[str, Any] | None = None,
        as_of: datetime | None = None,
        speaker: str | None = None,
        reranker: "Reranker | None" = None,
        timeout: float | None = None,
        on_timeout: OnTimeout = "partial",
    ) -> Hits:
        """Find the memories most similar to a text, most similar first. An empty text finds nothing.

        Args:
            threshold: Minimum similarity, exclusive; none by default, since useful values depend on the model
                (docs/how-to/models.md).
            kind: Return only this kind.
            metadata: Return only memories from messages published with these ``metadata`` fields.
            as_of: Search what was known at this time, with a time zone; now by default. Excludes kind and metadata.
            speaker: The name of the person asking in a group; "I" and "my" refer to them, and memories about them come first.
            reranker: Reorders the 50 most similar memories and may drop some (docs/explanation/reading.md).
            timeout: Seconds; by default the ``read_timeout`` of `Memory.connect`.
            on_timeout: "partial" returns no hits, with ``partial=True`` and a ``reason``; "raise" raises ReadTimeout.

        Raises:
            ValueError: An argument is invalid; the error names it.
            StoreUnavailable: Postgres cannot be reached.
        """
        # Here and below, reading code is imported by the first read.
        from mosshead.language.requests import is_first_person, spoken_of
        from mosshead.search.rerank import JUDGED, judge_of, of_speaker_first, reranked

        moment, said = aware(as_of), redact(readable("text", text))
        asker = None if speaker is None else redact(readable("speaker", speaker))
        asker = asker if is_first_person(said) else None
        said = said if asker is None else spoken_of(said, asker)
        of_kind, fields = checked_kind(kind), checked_metadata(metadata)
        if moment is not None and (of_kind, fields) != (None, None):
            raise ValueError("as_of: cannot be narrowed by kind or metadata")
        most, least = checked_limit(limit), checked_threshold(threshold)
        judge = None if reranker is None else judge_of(reranker, said)
        sought = max(most, JUDGED) if judge or asker else most

        def read() -> Hits:
            if not said.strip():
                return Hits((), self.progress())
            found = self.session.nearest(
                said, limit=sought, threshold=least, kind=of_kind, metadata=fields, as_of=moment
            )
            hits = found.hits if asker is None else of_speaker_first(found.hits, asker)
            return replace(found, hits=tuple(reranked(hits, lambda hit: hit.content, judge)[:most]))

        return self.session.read(
            read, timeout=timeout, on_timeout=on_timeout, late=lambda reason: Hits((), Progress(), reason)
        )

    def context(
        self,
        message: str,
        *,
        conversation: str | None = None,
        history: Sequence[Mapping[str, Any]] = (),
        budget: int = 800,
        fill: bool = False,
        speaker: str | None = None,
        include_pending: int = 0,
        now: datetime | None = None,
        reranker: "Reranker | None" = None,
        timeout: float | None = None,
        on_timeout: OnTimeout = "partial",
    ) -> "Context":
        """Gather what a model should know to answer a message: facts about the entities it names, related memories and messages.

        A message unrelated to anything known gets little or no context (docs/explanation/reading.md).

        Args:
            conversation: The current conversation. Without ``history``, its latest stored messages are used instead.
            history: The latest turns, as ``{role, content}``. They help to resolve references and are not repeated.
            budget: Maximum number of tokens. Fewer are used if fewer lines are relevant.
            fill: Use the whole budget, memories first.
            speaker: The name of the person asking in a group, for "I" and "my"; by default the last speaker in the history.
            include_pending: How many recent messages, of any conversation, to include before they are consolidated.
            now: The time of the message, with the user's time zone; the current time by default.
            reranker: Reorders the best 50 candidates and may drop some (docs/explanation/reading.md).
            timeout: Seconds; by default the ``read_timeout`` of `Memory.connect`.
            on_timeout: "partial" returns an empty context, with ``partial=True`` and a ``reason``; "raise" raises ReadTimeout.

        Raises:
            ValueError: An argument is invalid; the error names it.
            StoreUnavailable: Postgres cannot be reached.
        """
        from mosshead.context import pipeline
        from mosshead.search.rerank import judge_of

        said = redact(readable("message", message))
        wanted = pipeline.ContextRequest(
            text=said,
            history=redact_history(history),
            conversation=checked_conversation(conversation),
            budget=checked_limit(budget, "budget"),
            fill=fill,
            speaker=asking_speaker(speaker, history),
            include_pending=checked_limit(include_pending, "include_pending") if include_pending else 0,
            now=aware(now, "now") or datetime.now(UTC),
            judge=None if reranker is None else judge_of(reranker, said),
        )

        def read() -> "Context":
            if not said.strip():
                return replace(pipeline.NOTHING, partial=self.progress().partial)
            return pipeline.context(
                self.session.store(), wanted, self.session.published(), self.session.pending_for_prompt()
            )

        def late(reason: str) -> "Context":
            return replace(pipeline.NOTHING, partial=True, reason=reason)

        return self.session.read(read, timeout=timeout, on_timeout=on_timeout, late=late)

    def resolve(
        self,
        text: str,
        *,
        mention: str | None = None,
        history: Sequence[Mapping[str, Any]] = (),
        conversation: str | None = None,
    ) -> "Resolution":
        """Resolve a name in a text to an entity, using only the text and the preceding turns.

        If the name stays ambiguous, the result has a ``question`` to ask; pass it with the answer to ``entities.clarify``.
        A call usually takes one embedding and one round trip to Postgres.

        Args:
            mention: The name as written in the text; by default one found in the text, ambiguous names first.
            history: The latest turns of the conversation, as ``{role, content}``.
            conversation: Without ``history``, use this conversation's latest stored messages, for one more round trip.

        Raises:
            ValueError: The text or the mention is empty, or the mention is not in the text.
        """
        from mosshead.entities.resolution import who_is_meant

        return who_is_meant(
            self.session.engine,
            self.path,
            self.session.embedder,
            text=text,
            mention=mention,
            history=history,
            conversation=conversation,
        )

    def get(
        self, memory_id: UUID | str | None = None, *, key: str | None = None, as_of: datetime | None = None
    ) -> StoredMemory:
        """Read one memory with its sources, even if it is superseded or withdrawn.

        Args:
            memory_id: Its id. Pass either this or ``key``.
            key: The app's own id, under which the memory was imported.
            as_of: Read it as it was known at this time, with a time zone; by default now, with this process's pending writes.

        Raises:
            NotFound: There is no such memory.
            ValueError: Both or neither of ``memory_id`` and ``key`` are given.
        """
        if (memory_id is None) is (key is None):
            raise ValueError("memory_id: pass either a memory's id or its key=, not both")
        wanted = readable("key", key) if memory_id is None else id_of("memory_id", memory_id)
        moment = aware(as_of)
        found = self.session.memory(wanted, as_of=moment)
        if found is not None:
            return found
        if isinstance(wanted, str):
            raise NotFound(f"key: no memory in {self.path} has this key")
        then = f" as of {moment.isoformat()}" if moment else ""
        raise NotFound(f"memory_id: there is no memory {wanted} in {self.path}{then}")

    def memories(
        self,
        *,
        limit: int = 1000,
        kind: MemoryKind | str | None = None,
        state: State = "active",
        about: AnEntity | None = None,
    ) -> list[StoredMemory]:
        """List the namespace's memories, most salient first.

        Args:
            kind: Return only this kind.
            state: "active" by default; "superseded" or "withdrawn" for closed memories.
            about: Return only memories linked to this entity, including uncertain links.

        Raises:
            ValueError: An argument is invalid; the error names it.
            NotFound: ``about`` is not an id.
        """
        if state not in (states := get_args(State)):
            raise ValueError(f"state: one of {', '.join(states)}, got {state!r}")
        most, of_kind = checked_limit(limit), checked_kind(kind)
        whom = None if about is None else entity_id(about, "about")
        return self.session.fetch(memories.memories, most, kind=of_kind, state=state, about=whom)

    def export(self, *, as_of: datetime | None = None) -> Iterator[str]:
        """Export everything known as JSON Lines (docs/how-to/import-and-export.md). The export is read whole before it returns.

        Two exports of the same state are equal byte for byte.

        Args:
            as_of: Export what was known at this time, with a time zone; now by default.
        """
        moment = aware(as_of)
        with self.session.snapshot() as connection:
            lines = list(stored.export(connection, self.path, as_of=moment))
        # Return outside the transaction, so that its deadline does not apply to the caller's loop.
        return iter(lines)

    def progress(self) -> Progress:
        """Read how many of the namespace's events have been received and consolidated."""
        return self.session.progress()

    def wait(self, timeout: float = 30.0) -> Progress:
        """Wait until all published events are consolidated and profiles are refreshed; for tests and demos.

        This covers events published through the same spool by any process, and all events in the inbox. With ``session=``, commit
        first.

        Args:
            timeout: Seconds.

        Raises:
            WaitTimeout: Events are still being consolidated; the message says how many. Nothing is lost.
        """
        return self.session.wait(timeout)


def _message(fields: Mapping[str, Any], occurred_at: datetime | str | None) -> dict[str, Any]:
    return _without_none({"type": "message", **fields, "occurred_at": occurred_at})


def _without_none(event: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if value is not None}
