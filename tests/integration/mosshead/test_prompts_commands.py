"""`mosshead prompts` as typed in a shell; and the events an app publishes about prompts."""

import json
from collections.abc import Callable
from datetime import UTC
from typing import Any
from uuid import UUID

import pytest
from typer.testing import CliRunner

from db import prompts
from db.prompts import PromptVersion
from mosshead import Memory, Namespace, NotFound
from mosshead.cli.main import cli
from mosshead.contrib.prompts import Prompts
from mosshead.paths import NamespacePath
from tests.given import Remembering
from workers.local import Addresses

Taken = Callable[..., list[dict[str, Any]]]

SECRET = "my card is 4111 1111 1111 1111"


@pytest.fixture
def run(
    addresses: Addresses, fresh_namespace: NamespacePath, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """Return a function that runs a command on the fresh namespace and returns its output."""
    monkeypatch.setenv("MOSSHEAD_DATABASE_URL", addresses.database_url)
    monkeypatch.setenv("MOSSHEAD_BROKER_URL", addresses.broker_url)
    monkeypatch.setenv("MOSSHEAD_SPOOL_DIR", str(tmp_path))
    monkeypatch.setenv("MOSSHEAD_NAMESPACE", "/".join(fresh_namespace.parts))

    def run(*arguments: object) -> str:
        done = CliRunner().invoke(cli, ["prompts", *map(str, arguments)], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    return run


@pytest.fixture
def kept(remembering: Remembering) -> None:
    """Return a prompt with two versions."""
    for number, text in enumerate(("Help {user}.", "Help {user} [kindly]."), 1):
        new = PromptVersion(
            name="support",
            version=number,
            template=text,
            syntax="format",
            optimizer="off",
            instructions="",
            when_to_update="",
            made_by="app",
            reason=f"reason {number}",
        )
        with remembering.stamped() as (connection, stamp):
            prompts.add_version(connection, remembering.lane, new, stamp)


def test_prompts_are_shown_and_restored(run: Callable[..., str], kept: None, taken: Taken) -> None:
    (listed,) = json.loads(run("list", "--json"))["prompts"]
    assert (listed["name"], listed["version"], listed["feedback_waiting"]) == ("support", 2, 0)
    assert "reason 2" in run("list")
    assert run("show", "support") == "Help {user} [kindly].\n"
    assert json.loads(run("show", "support", "--version", 1, "--json"))["prompt"]["text"] == "Help {user}."
    assert [one["version"] for one in json.loads(run("versions", "support", "--json"))["versions"]] == [1, 2]
    assert "reason 1" in run("versions", "support")
    assert run("diff", "support", 1, 2).splitlines()[-2:] == ["-Help {user}.", "+Help {user} [kindly]."]
    assert json.loads(run("diff", "support", 1, 1, "--json")) == {"diff": ""}

    told = json.loads(run("rollback", "support", 1, "--json"))
    (event,) = taken(1)
    assert UUID(event["event_id"]) == UUID(told["event_id"])
    assert (event["type"], event["name"], event["to"]) == ("roll_back_prompt", "support", 1)


def test_times_of_versions_are_in_utc(
    run: Callable[..., str], kept: None, memory: Memory, fresh_namespace: NamespacePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    since = Prompts(memory.namespace(*fresh_namespace.parts)).get("support").at
    monkeypatch.setenv("PGTZ", "Asia/Kathmandu")
    for shown in (run("list"), run("versions", "support")):
        assert f"{since.astimezone(UTC):%Y-%m-%d %H:%M}" in shown


def test_prompt_is_published_without_secrets(memory: Any, fresh_namespace: NamespacePath, taken: Taken) -> None:
    sarah: Namespace = memory.namespace(*fresh_namespace.parts)
    Prompts(sarah).set("support", "Your PIN is {pin}. Help {user}.", reason=SECRET, version=0)
    call: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [{"id": "x"}]}
    said: list[dict[str, Any]] = [{"role": "user", "content": SECRET}, call]
    Prompts(sarah).feedback("support", [*said, {"role": "user", "content": "Hm."}], feedback=SECRET, score=0)

    prompt, feedback = taken(2)
    assert prompt["template"] == "Your PIN is {pin}. Help {user}.", "it is the app's own, and its variables stay"
    assert (prompt["follows"], prompt["syntax"]) == (0, "format")
    assert [one["role"] for one in feedback["messages"]] == ["user", "user"]
    assert feedback["score"] == 0
    assert "1111 1111" not in json.dumps([prompt, feedback])
    assert json.dumps([prompt, feedback]).count("[redacted: card number]") == 3


def test_version_that_is_still_pending_may_be_followed(
    memory: Any, fresh_namespace: NamespacePath, taken: Taken
) -> None:
    sarah: Namespace = memory.namespace(*fresh_namespace.parts)
    Prompts(sarah).set("support", "Help.")
    Prompts(sarah).set("support", "Help, please.", version=1)
    Prompts(sarah).roll_back("support", to=1)
    assert [one.get("follows") for one in taken(3)] == [None, 1, None]
    with pytest.raises(NotFound, match="there is no prompt 'support'"):
        Prompts(sarah).get("support")
