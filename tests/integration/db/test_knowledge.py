"""What a namespace knows, and how items of one generation are found in the other."""

from datetime import timedelta
from uuid import uuid4

from db import decisions, memories
from db.replay import knowledge
from tests.given import Remembering


def test_memory_rests_only_on_sources_that_support_it(remembering: Remembering) -> None:
    memory_id, said, denied = remembering.memory("Ada lives in Leeds"), uuid4(), uuid4()
    with remembering.transaction() as connection:
        (stamp,) = decisions.stamps(connection, 1)
        memories.add_sources(connection, remembering.lane, memory_id, {said: "I live in Leeds"}, stamp)
        memories.add_sources(connection, remembering.lane, memory_id, {denied: "No"}, stamp, stance="against")

        [found] = knowledge.memories(connection, remembering.lane, [memory_id])
        assert found.sources == [said]
        assert knowledge.memories_of(connection, remembering.lane, [denied]) == []
        assert knowledge.memories_of(connection, remembering.lane, [said]) == [memory_id]
        [before] = knowledge.memories(connection, remembering.lane, [memory_id], stamp.at)
        assert before.sources == []
        [after] = knowledge.memories(connection, remembering.lane, [memory_id], stamp.at + timedelta(seconds=1))
        assert after.sources == [said]
