"""Rerank results with an app-supplied reranker, such as a cross-encoder or an LLM.

A reranker may also drop results. If it fails or is late, the order stays as it was.
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
"""Takes a message and texts, and returns a score for each text (higher is better), or None to drop it."""

Judge = Callable[[Sequence[str]], Sequence[float | None] | None]
"""A reranker bound to a message; returns None if it has no answer."""

JUDGED = 50
"""How many of the best results are reranked; the rest follow them."""

_PART = 0.9
"""Share of the read's remaining time that the reranker may use."""

_T = TypeVar("_T")
_log = logging.getLogger("mosshead")


def judge_of(reranker: Reranker, message: str) -> Judge:
    """Bind a reranker to a message. Raises ValueError if it is not callable."""
    if not callable(reranker):
        raise ValueError(  # noqa: TRY004 - as for every invalid argument
            f"reranker: a callable that takes a message and texts, got {type(reranker).__name__}"
        )

    def judge(texts: Sequence[str]) -> Sequence[float | None] | None:
        left = remaining()
        seconds = _PART * (READ_SECONDS if left is None else left)
        # Evaluate lazy results within the time limit, too: they may raise or be slow.
        return answer_of(lambda: _checked(reranker(message, texts), len(texts)), name="reranker", seconds=seconds)

    return judge


def of_speaker_first(hits: Sequence[Hit], speaker: str) -> list[Hit]:
    """Move hits about a speaker to the front: those about their name, or about the user if this speaker said them."""
    name = normalise(speaker)

    def is_of_another(hit: Hit) -> bool:
        about = set(map(normalise, hit.about))
        return name not in about and not (normalise(hit.said_by or "") == name and normalise(USER) in about)

    return sorted(hits, key=is_of_another)


def reranked(found: Sequence[_T], text: Callable[[_T], str], judge: Judge | None) -> list[_T]:
    """Sort results by the reranker's scores, best first. Equal scores keep their order."""
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
            "reranker: expected a finite number or None for each of %d texts; the read continues without it", texts
        )
        return None
    return checked
