"""An app's own schemas: JSON that is written is read back, however the model class is configured."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, computed_field

from mosshead.errors import ConfigurationError
from mosshead.schemas import as_json, by_name, read


class Name(BaseModel):
    """One field follows from the others."""

    first: str = ""
    last: str = ""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def full(self) -> str:
        """Return both names."""
        return f"{self.first} {self.last}"


class Strict(BaseModel):
    """In strict mode a date is no text."""

    model_config = ConfigDict(strict=True)
    born: date
    pair: tuple[int, int] = (1, 2)


class Aliased(BaseModel):
    """JSON has another name for it."""

    job: str = Field(alias="jobTitle")


@pytest.mark.parametrize("value", [Name(first="Ada"), Strict(born=date(1990, 5, 1)), Aliased(jobTitle="vet")])
def test_value_is_read_back_as_it_was(value: BaseModel) -> None:
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
def test_unsuitable_value_is_named_and_not_shown(schema: type[BaseModel], data: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=rf"^does not fit {schema.__name__} \({fault}\)$"):
        read(schema, data)


class Read(BaseModel):
    """Read under one name and written under another, also within a list."""

    job: str = Field("", validation_alias=AliasChoices("jobTitle", "position"), serialization_alias="Job")
    former: list["Read"] = []
    by_year: dict[str, "Read"] = {}


def test_value_has_the_names_under_which_it_is_read() -> None:
    value = Read(jobTitle="vet", former=[Read(jobTitle="cook")], by_year={"2020": Read(jobTitle="baker")})
    said = as_json(value)
    assert (said["jobTitle"], said["former"][0]["jobTitle"]) == ("vet", "cook")
    assert said["by_year"]["2020"]["jobTitle"] == "baker"
    assert read(Read, said) == value


class Unshown(BaseModel):
    """JSON can hold none of this."""

    act: Callable[[int], int] | None = None


def test_schema_that_no_model_can_be_shown_is_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match=r"^schemas: Unshown has no JSON Schema"):
        by_name([Unshown])
