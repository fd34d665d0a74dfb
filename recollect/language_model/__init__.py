"""Asking an LLM for an answer in a shape. The openai package is imported by `recollect.language_model.openai` alone.

The pipeline imports `recollect.language_model.ports`, from which nothing leads to a client.
"""

from recollect.language_model.opening import open_model
from recollect.language_model.ports import (
    AnswerDeclined,
    AnswerRefused,
    AnswerTruncated,
    AnswerUnusable,
    LanguageModel,
    ModelUnavailable,
    Prompt,
)

__all__ = [
    "AnswerDeclined",
    "AnswerRefused",
    "AnswerTruncated",
    "AnswerUnusable",
    "LanguageModel",
    "ModelUnavailable",
    "Prompt",
    "open_model",
]
