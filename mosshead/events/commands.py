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
"""Limits that merges and years of conversations do not reach, so that any export can be imported."""


def _holding_a_word(name: str) -> str:
    if not normalise(name):
        raise ValueError("contains no word; give the name that people use")
    return name


Name = Annotated[str, Field(min_length=1, max_length=200)]
NameOfEntity = Annotated[Name, AfterValidator(_holding_a_word)]
PromptName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_./-]{0,99}$")]
SchemaName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]


class Undo(Envelope):
    """Undo a decision. It is refused if later decisions build on it; the decision log shows the outcome."""

    type: Literal["undo"] = "undo"
    decision_id: UUID


class SchemaOfRecords(EventPart):
    """A schema for facts as records: its name and its JSON Schema, of type object."""

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
    """Configure a namespace from here on; replaces its earlier configuration.

    instructions: in the app's own words, for the LLM that extracts. schemas: records to extract in addition to facts.
    profiles: documents to keep, one per schema. episodes: whether to keep what was attempted and how it turned out.
    """

    type: Literal["configure"] = "configure"
    instructions: str = Field("", max_length=MAX_INSTRUCTIONS)
    schemas: list[SchemaOfRecords] = Field(default_factory=list, max_length=20)
    profiles: list[SchemaOfRecords] = Field(default_factory=list, max_length=5)
    episodes: bool = False


class ImportedEntity(EventPart):
    """An entity of imported memories. key: the app's own name for it; parent: the key of another.

    is_user: whether it is the namespace's user, whatever key the user has here.
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
            raise ValueError("parent: is the entity itself; name another, or omit it")
        return self


class ImportedOccurrence(EventPart):
    """When the event of an imported memory happened: a half-open interval, and how precisely it is known."""

    start: Moment
    end: Moment
    granularity: Granularity

    @model_validator(mode="after")
    def _check_order(self) -> "ImportedOccurrence":
        if self.start > self.end:
            raise ValueError("end: lies before start; give the time at which it was over")
        return self


class ImportedMemory(EventPart):
    """An imported memory. id: the app's own name for it; about: the keys of entities, the memory's subject first.

    roles: the role and certainty of each in about; by default the first is surely the subject, and the rest are surely others it
    is about.
    occurred_at: when it was said; the event's time by default. occurred: when its event happened.
    salience (0 to 10), confidence (0 to 1), attribute, value, said_by, marked: as in a memory; the defaults are those of a
    plainly stated fact.
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
            raise ValueError("contains no word; omit the memory")
        return content

    @model_validator(mode="after")
    def _check_roles(self) -> "ImportedMemory":
        if self.roles is not None and len(self.roles) != len(self.about):
            raise ValueError(f"roles: {len(self.roles)} for {len(self.about)} in about; give one for each")
        if len(set(self.about)) < len(self.about):
            raise ValueError("about: names an entity twice; name it once")
        return self


class Import(Envelope):
    """Import entities and memories. Each memory stays separate; the same key always means the same item."""

    type: Literal["import"] = "import"
    entities: list[ImportedEntity] = Field(default_factory=list, max_length=MAX_IMPORTED)
    memories: list[ImportedMemory] = Field(default_factory=list, max_length=MAX_IMPORTED)


class Reflect(Envelope):
    """Start reflection now instead of after a quiet period.

    kind, subject: limit it to that kind of reflection, and that subject; conversation: to that conversation.
    """

    type: Literal["reflect"] = "reflect"
    kind: str | None = Field(None, min_length=1, max_length=64)
    subject: str | None = Field(None, min_length=1, max_length=200)


class Summarise(Envelope):
    """Summarize a conversation: its messages so far at once, later ones once it rests."""

    type: Literal["summarise"] = "summarise"
    conversation: str = Field(min_length=1, max_length=200)


class EditDocument(Envelope):
    """Edit a document. The edit is refused, with a note in the decision log, if the document has changed or would not fit its
    schema.

    document: the name of its schema. patch: a JSON Merge Patch (RFC 7396): a null removes a field, an object is merged.
    document_version: the version that the edit is meant for, 0 if it must not exist yet; None for any version.
    by: "tool" if a model edits it through a tool; the decision then says so.
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


MAX_SOURCES = 1_000
"""The most events that an erasure names; the newest, since only they may still travel or be lost."""

ErasedScope = Literal["everything", "conversation", "entity", "memories", "message"]
"""What an erasure deletes: exactly one of these fields of the event is given."""


class Erase(Envelope):
    """Delete for good, with everything that rests on it, and keep out events published before that arrive later. It cannot be
    undone, and does not wait for its turn.

    It takes one of: everything in the namespace; all messages of a ``conversation``; an entity with every memory ever linked to
    it; some memories; one message, by its event's id, with what rests only on it. A memory's source messages are deleted with it.

    sources: the events that the memories came from, as the publisher read them: they stay out even if the database has lost the
        memories since, in a failover.
    """

    type: Literal["erase"] = "erase"
    everything: bool = False
    entity: UUID | None = None
    memories: list[UUID] = Field(default_factory=list, max_length=200)
    message: UUID | None = None
    sources: list[UUID] = Field(default_factory=list, max_length=MAX_SOURCES)

    @model_validator(mode="after")
    def _check_one(self) -> "Erase":
        if len(self._given()) != 1:
            raise ValueError("everything: give one of everything, conversation, entity, memories and message")
        return self

    @property
    def scope(self) -> ErasedScope:
        """Which of the fields is given."""
        return self._given()[0]

    @property
    def single_events(self) -> list[UUID]:
        """The events that it covers by their ids."""
        return [*self.sources, *([self.message] if self.message else [])]

    def _given(self) -> list[ErasedScope]:
        return [scope for scope in get_args(ErasedScope) if getattr(self, scope)]


class Clarify(Envelope):
    """The answer to "Which Peter?".

    question_id: of an open question of the service; waiting memories are then linked. Without it, the answer is to a question
        that a read asked: mention is the name, and text its context.
    entity_id: who is meant; None for somebody new.
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
    """Merge two entities: everything known about the first is about the second from here on."""

    type: Literal["merge"] = "merge"
    entity_id: UUID
    into: UUID

    @model_validator(mode="after")
    def _check_two(self) -> "Merge":
        if self.entity_id == self.into:
            raise ValueError("into: is the same entity; name another")
        return self


class Split(Envelope):
    """Split an entity: some of its memories are about somebody else, with the same or another name."""

    type: Literal["split"] = "split"
    entity_id: UUID
    memories: list[UUID] = Field(min_length=1, max_length=MAX_SPLIT_OFF)
    name: NameOfEntity | None = None
    aliases: list[Name] = Field(default_factory=list, max_length=MAX_ALIASES)
    description: str | None = Field(None, min_length=1, max_length=500)


class SetPrompt(Envelope):
    """Set a prompt's text: a new version, or the first.

    template: the text; unlike a message's, it is never redacted.
    syntax: of its variables. optimizer: the kind that improves it by feedback, or "off". instructions: how it may be changed;
    when_to_update: when. If one of these three is omitted, it stays as it was; the initial values are "metaprompt" and none.
    reason: shown with the versions.
    follows: the version that it must follow, 0 for none; otherwise nothing changes.
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
    """Restore an earlier text of a prompt as a new version."""

    type: Literal["roll_back_prompt"] = "roll_back_prompt"
    name: PromptName
    to: int = Field(ge=1)


class PromptedTurn(EventPart):
    """A turn of a conversation that a prompt led to."""

    role: Role
    content: str


class PromptFeedback(Envelope):
    """Feedback on a prompt: a conversation and a comment on it. It waits until the prompt is improved, and is used once.

    score: from 0 (worst) to 1.
    """

    type: Literal["feedback"] = "feedback"
    prompt: PromptName
    messages: list[PromptedTurn] = Field(default_factory=list, max_length=MAX_TURNS)
    feedback: str = Field("", max_length=8_000)
    score: float | None = Field(None, ge=0, le=1)

    @model_validator(mode="after")
    def _check_something_said(self) -> "PromptFeedback":
        if not self.messages and not self.feedback:
            raise ValueError("messages: missing; give the conversation, or write in feedback what was wrong")
        return self


class Remember(Envelope):
    """Store a memory verbatim; `mosshead.ids.remembered_id` returns its id.

    about: names of the entities it is about, its subject first; by default those that its content names. Unknown and ambiguous
        names are not linked.
    replaces: a memory that it replaces. A name that one of that memory's entities has means this entity again; if neither
        ``about`` nor the words name another entity of its subject's type, it is also about that subject.
    of_version: the version of the replaced memory that was read; refused if its content has changed since.
    by: "tool" if a model stored it through a tool; the decision then says so.
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
    """Close memories: they are no longer known, but stay in the history. Undoing the event restores them.

    reason: for the decision log.
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
"""Events that ask for an action instead of carrying a message; each is its own batch."""
