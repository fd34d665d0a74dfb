"""The second opinion of a reranker that the app hands in: a cross-encoder, or a question to an LLM.

It may also say that something is better left unsaid. What it fails to answer in time stays as it was ranked.
"""

import logging
import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from mosshead.callbacks import answer_of
from mosshead.deadline import READ_SECONDS, remaining
from mosshead.language.names import normalise
from mosshead.models.entities import USER
from mosshead.models.memories import Hit

Reranker = Callable[[str, Sequence[str]], Sequence[float | None]]
"""Takes a message and texts, returns a score for each, the higher the better, or None for what is to be left out."""

Judge = Callable[[Sequence[str]], Sequence[float | None] | None]
"""A reranker that has its message; None where it has no answer."""

JUDGED = 50
"""So many of the best are judged; the rest stays behind them."""

_PART = 0.9
"""Of the time that the read has left."""

_T = TypeVar("_T")
_log = logging.getLogger("mosshead")


def judge_of(reranker: Reranker, message: str) -> Judge:
    """The reranker for a message. Raises ValueError where it is none."""
    if not callable(reranker):
        raise ValueError(  # noqa: TRY004 - as for all that does not fit
            f"reranker: a callable that takes a message and texts, got {type(reranker).__name__}"
        )

    def judge(texts: Sequence[str]) -> Sequence[float | None] | None:
        left = remaining()
        seconds = _PART * (READ_SECONDS if left is None else left)
        # What is lazy is worked out there, too: it may raise, or take its time.
        return answer_of(lambda: _checked(reranker(message, texts), len(texts)), name="reranker", seconds=seconds)

    return judge


def of_speaker_first(hits: Sequence[Hit], speaker: str) -> list[Hit]:
    """Hits in their order, and first of all those about a speaker: by name, or as the user, whom they were while alone."""
    name = normalise(speaker)

    def is_of_another(hit: Hit) -> bool:
        about = set(map(normalise, hit.about))
        return name not in about and not (normalise(hit.said_by or "") == name and normalise(USER) in about)

    return sorted(hits, key=is_of_another)


def reranked(found: Sequence[_T], text: Callable[[_T], str], judge: Judge | None) -> list[_T]:
    """What was found, best first, in the order of its judgement, equals as they were."""
    best, rest = found[:JUDGED], found[JUDGED:]
    scores = judge([text(one) for one in best]) if judge and best else None
    if scores is None:
        return list(found)
    kept = [(score, one) for score, one in zip(scores, best, strict=True) if score is not None]
    return [*(one for _, one in sorted(kept, key=lambda pair: -pair[0])), *rest]


def _checked(scores: Sequence[float | None] | None, texts: int) -> Sequence[float | None] | None:
    if scores is None:
        return None
    try:
        checked = [None if score is None else float(score) for score in scores]
    except (TypeError, ValueError, OverflowError):
        checked = []
    if len(checked) != texts or not all(score is None or math.isfinite(score) for score in checked):
        _log.warning(
            "reranker: returned no finite number or None for each of %d texts; the read goes on without it", texts
        )
        return None
    return checked
