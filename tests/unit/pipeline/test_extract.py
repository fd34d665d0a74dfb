"""Who is asked for the facts of a batch: the model once, the offline rules without one, nobody where no user spoke."""

from datetime import UTC, datetime
from typing import TypeVar
from uuid import uuid4

import pytest
from pydantic import BaseModel

from pipeline.extract import Extraction, extract
from pipeline.facts import Background, Message
from pipeline.ports import ModelUnavailable, Prompt
from recollect.kinds import Role

A = TypeVar("A", bound=BaseModel)

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def said(content: str, number: int = 1, role: Role = Role.USER) -> Message:
    return Message(number, uuid4(), "c1", role, None, content, NOON)


def proposal(content: str, quote: str) -> dict[str, object]:
    return {
        "kind": "preference",
        "content": content,
        "sources": [1],
        "quote": quote,
        "occurred": None,
        "mentions": [],
        "relations": [],
        "attribute": None,
        "value": None,
        "stated": True,
        "marked": False,
        "corrects": False,
    }


class Proposing:
    """A language model that proposes what it was told to, or is down."""

    name = "a-model"

    def __init__(self, *facts: dict[str, object], down: bool = False) -> None:
        self.facts = facts
        self.down = down
        self.calls = 0

    def answer(self, prompt: Prompt[A]) -> A:
        self.calls += 1
        if self.down:
            raise ModelUnavailable(prompt.name)
        return prompt.answer.model_validate({"facts": self.facts})


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [said("I like tea", role=Role.ASSISTANT)],
        [said("   "), said("It is raining.", 2, Role.TOOL)],
    ],
)
def test_where_no_user_spoke_nobody_is_asked(messages: list[Message]) -> None:
    model = Proposing(proposal("User likes tea", "I like tea"))
    assert extract(messages, Background(), model) == Extraction(())
    assert model.calls == 0


def test_a_batch_is_one_call_whatever_its_size() -> None:
    model = Proposing(proposal("User likes tea", "I like tea"))
    found = extract([said("I like tea"), *(said("Yes.", number) for number in range(2, 40))], Background(), model)

    assert [fact.content for fact in found.facts] == ["User likes tea"]
    assert model.calls == 1


def test_what_has_no_ground_in_the_messages_is_refused_and_counted() -> None:
    model = Proposing(proposal("User likes tea", "I like tea"), proposal("User lives in Paris", "I live in Paris"))
    found = extract([said("I like tea")], Background(), model)

    assert [fact.content for fact in found.facts] == ["User likes tea"]
    assert sum(found.refused.values()) == 1


def test_what_the_model_raises_is_raised() -> None:
    with pytest.raises(ModelUnavailable):
        extract([said("I like tea")], Background(), Proposing(down=True))


def test_without_a_model_the_rules_do_it() -> None:
    (fact,) = extract([said("I like green tea.")], Background(), None).facts
    assert "green tea" in fact.content
    assert fact.sources == (1,)
