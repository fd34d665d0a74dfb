"""What an LLM proposes for a prompt, and whether it is taken: asked twice at most, then the prompt stays as it is."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import BaseModel

from mosshead.fence import one_line
from mosshead.language_model.ports import AnswerRefused, AnswerUnusable, LanguageModel, Prompt
from mosshead.prompts.templates import PromptTemplate

A = TypeVar("A", bound=BaseModel)

_ASKED = 2
_REASON_CHARACTERS = 500


class Counted:
    """A language model, with how often it was asked."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.calls = 0

    @property
    def name(self) -> str:
        """The name of the model that is asked."""
        return self._model.name

    def answer(self, prompt: Prompt[A]) -> A:
        """As the model that is asked."""
        self.calls += 1
        return self._model.answer(prompt)


@dataclass(frozen=True, slots=True)
class Proposed:
    """A text for the prompt.

    reason: in the model's words, on one line. refused: why no text of the model's was taken, if none was.
    """

    text: str
    reason: str = ""
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an answer cannot be taken, in fixed words and names of variables."""

    reason: str


def propose(
    model: LanguageModel,
    template: PromptTemplate,
    ask: Callable[[str | None], Prompt[A]],
    read: Callable[[A], Proposed | Fault],
) -> Proposed:
    """A new text, or the template's own with the reason. Raises ModelUnavailable.

    ask: the question, given why the last answer was not taken. read: what an answer proposes.
    An answer that breaks the template is asked for once more, with the fault named; so is one that has not the shape asked for.
    """
    fault = ""
    for _ in range(_ASKED):
        try:
            answer = model.answer(ask(fault or None))
        except AnswerUnusable as error:
            fault = why(error)
            continue
        except AnswerRefused as error:
            return Proposed(template.text, refused=why(error))
        found = _checked(template, read(answer))
        if isinstance(found, Proposed):
            return found
        fault = found.reason
    return Proposed(template.text, refused=fault)


def why(error: AnswerRefused) -> str:
    """Why there is no answer, in words that hold nothing of it."""
    return f"{type(error).__name__}: {error}"


def brief(reason: str) -> str:
    """A reason of the model's, on one line."""
    return one_line(reason)[:_REASON_CHARACTERS]


def with_lines_of(prompt: str, text: str) -> str:
    """A text whose lines end as those of a prompt do: a model is shown lines, and not how they end."""
    plain = text.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if "\r\n" in prompt else plain


def _checked(template: PromptTemplate, proposed: Proposed | Fault) -> Proposed | Fault:
    if isinstance(proposed, Fault):
        return proposed
    found = replace(proposed, text=with_lines_of(template.text, proposed.text))
    if found.text.strip() == with_lines_of(template.text, template.text).strip():
        return Proposed(template.text, brief(found.reason))
    if _repeats_bars(found.text, template.text):
        return Fault("its lines are led by bars, which are not part of the prompt")
    fault = template.fault_of(found.text)
    return Fault(fault) if fault else Proposed(found.text, brief(found.reason))


def _repeats_bars(text: str, old: str) -> bool:
    def led(one: str) -> bool:
        return all(line.startswith("|") for line in one.splitlines() if line.strip())

    return led(text) and not led(old) and bool(text.strip())
