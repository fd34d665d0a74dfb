"""The part of a `Namespace` that has conversations summed up, and reads their summaries. Its SQL is here, too."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, text

from mosshead.checks import readable
from mosshead.identity import Identity
from mosshead.namespaces import NamespacePath
from mosshead.publishing.inbox import AppSession
from mosshead.tenancy import tenant_transaction


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
