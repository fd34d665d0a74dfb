"""Better prompts from what came of them: conversations, and what was said of each, go in; a better prompt comes out.

    optimize = create_prompt_optimizer("openai:gpt-4o-mini", kind="gradient")
    better = optimize([(messages, "too long")], "You help {user} with invoices.")
    better.prompt, better.changed, better.reason

Nothing is read or written but what the LLM is asked. The LLM proposes; what it proposes is taken where it keeps the template's
variables, and no more of it. docs/how-to/optimizers.md tells the rest.
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
