"""Takes what was published through the service's own stages, in the process of the test."""

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
    """Memories of one namespace, formed by the stages. Needs the fixture `service`, and nobody else at work on the lane."""

    def __init__(self, engine: Engine, publishing: Publishing) -> None:
        self.publishing = publishing
        self.engine = engine

    def say(self, *contents: str, **given: Any) -> list[UUID]:
        """Messages of the user in one batch, with all its stages behind them; returns their ids."""
        events = [self.publishing.message(content, **given) for content in contents]
        self.send(*events)
        return [UUID(one["event_id"]) for one in events]

    def command(self, **fields: Any) -> UUID:
        """An event that is no message, carried out; returns its id."""
        event = self.event(**fields)
        self.send(event)
        return UUID(event["event_id"])

    def erase(self, **what: Any) -> UUID:
        """An erasure, carried out; returns its id."""
        return self.command(type="erase", **what)

    def event(self, **fields: Any) -> dict[str, Any]:
        """The publisher's next event, which is no message, not sent yet."""
        message = self.publishing.message()
        envelope = ("version", "event_id", "namespace", "publisher", "publisher_sequence", "occurred_at")
        return {**{name: message[name] for name in envelope}, **fields}

    def send(self, *events: dict[str, Any]) -> None:
        """Events as they come, with all stages behind them."""
        self.publishing.send(*events)
        carry_out_erasure(self.publishing.lane)
        while (batch := claim(self.engine, self.publishing.lane)) is not None:
            carry_through(batch)


def carry_out_erasure(lane: LaneRef) -> None:
    """The one that a lane waits for longest, if any."""
    erase(lane, parts())


def carry_through(batch: BatchRef) -> None:
    """Run the stages of a batch, one after the other. Raises what a stage raises."""
    ids = [str(one) for one in (batch.lane.tenant_id, batch.lane.namespace_id, batch.batch_id)]
    for stage in (*STAGES, REFLECT):
        getattr(tasks, stage).apply(args=ids, throw=True, task_id=str(uuid4()))
