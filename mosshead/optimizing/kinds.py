"""The three ways to a better prompt. Each asks a bounded number of times, whatever the model says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from mosshead.language_model.ports import AnswerRefused, LanguageModel
from mosshead.optimizing.asking import (
    Edit,
    EditsAnswer,
    LessonsAnswer,
    RewriteAnswer,
    critique_prompt,
    edits_prompt,
    lessons_prompt,
    reflection_prompt,
    rewrite_prompt,
)
from mosshead.optimizing.proposing import Fault, Proposed, brief, propose, why, with_lines_of
from mosshead.prompts.templates import OptimizerKind, PromptTemplate
from mosshead.prompts.trajectories import Trajectory

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
