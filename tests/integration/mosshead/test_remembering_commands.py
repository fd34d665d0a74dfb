"""`mosshead remember`, `forget` and `reflect`, as typed in a shell."""

import json
from collections.abc import Callable
from datetime import UTC
from uuid import UUID

import pytest

from mosshead import Namespace
from mosshead.ids import remembered_id
from mosshead.paths import NamespacePath
from tests.given import Remembering
from tests.integration.mosshead.conftest import Taken
from tests.integration.mosshead.test_identity_commands import run
from tests.integration.mosshead.test_remembering import sarah, take_up

__all__ = ["run", "sarah", "take_up"]


def test_memories_are_added_and_closed_from_a_shell(
    run: Callable[..., str], remembering: Remembering, taken: Taken, fresh_namespace: NamespacePath
) -> None:
    tea = remembering.memory("User likes tea")
    memory_id = json.loads(run("remember", "User likes coffee", "--about", "User", "--replaces", tea, "--json"))
    figs = remembering.memory("User likes figs")
    assert run("forget", figs, "--reason", "she asked").startswith("published: ")
    run("reflect", "-c", "c1", "--kind", "document")

    sent = {event["type"]: event for event in taken(3)}  # each command may resend unacknowledged events
    remember, forget, reflect = sent["remember"], sent["forget"], sent["reflect"]
    assert memory_id == {"memory_id": str(remembered_id(fresh_namespace.namespace_id, UUID(remember["event_id"])))}
    assert (remember["content"], remember["about"], remember["replaces"]) == ("User likes coffee", ["User"], str(tea))
    assert (forget["memories"], forget["reason"]) == ([str(figs)], "she asked")
    assert (reflect["type"], reflect["conversation"], reflect["kind"]) == ("reflect", "c1", "document")


def test_history_of_a_memory_has_its_times_in_utc(
    run: Callable[..., str], sarah: Namespace, take_up: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    tea = sarah.remember("User likes tea")
    take_up(1)
    (decision,) = sarah.decisions.for_memory(tea)
    monkeypatch.setenv("PGTZ", "Asia/Kathmandu")
    assert f"{decision.decided_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}" in run("history", tea)
    assert UUID(run("undo", decision.id).removeprefix("published: ").strip())
