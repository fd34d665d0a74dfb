"""Mode "inbox": events go into the inbox within the app's own transaction, and are published when it commits."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.exc import StatementError
from sqlalchemy.orm import Session, scoped_session

from recollect.publishing.checking import CheckedEvent

AppSession = Session | scoped_session[Any] | Connection
"""What an app may hand over: a session or a connection of its own, to the database that Recollect is in."""


def publish_in(session: AppSession, events: Sequence[CheckedEvent]) -> None:
    """Put events into the inbox, in order, and commit nothing. The inbox numbers them itself.

    The session's login needs the right to: ``grant recollect_ingest to …``. Whatever the database raises passes through.
    """
    try:
        session.execute(_PUBLISH, {"events": f"[{','.join(event.body for event in events)}]"})
    except StatementError as error:
        error.hide_parameters = True  # they are text of a conversation, and the app's engine may show them
        raise


_PUBLISH = text("select recollect_write_v1.publish(cast(:events as jsonb))")
