"""What was said, word for word, and the summaries of conversations. The SQL of summaries is here, too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from mosshead.api.session import Session
from mosshead.arguments import (
    OnTimeout,
    aware,
    before_and_after,
    checked_conversation,
    checked_limit,
    checked_threshold,
    id_of,
)
from mosshead.errors import NotFound
from mosshead.ids import uuid7
from mosshead.models.memories import Progress, StoredMemory
from mosshead.publishing.publishers import AppSession
from mosshead.redaction import asking_speaker, redact, redact_history
from mosshead.store import memories
from mosshead.store.connection import OF_NAMESPACE, Sql
from mosshead.text import readable

if TYPE_CHECKING:
    from mosshead.models.context import Excerpt, MessageHits
    from mosshead.models.messages import StoredMessage
    from mosshead.search.rerank import Reranker


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


class MessageReplacement(NamedTuple):
    """What `NamespaceMessages.replace` published: the new message, and the erasure of the old one, which has a receipt."""

    message_id: UUID
    erasure_id: UUID


@dataclass(frozen=True, slots=True)
class NamespaceMessages:
    """Reads, erases and replaces messages, and reads what was taken from them and the summaries of conversations."""

    session: Session

    def search(
        self,
        text: str,
        *,
        conversation: str | None = None,
        conversation_only: bool = False,
        history: Sequence[Mapping[str, Any]] = (),
        limit: int = 4,
        around: int | tuple[int, int] = 1,
        threshold: float | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        now: datetime | None = None,
        speaker: str | None = None,
        reranker: "Reranker | None" = None,
        timeout: float | None = None,
        on_timeout: OnTimeout = "partial",
    ) -> "MessageHits":
        """Find what was said that answers to a text, word for word, with the messages around it.

        conversation: the one that is going on. conversation_only: look in that one alone; in all of the namespace by default.
        history: its latest turns, as ``{role, content}``, which are not repeated.
        limit: how many messages. around: how many before and after each come with it, as a number or ``(before, after)``.
        threshold: only those whose cosine is strictly above it. since, until: only what was said not before, and before.
        now, speaker, reranker, timeout, on_timeout: as for `Namespace.context`.
        Raises ValueError, which names what does not fit, and StoreUnavailable where Postgres cannot be reached.
        """
        from mosshead.context import message_search
        from mosshead.models.context import MessageHits
        from mosshead.search.messages import Among
        from mosshead.search.rerank import judge_of

        if conversation_only and conversation is None:
            raise ValueError("conversation_only: needs conversation=")
        named, said = checked_conversation(conversation), redact(readable("text", text))
        wanted = message_search.MessageSearchRequest(
            text=said,
            history=redact_history(history),
            conversation=named,
            limit=checked_limit(limit),
            around=before_and_after(around),
            threshold=checked_threshold(threshold),
            among=Among(
                conversation=named if conversation_only else None,
                since=aware(since, "since"),
                until=aware(until, "until"),
            ),
            now=aware(now, "now") or datetime.now(UTC),
            speaker=asking_speaker(speaker, history),
            judge=None if reranker is None else judge_of(reranker, said),
        )

        def read() -> MessageHits:
            if not said.strip():
                return MessageHits(hits=(), excerpts=(), progress=self.session.progress(), conversation=named)
            return message_search.search_messages(self.session.store(), wanted, self.session.published())

        return self.session.read(
            read,
            timeout=timeout,
            on_timeout=on_timeout,
            late=lambda reason: MessageHits(hits=(), excerpts=(), progress=Progress(), reason=reason),
        )

    def get(self, message_id: UUID | str, *, around: int | tuple[int, int] = 1) -> "Excerpt":
        """Read a message that took effect, as the source of a memory names it, with those around it in its conversation.

        around: how many before and after come with it, as for `search`. Raises NotFound, and ValueError where it does not fit.
        """
        from mosshead.context.message_search import excerpt

        return excerpt(self.session.store(), id_of("message_id", message_id), before_and_after(around))

    def latest(self, *, conversation: str | None = None, limit: int = 50) -> "list[StoredMessage]":
        """List the messages that took effect, the newest first.

        conversation: of that one alone. Raises ValueError where one of these does not fit.
        """
        return self.session.fetch(
            memories.latest_in_effect,
            checked_limit(limit),
            model=self.session.embedder.name,
            conversation=checked_conversation(conversation),
        )

    def memories(self, message_id: UUID | str) -> list[StoredMemory]:
        """List what was taken from a message (its event's id), as it is known now; superseded and withdrawn ones included."""
        wanted = id_of("message_id", message_id)
        return self.session.fetch(memories.memories_from, wanted)

    def erase(self, message_id: UUID | str, *, session: AppSession | None = None) -> UUID:
        """Delete one message for good, with what was learned from it alone; returns the event's id, which has a receipt.

        A memory that other messages bear out stays, without this one's words. A message that is still on its way is kept out. It
        cannot be undone. session: as for `Namespace.publish`, and so is what it raises.
        """
        return self.session.publish(_erasure(id_of("message_id", message_id)), session=session)

    def replace(self, message_id: UUID | str, content: str, *, session: AppSession | None = None) -> MessageReplacement:
        """Erase one message and publish it anew with another text, in one step: both are stored, or neither.

        The new one has an id of its own, and all else of the old one: role, speaker, conversation, time, sequence and metadata.
        session: as for `Namespace.publish`, and so is what it raises. Raises NotFound where the message is not here, or not yet.
        """
        old = id_of("message_id", message_id)
        with self.session.transaction() as connection:
            row = Sql(f"""
                select role, speaker, conversation_id as conversation, metadata, sequence,
                       coalesce(occurred_at_sent, occurred_at) as said_at, occurred_at_offset
                from mosshead_read_v1.messages where {OF_NAMESPACE} and message_id = %(message_id)s
            """).row(connection, self.session.path.ids, message_id=old)
        if row is None:
            raise NotFound(f"message_id: there is no message {old} in {self.session.path}")
        said = {name: getattr(row, name) for name in ("role", "speaker", "conversation", "metadata", "sequence")}
        said = {name: value for name, value in said.items() if value is not None}
        zone = timezone(timedelta(minutes=row.occurred_at_offset or 0))
        new = {"type": "message", "event_id": uuid7(), "content": content, "occurred_at": row.said_at.astimezone(zone)}
        erasure_id, new_id = self.session.publish_all([_erasure(old), new | said], session=session)
        return MessageReplacement(message_id=new_id, erasure_id=erasure_id)

    def summarise(self, conversation: str, *, session: AppSession | None = None) -> UUID:
        """Have a conversation summed up in the background; an event, which returns its id at once.

        What was said in it so far at once, from then on whenever it rests or is over; asked again, whatever is new at once.
        session: as for `Namespace.publish`, and so is what it raises.
        """
        return self.session.publish({"type": "summarise", "conversation": conversation}, session=session)

    def summary(self, conversation: str) -> Summary | None:
        """Read the summary of a conversation; None where none was asked for, or none is made yet.

        Raises StoreUnavailable where Postgres cannot be asked.
        """
        named = readable("conversation", conversation)
        with self.session.transaction() as connection:
            row = Sql(f"""
                select content as text, up_to, version, updated_at from mosshead_read_v1.summaries
                where {OF_NAMESPACE} and conversation_id = %(conversation)s and content <> ''
            """).row(connection, self.session.path.ids, conversation=named)
        return None if row is None else Summary(conversation=named, **row._asdict())


def _erasure(message_id: UUID) -> dict[str, Any]:
    return {"type": "erase", "event_id": uuid7(), "message": message_id}
