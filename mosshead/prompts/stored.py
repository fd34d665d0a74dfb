"""What a namespace tells of its prompts."""

from dataclasses import dataclass
from datetime import datetime

from mosshead.prompts.templates import OptimizerOrOff, PromptTemplate
from mosshead.prompts.variables import Syntax


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPrompt:
    """A version of a prompt.

    version: from 1, without gaps. made_by: "app", or the name of the model that improved it. reason: why it was made.
    restores: the version whose text it brought back. optimizer: what improves it by feedback, or "off".
    instructions, when_to_update: how it may be improved, and when, in the app's words.
    feedback_waiting: how much was said of it that is not used yet; of a past version 0.
    """

    name: str
    text: str
    version: int
    made_by: str
    reason: str
    at: datetime
    syntax: Syntax = "format"
    optimizer: OptimizerOrOff = "metaprompt"
    instructions: str = ""
    when_to_update: str = ""
    restores: int | None = None
    feedback_waiting: int = 0

    @property
    def template(self) -> PromptTemplate:
        """What an optimizer of your own takes (`mosshead.optimizing`)."""
        return PromptTemplate(
            name=self.name,
            text=self.text,
            syntax=self.syntax,
            instructions=self.instructions,
            when_to_update=self.when_to_update,
        )
