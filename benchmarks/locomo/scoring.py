"""How much of what answers a question was found: the share of its evidence, averaged over questions."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from benchmarks.locomo.conversations import ADVERSARIAL, Question

KS = (5, 10, 25, 50)
BUDGETS = (500, 1000, 2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What was found for a question.

    ranked: turns, best first. shown: by budget, the turns that a context tells of; tokens: likewise, how many it has.
    """

    question: Question
    ranked: Sequence[str]
    shown: Mapping[int, Collection[str]]
    tokens: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """recall_at: by number of turns; recall_tokens: by tokens of context; of how many questions."""

    recall_at: Mapping[int, float]
    recall_tokens: Mapping[int, float]
    questions: int

    def as_json(self) -> dict[str, Any]:
        """Fractions, and the count."""
        return {
            "recall_at": {str(k): round(share, 4) for k, share in self.recall_at.items()},
            "recall_tokens": {str(budget): round(share, 4) for budget, share in self.recall_tokens.items()},
            "questions": self.questions,
        }


def score(answered: Iterable[Answered]) -> Scores:
    """Over the questions that count: those of categories 1 to 4 with evidence."""
    counted = [one for one in answered if one.question.counts]
    return Scores(
        recall_at={k: _mean(_share(one.question, one.ranked[:k]) for one in counted) for k in KS},
        recall_tokens={b: _mean(_share(one.question, one.shown.get(b, ())) for one in counted) for b in BUDGETS},
        questions=len(counted),
    )


def by_category(answered: Sequence[Answered]) -> dict[int, Scores]:
    """The same for each category that has questions which count."""
    categories = sorted({one.question.category for one in answered if one.question.counts})
    return {category: score(one for one in answered if one.question.category == category) for category in categories}


def official(answered: Sequence[Answered], *, adversarial: bool = True) -> dict[int, float]:
    """Recall as the data's authors count it (task_eval/evaluation.py of snap-research/locomo).

    Over all questions, the adversarial ones too: of the evidence as it is listed, what was found under that very id; 1 for a
    question without evidence.
    """
    counted = [one for one in answered if adversarial or one.question.category != ADVERSARIAL]
    return {k: _mean(_listed_share(one.question, one.ranked[:k]) for one in counted) for k in KS}


def within(
    ranked: Iterable[str], budget: int, cost: Callable[[str], int], heading: Callable[[str], tuple[str, int]]
) -> list[str]:
    """The turns, best first, that a budget of tokens holds; what does not fit is passed over.

    cost: tokens of a turn. heading: what stands once above the turns of one conversation and day, and its tokens.
    """
    taken, tokens, headings = [], 0, set()
    for turn in ranked:
        above, more = heading(turn)
        needed = cost(turn) + (0 if above in headings else more)
        if tokens + needed <= budget:
            taken.append(turn)
            tokens += needed
            headings.add(above)
    return taken


def _share(question: Question, found: Collection[str]) -> float:
    return len(question.evidence.intersection(found)) / len(question.evidence)


def _listed_share(question: Question, found: Collection[str]) -> float:
    return sum(one in found for one in question.listed) / len(question.listed) if question.listed else 1.0


def _mean(shares: Iterable[float]) -> float:
    known = list(shares)
    return fmean(known) if known else 1.0
