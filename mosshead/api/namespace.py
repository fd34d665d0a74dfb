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
    """One namespace's memories; made by `Memory.namespace`, cheap, and safe to share between threads.

    Besides what it does itself it has five parts: ``entities``, ``decisions``, ``documents``, ``messages`` and ``erasures``.
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
        """Whose memories they are: the tenant first."""
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
        """Publish one message, and return the event's id at once. Memories form in the background.

        occurred_at: when it was said, with a time zone; now by default.
        injected: the memories that were in the prompt of this turn, as ``context.memories``: what merely repeats one is no news.
        more: any further field of a message event (``sequence``, ``metadata``, ``tool_calls``, ``event_id``, …;
        docs/reference/events.md).
        session: your own session or connection to Mosshead's database: the message is published when you commit, or not at all.
        Raises InvalidEvent where a field does not fit; SpoolFull or SpoolUnavailable where the spool does not take it.
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
        """Publish a transcript ("User: … / Assistant: …") or a list of ``{role, content}``, in order; returns the events' ids.

        occurred_at: for messages that do not bring their own. speakers: the roles of a transcript's speakers, where those are
        names: ``{"Sarah": "user"}``. ended: also say that the conversation is over, so that it is consolidated at once.
        A message of a list may bring its own ``conversation`` and ``occurred_at``. on_sent: called for each message.
        session: as for `publish`.
        All messages are checked before any is stored, and all are stored or none. Raises InvalidEvent, which names the message at
        fault, and otherwise as `publish`.
        """
        events = [
            _message({"conversation": conversation, **turn.fields}, turn.occurred_at or occurred_at)
            for turn in turns(messages, speakers)
        ]
        if ended:
            events.append(_without_none({"type": "conversation_ended", "conversation": conversation}))
        return self.session.publish_all(events, on_sent=on_sent, session=session)

    def end_conversation(self, conversation: str, *, session: AppSession | None = None) -> UUID:
        """Say that a conversation is over: what it holds is consolidated at once instead of after a pause.

        session: as for `publish`.
        """
        return self.session.publish({"type": "conversation_ended", "conversation": conversation}, session=session)

    def import_records(
        self,
        lines: Iterable[Mapping[str, Any] | str],
        *,
        on_sent: Callable[[int, int], object] | None = None,
        session: AppSession | None = None,
    ) -> "Imported":
        """Bring entities and memories from elsewhere, as docs/how-to/import-and-export.md shows each: objects, or lines of JSON,
        in any order.

        Each memory stays one of its own. The same ``key`` or ``id`` twice is the same thing; what is known already stays.
        on_sent: called for each event with its number and how many there are. session: as for `publish`.
        All lines are checked before any is stored, and all are stored or none. Raises InvalidEvent, which names every line at
        fault, and otherwise as `publish`.
        """
        # Few apps import.
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
        """Say what this namespace's memories are for, from here on; replaces what was said before. Returns the event's id.

        instructions: what to look for or to leave alone, in your own words, for the LLM that extracts.
        schemas: pydantic models, or JSON Schemas with a ``title``; facts that fit one bring their data as ``memory.record``, and
            are read back by ``documents.records``.
        profiles: the same; of each one document is kept up to date (``documents.get``; docs/how-to/documents.md).
        episodes: whether to keep what was gone about in a conversation and how it turned out (``documents.episodes``). Both need
            an LLM.
        session: as for `publish`. Raises InvalidEvent.
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
        """Put a memory down as it is, and return its id, as soon as it is safe in the spool.

        This process reads it back at once, marked ``pending``; others do when the service took it up. Undo it by its decision
        (`Namespace.decisions`).
        about: names of whom it is about, the subject first; by default those known here whom the content names.
        replaces: a memory that it stands for from here on; that one stays, superseded. version: of that one, as it was read, by
        default that of the memory given: where it says something else by now, MemoryChanged.
        occurred_at: since when it is so; now by default. event_id: the event's, new by default: what is sent again under the same
        one is put down once, also where it replaces a memory. by: "tool" where a model put it down through a tool: its decision
        tells. session: as for `publish`; it is read back once it took effect.
        Raises InvalidEvent, NotFound where there is no memory to replace or it is closed, and otherwise as `publish`. What
        changes before the event takes effect can still have it refused: the decision log says so then.
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
                return memory_id  # sent again, and what it replaced is closed by now
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
        """Close memories, up to 200: nothing reads them as known any more. Returns the event's id, which undoes it.

        They are not removed: `get` and ``as_of`` find them. This process does not see them from here on, others when the service
        took it up. reason: for the decision log. session: as for `publish`.
        Raises NotFound where one of them is not there, or closed already; nothing is closed then.
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
        """Have what was said so far thought over now, instead of after a quiet time; returns the event's id.

        kind, subject: that reflection alone (docs/explanation/memory-formation.md names the kinds). conversation: what was said
        there alone. `wait` waits for it, too. session: as for `publish`.
        """
        event = {"type": "reflect", "kind": kind, "subject": subject, "conversation": conversation}
        return self.session.publish(event, session=session)

    def undo(self, decision_id: UUID | str, *, session: AppSession | None = None) -> UUID:
        """Take back what a decision did; an event, which returns its id at once and takes effect in its turn.

        The undo is a decision of its own, bears its event's id, and can be undone. session: as for `publish`.
        Raises NotFound, and UndoRefused where it was taken back already, or where later decisions build on it, which it names.
        What changes before the event takes effect can still have it refused: the decision log says so then.
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
        """Delete for good, at once and ahead of all that waits; returns the event's id, by which ``erasures`` has the receipt.

        One of: memories, with the messages that they came from; all that was said in a conversation, with what rests on that
        alone; an entity (itself, or its id), with every memory that was ever linked to it; everything of this namespace. What was
        published before and comes later is kept out. docs/how-to/erase.md says what that takes in and what it leaves.
        It cannot be undone: `forget` closes memories, and can be. session: as for `publish`.
        Raises InvalidEvent where not just one is given, or the entity is the user, and NotFound where there is no such memory or
        entity.
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
        """Find the memories most similar to a text, most similar first.

        threshold: only those whose similarity is strictly above it; off by default, for useful values differ by model
        (docs/how-to/models.md). kind: of that kind alone. metadata: only what was taken from a message that was published with
        these fields in its ``metadata``; without fields, all. as_of: among what was known at that time, by the words of that
        time; now by default. speaker: the name of whoever asks in a group, whom "I" and "my" mean:
        what is about them comes first.
        reranker: a second opinion on the 50 most similar, which may also leave some out (docs/explanation/reading.md).
        timeout: seconds; by default what `Memory.connect` was given. on_timeout: "partial" returns an empty answer that is
        ``partial`` and says why in its ``reason``, "raise" raises ReadTimeout.
        An empty text finds nothing. Raises ValueError, which names what does not fit, and StoreUnavailable where Postgres cannot
        be reached.
        """
        # Here and below: what reads is loaded by the first read.
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
        """Gather what a model should know to answer a message: what is known of whom it names, what fits it, and what was said.

        For what has to do with nothing that is known, that is next to nothing (docs/explanation/reading.md).

        history: the latest turns of the conversation, as ``{role, content}``; they help to tell who is meant, and are not
        repeated. Where only the conversation is named, its latest stored messages help.
        budget: tokens of the text at most, a limit: what is shown is chosen for a reader, the best line first. fill: use it up,
        all memories first.
        speaker: the name of whoever asks in a group, whom "I" and "my" mean; by default that of the history's last message.
        include_pending: how many of the last messages, of any conversation, that are not yet consolidated are part of it, too.
        now: when it is asked, with a time zone, whose day it is; the clock's time by default.
        reranker: a second opinion on the best 50 of what was found, which may also leave some out (docs/explanation/reading.md).
        timeout: seconds; by default what `Memory.connect` was given. on_timeout: "partial" returns an empty answer that is
        ``partial`` and says why in its ``reason``, "raise" raises ReadTimeout.
        Raises ValueError, which names what does not fit, and StoreUnavailable where Postgres cannot be reached.
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

        mention: the name, as it stands in the text; without it the text is first looked through for a name that several bear.
        history: the latest turns of the conversation, as ``{role, content}``. Where only the conversation is named, its latest
        stored messages serve, which takes a round trip to Postgres more. All else is one embedding and one round trip, as long as
        the mention is given or can be guessed from the text.
        Where it is open who is meant, ``question`` says what to ask, and ``entities.clarify`` takes it with the answer.
        Raises ValueError where text or mention is empty, or the mention is not in the text.
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
        """Read one memory with its sources, by its id or by its key; superseded and withdrawn ones included.

        key: the app's own, under which the memory was imported (its ``id`` there). as_of: as it was known at that time, with a
        time zone; now by default, with what this process has just done.
        Raises NotFound, and ValueError unless just one of memory_id and key is given.
        """
        if (memory_id is None) is (key is None):
            raise ValueError("memory_id: give the id of a memory, or its key=, and not both")
        wanted = readable("key", key) if memory_id is None else id_of("memory_id", memory_id)
        moment = aware(as_of)
        found = self.session.memory(wanted, as_of=moment)
        if found is not None:
            return found
        if isinstance(wanted, str):
            raise NotFound(f"key: no memory in {self.path} has this key")
        then = f" that was known at {moment.isoformat()}" if moment else ""
        raise NotFound(f"memory_id: there is no memory {wanted} in {self.path}{then}")

    def memories(
        self,
        *,
        limit: int = 1000,
        kind: MemoryKind | str | None = None,
        state: State = "active",
        about: AnEntity | None = None,
    ) -> list[StoredMemory]:
        """List what is known now, most salient first.

        kind: of that kind alone. state: instead of what holds, what was replaced, or taken back. about: what is linked to an
        entity, for sure or perhaps.
        Raises ValueError, which names what does not fit, and NotFound where ``about`` is no id.
        """
        if state not in (states := get_args(State)):
            raise ValueError(f"state: one of {', '.join(states)}, got {state!r}")
        most, of_kind = checked_limit(limit), checked_kind(kind)
        whom = None if about is None else entity_id(about, "about")
        return self.session.fetch(memories.memories, most, kind=of_kind, state=state, about=whom)

    def export(self, *, as_of: datetime | None = None) -> Iterator[str]:
        """Export all that is known, as JSON Lines, all of them read before the first is given; docs/how-to/import-and-export.md
        shows each.

        as_of: what was known at that time, with a time zone; now by default. Two exports of one state are equal, byte for byte.
        """
        moment = aware(as_of)
        with self.session.snapshot() as connection:
            lines = list(stored.export(connection, self.path, as_of=moment))
        # Behind the transaction: its deadline is none of whoever takes the lines, nor of what they read meanwhile.
        return iter(lines)

    def progress(self) -> Progress:
        """Read how far the namespace's events have come."""
        return self.session.progress()

    def wait(self, timeout: float = 30.0) -> Progress:
        """Wait until all that was published is consolidated and the profiles are refreshed; for tests and demos.

        It knows of all that any process published through the same spool, and of what the inbox has from elsewhere; with
        ``session=``, commit first.
        timeout: seconds. Raises WaitTimeout, which says how far it came; nothing is lost then.
        """
        return self.session.wait(timeout)


def _message(fields: Mapping[str, Any], occurred_at: datetime | str | None) -> dict[str, Any]:
    return _without_none({"type": "message", **fields, "occurred_at": occurred_at})


def _without_none(event: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if value is not None}
