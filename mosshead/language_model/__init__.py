"""Asking an LLM for an answer in a shape. The openai package is imported by `mosshead.language_model.openai` alone.

The pipeline imports `mosshead.language_model.ports`, from which nothing leads to a client.
"""

from mosshead.language_model.opening import open_model
from mosshead.language_model.ports import (
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
