"""`create_multi_prompt_optimizer`: of several prompts, those that are at fault are improved, and the others left alone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mosshead.language_model.ports import AnswerRefused, AnswerUnusable, LanguageModel
from mosshead.optimizing.asking import blame_prompt
from mosshead.optimizing.optimizer import Optimized, PromptOptimizer, create_prompt_optimizer, unchanged
from mosshead.optimizing.proposing import brief, why
from mosshead.prompts.templates import OptimizerKind, PromptTemplate, template_of
from mosshead.prompts.trajectories import AnyTrajectory, Trajectory, trajectories_of

_ASKED = 2
_MOST_PROMPTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralPromptsOptimizer:
    """Improves those of several prompts that are at fault; made by `create_multi_prompt_optimizer`."""

    optimizer: PromptOptimizer

    def __call__(self, trajectories: Sequence[AnyTrajectory], prompts: Sequence[PromptTemplate]) -> list[Optimized]:
        """Each prompt improved or as it was, with the reason, in the order in which they were given.

        trajectories: as for `PromptOptimizer`. prompts: at most 20, each with a name of its own; ``when_to_update`` helps to tell
        which is at fault. One call tells that; each prompt that is at fault is then improved by itself.
        Without trajectories nothing is asked. Raises ValueError, which names what does not fit, and ModelUnavailable.
        """
        templates, shown = _checked(prompts), trajectories_of(trajectories)
        if not shown:
            return [unchanged(template, "there was nothing to learn from") for template in templates]
        blamed = _blamed(self.optimizer.model, templates, shown)
        if isinstance(blamed, str):
            reason = f"which prompt is at fault could not be told: {blamed}"
            return [unchanged(template, reason, refused=blamed) for template in templates]
        return [
            self.optimizer.improve(shown, template, hint=blamed[number])
            if number in blamed
            else unchanged(template, "it was not found to be at fault")
            for number, template in enumerate(templates, 1)
        ]


def create_multi_prompt_optimizer(
    model: str | LanguageModel,
    *,
    kind: OptimizerKind = "metaprompt",
    max_reflection_steps: int = 3,
    min_reflection_steps: int = 1,
) -> SeveralPromptsOptimizer:
    """An optimizer of several prompts that work together; parameters and errors as for `create_prompt_optimizer`."""
    optimizer = create_prompt_optimizer(
        model, kind=kind, max_reflection_steps=max_reflection_steps, min_reflection_steps=min_reflection_steps
    )
    return SeveralPromptsOptimizer(optimizer=optimizer)


def _checked(prompts: Sequence[PromptTemplate]) -> list[PromptTemplate]:
    if not 1 <= len(prompts) <= _MOST_PROMPTS:
        raise ValueError(f"prompts: from 1 to {_MOST_PROMPTS}, got {len(prompts)}")
    named = [template_of(one) for one in prompts]
    twice = [name for name, count in Counter(one.name for one in named).items() if count > 1]
    if twice:
        raise ValueError(f"prompts: {len(twice)} names stand twice; give each PromptTemplate a name of its own")
    return named


def _blamed(
    model: LanguageModel, templates: Sequence[PromptTemplate], trajectories: Sequence[Trajectory]
) -> dict[int, str] | str:
    """By number, why a prompt has to change; or why that could not be told. A number that was not shown names none of them."""
    fault = ""
    for _ in range(_ASKED):
        try:
            answer = model.answer(blame_prompt(templates, trajectories))
        except AnswerUnusable as error:
            fault = why(error)
            continue
        except AnswerRefused as error:
            return why(error)
        return {one.prompt: brief(one.reason) for one in answer.at_fault}
    return fault
