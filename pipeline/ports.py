"""What a stage asks of the outside world, as protocols; the shell in ``workers`` hands in the real parts."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

A = TypeVar("A", bound=BaseModel)


class AnswerRefused(Exception):
    """The model declined, or its answer was cut off or did not fit the schema: asking again the same way is no use."""


class ModelUnavailable(Exception):
    """The endpoint is down, limits the rate or refuses the key; the same question can be asked later.

    retry_after: seconds, where the endpoint said so.
    """

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Prompt(Generic[A]):
    """A question to an LLM: a function of its inputs, next to the model of its answer.

    version: changes with the words; part of the key under which a paid answer is kept.
    """

    name: str
    version: int
    system: str
    user: str
    answer: type[A]


class LanguageModel(Protocol):
    """Answers prompts in the shape that they ask for."""

    @property
    def name(self) -> str:
        """The model's name, as the endpoint knows it."""

    def answer(self, prompt: Prompt[A]) -> A:
        """Ask once. Raises ModelUnavailable or AnswerRefused; neither carries text of the conversation."""
