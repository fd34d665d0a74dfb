"""What is asked of an LLM, as a protocol; a shell hands in the real one.

What can go wrong with a question:

    ModelUnavailable        nobody answered; the same question can be asked later
    └── ModelTooSlow        in time, that is: it may have been asked for too much at once
    AnswerRefused           there is no answer to this question, and asking it again is no use
    ├── AnswerTruncated     it was too long, or its answer was: it may have one for less text
    ├── AnswerUnusable      what came is no answer in the shape asked for; so may this
    └── AnswerDeclined      the model, its filter or its endpoint will not
"""

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from mosshead.errors import MossheadError

A = TypeVar("A", bound=BaseModel)


class AnswerRefused(MossheadError):
    """There is no answer to this question, and there will be none: asking again the same way is no use.

    plain: a question of the same kind about fixed words, which tells whether the model is at fault; where whoever asked has one.
    """

    plain: "Prompt[Any] | None" = None


class AnswerTruncated(AnswerRefused):
    """The answer was cut off at the model's limit of tokens, or the question was longer than the model reads.

    before_cut: what stands whole of an answer whose items stand by themselves (`Answer.item_by_item`), for whoever asked.
    """

    before_cut: BaseModel | None = None


class AnswerUnusable(AnswerRefused):
    """The answer is empty, is not JSON, or does not fit the schema."""


class AnswerDeclined(AnswerRefused):
    """The model declined, a filter held the answer back, or the endpoint refused the request."""


class ModelUnavailable(MossheadError):
    """The endpoint is down, limits the rate or refuses the key; the same question can be asked later.

    retry_after: seconds, where the endpoint said so.
    """

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class ModelTooSlow(ModelUnavailable):
    """The endpoint took the question, and had not answered when the time was over."""


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
        """Ask once. Raises ModelUnavailable or AnswerRefused; the words of neither hold text of the conversation."""
