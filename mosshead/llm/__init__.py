"""Ask an LLM for a structured answer. Only `mosshead.llm.openai` imports the openai package.

The pipeline imports `mosshead.llm.protocol`, which imports no client.
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
