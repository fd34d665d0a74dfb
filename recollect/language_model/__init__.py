"""Asking an LLM for an answer in a shape. The openai package is imported by `recollect.language_model.openai` alone."""

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
]
