"""A document edit is sent as the app's class reads it."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic import BaseModel, Field, RootModel, SecretStr

from mosshead.models.documents import as_read


class Step(BaseModel):
    """One of several, each with its own id."""

    id: UUID = Field(default_factory=uuid4)
    weight: int = 0


class Steps(RootModel[dict[str, Step]]):
    """Steps by name."""


class Plan(BaseModel):
    """Its defaults differ at each read."""

    id: UUID = Field(default_factory=uuid4)
    seen_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    days: int = 0
    first: Step | None = None
    named: Steps | None = None
    steps: list[Step] = Field(default_factory=list)
    pin: SecretStr | None = None


@pytest.mark.parametrize(
    ("patch", "sent"),
    [
        ({"days": "42", "pin": "1234"}, {"days": 42, "pin": "1234"}),
        ({"first": {"weight": "7"}}, {"first": {"weight": 7}}),
        ({"named": {"warm up": {"weight": "7"}}}, {"named": {"warm up": {"weight": 7}}}),
    ],
)
def test_values_are_sent_as_the_class_reads_them_whatever_its_defaults(patch: Any, sent: Any) -> None:
    assert as_read(Plan, {}, patch) == sent


def test_defaults_within_a_list_are_sent_with_it() -> None:
    (step,) = as_read(Plan, {}, {"steps": [{"weight": "7"}]})["steps"]
    assert (step["weight"], UUID(step["id"]).version) == (7, 4)
