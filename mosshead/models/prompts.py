"""Prompts as values: templates with their variables, and stored versions."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from string import Formatter
from typing import Literal, assert_never, get_args

from mosshead.patterns import lazy_pattern

OptimizerOrOff = Literal["metaprompt", "gradient", "prompt_memory", "off"]
Syntax = Literal["format", "mustache", "none"]


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables of a template.

    taken: Each variable as written, with its conversion and format; unnamed ones are numbered.
    frame: The section and partial tags in order; their order is significant.
    """

    taken: frozenset[str]
    frame: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """A prompt, and how an optimizer may change it.

    Attributes:
        instructions: How it may be changed, in the author's words ("never touch the section on refunds").
        when_to_update: When it should be changed ("only if an answer was wrong"). With several prompts, this also helps to find
            the one at fault.
        syntax: How variables are written: "format" (``{name}``, as in `str.format`), "mustache" (``{{name}}``) or "none".
    """

    text: str
    name: str = "prompt"
    instructions: str = ""
    when_to_update: str = ""
    syntax: Syntax = "format"

    @property
    def variables(self) -> Variables:
        """Its variables. Raises ValueError, which says how to fix it, if the text is not a template of its syntax."""
        try:
            return variables_of(self.text, self.syntax)
        except NotATemplate as error:
            fault = str(error)
        raise ValueError(
            f'{self.name}: not a template of syntax "{self.syntax}": {fault}; fix it, or pass PromptTemplate(syntax=…), '
            f"one of {', '.join(get_args(Syntax))}"
        )

    @property
    def written_variables(self) -> list[str]:
        """The variables as written in the text, in a fixed order."""
        variables = self.variables
        return [_written(one, self.syntax) for one in sorted(variables.taken)] + list(variables.frame)

    def fault_of(self, text: str) -> str | None:
        """Return why a text cannot replace this one's, or None if it can. The reason quotes only variables, no other text."""
        if not text.strip():
            return "it is empty"
        most = self.most_characters
        if len(text) > most:
            return f"it has {len(text):,} characters, at most {most:,}"
        return fault_in(text, self.variables, self.syntax)

    @property
    def most_characters(self) -> int:
        """The maximum length of a new text."""
        return max(len(self.text), min(MAX_CHARACTERS, _GROWTH * len(self.text) + _GROUND))

    def with_text(self, text: str) -> "PromptTemplate":
        """Return a copy with another text."""
        return replace(self, text=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPrompt:
    """A version of a prompt.

    Attributes:
        version: Counts from 1, without gaps.
        made_by: "app", or the name of the model that improved it.
        reason: Why it was made.
        restores: The version whose text it restored, if any.
        optimizer: The optimizer that improves it from feedback, or "off".
        instructions, when_to_update: As for `PromptTemplate`.
        feedback_waiting: Number of unused pieces of feedback; 0 for a past version.
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
        """The prompt as a template, for your own optimizer (`mosshead.contrib.prompt_optimizers`)."""
        return PromptTemplate(
            name=self.name,
            text=self.text,
            syntax=self.syntax,
            instructions=self.instructions,
            when_to_update=self.when_to_update,
        )


OptimizerKind = Literal["metaprompt", "gradient", "prompt_memory"]

MAX_CHARACTERS = 20_000
"""Maximum length of a prompt. A new text may have twice as many characters as the old one plus 2,000, up to this."""

_GROWTH, _GROUND = 2, 2_000


def template_of(prompt: str | PromptTemplate) -> PromptTemplate:
    """Check a prompt and return it as a template. Raises ValueError, which names the fault and the fix."""
    template = PromptTemplate(text=prompt) if isinstance(prompt, str) else prompt
    if template.syntax not in get_args(Syntax):
        raise ValueError(f"syntax: one of {', '.join(get_args(Syntax))}, got {template.syntax!r}")
    if not template.text.strip():
        raise ValueError(f"{template.name}: the prompt is empty; pass the text to improve")
    if len(template.text) > MAX_CHARACTERS:
        raise ValueError(f"{template.name}: {len(template.text):,} characters, at most {MAX_CHARACTERS:,}; split it")
    _ = template.variables
    return template


_TAG = lazy_pattern(r"\{\{\{(?P<plain>[^{}]+)\}\}\}|\{\{\s*+(?P<sign>[#^/>&!=]?)(?P<name>[^{}]+)\}\}")
_DOUBLED = lazy_pattern(r"\{\{|\}\}")
_MOST_NAMED = 5


class NotATemplate(ValueError):
    """A text is not a template of its syntax. The message says why and quotes none of the text."""


def variables_of(text: str, syntax: Syntax) -> Variables:
    """Return the variables of a template. Raises NotATemplate."""
    match syntax:
        case "format":
            return Variables(frozenset(_fields(text)))
        case "mustache":
            return _tags(text)
        case "none":
            return Variables(frozenset())
    assert_never(syntax)


def fault_in(text: str, wanted: Variables, syntax: Syntax) -> str | None:
    """Return why a new text cannot replace a template with these variables, or None if it can.

    The new text must accept the same values as the old template and need no others.
    """
    try:
        found = variables_of(text, syntax)
    except NotATemplate as error:
        return str(error)
    lost, invented = wanted.taken - found.taken, found.taken - wanted.taken
    if lost:
        return f"it lost variables of the template: {_named(lost, syntax)}"
    if invented:
        return f"it has variables that the template had not: {_named(invented, syntax)}"
    if found.frame != wanted.frame:
        return "its sections are not those of the template, in their order"
    return None


def _fields(text: str) -> Iterator[str]:
    # Use str.format's own parser, so that both agree on what a variable is.
    try:
        parsed = list(Formatter().parse(text))
    except ValueError:
        raise NotATemplate("it has a brace that opens or closes no variable; a brace of the text is doubled") from None
    unnamed = 0
    for _, name, layout, conversion in parsed:
        if name is None:
            continue
        unnamed += not name
        yield f"{name or f'#{unnamed}'}{f'!{conversion}' if conversion else ''}{f':{layout}' if layout else ''}"


def _tags(text: str) -> Variables:
    rest = _TAG.sub("", text)
    if _DOUBLED.search(rest):
        raise NotATemplate("it has double braces that make no tag")
    taken, frame = set(), []
    for tag in _TAG.finditer(text):
        sign, name = tag["sign"] or "", (tag["plain"] or tag["name"]).strip()
        if not name:
            raise NotATemplate("it has double braces that make no tag")
        if sign == "=":
            raise NotATemplate("it changes the marks of its tags, which is not supported")
        if sign and sign in "#^/>":
            frame.append(f"{{{{{sign}{name}}}}}")
        elif sign != "!":
            taken.add(f"&{name}" if sign or tag["plain"] else name)
    return Variables(frozenset(taken), tuple(frame))


def _named(variables: frozenset[str], syntax: Syntax) -> str:
    names = [_written(one, syntax) for one in sorted(variables)]
    return ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")


def _written(variable: str, syntax: Syntax) -> str:
    if syntax == "mustache":
        return f"{{{{{variable}}}}}"
    return "{}" if variable.startswith("#") else f"{{{variable}}}"
