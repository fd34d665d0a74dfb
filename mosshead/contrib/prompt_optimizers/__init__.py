"""Improve prompts from feedback: from conversations with comments to a better prompt.

    optimize = create_prompt_optimizer("openai:gpt-4o-mini", kind="gradient")
    better = optimize([(messages, "too long")], "You help {user} with invoices.")
    better.prompt, better.changed, better.reason

Nothing is read or written; only the LLM is called. Its proposal is accepted only if it keeps the template's variables. See
docs/how-to/optimizers.md.
"""

from mosshead.contrib.prompt_optimizers.optimizer import (
    Optimized,
    PromptOptimizer,
    SeveralPromptsOptimizer,
    create_multi_prompt_optimizer,
    create_prompt_optimizer,
)
from mosshead.contrib.prompt_optimizers.trajectories import Feedback, Trajectory
from mosshead.models.prompts import OptimizerKind, PromptTemplate

__all__ = [
    "Feedback",
    "Optimized",
    "OptimizerKind",
    "PromptOptimizer",
    "PromptTemplate",
    "SeveralPromptsOptimizer",
    "Trajectory",
    "create_multi_prompt_optimizer",
    "create_prompt_optimizer",
]
