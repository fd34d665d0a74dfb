"""Who is meant: what the answers of `Namespace.resolve` are worth."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from benchmarks.entities.counting import Share, share
from benchmarks.entities.world import Who

Verdict = Literal["right", "wrong", "asked"]
VERDICTS: tuple[Verdict, ...] = ("right", "wrong", "asked")


@dataclass(frozen=True, slots=True)
class Answer:
    """What `resolve` said. key: the world's own, of whom it resolved to."""

    status: Literal["resolved", "ambiguous", "unknown"]
    key: str | None = None


@dataclass(frozen=True, slots=True)
class WhoScores:
    """right, wrong, asked: of the rows that can be resolved. ask_precision, ask_recall: on these and the ambiguous ones.

    unknown: rows about somebody who is not known that were not resolved. by_kind: how the rows of each kind came out.
    """

    right: Share
    wrong: Share
    asked: Share
    ask_precision: Share
    ask_recall: Share
    unknown: Share
    by_kind: dict[str, Counter[Verdict]]

    def as_json(self) -> dict[str, Any]:
        """Shares; counts by kind; ``counts`` holds what the shares are taken of, with intervals."""
        shares = {name: getattr(self, name) for name in _SHARES}
        return {
            **{name: round(one.part, 4) for name, one in shares.items()},
            "by_kind": {
                kind: {verdict: counts[verdict] for verdict in VERDICTS} for kind, counts in self.by_kind.items()
            },
            "counts": {name: one.as_json() for name, one in shares.items()},
        }


_SHARES = ("right", "wrong", "asked", "ask_precision", "ask_recall", "unknown")


def verdict(row: Who, answer: Answer) -> Verdict:
    """Right: resolved to who is meant. Wrong: resolved to anybody else. Asked: not resolved, whether ambiguous or unknown."""
    if answer.status != "resolved":
        return "asked"
    return "right" if row.known is not None and answer.key == row.known else "wrong"


def score_who(answered: Sequence[tuple[Who, Answer]]) -> WhoScores:
    """Hold the answers against the world's."""
    judged = [(row, verdict(row, answer)) for row, answer in answered]
    resolvable = [how for row, how in judged if row.known is not None]
    asked = [row for row, how in judged if how == "asked" and (row.open or row.known is not None)]
    by_kind: dict[str, Counter[Verdict]] = {}
    for row, how in judged:
        by_kind.setdefault(row.kind, Counter())[how] += 1
    return WhoScores(
        right=share([how == "right" for how in resolvable]),
        wrong=share([how == "wrong" for how in resolvable]),
        asked=share([how == "asked" for how in resolvable]),
        ask_precision=share([row.open for row in asked]),
        ask_recall=share([how == "asked" for row, how in judged if row.open]),
        unknown=share([how == "asked" for row, how in judged if row.known is None and not row.open]),
        by_kind=by_kind,
    )
