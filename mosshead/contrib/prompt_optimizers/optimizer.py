"""`create_prompt_optimizer`: improve a prompt from its conversations and feedback."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import get_args

from mosshead.arguments import checked_limit
from mosshead.contrib.prompt_optimizers import proposals
from mosshead.contrib.prompt_optimizers.proposals import EditsAnswer, Proposed, Task
from mosshead.contrib.prompt_optimizers.trajectories import AnyTrajectory, trajectories_of
from mosshead.llm import open_model
from mosshead.llm.protocol import AnswerRefused, LanguageModel
from mosshead.models.prompts import OptimizerKind, PromptTemplate, template_of

MAX_STEPS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimized:
    """The result for a prompt.

    prompt: the new text; exactly the old one if ``changed`` is false. name: the template's.
    reason: what changed and why, in the model's words, or why nothing did.
    refused: why the model's proposal was refused, if it was. steps: how often the model was called.
    """

    name: str
    prompt: str
    changed: bool
    reason: str
    refused: str | None = None
    steps: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOptimizer:
    """Improves a prompt from feedback. Create it with `create_prompt_optimizer`; it is safe to share between threads."""

    model: LanguageModel
    kind: OptimizerKind
    least: int
    most: int

    def __call__(
        self, trajectories: Sequence[AnyTrajectory], prompt: str | PromptTemplate, *, hint: str = ""
    ) -> Optimized:
        """Return the prompt, improved or unchanged, with the reason.

        trajectories: ``(messages, feedback)``: a transcript or a list of ``{role, content}``, and a text, ``{"score": 0.2,
            "comment": "too long"}`` or None; at most the latest 100 count. Secrets in them are replaced.
        prompt: a text with variables as in `str.format`, or a `PromptTemplate`. hint: for the model, why the prompt is at
            fault. Without trajectories the model is not called.
        Raises ValueError, which names the invalid argument, and ModelUnavailable.
        """
        template, shown = template_of(prompt), trajectories_of(trajectories)
        if not shown:
            return unchanged(template, "there was nothing to learn from")
        task = Task(self.model, template, shown, self.least, self.most, hint)
        found = KINDS[self.kind](task)
        changed = found.text != template.text
        if changed:
            reason = found.reason or "the model gave no reason"
        elif found.refused:
            reason = f"what the model proposed was not taken: {found.refused}"
        else:
            reason = found.reason or "the model found nothing to change"
        return Optimized(
            name=template.name,
            prompt=found.text,
            changed=changed,
            reason=reason,
            refused=found.refused,
            steps=task.calls,
        )


def create_prompt_optimizer(
    model: str | LanguageModel,
    *,
    kind: OptimizerKind = "metaprompt",
    max_reflection_steps: int = 3,
    min_reflection_steps: int = 1,
) -> PromptOptimizer:
    """Create an optimizer of prompts.

    model: "openai:MODEL", or a `LanguageModel` of your own.
    kind: "metaprompt" reflects, then rewrites the prompt; "gradient" finds faults, then edits only those; "prompt_memory"
        writes the lessons into it in one call.
    max_reflection_steps: steps of reflection ("metaprompt"), or rounds of critique and edits ("gradient"), 1 to 10.
    min_reflection_steps: the minimum before "metaprompt" may stop. Raises ValueError if an argument is invalid, and
    ConfigurationError as `mosshead.llm.open_model`.
    """
    if kind not in get_args(OptimizerKind):
        raise ValueError(f"kind: one of {', '.join(get_args(OptimizerKind))}, got {kind!r}")
    checked_limit(max_reflection_steps, "max_reflection_steps", MAX_STEPS)
    if not 0 <= min_reflection_steps <= max_reflection_steps:
        raise ValueError(f"min_reflection_steps: from 0 to {max_reflection_steps}, got {min_reflection_steps!r}")
    return PromptOptimizer(model=open_model(model), kind=kind, least=min_reflection_steps, most=max_reflection_steps)


def unchanged(template: PromptTemplate, reason: str, *, refused: str | None = None) -> Optimized:
    return Optimized(name=template.name, prompt=template.text, changed=False, reason=reason, refused=refused)


_NOTE_CHARACTERS = 4_000
_MOST_HYPOTHESES = 5
_MOST_EDITS = 20


def by_metaprompt(task: Task) -> Proposed:
    """Reflect, then rewrite the prompt: at most ``most`` steps of reflection, and two calls."""
    notes = [task.hint] if task.hint else []
    for step in range(1, task.most + 1):
        try:
            thought = task.ask(proposals.reflection_prompt(task, notes))
        except AnswerRefused:
            break  # the rewrite can use the thoughts so far
        notes.append(thought.thoughts[:_NOTE_CHARACTERS])
        if thought.enough and step >= task.least:
            break
    return proposals.propose(
        task,
        task.template,
        lambda fault: proposals.rewrite_prompt(task, notes, fault),
        lambda answer: Proposed(answer.prompt.strip(), answer.reason),
    )


def by_gradient(task: Task) -> Proposed:
    """Find faults, then edit only those: at most ``most`` rounds of a critique and up to two calls for edits.

    A round without a result ends it; the results of earlier rounds stay.
    """
    reached = Proposed(task.template.text)
    for _ in range(task.most):
        current = task.template.with_text(reached.text)
        try:
            hypotheses = task.ask(proposals.critique_prompt(task, current)).hypotheses
        except AnswerRefused as error:
            return replace(reached, refused=proposals.why(error))
        if not hypotheses:
            break
        question = partial(proposals.edits_prompt, current, hypotheses[:_MOST_HYPOTHESES])
        found = proposals.propose(task, current, question, partial(_edited, current.text))
        if found.refused is not None or found.text == current.text:
            return replace(reached, refused=found.refused)
        reached = Proposed(found.text, proposals.brief(f"{reached.reason} {found.reason}"))
    return reached


def by_prompt_memory(task: Task) -> Proposed:
    """Write the lessons into the prompt: one call, and one more if the first breaks the template."""
    return proposals.propose(
        task,
        task.template,
        lambda fault: proposals.lessons_prompt(task, fault),
        lambda answer: Proposed(answer.prompt.strip(), answer.reason or " ".join(answer.lessons)),
    )


KINDS: dict[OptimizerKind, Callable[[Task], Proposed]] = {
    "metaprompt": by_metaprompt,
    "gradient": by_gradient,
    "prompt_memory": by_prompt_memory,
}


def _edited(text: str, answer: EditsAnswer) -> Proposed | str:
    """Return the text with all edits, or why one is impossible. Each passage is searched for in the text as shown."""
    if len(answer.edits) > _MOST_EDITS:
        return f"it has {len(answer.edits)} edits, at most {_MOST_EDITS}"
    places: list[tuple[int, int, str]] = []
    for number, one in enumerate(answer.edits, 1):
        find, replacement = proposals.with_lines_of(text, one.find), proposals.with_lines_of(text, one.replace)
        found = text.count(find) if find else 1
        if found != 1:
            where = f"{found} times" if found else "nowhere"
            return f"edit {number}: what it is to find stands {where} in the prompt"
        start = text.index(find) if find else len(text)
        places.append((start, start + len(find), replacement if find else f"\n{replacement}"))
    places.sort()
    if any(end > start for (_, end, _), (start, _, _) in pairwise(places)):
        return "two of its edits overlap"
    for start, end, replacement in reversed(places):
        text = f"{text[:start]}{replacement}{text[end:]}"
    return Proposed(text, answer.reason)


_MOST_PROMPTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralPromptsOptimizer:
    """Improves those of several prompts that are at fault. Create it with `create_multi_prompt_optimizer`."""

    optimizer: PromptOptimizer

    def __call__(self, trajectories: Sequence[AnyTrajectory], prompts: Sequence[PromptTemplate]) -> list[Optimized]:
        """Return each prompt, improved or unchanged, with the reason, in the given order.

        trajectories: as for `PromptOptimizer`. prompts: at most 20, with unique names; ``when_to_update`` helps to find those at
        fault. One call finds them; each is then improved separately. Without trajectories the model is not called. Raises
        ValueError, which names the invalid argument, and ModelUnavailable.
        """
        templates, shown = _checked(prompts), trajectories_of(trajectories)
        if not shown:
            return [unchanged(template, "there was nothing to learn from") for template in templates]
        blamed = proposals.settled(
            self.optimizer.model.answer,
            lambda _: proposals.blame_prompt(templates, shown),
            lambda answer: {one.prompt: proposals.brief(one.reason) for one in answer.at_fault},
        )
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
    """Create an optimizer of several prompts that work together; parameters and errors as for `create_prompt_optimizer`."""
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
