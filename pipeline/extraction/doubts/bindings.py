"""Find the part of the sources closest to a clause of the fact, and check what stands only beside other words."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from mosshead.language.lexicon import Word
from mosshead.language.passage import Passage
from pipeline.extraction.alignment import says_the_same


class SourcePart(Protocol):
    """Some words of a source."""

    @property
    def passage(self) -> Passage:
        """The source."""

    @property
    def words(self) -> Sequence[Word]:
        """The words, in order."""


P = TypeVar("P", bound=SourcePart)


def closest_to(told: Sequence[Word], parts: Sequence[P]) -> P | None:
    """Return the part that shares the most words with a clause; None if no part shares any, or on a tie."""
    shared = [sum(any(says_the_same(word.key, one.key) for one in part.words) for word in told) for part in parts]
    most = max(shared, default=0)
    return parts[shared.index(most)] if most and shared.count(most) == 1 else None


def is_only_elsewhere(holders: Sequence[P], closest: P, told: Sequence[Word]) -> bool:
    """Whether all holders are other parts of the closest part's message, and some have content words that the clause lacks.

    A holder in another message may be a correction: "sorry, the 19th", and so may one with a negation: "wait no 75".
    """
    return any(_says_more(one, told) for one in holders) and all(
        one is not closest and one.passage is closest.passage and not _corrects(one) for one in holders
    )


def _says_more(part: SourcePart, told: Sequence[Word]) -> bool:
    return any(
        part.passage.counts(word) and not any(says_the_same(word.key, one.key) for one in told) for word in part.words
    )


def _corrects(part: SourcePart) -> bool:
    return any(part.passage.is_negation(word.key) for word in part.words)
