"""Events that have something done with a namespace: taken back, set up, brought in."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from mosshead.events.envelope import MAX_METADATA_BYTES, Envelope
from mosshead.imported import ImportedEntity, ImportedMemory

MAX_INSTRUCTIONS = 4_000
MAX_SCHEMAS = 20
MAX_PROFILES = 5
MAX_IMPORTED = 200


class Undo(Envelope):
    """Take back what a decision did. Refused where later decisions build on it; what came of it stands in the decision log."""

    type: Literal["undo"] = "undo"
    decision_id: UUID


class Reflect(Envelope):
    """Have what was said thought over now, instead of after a quiet time.

    kind, subject: of that kind of reflection alone, and of that one of the kind; conversation: what was said there alone.
    """

    type: Literal["reflect"] = "reflect"
    kind: str | None = Field(None, min_length=1, max_length=64)
    subject: str | None = Field(None, min_length=1, max_length=200)


class SchemaOfRecords(BaseModel):
    """A shape in which the app wants some facts: its name and its JSON Schema, of type object."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)

    name: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")
    json_schema: dict[str, JsonValue]

    @field_validator("json_schema")
    @classmethod
    def _check_schema(cls, schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if schema.get("type") != "object":
            raise ValueError("must be a JSON Schema of type object, as a pydantic model's is")
        if len(str(schema)) > MAX_METADATA_BYTES:
            raise ValueError(f"more than {MAX_METADATA_BYTES:,} bytes; describe fewer fields")
        return schema


class Configure(Envelope):
    """What the app wants of a namespace's memories from here on; replaces what an earlier one said.

    instructions: in the app's own words, for the LLM that extracts. schemas: records that it shall fill in beside the facts.
    profiles: documents to be kept, one of each schema. episodes: whether to keep what was gone about and how it turned out.
    """

    type: Literal["configure"] = "configure"
    instructions: str = Field("", max_length=MAX_INSTRUCTIONS)
    schemas: list[SchemaOfRecords] = Field(default_factory=list, max_length=MAX_SCHEMAS)
    profiles: list[SchemaOfRecords] = Field(default_factory=list, max_length=MAX_PROFILES)
    episodes: bool = False


class Import(Envelope):
    """Entities and memories brought from elsewhere. Each memory stays one of its own; the same key twice is the same thing."""

    type: Literal["import"] = "import"
    entities: list[ImportedEntity] = Field(default_factory=list, max_length=MAX_IMPORTED)
    memories: list[ImportedMemory] = Field(default_factory=list, max_length=MAX_IMPORTED)
