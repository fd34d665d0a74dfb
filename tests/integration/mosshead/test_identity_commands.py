"""`mosshead questions`, `clarify`, `merge` and `split`, as typed in a shell."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from typer.testing import CliRunner

from db import questions
from db.questions import NewQuestion
from mosshead.cli.main import cli
from mosshead.paths import NamespacePath
from tests.given import Remembering
from workers.local import Addresses

Taken = Callable[..., list[dict[str, Any]]]


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
        done = CliRunner().invoke(cli, [str(one) for one in arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    return run


def test_identity_questions_are_listed_and_answered(
    run: Callable[..., str], remembering: Remembering, taken: Taken
) -> None:
    writer = remembering.entity("Peter", description="a writer")
    brother = remembering.entity("Peter", description="User's brother")
    held, question_id = remembering.memory("Peter moved to Leeds"), uuid4()
    with remembering.stamped() as (connection, stamp):
        asked = NewQuestion(
            question_id=question_id,
            message_id=uuid4(),
            mention="Peter",
            text="Which Peter do you mean?",
            candidates=[writer, brother],
            role="subject",
        )
        questions.ask(connection, remembering.lane, held, asked, stamp)
    (asked,) = json.loads(run("questions", "--json"))["questions"]
    assert (asked["id"], asked["memories"]) == (str(question_id), ["Peter moved to Leeds"])
    assert "Which Peter do you mean: a writer, or your brother?" in run("questions")

    told = [
        run("clarify", question_id, writer, "--json"),
        run("merge", brother, writer, "--json"),
        run("split", writer, held, "--name", "Petra", "--alias", "Pet", "--description", "a cook", "--json"),
    ]
    events = {UUID(one["event_id"]): one for one in taken(3)}
    clarify, merge, split = (events[UUID(json.loads(one)["event_id"])] for one in told)
    assert (clarify["type"], clarify["question_id"], clarify["entity_id"]) == ("clarify", str(question_id), str(writer))
    assert (merge["type"], merge["entity_id"], merge["into"]) == ("merge", str(brother), str(writer))
    assert (split["type"], split["memories"], split["aliases"]) == ("split", [str(held)], ["Pet"])
    assert (split["name"], split["description"]) == ("Petra", "a cook")
