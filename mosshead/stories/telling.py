"""From a request to its story: the evidence, and then the LLM that tells it or, without one, the chronicle."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from mosshead.handed_in import answer_of
from mosshead.language_model.ports import AnswerRefused, LanguageModel, ModelUnavailable
from mosshead.reading.rounds import Store
from mosshead.results import Progress
from mosshead.stories.asking import StoryAnswer, story_prompt
from mosshead.stories.checking import Checked, checked
from mosshead.stories.choosing import belonging, chosen
from mosshead.stories.chronicle import chronicle
from mosshead.stories.gathering import gathered
from mosshead.stories.intents import Asked
from mosshead.stories.story import Story

TELLING_SECONDS = 60.0
"""How long an LLM may take where nobody says otherwise: a story takes longer than a read."""

NOTHING = "nothing that is known answers to it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What `Namespace.story` was asked, checked."""

    request: str
    history: tuple[str, ...]
    conversation: str | None
    budget: int
    now: datetime


def evidence_for(
    store: Store, wanted: Wanted, asked: Asked, progress: Callable[[Progress], Progress], closed: frozenset[UUID]
) -> Story:
    """The evidence for a story that is not told yet; or the question that comes first.

    asked: what the request asks for. progress: adds what the app published. closed: memories that the app closed, and the
    service has not yet.
    """
    found = gathered(
        store,
        asked,
        wanted.request,
        history=wanted.history,
        conversation=wanted.conversation,
        now=wanted.now,
        closed=closed,
    )
    evidence, tokens = chosen(
        belonging(found.pieces, asked.intent, found.days),
        budget=wanted.budget,
        count_tokens=store.embedder.count_tokens,
    )
    reason = None if evidence else "it is open who is meant" if found.questions else NOTHING
    return Story(
        intent=asked.intent,
        evidence=evidence,
        questions=found.questions,
        tokens=tokens,
        partial=progress(found.progress).partial,
        reason=reason,
    )


def told(story: Story, request: str, model: LanguageModel | None, ends: float | None) -> Story:
    """The story of its evidence.

    ends: by `time.monotonic`, when an answer comes too late; after `TELLING_SECONDS` by default. Where an LLM tells nothing that
    can be kept, it is the chronicle.
    """
    if not story.evidence:
        return story
    plain = replace(story, sentences=chronicle(story.evidence), told_by="rules")
    if model is None:
        return plain
    seconds = TELLING_SECONDS if ends is None else max(0.0, ends - time.monotonic())
    answer = None
    if seconds:  # else the evidence took it all: nobody would hear what an LLM says, and it would cost
        answer = answer_of(lambda: _asked(model, story, request), name="model of a story", seconds=seconds)
    if isinstance(answer, Checked) and answer.sentences:
        return replace(story, sentences=answer.sentences, dropped=answer.dropped, told_by="model")
    if isinstance(answer, Checked):
        why = "no sentence of its answer rests on the evidence" if answer.dropped else "it found nothing to tell"
        return replace(plain, dropped=answer.dropped, reason=f"model: {why}")
    return replace(plain, reason=answer or f"model: it failed, or did not answer within {seconds:.1f} s")


def _asked(model: LanguageModel, story: Story, request: str) -> Checked | str:
    """What is kept of its answer, or why there is none; neither names what was said."""
    try:
        answer: object = model.answer(story_prompt(request, story.intent, story.evidence))
    except (AnswerRefused, ModelUnavailable) as error:
        return f"model: {error}"
    if not isinstance(answer, StoryAnswer):
        return f"model: it answered with {type(answer).__name__}"
    return checked(answer, story.evidence, request)
