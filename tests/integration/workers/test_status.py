"""Whether the service can work, as an operator asks."""

from collections.abc import Mapping

import pytest

from config.settings import Settings
from db.status import Backlog
from recollect import Memory, QueueUnavailable, StoreUnavailable
from recollect.namespaces import NamespacePath
from workers.status import STUCK_SECONDS, Status, read_status


def test_counts_what_the_intake_has_not_taken(
    service: Settings, memory: Memory, fresh_namespace: NamespacePath
) -> None:
    assert read_status(service).queued_events == 0
    memory.namespace(*fresh_namespace.parts).publish_conversation("User: one\nAssistant: two")

    found = read_status(service)
    assert (found.queued_events, found.offline_rules) == (2, True)
    assert read_status(service).queued_events == 2, "looking takes nothing"
    assert found.as_dict().keys() >= {"queued_events", "waiting_lanes", "at_work", "dead", "stuck"}


@pytest.mark.parametrize(("oldest", "stuck"), [(0, False), (STUCK_SECONDS, False), (STUCK_SECONDS + 1, True)])
def test_is_stuck_when_something_waits_that_nobody_claims(oldest: float, stuck: bool) -> None:
    nothing: Mapping[str, int] = {}
    backlog = Backlog(waiting_lanes=1, oldest_waiting=oldest, at_work=nothing, failing=nothing, dead=0)
    assert Status(0, backlog, offline_rules=True).stuck is stuck


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        (
            {"broker_url": "redis://:s3cret@127.0.0.1:9/0"},
            QueueUnavailable,
            "^RECOLLECT_BROKER_URL: cannot connect to ",
        ),
        (
            {"worker_url": "postgresql://w:s3cret@127.0.0.1:9/r"},
            StoreUnavailable,
            "^RECOLLECT_WORKER_URL: cannot connect to ",
        ),
    ],
)
def test_what_does_not_answer_is_named(
    service: Settings, wrong: dict[str, str], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says) as caught:
        read_status(service.model_copy(update=wrong))
    assert "s3cret" not in str(caught.value)
