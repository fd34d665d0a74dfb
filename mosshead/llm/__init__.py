"""Asking an LLM for an answer in a shape. The openai package is imported by `mosshead.llm.openai` alone.

The pipeline imports `mosshead.llm.protocol`, from which nothing leads to a client.
"""

from mosshead.llm.open import open_model
from mosshead.llm.protocol import (
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
