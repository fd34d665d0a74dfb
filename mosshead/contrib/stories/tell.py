"""Tell the story of a request: gather evidence, then have an LLM tell it or, without one, write a chronicle."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mosshead.arguments import (
    OnTimeout,
    aware,
    checked_conversation,
    checked_limit,
    checked_on_timeout,
    checked_seconds,
)
from mosshead.callbacks import answer_of
from mosshead.contrib.stories.evidence import chosen, gathered
from mosshead.contrib.stories.prompt import StoryAnswer, noted, story_prompt
from mosshead.contrib.stories.requests import asked_for
from mosshead.contrib.stories.story import Story, StoryEvidence, StorySentence, sentence
from mosshead.fencing import one_line
from mosshead.llm.open import open_model
from mosshead.llm.protocol import AnswerRefused, LanguageModel, ModelUnavailable
from mosshead.patterns import lazy_pattern
from mosshead.redaction import redact, redact_history
from mosshead.text import readable

if TYPE_CHECKING:
    from mosshead.api.namespace import Namespace


TELLING_SECONDS = 60.0
"""Default time limit of the LLM: a story takes longer than a read."""

NOTHING = "nothing known matches the request"


def tell_story(
    namespace: "Namespace",
    request: str,
    *,
    model: LanguageModel | str | None = None,
    conversation: str | None = None,
    history: Sequence[Mapping[str, Any]] = (),
    budget: int = 2000,
    now: datetime | None = None,
    timeout: float | None = None,
    on_timeout: OnTimeout = "partial",
) -> Story:
    """Tell what a namespace knows about somebody or something in order of time, each sentence with its evidence.

    Args:
        namespace: the namespace to read.
        request: "how did Anna and I get to know each other?", "what happened with WOBS in 2023?".
        model: the LLM that tells it, as for `mosshead.llm.open_model`. Without one, or if it fails, is late or answers nonsense,
            the story is a chronicle in the memories' own words, and ``reason`` says why.
        conversation, history, now: as for `Namespace.context`; they help to identify who is meant. If that is unclear, the story
            is empty and ``questions`` asks.
        budget: maximum tokens of evidence.
        timeout: seconds, including the LLM. By default the evidence has the limit of `Memory.connect`, and the LLM a minute.
        on_timeout: "raise" raises ReadTimeout if the evidence is late. Otherwise the story is then empty and ``partial``.

    Raises:
        ValueError: an argument is invalid; the message names it.
        ConfigurationError: the model cannot be used.
        StoreUnavailable: Postgres cannot be reached.
    """
    session = namespace.session
    teller = None if model is None else open_model(model)
    said = redact(readable("request", request))
    turns, named = redact_history(history), checked_conversation(conversation)
    most = checked_limit(budget, "budget")
    moment = aware(now, "now") or datetime.now(UTC)
    limit, ending = None if timeout is None else checked_seconds("timeout", timeout), checked_on_timeout(on_timeout)
    ends = None if limit is None else time.monotonic() + limit
    asked = asked_for(said, moment.date())
    if not said.strip():
        return Story(intent=asked.intent, partial=session.progress().partial, reason=NOTHING)

    def read() -> Story:
        published, closed, store = session.published(), frozenset(session.pending().closed), session.store()
        pieces, questions, progress = gathered(
            store, asked, said, history=turns, conversation=named, now=moment, closed=closed
        )
        evidence, tokens = chosen(pieces, budget=most, count_tokens=store.embedder.count_tokens)
        return Story(
            intent=asked.intent,
            evidence=evidence,
            questions=questions,
            tokens=tokens,
            partial=replace(progress, published=published).partial,
            reason=None if evidence else "it is unclear who is meant" if questions else NOTHING,
        )

    found = session.read(
        read,
        timeout=limit,
        on_timeout=ending,
        late=lambda reason: Story(intent=asked.intent, partial=True, reason=reason),
    )
    return told(found, said, teller, ends)


def told(story: Story, request: str, model: LanguageModel | None, ends: float | None) -> Story:
    """Tell the story of the evidence.

    ends: the deadline for the answer, by `time.monotonic`; `TELLING_SECONDS` from now by default. If no sentence of the LLM can
    be kept, it is the chronicle.
    """
    if not story.evidence:
        return story
    plain = replace(story, sentences=chronicle(story.evidence), told_by="rules")
    if model is None:
        return plain
    seconds = TELLING_SECONDS if ends is None else max(0.0, ends - time.monotonic())
    answer = None
    if seconds:  # otherwise no time is left, and the LLM's answer would cost money but come too late
        answer = answer_of(lambda: _asked(model, story, request), name="model of a story", seconds=seconds)
    if not isinstance(answer, Story):
        return replace(plain, reason=answer or f"model: it failed, or did not answer within {seconds:.1f} s")
    if answer.sentences:
        return answer
    why = "no sentence of its answer rests on the evidence" if answer.dropped else "it found nothing to tell"
    return replace(plain, dropped=answer.dropped, reason=f"model: {why}")


def _asked(model: LanguageModel, story: Story, request: str) -> Story | str:
    """Return the kept sentences of its answer, or why there are none, without quoting it."""
    try:
        answer: object = model.answer(story_prompt(request, story.intent, story.evidence))
    except (AnswerRefused, ModelUnavailable) as error:
        return f"model: {error}"
    if not isinstance(answer, StoryAnswer):
        return f"model: it answered with {type(answer).__name__}"
    return checked(answer, story, request)


MOST = 60
"""How many sentences of an answer are read."""

_BRACKETS = lazy_pattern(r"\s*\[\s*\d[\d\s,;–-]*\]")
_THOUSANDS = lazy_pattern(r"(?<=\d)[,.'’](?=\d{3}(?!\d))")
_NUMBER = lazy_pattern(r"\d+")


def checked(answer: StoryAnswer, story: Story, request: str) -> Story:
    """Keep sentences that rest on the story's evidence.

    Citations of unknown numbers are ignored. It drops sentences without a citation, those with a number (a year, a sum) that is
    neither in the cited evidence with its dates nor in the request, and repetitions.
    """
    shown = {one.number: one for one in story.evidence}
    kept: dict[str, StorySentence] = {}
    for told in answer.sentences[:MOST]:
        text = one_line(_BRACKETS.sub("", told.text))
        cited = tuple(shown[number] for number in sorted({*told.evidence} & shown.keys()))
        if any(map(str.isalnum, text)) and cited and _figures([text]) <= _figures([request, *map(_own_words, cited)]):
            kept.setdefault(text.casefold(), StorySentence(text=sentence(text), citations=cited))
    dropped = len(answer.sentences) - len(kept)
    return replace(story, sentences=tuple(kept.values()), dropped=dropped, told_by="model")


def _own_words(one: StoryEvidence) -> str:
    """Return a piece's text with its dates in words and in digits, without its number."""
    until = f"{one.until:%Y-%m}-{one.until:%d}" if one.until else ""
    return f"{noted(one).partition(']')[2]} {one.at.date()} {until}"


def _figures(texts: Iterable[str]) -> set[str]:
    figures = (found for text in texts for found in _NUMBER.findall(_THOUSANDS.sub("", text)))
    # In any script's digits.
    return {"".join(str(int(digit)) for digit in figure).lstrip("0") for figure in figures}


def chronicle(evidence: Sequence[StoryEvidence]) -> tuple[StorySentence, ...]:
    return tuple(StorySentence(text=_told(one), citations=(one,)) for one in evidence)


def _told(one: StoryEvidence) -> str:
    if one.message:
        return sentence(f"{one.said}: {one.speaker or str(one.message.role).capitalize()} said “{one.shown}”")
    if not one.remarks:
        return sentence(f"{one.when}: {one.shown}")
    return f"{one.when}: {one.shown.rstrip('.')} ({', '.join(one.remarks)})."
