"""Schemas of the app's own: what is written down as JSON is read back, however the model is set up."""

from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, computed_field

from recollect.managing.schemas import as_json, read


class Name(BaseModel):
    """One field follows from the others."""

    first: str = ""
    last: str = ""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def full(self) -> str:
        """Both."""
        return f"{self.first} {self.last}"


class Strict(BaseModel):
    """In Python's own values a date is no text."""

    model_config = ConfigDict(strict=True)
    born: date
    pair: tuple[int, int] = (1, 2)


class Aliased(BaseModel):
    """JSON has another name for it."""

    job: str = Field(alias="jobTitle")


@pytest.mark.parametrize("value", [Name(first="Ada"), Strict(born=date(1990, 5, 1)), Aliased(jobTitle="vet")])
def test_a_value_is_read_back_as_it_was(value: BaseModel) -> None:
    assert read(type(value), as_json(value)) == value


@pytest.mark.parametrize(
    ("schema", "data", "fault"),
    [
        (Strict, {"born": "soon"}, "born: date_parsing"),
        (Strict, {"born": "1990-05-01", "more": 1}, "more: extra_forbidden"),
        (Name, {"first": 7}, "first: string_type"),
        (Name, [], "data: model_type"),
    ],
)
def test_what_does_not_fit_is_named_and_not_shown(schema: type[BaseModel], data: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=rf"^does not fit {schema.__name__} \({fault}\)$"):
        read(schema, data)
