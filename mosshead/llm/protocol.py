"""The LLM protocol; a shell provides the implementation.

Failures of a question:

    ModelUnavailable        no answer; the same question can be retried later
    └── ModelTooSlow        no answer in time: the question may have been too large
    AnswerRefused           no answer to this question; retrying it is useless
    ├── AnswerTruncated     it or its answer was too long; less text may succeed
    ├── AnswerUnusable      the answer has the wrong format; less text may succeed
    └── AnswerDeclined      the model, its filter or its endpoint declined
"""

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from mosshead.errors import MossheadError

A = TypeVar("A", bound=BaseModel)


class AnswerRefused(MossheadError):
    """This question has no answer; asking it again the same way is useless.

    plain: a similar question about fixed texts, if the caller has one, to test whether the model is at fault.
    """

    plain: "Prompt[Any] | None" = None


class AnswerTruncated(AnswerRefused):
    """The answer reached the model's token limit, or the question exceeded its context.

    before_cut: the complete items of a partial answer, if its items are independent (`Answer.item_by_item`).
    """

    before_cut: BaseModel | None = None


class AnswerUnusable(AnswerRefused):
    """The answer is empty, is not JSON, or does not fit the schema."""


class AnswerDeclined(AnswerRefused):
    """The model declined, a filter blocked the answer, or the endpoint refused the request."""


class ModelUnavailable(MossheadError):
    """The endpoint is down, limits the rate or refuses the key; the same question can be retried later.

    retry_after: seconds, if the endpoint gave them.
    """

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class ModelTooSlow(ModelUnavailable):
    """The endpoint accepted the question and did not answer in time."""


@dataclass(frozen=True, slots=True)
class Prompt(Generic[A]):
    """A question to an LLM, with the model of its answer.

    version: changes with the text; part of the key under which paid answers are cached.
    """

    name: str
    version: int
    system: str
    user: str
    answer: type[A]


class LanguageModel(Protocol):
    """Answers prompts in the requested format."""

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""

    def answer(self, prompt: Prompt[A]) -> A:
        """Ask once. Raises ModelUnavailable or AnswerRefused, without conversation text."""
