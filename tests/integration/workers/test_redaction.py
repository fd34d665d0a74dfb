"""Messages an app put into the inbox by SQL, past the library and the intake, are redacted before the LLM sees them."""

from sqlalchemy import Engine

from config.settings import Settings
from db.keys import LaneRef
from tests.given import Publishing, Worker, claimed
from workers.dependencies import parts
from workers.stages.load import background_of, messages_of, reading


def test_stage_starts_from_messages_without_secrets(
    service: Settings, publishing: Publishing, worker_engine: Engine, lane: LaneRef
) -> None:
    publishing.send(publishing.message("my pin is 4821", speaker="Sarah, pin 4821"))
    batch = claimed(worker_engine, lane)
    with reading(batch, parts()) as connection:
        (message,) = messages_of(connection, batch)

    assert (message.content, message.speaker) == ("my pin is [redacted: PIN]", "Sarah, pin [redacted: PIN]")


def test_stage_reads_earlier_messages_without_secrets(
    service: Settings, publishing: Publishing, worker_engine: Engine, worker: Worker
) -> None:
    publishing.say("my pin is 4821")
    worker.finish(claimed(worker_engine, worker.lane))
    publishing.say("I like tea")
    batch = claimed(worker_engine, worker.lane)
    with reading(batch, parts()) as connection:
        earlier = background_of(connection, batch, messages_of(connection, batch)).earlier

    assert [message.content for message in earlier] == ["my pin is [redacted: PIN]"]
