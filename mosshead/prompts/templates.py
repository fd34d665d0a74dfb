"""A prompt that can be improved, and what a new text of it has to keep. Pure."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from mosshead.prompts.variables import NotATemplate, Syntax, Variables, fault_in, shown, variables_of

OptimizerKind = Literal["metaprompt", "gradient", "prompt_memory"]
OptimizerOrOff = Literal["metaprompt", "gradient", "prompt_memory", "off"]

MAX_CHARACTERS = 20_000
"""Of a prompt. A new text may have twice as many characters as the old one and 2,000 more, within this."""

_GROWTH, _GROUND = 2, 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """A prompt with what its author wants of it.

    instructions: how it may be changed, in the author's words ("never touch the section on refunds"). when_to_update: when it is
    to be changed at all ("only if an answer was wrong"); of several prompts this also tells which one is at fault.
    syntax: how its variables are written: "format" (``{name}``, as `str.format`), "mustache" (``{{name}}``), or "none".
    """

    text: str
    name: str = "prompt"
    instructions: str = ""
    when_to_update: str = ""
    syntax: Syntax = "format"

    @property
    def variables(self) -> Variables:
        """What it takes. Raises ValueError, which names the fix, where its text is no template of its syntax."""
        try:
            return variables_of(self.text, self.syntax)
        except NotATemplate as error:
            fault = str(error)
        raise ValueError(
            f'{self.name}: not a template of syntax "{self.syntax}": {fault}; mend it, or say PromptTemplate(syntax=…), '
            f"one of {', '.join(get_args(Syntax))}"
        )

    @property
    def written_variables(self) -> list[str]:
        """The variables as they stand in the text."""
        return shown(self.variables, self.syntax)

    def fault_of(self, text: str) -> str | None:
        """Why a text cannot take the place of this one's; None where it can. Names variables, and nothing else of the text."""
        if not text.strip():
            return "it is empty"
        most = self.most_characters
        if len(text) > most:
            return f"it has {len(text):,} characters, at most {most:,}"
        return fault_in(text, self.variables, self.syntax)

    @property
    def most_characters(self) -> int:
        """How long a new text may be."""
        return max(len(self.text), min(MAX_CHARACTERS, _GROWTH * len(self.text) + _GROUND))

    def with_text(self, text: str) -> "PromptTemplate":
        """The same with another text."""
        return replace(self, text=text)


def template_of(prompt: str | PromptTemplate) -> PromptTemplate:
    """A prompt as a template, checked. Raises ValueError, which names the fault and the fix."""
    template = PromptTemplate(text=prompt) if isinstance(prompt, str) else prompt
    if template.syntax not in get_args(Syntax):
        raise ValueError(f"syntax: one of {', '.join(get_args(Syntax))}, got {template.syntax!r}")
    if not template.text.strip():
        raise ValueError(f"{template.name}: the prompt is empty; give the text that is to be improved")
    if len(template.text) > MAX_CHARACTERS:
        raise ValueError(f"{template.name}: {len(template.text):,} characters, at most {MAX_CHARACTERS:,}; split it")
    _ = template.variables
    return template
