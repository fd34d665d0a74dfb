"""`create_prompt_optimizer`: a prompt and what came of it in, a better prompt out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from mosshead.language_model import open_model
from mosshead.language_model.ports import LanguageModel
from mosshead.optimizing.kinds import KINDS, Task
from mosshead.optimizing.proposing import Counted, Proposed
from mosshead.prompts.templates import OptimizerKind, PromptTemplate, template_of
from mosshead.prompts.trajectories import AnyTrajectory, trajectories_of

MAX_STEPS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimized:
    """What became of a prompt.

    prompt: its text from here on; the old one, letter by letter, where ``changed`` is false. name: as the template's.
    reason: what changed and why, in the model's words, or why nothing did.
    refused: why what the model proposed was not taken, if that was so. steps: how often the model was asked.
    """

    name: str
    prompt: str
    changed: bool
    reason: str
    refused: str | None = None
    steps: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOptimizer:
    """Improves a prompt by what came of it; made by `create_prompt_optimizer`, and safe to share between threads."""

    model: LanguageModel
    kind: OptimizerKind
    least: int
    most: int

    def __call__(self, trajectories: Sequence[AnyTrajectory], prompt: str | PromptTemplate) -> Optimized:
        """The prompt improved, or as it was, with the reason.

        trajectories: ``(messages, feedback)``: a transcript or a list of ``{role, content}``, and a text,
        ``{"score": 0.2, "comment": "too long"}`` or None; of more than 100 the latest. Secrets in them are replaced.
        prompt: a text with variables as `str.format` has them, or a `PromptTemplate`.
        Without trajectories nothing is asked. Raises ValueError, which names what does not fit, and ModelUnavailable.
        """
        return self.improve(trajectories, prompt)

    def improve(
        self, trajectories: Sequence[AnyTrajectory], prompt: str | PromptTemplate, *, hint: str = ""
    ) -> Optimized:
        """The same. hint: why this prompt was found to be at fault, for the model."""
        template, shown = template_of(prompt), trajectories_of(trajectories)
        if not shown:
            return unchanged(template, "there was nothing to learn from")
        model = Counted(self.model)
        task = Task(template, shown, least=self.least, most=self.most, hint=hint)
        return _optimized(template, KINDS[self.kind](model, task), model.calls)


def create_prompt_optimizer(
    model: str | LanguageModel,
    *,
    kind: OptimizerKind = "metaprompt",
    max_reflection_steps: int = 3,
    min_reflection_steps: int = 1,
) -> PromptOptimizer:
    """An optimizer of prompts.

    model: "openai:MODEL", or a `LanguageModel` of your own.
    kind: "metaprompt" thinks it over, then writes the prompt anew; "gradient" finds what is wrong, then edits that alone;
    "prompt_memory" writes the lessons into it in one call.
    max_reflection_steps: of thinking ("metaprompt"), or rounds of critique and edits ("gradient"), 1 to 10.
    min_reflection_steps: so many before "metaprompt" may have thought enough.
    Raises ValueError where one of these does not fit, and ConfigurationError as `mosshead.language_model.open_model`.
    """
    if kind not in get_args(OptimizerKind):
        raise ValueError(f"kind: one of {', '.join(get_args(OptimizerKind))}, got {kind!r}")
    if not 1 <= max_reflection_steps <= MAX_STEPS:
        raise ValueError(f"max_reflection_steps: from 1 to {MAX_STEPS}, got {max_reflection_steps!r}")
    if not 0 <= min_reflection_steps <= max_reflection_steps:
        raise ValueError(f"min_reflection_steps: from 0 to {max_reflection_steps}, got {min_reflection_steps!r}")
    return PromptOptimizer(model=open_model(model), kind=kind, least=min_reflection_steps, most=max_reflection_steps)


def unchanged(template: PromptTemplate, reason: str, *, refused: str | None = None, steps: int = 0) -> Optimized:
    """A prompt that stays as it is, and why."""
    return Optimized(
        name=template.name, prompt=template.text, changed=False, reason=reason, refused=refused, steps=steps
    )


def _optimized(template: PromptTemplate, found: Proposed, steps: int) -> Optimized:
    if found.text == template.text:
        refused = f"what the model proposed was not taken: {found.refused}" if found.refused else ""
        reason = refused or found.reason or "the model found nothing to change"
        return unchanged(template, reason, refused=found.refused, steps=steps)
    return Optimized(
        name=template.name,
        prompt=found.text,
        changed=True,
        reason=found.reason or "the model gave no reason",
        refused=found.refused,
        steps=steps,
    )
