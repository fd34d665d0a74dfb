"""What a run found, as a table for people and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from rich.table import Table

from benchmarks.locomo.scoring import BUDGETS, KS, Answered, Scores, by_category, official, score

_KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """answered: by Mosshead; vector, bm25: by plain search. memories: how many were formed.

    unrelated: by budget the tokens that a context has, on the average, for a request that has to do with nothing that was said.
    """

    answered: Sequence[Answered]
    vector: Sequence[Answered]
    bm25: Sequence[Answered]
    memories: int
    unrelated: Mapping[int, float]


def as_json(measured: Measured) -> dict[str, Any]:
    """Recall as fractions, with the number of questions that each is taken of."""
    answered = measured.answered
    return {
        **score(answered).as_json(),
        "by_category": {str(category): one.as_json() for category, one in by_category(answered).items()},
        "official": _rounded(official(answered)),
        "official_questions": len(answered),
        "official_1_to_4": _rounded(official(answered, adversarial=False)),
        "vector": score(measured.vector).as_json(),
        "bm25": score(measured.bm25).as_json(),
        "memories": measured.memories,
        "tokens_used": {
            str(budget): round(fmean(one.tokens[budget] for one in answered), 1)
            for budget in BUDGETS
            if answered[0].tokens
        },
        "unrelated_tokens": {str(budget): round(tokens, 1) for budget, tokens in measured.unrelated.items()},
    }


def table(measured: Measured) -> Table:
    """Recall in percent, ours above plain search."""
    overall = score(measured.answered)
    made = Table(title=f"{overall.questions} questions; {measured.memories} memories; recall of the evidence in %")
    made.add_column("", no_wrap=True)
    for heading in (*(f"@{k}" for k in KS), *(f"{budget} tokens" for budget in BUDGETS)):
        made.add_column(heading, justify="right")
    made.add_row("Mosshead", *_figures(overall))
    for category, scores in by_category(measured.answered).items():
        made.add_row(f"  {_KINDS.get(category, category)}", *_figures(scores))
    made.add_row("  official, all questions", *_percent(official(measured.answered)))
    made.add_row("  official, categories 1-4", *_percent(official(measured.answered, adversarial=False)))
    made.add_row("plain vector", *_figures(score(measured.vector)))
    made.add_row("plain BM25", *_figures(score(measured.bm25)))
    made.caption = "tokens of a context for what has to do with nothing that was said: " + ", ".join(
        f"{tokens:.0f} of {budget}" for budget, tokens in measured.unrelated.items()
    )
    return made


def _figures(scores: Scores) -> list[str]:
    return [*_percent(dict(scores.recall_at)), *_percent(dict(scores.recall_tokens))]


def _percent(shares: dict[int, float]) -> list[str]:
    return [f"{100 * share:.1f}" for share in shares.values()]


def _rounded(shares: dict[int, float]) -> dict[str, float]:
    return {str(k): round(share, 4) for k, share in shares.items()}
