"""Run published events through the service's own stages, in the test's process."""

from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Engine

from db.keys import BatchRef, LaneRef
from db.lanes import REFLECT, STAGES
from tests.given import Publishing, claim
from workers import tasks
from workers.dependencies import parts
from workers.erasure.run import erase


class Forming:
    """Forms memories of one namespace with the stages. Needs the fixture `service`, and exclusive use of the lane."""

    def __init__(self, engine: Engine, publishing: Publishing) -> None:
        self.publishing = publishing
        self.engine = engine

    def say(self, *contents: str, **given: Any) -> list[UUID]:
        """Process user messages in one batch through all stages; return their ids."""
        events = [self.publishing.message(content, **given) for content in contents]
        self.send(*events)
        return [UUID(one["event_id"]) for one in events]

    def command(self, **fields: Any) -> UUID:
        """Carry out an event that is not a message; return its id."""
        event = self.event(**fields)
        self.send(event)
        return UUID(event["event_id"])

    def erase(self, **what: Any) -> UUID:
        """Carry out an erasure; return its id."""
        return self.command(type="erase", **what)

    def event(self, **fields: Any) -> dict[str, Any]:
        """Return the publisher's next event, not a message, without sending it."""
        message = self.publishing.message()
        envelope = ("version", "event_id", "namespace", "publisher", "publisher_sequence", "occurred_at")
        return {**{name: message[name] for name in envelope}, **fields}

    def send(self, *events: dict[str, Any]) -> None:
        """Process events as given through all stages."""
        self.publishing.send(*events)
        carry_out_erasure(self.publishing.lane)
        while (batch := claim(self.engine, self.publishing.lane)) is not None:
            carry_through(batch)


def carry_out_erasure(lane: LaneRef) -> None:
    """Carry out the oldest waiting erasure of a lane, if any."""
    erase(lane, parts())


def carry_through(batch: BatchRef) -> None:
    """Run the stages of a batch in order. Raises what a stage raises."""
    ids = [str(one) for one in (batch.lane.tenant_id, batch.lane.namespace_id, batch.batch_id)]
    for stage in (*STAGES, REFLECT):
        getattr(tasks, stage).apply(args=ids, throw=True, task_id=str(uuid4()))
