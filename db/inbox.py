"""The inbox: where events come in, and what a batch reads of them."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, text

from db.refs import BatchRef


def publish(connection: Connection, events: Sequence[str], *, quiet: timedelta, most: timedelta) -> int:
    """Put events (each JSON text, checked) into the inbox and make their lanes ready; returns how many were new.

    quiet, most: the debounce. The function sets each tenant itself; no tenant need be set.
    """
    parameters = {"events": f"[{','.join(events)}]", "quiet": quiet, "most": most}
    return int(connection.execute(_PUBLISH, parameters).scalar_one())


def events_of_batch(connection: Connection, batch: BatchRef) -> list[Mapping[str, Any]]:
    """The payloads of a batch's events. Each publisher's are in the order of its numbers; across publishers, of arrival."""
    return list(connection.execute(_OF_BATCH, batch.scope).scalars())


def earlier_messages(connection: Connection, batch: BatchRef, limit: int) -> list[Mapping[str, Any]]:
    """The payloads of the messages just before a batch, oldest first: they explain it, and are not extracted again."""
    rows = connection.execute(_EARLIER, {**batch.scope, "limit": limit})
    return [row.payload for row in rows][::-1]


def mark_done(connection: Connection, batch: BatchRef) -> int:
    """Mark a batch's events as in effect, and move their publishers' watermarks; returns how many were not done before."""
    marked = connection.execute(_MARK_DONE, batch.scope).rowcount
    connection.execute(_MOVE_WATERMARK, batch.scope)
    return marked


def mark_dead(connection: Connection, batch: BatchRef, reason: str) -> int:
    """Give a batch's events up, with the reason, so that the lane goes on; returns how many."""
    marked = connection.execute(_MARK_DEAD, {**batch.scope, "reason": reason}).rowcount
    connection.execute(_MOVE_WATERMARK, batch.scope)
    return marked


_PUBLISH = text("select recollect_write_v1.publish(cast(:events as jsonb), :quiet, :most)")

_BATCH = "tenant_id = :tenant_id and namespace_id = :namespace_id and batch_id = :batch_id"

# In the order of arrival, but no event before an earlier one of its publisher: one that overtook waits for what it overtook.
_OF_BATCH = text(f"""
    select payload from recollect.events where {_BATCH}
    order by max(position) over (partition by publisher_id order by publisher_sequence), publisher_sequence
""")

_EARLIER = text(f"""
    select payload from recollect.events
    where tenant_id = :tenant_id and namespace_id = :namespace_id and type = 'message' and state = 'done'
      and position < (select min(position) from recollect.events where {_BATCH})
    order by position desc limit :limit
""")

_MARK_DONE = text(f"update recollect.events set state = 'done' where {_BATCH} and state = 'received'")

_MARK_DEAD = text(f"update recollect.events set state = 'dead', reason = :reason where {_BATCH} and state = 'received'")

_MOVE_WATERMARK = text(f"""
    update recollect.publishers as publisher
    set consolidated_up_to = greatest(publisher.consolidated_up_to, reached.up_to)
    from (
        select publisher_id, max(publisher_sequence) as up_to from recollect.events where {_BATCH} group by publisher_id
    ) as reached
    where publisher.tenant_id = :tenant_id and publisher.namespace_id = :namespace_id
      and publisher.publisher_id = reached.publisher_id
""")
