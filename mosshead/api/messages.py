"""`Namespace.messages`: the stored messages, and summaries of conversations with their SQL."""

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
    """A conversation's summary in a few sentences.

    Attributes:
        up_to: The id of the last message it covers.
        version: How many times it was written.
        updated_at: When it was last written.
    """

    conversation: str
    text: str
    up_to: UUID
    version: int
    updated_at: datetime


class MessageReplacement(NamedTuple):
    """The event ids of `NamespaceMessages.replace`: the new message, and the erasure of the old one, which has a receipt."""

    message_id: UUID
    erasure_id: UUID


@dataclass(frozen=True, slots=True)
class NamespaceMessages:
    """Searches, reads, erases and replaces messages; reads their memories and the summaries of conversations."""

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
        """Find stored messages relevant to a text, with the messages around them.

        Args:
            conversation: The current conversation.
            conversation_only: Search only that conversation; by default the whole namespace.
            history: Its latest turns, as ``{role, content}``; they are not repeated.
            limit: Maximum number of hits.
            around: How many neighbours to return with each hit: a number, or ``(before, after)``.
            threshold: Minimum cosine similarity, exclusive.
            since, until: Return only messages said at or after ``since`` and before ``until``.
            now, speaker, reranker, timeout, on_timeout: As for `Namespace.context`.

        Raises:
            ValueError: An argument is invalid; the error names it.
            StoreUnavailable: Postgres cannot be reached.
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
        """Read a consolidated message by its id, such as `Source.message_id`, with its neighbours in the conversation.

        Args:
            around: As for `search`.

        Raises:
            NotFound: There is no such message, or it has not been consolidated yet.
            ValueError: ``around`` is invalid.
        """
        from mosshead.context.message_search import excerpt

        return excerpt(self.session.store(), id_of("message_id", message_id), before_and_after(around))

    def latest(self, *, conversation: str | None = None, limit: int = 50) -> "list[StoredMessage]":
        """List consolidated messages, newest first.

        Args:
            conversation: Only this one.

        Raises:
            ValueError: An argument is invalid.
        """
        return self.session.fetch(
            memories.latest_in_effect,
            checked_limit(limit),
            model=self.session.embedder.name,
            conversation=checked_conversation(conversation),
        )

    def memories(self, message_id: UUID | str) -> list[StoredMemory]:
        """List the memories derived from a message, as they are now, including superseded and withdrawn ones."""
        wanted = id_of("message_id", message_id)
        return self.session.fetch(memories.memories_from, wanted)

    def erase(self, message_id: UUID | str, *, session: AppSession | None = None) -> UUID:
        """Permanently delete a message and everything derived from it alone. Return the event's id, which is also the receipt's.

        Memories that other messages support stay, without this message's words. A message that has not arrived yet is dropped on
        arrival. This cannot be undone. For ``session`` and errors see `Namespace.publish`.
        """
        return self.session.publish(_erasure(id_of("message_id", message_id)), session=session)

    def replace(self, message_id: UUID | str, content: str, *, session: AppSession | None = None) -> MessageReplacement:
        """Erase a message and publish it again with a new text; both events are stored, or neither.

        The new message has a new id and keeps the role, speaker, conversation, time, sequence and metadata. For ``session`` and
        other errors see `Namespace.publish`.

        Raises:
            NotFound: The message does not exist or has not arrived yet.
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
        """Summarise a conversation in the background. Publish an event and return its id at once.

        The summary is written now, and updated whenever the conversation pauses or ends. Call again to update it at once. For
        ``session`` and errors see `Namespace.publish`.
        """
        return self.session.publish({"type": "summarise", "conversation": conversation}, session=session)

    def summary(self, conversation: str) -> Summary | None:
        """Read a conversation's summary, or None if it has none yet. Raises StoreUnavailable if Postgres does not answer."""
        named = readable("conversation", conversation)
        with self.session.transaction() as connection:
            row = Sql(f"""
                select content as text, up_to, version, updated_at from mosshead_read_v1.summaries
                where {OF_NAMESPACE} and conversation_id = %(conversation)s and content <> ''
            """).row(connection, self.session.path.ids, conversation=named)
        return None if row is None else Summary(conversation=named, **row._asdict())


def _erasure(message_id: UUID) -> dict[str, Any]:
    return {"type": "erase", "event_id": uuid7(), "message": message_id}
