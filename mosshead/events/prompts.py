"""Events about the prompts that an app keeps with Mosshead: their texts, and what was said of what came of them."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mosshead.events.envelope import Envelope
from mosshead.kinds import Role
from mosshead.prompts.templates import MAX_CHARACTERS, OptimizerOrOff, PromptTemplate, template_of
from mosshead.prompts.variables import Syntax

MAX_REASON = 500
MAX_RULES = 4_000
MAX_FEEDBACK = 8_000
MAX_TURNS = 200

PromptName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_./-]{0,99}$")]


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
    instructions: str | None = Field(None, max_length=MAX_RULES)
    when_to_update: str | None = Field(None, max_length=MAX_RULES)
    reason: str = Field("", max_length=MAX_REASON)
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


class PromptedTurn(BaseModel):
    """A turn of a conversation that a prompt led to."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)

    role: Role
    content: str


class PromptFeedback(Envelope):
    """What came of a prompt: a conversation, and what was said of it. It waits until the prompt is improved, and is used once.

    score: from 0, as bad as can be, to 1.
    """

    type: Literal["feedback"] = "feedback"
    prompt: PromptName
    messages: list[PromptedTurn] = Field(default_factory=list, max_length=MAX_TURNS)
    feedback: str = Field("", max_length=MAX_FEEDBACK)
    score: float | None = Field(None, ge=0, le=1)

    @model_validator(mode="after")
    def _check_something_said(self) -> "PromptFeedback":
        if not self.messages and not self.feedback:
            raise ValueError("messages: missing; give the conversation, or say in feedback what was wrong")
        return self
