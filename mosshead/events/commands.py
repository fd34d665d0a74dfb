"""Events that act on a namespace: undo, configure, import, correct identities, edit documents, erase, remember, set prompts."""

import json
from typing import Annotated, Literal, get_args
from uuid import UUID

from pydantic import AfterValidator, Field, JsonValue, field_validator, model_validator

from mosshead.events.envelope import MAX_METADATA_BYTES, Envelope, EventPart
from mosshead.language.names import normalise
from mosshead.models.kinds import EntityType, Granularity, MemoryKind, Role
from mosshead.models.prompts import MAX_CHARACTERS, OptimizerOrOff, PromptTemplate, Syntax, template_of
from mosshead.timestamps import Moment

MAX_INSTRUCTIONS = 4_000
MAX_IMPORTED = 200
MAX_FORGOTTEN = 200
MAX_SPLIT_OFF = 1_000
MAX_TURNS = 200
MAX_ALIASES = 500
MAX_ABOUT = 500
"""Of each more than merges and years of talk make: an export is to fit into another namespace, whatever it holds."""


def _holding_a_word(name: str) -> str:
    if not normalise(name):
        raise ValueError("holds no word; give the name that people use")
    return name


Name = Annotated[str, Field(min_length=1, max_length=200)]
NameOfEntity = Annotated[Name, AfterValidator(_holding_a_word)]
PromptName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_./-]{0,99}$")]
SchemaName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]


class Undo(Envelope):
    """Take back what a decision did. Refused where later decisions build on it; what came of it stands in the decision log."""

    type: Literal["undo"] = "undo"
    decision_id: UUID


class SchemaOfRecords(EventPart):
    """A shape in which the app wants some facts: its name and its JSON Schema, of type object."""

    name: SchemaName
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
    schemas: list[SchemaOfRecords] = Field(default_factory=list, max_length=20)
    profiles: list[SchemaOfRecords] = Field(default_factory=list, max_length=5)
    episodes: bool = False


class ImportedEntity(EventPart):
    """Somebody or something that memories from elsewhere are about. key: the app's own name for it; parent: the key of another.

    is_user: it is the namespace's own user, whatever that one's key is here.
    """

    key: Name
    name: NameOfEntity
    entity_type: EntityType
    aliases: list[Name] = Field(default_factory=list, max_length=MAX_ALIASES)
    parent: Name | None = None
    description: str | None = Field(None, min_length=1, max_length=500)
    is_user: bool = False

    @model_validator(mode="after")
    def _check_parent(self) -> "ImportedEntity":
        if self.parent == self.key:
            raise ValueError("parent: is the entity itself; name another, or leave it out")
        return self


class ImportedOccurrence(EventPart):
    """When what a memory from elsewhere speaks of happened: a half-open interval, and how precisely that is known."""

    start: Moment
    end: Moment
    granularity: Granularity

    @model_validator(mode="after")
    def _check_order(self) -> "ImportedOccurrence":
        if self.start > self.end:
            raise ValueError("end: lies before start; give the time at which it was over")
        return self


class ImportedMemory(EventPart):
    """A memory from elsewhere. id: the app's own name for it; about: the keys of entities, the memory's subject first.

    roles: of each in about its role and how certain that is; by default the first is surely the subject, and the rest surely what
        it is about besides.
    occurred_at: when it was said; the event's by default. occurred: when what it speaks of happened.
    salience (0 to 10), confidence (0 to 1), attribute, value, said_by, marked: as a memory has them; what is left out is as of a
        fact that was said plainly.
    """

    id: Name
    content: str = Field(min_length=1, max_length=8_000)
    about: list[Name] = Field(default_factory=list, max_length=MAX_ABOUT)
    roles: list[tuple[Literal["subject", "object", "about"], Literal["sure", "unsure"]]] | None = None
    kind: MemoryKind = MemoryKind.FACT
    occurred_at: Moment | None = None
    occurred: ImportedOccurrence | None = None
    salience: float | None = Field(None, ge=0, le=10)
    confidence: float | None = Field(None, ge=0, le=1)
    attribute: Name | None = None
    value: str | None = Field(None, min_length=1, max_length=1_000)
    said_by: Name | None = None
    marked: bool = False

    @field_validator("content")
    @classmethod
    def _check_content(cls, content: str) -> str:
        if not content.strip():
            raise ValueError("holds no word; leave the memory out")
        return content

    @model_validator(mode="after")
    def _check_roles(self) -> "ImportedMemory":
        if self.roles is not None and len(self.roles) != len(self.about):
            raise ValueError(f"roles: {len(self.roles)} for {len(self.about)} in about; give one for each")
        if len(set(self.about)) < len(self.about):
            raise ValueError("about: names an entity twice; name it once")
        return self


class Import(Envelope):
    """Entities and memories brought from elsewhere. Each memory stays one of its own; the same key twice is the same thing."""

    type: Literal["import"] = "import"
    entities: list[ImportedEntity] = Field(default_factory=list, max_length=MAX_IMPORTED)
    memories: list[ImportedMemory] = Field(default_factory=list, max_length=MAX_IMPORTED)


class Reflect(Envelope):
    """Have what was said thought over now, instead of after a quiet time.

    kind, subject: of that kind of reflection alone, and of that one of the kind; conversation: what was said there alone.
    """

    type: Literal["reflect"] = "reflect"
    kind: str | None = Field(None, min_length=1, max_length=64)
    subject: str | None = Field(None, min_length=1, max_length=200)


class Summarise(Envelope):
    """Sum a conversation up: what was said in it so far at once, and what follows when it rests."""

    type: Literal["summarise"] = "summarise"
    conversation: str = Field(min_length=1, max_length=200)


class EditDocument(Envelope):
    """Change a document by hand. Refused where it has moved on, or would not fit its schema; the decision log says so then.

    document: the name of its schema. patch: a JSON Merge Patch (RFC 7396): a null removes a field, an object is merged.
    document_version: the version that the edit is meant for, 0 where there is to be none yet; None for whatever is there.
    by: "tool" where a model edits it through a tool, which the decision tells then.
    """

    type: Literal["edit_document"] = "edit_document"
    document: SchemaName
    patch: dict[str, JsonValue] = Field(min_length=1)
    document_version: int | None = Field(None, ge=0, lt=2**31)
    by: Literal["tool"] | None = None

    @field_validator("patch")
    @classmethod
    def _check_patch(cls, patch: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if len(json.dumps(patch, ensure_ascii=False).encode()) > MAX_METADATA_BYTES:
            raise ValueError(f"more than {MAX_METADATA_BYTES:,} bytes; a document is for what is short")
        return patch


ErasedScope = Literal["everything", "conversation", "entity", "memories", "message"]
"""What an erasure takes; each is a field of the event, of which it gives one."""


class Erase(Envelope):
    """Delete for good, whatever rests on it included, and keep out what was published before and comes later. Cannot be undone.

    It does not wait for its turn. One of: everything of the namespace; all that was said in a ``conversation``; an entity, with
    every memory that was ever linked to it; some memories; one message, by its event's id, and what rests on it alone. With a
    memory go the messages that it came from.
    """

    type: Literal["erase"] = "erase"
    everything: bool = False
    entity: UUID | None = None
    memories: list[UUID] = Field(default_factory=list, max_length=200)
    message: UUID | None = None

    @model_validator(mode="after")
    def _check_one(self) -> "Erase":
        if len(self._given()) != 1:
            raise ValueError("everything: give one of everything, conversation, entity, memories and message")
        return self

    @property
    def scope(self) -> ErasedScope:
        """What it takes."""
        return self._given()[0]

    def _given(self) -> list[ErasedScope]:
        return [scope for scope in get_args(ErasedScope) if getattr(self, scope)]


class Clarify(Envelope):
    """The answer to "Which Peter?".

    question_id: of a question that the service holds open; what waits for the answer is linked then. Without it the answer is to
        a question that a read asked: mention is the name, and text what was said around it.
    entity_id: who is meant; None for nobody that is known, but somebody new.
    """

    type: Literal["clarify"] = "clarify"
    question_id: UUID | None = None
    mention: str | None = Field(None, min_length=1, max_length=200)
    text: str | None = Field(None, min_length=1, max_length=8_000)
    entity_id: UUID | None = None

    @model_validator(mode="after")
    def _check_question(self) -> "Clarify":
        if self.question_id is None and (self.mention is None or self.text is None):
            raise ValueError("question_id: missing; or give the mention and the text that it stands in")
        if self.question_id is None and self.entity_id is None:
            raise ValueError(
                "entity_id: missing; only a question that the service holds can be answered with somebody new"
            )
        return self


class Merge(Envelope):
    """Two entities are one: all that is known of the first is known of the second from here on."""

    type: Literal["merge"] = "merge"
    entity_id: UUID
    into: UUID

    @model_validator(mode="after")
    def _check_two(self) -> "Merge":
        if self.entity_id == self.into:
            raise ValueError("into: is the same entity; name another")
        return self


class Split(Envelope):
    """One entity is two: some of the memories about it are about somebody else of the same name, or of another."""

    type: Literal["split"] = "split"
    entity_id: UUID
    memories: list[UUID] = Field(min_length=1, max_length=MAX_SPLIT_OFF)
    name: NameOfEntity | None = None
    aliases: list[Name] = Field(default_factory=list, max_length=MAX_ALIASES)
    description: str | None = Field(None, min_length=1, max_length=500)


class SetPrompt(Envelope):
    """A text of a prompt from here on: a new version, or the first.

    template: the text; the app's own words, which stay as they are, as those of a message do not.
    syntax: of its variables. optimizer: the kind that improves it by feedback, or "off". instructions: how it may be changed;
    when_to_update: when. Where one of these three is left out it stays as it was; at first, "metaprompt" and nothing.
    reason: for whoever looks at the versions.
    follows: the version that it is to follow, 0 for none; where another is there by then, nothing changes.
    """

    type: Literal["set_prompt"] = "set_prompt"
    name: PromptName
    template: str = Field(min_length=1, max_length=MAX_CHARACTERS)
    syntax: Syntax = "format"
    optimizer: OptimizerOrOff | None = None
    instructions: str | None = Field(None, max_length=4_000)
    when_to_update: str | None = Field(None, max_length=4_000)
    reason: str = Field("", max_length=500)
    follows: int | None = Field(None, ge=0)

    @model_validator(mode="after")
    def _check_template(self) -> "SetPrompt":
        template_of(PromptTemplate(text=self.template, name="template", syntax=self.syntax))
        return self


class RollBackPrompt(Envelope):
    """An earlier text of a prompt from here on: a new version that says what that one said."""

    type: Literal["roll_back_prompt"] = "roll_back_prompt"
    name: PromptName
    to: int = Field(ge=1)


class PromptedTurn(EventPart):
    """A turn of a conversation that a prompt led to."""

    role: Role
    content: str


class PromptFeedback(Envelope):
    """What came of a prompt: a conversation, and what was said of it. It waits until the prompt is improved, and is used once.

    score: from 0, as bad as can be, to 1.
    """

    type: Literal["feedback"] = "feedback"
    prompt: PromptName
    messages: list[PromptedTurn] = Field(default_factory=list, max_length=MAX_TURNS)
    feedback: str = Field("", max_length=8_000)
    score: float | None = Field(None, ge=0, le=1)

    @model_validator(mode="after")
    def _check_something_said(self) -> "PromptFeedback":
        if not self.messages and not self.feedback:
            raise ValueError("messages: missing; give the conversation, or say in feedback what was wrong")
        return self


class Remember(Envelope):
    """A memory as it shall be known; `mosshead.ids.remembered_id` gives its id.

    about: names of whom it is about, its subject first; by default those that its content names. Who is not known by that name
        is not linked, nor is anybody where the words leave it open who is meant.
    replaces: a memory that it stands for from here on. A name that one of those bears whom that one is about means that one
        again, and where neither ``about`` nor the words name another of the sort of its subject, it is about that, too.
        of_version: the version of that one that was read; refused where it says something else by then.
    by: "tool" where a model put it down through a tool, which the decision tells then.
    """

    type: Literal["remember"] = "remember"
    content: str = Field(min_length=1, max_length=8_000)
    kind: MemoryKind = MemoryKind.FACT
    about: list[Name] | None = Field(None, max_length=20)
    replaces: UUID | None = None
    of_version: int | None = Field(None, ge=1)
    by: Literal["tool"] | None = None

    @model_validator(mode="after")
    def _check_content(self) -> "Remember":
        if not self.content.strip():
            raise ValueError("content: is empty")
        if self.of_version is not None and self.replaces is None:
            raise ValueError("of_version: is of the memory that this one replaces; give replaces, too")
        return self


class Forget(Envelope):
    """Close memories: they are known no longer, and stay as what was known before. An undo of the event brings them back.

    reason: why, for the decision log.
    """

    type: Literal["forget"] = "forget"
    memories: list[UUID] = Field(min_length=1, max_length=MAX_FORGOTTEN)
    reason: str | None = Field(None, min_length=1, max_length=500)


Command = (
    Undo
    | Configure
    | Import
    | Reflect
    | Summarise
    | Remember
    | Forget
    | Clarify
    | Merge
    | Split
    | EditDocument
    | SetPrompt
    | RollBackPrompt
    | PromptFeedback
)
"""Events that say nothing, but have something done: each is a batch of its own."""
