"""`create_prompt_optimizer`: a prompt and what came of it in, a better prompt out."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import get_args

from mosshead.api.arguments import checked_limit
from mosshead.contrib.prompt_optimizers.proposals import (
    Counted,
    Edit,
    EditsAnswer,
    Fault,
    LessonsAnswer,
    Proposed,
    RewriteAnswer,
    blame_prompt,
    brief,
    critique_prompt,
    edits_prompt,
    lessons_prompt,
    propose,
    reflection_prompt,
    rewrite_prompt,
    why,
    with_lines_of,
)
from mosshead.contrib.prompt_optimizers.trajectories import AnyTrajectory, Trajectory, trajectories_of
from mosshead.llm import open_model
from mosshead.llm.protocol import AnswerRefused, AnswerUnusable, LanguageModel
from mosshead.models.prompts import OptimizerKind, PromptTemplate, template_of

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

    def __call__(
        self, trajectories: Sequence[AnyTrajectory], prompt: str | PromptTemplate, *, hint: str = ""
    ) -> Optimized:
        """The prompt improved, or as it was, with the reason.

        trajectories: ``(messages, feedback)``: a transcript or a list of ``{role, content}``, and a text,
        ``{"score": 0.2, "comment": "too long"}`` or None; of more than 100 the latest. Secrets in them are replaced.
        prompt: a text with variables as `str.format` has them, or a `PromptTemplate`. hint: why it was found to be at fault, for
        the model. Without trajectories nothing is asked. Raises ValueError, which names what does not fit, and ModelUnavailable.
        """
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
    Raises ValueError where one of these does not fit, and ConfigurationError as `mosshead.llm.open_model`.
    """
    if kind not in get_args(OptimizerKind):
        raise ValueError(f"kind: one of {', '.join(get_args(OptimizerKind))}, got {kind!r}")
    checked_limit(max_reflection_steps, "max_reflection_steps", MAX_STEPS)
    if not 0 <= min_reflection_steps <= max_reflection_steps:
        raise ValueError(f"min_reflection_steps: from 0 to {max_reflection_steps}, got {min_reflection_steps!r}")
    return PromptOptimizer(model=open_model(model), kind=kind, least=min_reflection_steps, most=max_reflection_steps)


def unchanged(template: PromptTemplate, reason: str, *, refused: str | None = None) -> Optimized:
    """A prompt that stays as it is, and why."""
    return Optimized(name=template.name, prompt=template.text, changed=False, reason=reason, refused=refused)


def _optimized(template: PromptTemplate, found: Proposed, steps: int) -> Optimized:
    changed = found.text != template.text
    if changed:
        reason = found.reason or "the model gave no reason"
    elif found.refused:
        reason = f"what the model proposed was not taken: {found.refused}"
    else:
        reason = found.reason or "the model found nothing to change"
    return Optimized(
        name=template.name, prompt=found.text, changed=changed, reason=reason, refused=found.refused, steps=steps
    )


_NOTE_CHARACTERS = 4_000
_MOST_HYPOTHESES = 5
_MOST_EDITS = 20


@dataclass(frozen=True, slots=True)
class Task:
    """What there is to do. hint: why this prompt was found to be at fault, if it was one of several."""

    template: PromptTemplate
    trajectories: Sequence[Trajectory]
    least: int
    most: int
    hint: str = ""


Improve = Callable[[LanguageModel, Task], Proposed]


def by_metaprompt(model: LanguageModel, task: Task) -> Proposed:
    """Think it over, then write the prompt anew: at most ``most`` steps of thinking, and two calls."""
    notes = [task.hint] if task.hint else []
    for step in range(1, task.most + 1):
        try:
            thought = model.answer(reflection_prompt(task.template, task.trajectories, notes))
        except AnswerRefused:
            break  # the rewrite can do with the thoughts there are
        notes.append(thought.thoughts[:_NOTE_CHARACTERS])
        if thought.enough and step >= task.least:
            break
    return propose(
        model,
        task.template,
        lambda fault: rewrite_prompt(task.template, task.trajectories, notes, fault),
        _rewritten,
    )


def by_gradient(model: LanguageModel, task: Task) -> Proposed:
    """Find what is wrong, then edit that and nothing else: at most ``most`` rounds of a critique and up to two calls for edits.

    A round that comes to nothing ends it; what the rounds before it reached stays.
    """
    reached = Proposed(task.template.text)
    for _ in range(task.most):
        current = task.template.with_text(reached.text)
        try:
            hypotheses = model.answer(critique_prompt(current, task.trajectories, task.hint)).hypotheses
        except AnswerRefused as error:
            return replace(reached, refused=why(error))
        if not hypotheses:
            break
        found = propose(
            model,
            current,
            partial(edits_prompt, current, hypotheses[:_MOST_HYPOTHESES]),
            partial(_edited, current.text),
        )
        if found.refused is not None or found.text == current.text:
            return replace(reached, refused=found.refused)
        reached = Proposed(found.text, brief(f"{reached.reason} {found.reason}"))
    return reached


def by_prompt_memory(model: LanguageModel, task: Task) -> Proposed:
    """Write the lessons into the prompt: one call, and one more where the first breaks the template."""
    return propose(
        model,
        task.template,
        lambda fault: lessons_prompt(task.template, task.trajectories, task.hint, fault),
        _learnt,
    )


KINDS: dict[OptimizerKind, Improve] = {
    "metaprompt": by_metaprompt,
    "gradient": by_gradient,
    "prompt_memory": by_prompt_memory,
}


def _rewritten(answer: RewriteAnswer) -> Proposed:
    return Proposed(answer.prompt.strip(), answer.reason)


def _learnt(answer: LessonsAnswer) -> Proposed:
    return Proposed(answer.prompt.strip(), answer.reason or " ".join(answer.lessons))


def _edited(text: str, answer: EditsAnswer) -> Proposed | Fault:
    """The text with all edits made, or why one of them cannot be. Each passage is looked for in the text as it was shown."""
    if len(answer.edits) > _MOST_EDITS:
        return Fault(f"it has {len(answer.edits)} edits, at most {_MOST_EDITS}")
    places: list[tuple[int, int, str]] = []
    for number, one in enumerate(answer.edits, 1):
        edit = Edit(find=with_lines_of(text, one.find), replace=with_lines_of(text, one.replace))
        found = text.count(edit.find) if edit.find else 1
        if found != 1:
            return Fault(
                f"edit {number}: what it is to find stands {'nowhere' if not found else f'{found} times'} in the prompt"
            )
        places.append(_place(text, edit))
    places.sort()
    if any(end > start for (_, end, _), (start, _, _) in pairwise(places)):
        return Fault("two of its edits overlap")
    edited, at = "", 0
    for start, end, replacement in places:
        edited, at = f"{edited}{text[at:start]}{replacement}", end
    return Proposed(f"{edited}{text[at:]}", answer.reason)


def _place(text: str, edit: Edit) -> tuple[int, int, str]:
    if not edit.find:
        return len(text), len(text), f"\n{edit.replace}"
    start = text.index(edit.find)
    return start, start + len(edit.find), edit.replace


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
            self.optimizer(shown, template, hint=blamed[number])
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
    checked_limit(len(prompts), "prompts", _MOST_PROMPTS)
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
