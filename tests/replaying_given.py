"""Replays a namespace in the test's process."""

from typing import Any
from uuid import UUID

from sqlalchemy import Engine

from config.settings import settings
from db.keys import LaneRef
from db.replay import generations
from mosshead import Memory, Namespace
from mosshead.store.connection import tenant_transaction
from tests.forming import Forming, carry_through
from tests.given import claim
from workers.replay import replays
from workers.replay.follow import follow
from workers.replay.replays import Replay


class Replaying:
    """Replays the fresh namespace in this process."""

    def __init__(self, engine: Engine, forming: Forming, memory: Memory) -> None:
        self.engine = engine
        self.forming = forming
        self.path = forming.publishing.path
        self.lane = forming.publishing.lane
        self.there = memory.namespace(*self.path.replayed().parts)

    @property
    def both(self) -> dict[str, UUID]:
        """Return the ids of the namespace and of its replay, as statements about both take them."""
        return {**self.lane.scope, "replay_id": self.there.path.namespace_id}

    def start(self, *, messages: int = 100, **given: Any) -> None:
        """Start the replay and continue until nothing is left."""
        replays.start(self.engine, settings(), self.path, **{"llm_model": None, "instructions": None, **given})
        self.follow(messages)

    def follow(self, messages: int = 100) -> None:
        """Continue the replay until it has caught up with the namespace, in batches of that many messages."""
        replay = LaneRef(self.lane.tenant_id, self.path.replayed().namespace_id)
        while True:
            went = follow(self.engine, self.lane)
            while (batch := claim(self.engine, replay, messages=messages)) is not None:
                carry_through(batch)
                went = True
            if not went:
                return

    def switch(self, **given: Any) -> None:
        replays.switch(self.engine, self.path, **{"wait": 0.0, **given})

    @property
    def listed(self) -> Replay:
        """Return the replay as an operator sees it."""
        [found] = [one for one in replays.listed(self.engine) if one.path == self.path.parts]
        return found

    @property
    def left_out(self) -> list[str]:
        with tenant_transaction(self.engine, self.lane.tenant_id) as connection:
            found = generations.of(connection, self.lane)
        assert found is not None
        return [f"{one['type']}: {one['why']}" for one in found.left_out]


def contents(namespace: Namespace) -> set[str]:
    return {one.content for one in namespace.memories(limit=500)}
